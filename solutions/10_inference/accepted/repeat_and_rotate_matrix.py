"""Repeated heads, as most code has them; a matrix for each turn; the old sums as one more key.

A turn is written as the matrix that it is, and the old sums come in as if they were one more key, so
that one formula does for both.
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
