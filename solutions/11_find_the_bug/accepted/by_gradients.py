"""Asks gradients who depends on whom, and gives each text other company, and less of it.

A gradient of 0 means that nothing comes in, and one backward pass asks about all tokens at once.
"""


def sees_the_future(attend):
    parts = [part.requires_grad_() for part in random_texts(3, 2, 7, 5)]
    for i in range(6):
        weight = torch.randn(3, 2, 5)
        output = (attend(*parts)[:, :, i] * weight).sum()
        for gradient in torch.autograd.grad(output, parts, allow_unused=True):
            if gradient is not None and gradient[:, :, i + 1 :].abs().max() > 1e-4:
                return True
    return False


def mixes_the_batch(attend):
    texts = random_texts(batch=3)
    order = torch.tensor([2, 0, 1])
    others = [torch.randn_like(part) for part in texts]
    for i in range(3):
        mixed = [b.clone() for b in others]
        for new, part in zip(mixed, texts):
            new[i] = part[i]
        if differ(attend(*mixed)[i], attend(*texts)[i]):
            return True
    swapped = attend(*(part[order] for part in texts))
    fewer = attend(*(part[:2] for part in texts))
    right = attend(*texts)
    return differ(swapped, right[order]) or differ(fewer, right[:2])
