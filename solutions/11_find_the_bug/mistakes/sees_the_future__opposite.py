"""Your probe says True where all is right. Which answer does the name of the function ask for?"""


def sees_the_future(attend):
    before = random_texts()
    after = [part.clone() for part in before]
    for part in after:
        part[..., 2:, :] = torch.randn_like(part[..., 2:, :])
    return not differ(attend(*before)[..., :2, :], attend(*after)[..., :2, :])
