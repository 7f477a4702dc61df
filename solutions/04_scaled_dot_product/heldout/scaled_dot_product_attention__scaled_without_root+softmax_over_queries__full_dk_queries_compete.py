"""The scores are divided by d_k instead of its root and the softmax runs over the queries instead of the
keys.
"""


def scaled_dot_product_attention(
    queries: Tensor, keys: Tensor, values: Tensor
) -> Tensor:
    dim = queries.size(-1)
    wei = (queries @ keys.mT) / dim
    wei = torch.nn.functional.softmax(wei, dim=-2)
    return wei @ values
