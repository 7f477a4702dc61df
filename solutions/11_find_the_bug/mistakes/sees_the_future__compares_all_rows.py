"""A changed token may change its own output, and later ones. Which rows must stay as they were?"""


def sees_the_future(attend):
    before = random_texts()
    after = [part.clone() for part in before]
    for part in after:
        part[..., 2:, :] = torch.randn_like(part[..., 2:, :])
    return differ(attend(*before), attend(*after))
