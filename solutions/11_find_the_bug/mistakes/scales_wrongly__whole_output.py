"""Your probe also finds modules without a mask. In which row does a mask change nothing?"""


def scales_wrongly(attend):
    queries, keys, values = random_texts()
    right = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return differ(attend(queries, keys, values), right)
