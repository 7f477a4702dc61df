"""All texts of your batch are equal. What does one see if equal texts are mixed?"""


def mixes_the_batch(attend):
    texts = random_texts(batch=1)
    together = attend(*(part.expand(3, -1, -1, -1) for part in texts))
    return differ(together, attend(*texts).expand(3, -1, -1, -1))
