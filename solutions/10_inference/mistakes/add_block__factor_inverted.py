"""Your factor is the inverse of the right one: the old sums grow where they should shrink. A higher maximum
makes each old term smaller.
"""


def add_block(state, scores, values):
    maximum, denominator, output = state
    higher = torch.maximum(maximum, scores.amax(dim=-1))
    safe = higher.masked_fill(higher == -math.inf, 0.0)
    factor = torch.exp((safe - maximum).masked_fill(maximum == -math.inf, 0.0))
    parts = torch.exp(scores - safe[..., None])
    denominator = denominator * factor + parts.sum(dim=-1)
    output = output * factor[..., None] + parts @ values
    return higher, denominator, output
