"""Your probe finds whatever is wrong. What must hold of the future, even if the rest is wrong?"""


def sees_the_future(attend):
    queries, keys, values = random_texts()
    right = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return differ(attend(queries, keys, values), right)
