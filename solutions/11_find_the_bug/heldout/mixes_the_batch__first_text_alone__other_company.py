"""Gives the first text other company, and looks at the first text."""


def mixes_the_batch(attend):
    one, other = random_texts(), random_texts()
    mixed = [torch.cat([a[:1], b[1:]]) for a, b in zip(one, other)]
    return differ(attend(*one)[0], attend(*mixed)[0])
