"""permute of all dimensions."""


def scaled_dot_product_attention(queries, keys, values):
    turned = keys.permute(tuple(range(keys.dim()))[::-1])
    w = (torch.matmul(queries, turned) / keys.size(-1) ** 0.5).softmax(-1)
    return torch.matmul(w, values)
