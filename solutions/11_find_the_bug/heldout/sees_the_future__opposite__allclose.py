"""Forgets that allclose says True where nothing has changed."""


def sees_the_future(attend):
    texts = random_texts()
    short = attend(*(part[:, :, :3] for part in texts))
    return torch.allclose(attend(*texts)[:, :, :3], short, atol=1e-4)
