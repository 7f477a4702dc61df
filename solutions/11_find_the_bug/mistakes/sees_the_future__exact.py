"""Your probe finds a difference in the last digits. How much may two right results differ by rounding?"""


def sees_the_future(attend):
    before = random_texts()
    after = [part.clone() for part in before]
    for part in after:
        part[..., 2:, :] = torch.randn_like(part[..., 2:, :])
    return not torch.equal(attend(*before)[..., :2, :], attend(*after)[..., :2, :])
