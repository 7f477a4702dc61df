"""Cuts the text short and compares bit by bit."""


def sees_the_future(attend):
    texts = random_texts()
    short = attend(*(part[:, :, :3] for part in texts))
    return bool((attend(*texts)[:, :, :3] != short).any())
