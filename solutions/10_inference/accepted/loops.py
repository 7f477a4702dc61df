"""Head by head, pair by pair, token by token; a cache that is a list.

Each loop is one of the stories of the lesson. `add_block` takes one token at a time, and is the online
softmax in its plainest form.
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
        raise ValueError(f"{heads} is no multiple of {kept}")
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
