"""Changes one tensor of one token at a time, and looks at texts one by one."""


def sees_the_future(attend):
    texts = random_texts(tokens=4)
    right = attend(*texts)
    for which in range(3):
        for j in range(1, 4):
            changed = [part.clone() for part in texts]
            changed[which][..., j, :] += 1.0
            if differ(attend(*changed)[..., :j, :], right[..., :j, :]):
                return True
    return False


def mixes_the_batch(attend):
    queries, keys, values = random_texts(batch=4, heads=2)
    right = attend(queries, keys, values)
    for text in range(4):
        one = slice(text, text + 1)
        if differ(attend(queries[one], keys[one], values[one]), right[one]):
            return True
    return False


def scales_wrongly(attend):
    queries, keys, values = random_texts(batch=1, heads=2, tokens=6, head_size=3)
    weights = ((queries[:, :, 5:] * keys).sum(-1) / 3**0.5).exp()
    weights = weights / weights.sum(-1, keepdim=True)
    right = (weights.unsqueeze(-1) * values).sum(-2)
    return bool((attend(queries, keys, values)[:, :, 5] - right).abs().max() > 1e-3)
