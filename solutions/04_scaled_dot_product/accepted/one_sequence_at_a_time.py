"""Batches by recursion: the function calls itself for each sequence, and loops over the queries of one."""


def attention_scores(queries, keys):
    if queries.dim() > 2:
        return torch.stack(
            [attention_scores(q, k) for q, k in zip(queries, keys, strict=True)]
        )
    return torch.stack([(keys * query).sum(dim=1) for query in queries])


def scaled_dot_product_attention(queries, keys, values):
    if queries.dim() > 2:
        batch = zip(queries, keys, values, strict=True)
        return torch.stack([scaled_dot_product_attention(q, k, v) for q, k, v in batch])
    rows = []
    for query in queries:
        scores = (
            torch.stack([torch.dot(query, key) for key in keys])
            / torch.tensor(keys.shape[1], dtype=keys.dtype).sqrt()
        )
        powers = torch.exp(scores - scores.max())
        context = (powers / powers.sum()) @ values
        rows.append(context)
    return torch.stack(rows)
