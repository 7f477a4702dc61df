"""With one head, the width of all heads is that of one. Does your probe see who confuses the two?"""


def scales_wrongly(attend):
    queries, keys, values = random_texts(heads=1)
    right = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return differ(attend(queries, keys, values)[..., -1, :], right[..., -1, :])
