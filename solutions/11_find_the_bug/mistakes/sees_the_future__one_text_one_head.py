"""Your probe looks at one text and one head. In which of them could a mask be missing?"""


def sees_the_future(attend):
    before = random_texts(batch=1, heads=1)
    after = [part.clone() for part in before]
    for part in after:
        part[..., 2:, :] = torch.randn_like(part[..., 2:, :])
    return differ(attend(*before)[..., :2, :], attend(*after)[..., :2, :])
