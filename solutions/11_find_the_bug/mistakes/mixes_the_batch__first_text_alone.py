"""Your probe compares the first text alone. What if all others are made of it, and it is right itself?"""


def mixes_the_batch(attend):
    texts = random_texts()
    alone = attend(*(part[:1] for part in texts))
    return differ(attend(*texts)[:1], alone)
