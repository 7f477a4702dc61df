"""The scores are divided by the root of the number of keys instead of d_k."""


def scaled_dot_product_attention(
    queries: Tensor, keys: Tensor, values: Tensor
) -> Tensor:
    attention = torch.einsum("...nd,...md->...nm", queries, keys)
    attention = attention / keys.shape[-2] ** 0.5
    attention = attention.softmax(dim=-1)
    return torch.einsum("...nm,...mv->...nv", attention, values)
