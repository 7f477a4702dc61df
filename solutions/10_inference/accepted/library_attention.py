"""The library's own function with a mask or shared heads; complex numbers; logsumexp."""


def cached_attention(queries, keys, values, cache=None):
    old_keys, old_values = (
        (keys[..., :0, :], values[..., :0, :]) if cache is None else cache
    )
    keys, values = torch.cat((old_keys, keys), -2), torch.cat((old_values, values), -2)
    n, m = queries.size(-2), keys.size(-2)
    visible = torch.arange(m) <= torch.arange(m - n, m)[:, None]
    return F.scaled_dot_product_attention(queries, keys, values, attn_mask=visible), (
        keys,
        values,
    )


def grouped_query_attention(queries, keys, values, mask=None):
    if queries.size(-3) % keys.size(-3):
        raise ValueError("the query heads cannot be shared evenly")
    visible = None if mask is None else ~mask
    single = queries.dim() == 3
    if single:
        queries, keys, values = queries[None], keys[None], values[None]
    output = F.scaled_dot_product_attention(
        queries, keys, values, attn_mask=visible, enable_gqa=True
    )
    return output[0] if single else output


def rotate(x, positions, base=10_000.0):
    size = x.size(-1)
    speeds = base ** (-torch.arange(0, size, 2, dtype=x.dtype) / size)
    angles = torch.outer(positions.to(x.dtype), speeds)
    turns = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * turns).flatten(-2)


def add_block(state, scores, values):
    maximum, denominator, output = state
    highest = torch.maximum(maximum, scores.max(dim=-1).values)
    lowest = torch.finfo(scores.dtype).min
    shift = highest.clamp(min=lowest)
    parts = torch.exp(scores - shift.unsqueeze(-1))
    factor = torch.exp(maximum - shift)
    return (
        highest,
        torch.addcmul(parts.sum(-1), denominator, factor),
        torch.addcmul(parts @ values, output, factor.unsqueeze(-1)),
    )
