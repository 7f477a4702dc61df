"""Compares with torch's own attention in the last row, and reverses what comes after each place."""


def scales_wrongly(attend):
    queries, keys, values = random_texts(3, 2, 6, 8)
    right = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    apart = (attend(queries, keys, values) - right)[..., -1, :].abs().max().item()
    return apart > 1e-3


def sees_the_future(attend):
    texts = random_texts(tokens=6)
    right = attend(*texts)
    for n in range(1, 6):
        other = (
            torch.cat([part[..., :n, :], part[..., n:, :].flip(-2) - 1], dim=-2)
            for part in texts
        )
        if differ(attend(*other)[..., :n, :], right[..., :n, :]):
            return True
    return False
