"""One product for all three projections; the softmax by hand, with the largest score subtracted."""


def project(x, W_query, W_key, W_value):
    widths = [W.shape[1] for W in (W_query, W_key, W_value)]
    return torch.split(x @ torch.cat([W_query, W_key, W_value], dim=1), widths, dim=-1)


def score_variance(queries, keys, scaled):
    scores = torch.mm(queries, keys.t()).flatten()
    variance = torch.cov(scores)
    return variance / queries.shape[1] if scaled else variance


def scaled_attention_weights(scores, d_k):
    scaled = scores / d_k**0.5
    powers = torch.exp(scaled - scaled.amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


def scaled_dot_product_attention(query, key, value):
    root = key.shape[-1] ** 0.25
    scores = (query / root) @ (key / root).transpose(-1, -2)
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return powers @ value / powers.sum(dim=-1, keepdim=True)
