"""Compares text by text, with a single head."""


def mixes_the_batch(attend):
    q, k, v = random_texts(3, 1, 4, 6)
    together = attend(q, k, v)
    return any(
        differ(attend(q[i, None], k[i, None], v[i, None])[0], together[i])
        for i in range(3)
    )
