"""Two tokens whose scores are 0 and 6: the last output is then a known number.

With values 0 and 1, the last output is the weight of the second token: the sigmoid of its scaled score. No
random number and no second softmax is needed.
"""


def scales_wrongly(attend):
    for batch, heads, size in ((1, 2, 9), (3, 5, 4)):
        queries = torch.ones(batch, heads, 2, size)
        keys, values = torch.zeros_like(queries), torch.zeros_like(queries)
        keys[:, :, 1] = 6 / size
        values[:, :, 1] = 1
        weight = attend(queries, keys, values)[:, :, 1]
        if (weight - torch.tensor(6 / size**0.5).sigmoid()).abs().max() > 1e-4:
            return True
    return False
