"""You compare the first row alone, after a change of the last token. Who sees only the next token?"""


def sees_the_future(attend):
    before = random_texts()
    after = [part.clone() for part in before]
    for part in after:
        part[..., -1, :] += 1.0
    return differ(attend(*before)[..., 0, :], attend(*after)[..., 0, :])
