"""Repeats one text, and expects equal results."""


def mixes_the_batch(attend):
    output = attend(*(part.repeat(2, 1, 1, 1) for part in random_texts(batch=1)))
    return differ(output[0], output[1])
