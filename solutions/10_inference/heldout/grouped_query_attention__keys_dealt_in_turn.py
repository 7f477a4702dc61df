"""The keys are tiled, 0 1 0 1, while the values are shared by neighbours, 0 0 1 1."""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.size(-3), keys.size(-3)
    if h % g:
        raise ValueError(f"{h} is no multiple of {g}")
    outputs = []
    for i in range(h):
        k = keys[..., i % g, :, :]
        v = values[..., i // (h // g), :, :]
        outputs.append(attention(queries[..., i, :, :], k, v, mask))
    return torch.stack(outputs, dim=-3)
