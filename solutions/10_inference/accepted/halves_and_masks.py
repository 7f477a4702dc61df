"""Features sorted into halves and back; a penalty of -inf added to the scores; groups in one product."""


def cached_attention(queries, keys, values, cache=None):
    past = 0
    if cache is not None:
        past = cache[0].shape[-2]
        keys, values = (
            torch.cat([cache[0], keys], -2),
            torch.cat([cache[1], values], -2),
        )
    n = queries.shape[-2]
    penalty = torch.zeros(n, past + n, dtype=queries.dtype)
    penalty[:, past:] = torch.full((n, n), -math.inf, dtype=queries.dtype).triu(1)
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1]) + penalty
    return scores.softmax(-1) @ values, (keys, values)


def grouped_query_attention(queries, keys, values, mask=None):
    (h, n), g = queries.shape[-3:-1], keys.shape[-3]
    if h % g:
        raise ValueError("h is no multiple of g")
    tall = queries.reshape(*queries.shape[:-3], g, h // g * n, -1)
    repeated = None if mask is None else mask.repeat(h // g, 1)
    output = attention(tall, keys, values, repeated)
    return output.reshape(*queries.shape[:-1], values.shape[-1])


def rotate(x, positions, base=10_000.0):
    d = x.shape[-1]
    order = torch.cat([torch.arange(0, d, 2), torch.arange(1, d, 2)])
    halves = x[..., order]
    angles = torch.outer(
        positions.double(), base ** (-torch.arange(0, d, 2).double() / d)
    ).repeat(1, 2)
    swapped = torch.cat([-halves[..., d // 2 :], halves[..., : d // 2]], dim=-1)
    turned = halves * angles.cos().to(x.dtype) + swapped * angles.sin().to(x.dtype)
    return turned[..., order.argsort()]


def _power(difference):
    """exp, where -inf - (-inf) counts as nothing."""
    return torch.exp(difference.masked_fill(difference.isnan(), -math.inf))


def add_block(state, scores, values):
    maximum, denominator, output = state
    top = torch.maximum(maximum, scores.amax(-1))
    old, new = _power(maximum - top), _power(scores - top[..., None])
    return (
        top,
        denominator * old + new.sum(-1),
        output * old[..., None] + torch.matmul(new, values),
    )
