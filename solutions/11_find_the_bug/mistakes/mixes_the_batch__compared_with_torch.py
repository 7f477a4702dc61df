"""Your probe finds whatever is wrong. In which two calls of one module must a text be the same?"""


def mixes_the_batch(attend):
    queries, keys, values = random_texts()
    right = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return differ(attend(queries, keys, values), right)
