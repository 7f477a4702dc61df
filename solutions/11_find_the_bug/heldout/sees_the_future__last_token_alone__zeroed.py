"""The last token becomes zero, and only the first row is looked at."""


def sees_the_future(attend):
    texts = random_texts()
    first = attend(*texts)[:, :, 0]
    for part in texts:
        part[:, :, -1] = 0
    return differ(attend(*texts)[:, :, 0], first)
