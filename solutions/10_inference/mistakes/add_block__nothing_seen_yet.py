"""A query that has seen no key yet has the maximum -inf, and -inf - (-inf) is NaN. What could be subtracted
instead, as long as nothing has been seen?
"""


def add_block(state, scores, values):
    maximum, denominator, output = state
    higher = torch.maximum(maximum, scores.amax(dim=-1))
    factor = torch.exp(maximum - higher)
    parts = torch.exp(scores - higher[..., None])
    denominator = denominator * factor + parts.sum(dim=-1)
    output = output * factor[..., None] + parts @ values
    return higher, denominator, output
