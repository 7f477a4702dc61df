"""Your probe changes the later values alone. What else of a later token can reach an earlier output?"""


def sees_the_future(attend):
    queries, keys, values = random_texts()
    changed = values.clone()
    changed[..., 2:, :] = torch.randn_like(changed[..., 2:, :])
    one, other = attend(queries, keys, values), attend(queries, keys, changed)
    return differ(one[..., :2, :], other[..., :2, :])
