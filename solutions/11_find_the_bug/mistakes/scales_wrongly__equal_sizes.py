"""Your probe takes as many tokens as features. Which wrong divisors are then right by chance?"""


def scales_wrongly(attend):
    queries, keys, values = random_texts(batch=4, heads=4, tokens=4, head_size=4)
    right = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return differ(attend(queries, keys, values)[..., -1, :], right[..., -1, :])
