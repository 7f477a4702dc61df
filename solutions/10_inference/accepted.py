# %% accepted="halves_and_masks"
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
        raise ValueError("h is not a multiple of g")
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


# %% accepted="library_attention"
"""torch's own attention with a mask or shared heads; complex numbers; sums with addcmul."""


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


# %% accepted="loops"
"""Head by head, pair by pair, token by token; a cache that is a list.

`add_block` adds one key at a time, which is the simplest form of the online softmax.
"""


def cached_attention(queries, keys, values, cache=None):
    kept = (
        [keys, values]
        if cache is None
        else [torch.cat(both, -2) for both in zip(cache, (keys, values))]
    )
    count, total = queries.size(-2), kept[0].size(-2)
    rows = []
    for i in range(count):
        end = total - count + i + 1
        rows.append(
            attention(
                queries[..., i : i + 1, :], kept[0][..., :end, :], kept[1][..., :end, :]
            )
        )
    return torch.cat(rows, dim=-2), kept


def grouped_query_attention(queries, keys, values, mask=None):
    heads, kept = queries.shape[-3], keys.shape[-3]
    if heads % kept != 0:
        raise ValueError(f"{heads} is not a multiple of {kept}")
    size = heads // kept
    outputs = []
    for head in range(heads):
        own = head // size
        parts = (queries[..., head, :, :], keys[..., own, :, :], values[..., own, :, :])
        outputs.append(attention(*parts, mask))
    return torch.stack(outputs, dim=-3)


def rotate(x, positions, base=10_000.0):
    size, columns = x.size(-1), []
    for i in range(size // 2):
        angle = positions.to(x.dtype) * base ** (-2 * i / size)
        a, b = x[..., 2 * i], x[..., 2 * i + 1]
        columns += [
            a * angle.cos() - b * angle.sin(),
            a * angle.sin() + b * angle.cos(),
        ]
    return torch.stack(columns, dim=-1)


def add_block(state, scores, values):
    for j in range(scores.size(-1)):
        maximum, denominator, output = state
        score = scores[..., j]
        higher = torch.maximum(maximum, score)
        shift = torch.where(higher == -math.inf, torch.zeros_like(higher), higher)
        old, new = (maximum - shift).exp(), (score - shift).exp()
        output = output * old[..., None] + new[..., None] * values[..., j : j + 1, :]
        state = higher, denominator * old + new, output
    return state


# %% accepted="repeat_and_rotate_matrix"
"""Repeated heads, as in most code; a rotation matrix for each pair; the old sums as one more key.

Each rotation is written as a matrix. The old sums are treated like one more key, so that one formula computes
both sums.
"""


def cached_attention(queries, keys, values, cache=None):
    if cache is not None:
        keys = torch.cat((cache[0], keys), dim=-2)
        values = torch.cat((cache[1], values), dim=-2)
    total, count = keys.size(-2), queries.size(-2)
    hidden = torch.triu(torch.ones(total, total, dtype=torch.bool), diagonal=1)[
        total - count :
    ]
    scores = torch.einsum("...nd,...md->...nm", queries, keys) * keys.size(-1) ** -0.5
    weights = F.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)
    return torch.einsum("...nm,...md->...nd", weights, values), (keys, values)


def grouped_query_attention(queries, keys, values, mask=None):
    group, rest = divmod(queries.size(-3), keys.size(-3))
    if rest:
        raise ValueError("uneven groups")
    keys = torch.repeat_interleave(keys, group, dim=-3)
    values = torch.repeat_interleave(values, group, dim=-3)
    return attention(queries, keys, values, mask)


def rotate(x, positions, base=10_000.0):
    size = x.size(-1)
    speeds = torch.tensor(base, dtype=x.dtype) ** (
        -torch.arange(0, size, 2).to(x.dtype) / size
    )
    angles = positions.to(x.dtype)[:, None] * speeds
    rows = torch.stack(
        [angles.cos(), -angles.sin(), angles.sin(), angles.cos()], dim=-1
    )
    matrices = rows.unflatten(-1, (2, 2))
    return (matrices @ x.unflatten(-1, (-1, 2)).unsqueeze(-1)).squeeze(-1).flatten(-2)


def add_block(state, scores, values):
    maximum, denominator, output = state
    joined = torch.cat([maximum.unsqueeze(-1), scores], dim=-1)
    highest = joined.max(dim=-1, keepdim=True).values
    parts = torch.where(joined == -math.inf, 0.0, (joined - highest).exp())
    parts = parts.nan_to_num(0.0)
    old, new = parts[..., :1], parts[..., 1:]
    return (
        highest.squeeze(-1),
        old.squeeze(-1) * denominator + new.sum(dim=-1),
        old * output + new @ values,
    )
