"""Compares with torch's own attention in the last row, and cuts the text short at every place."""


def scales_wrongly(attend):
    queries, keys, values = random_texts(3, 2, 6, 8)
    right = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    apart = (attend(queries, keys, values) - right)[..., -1, :].abs().max().item()
    return apart > 1e-3


def sees_the_future(attend):
    texts = random_texts(tokens=6)
    return any(
        differ(
            attend(*(part[..., :n, :] for part in texts)), attend(*texts)[..., :n, :]
        )
        for n in range(1, 6)
    )
