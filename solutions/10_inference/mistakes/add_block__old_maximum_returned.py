"""You return the maximum that came in, so the next block measures from a point that no longer holds. Which
one belongs to the new sums?
"""


def add_block(state, scores, values):
    maximum, denominator, output = state
    higher = torch.maximum(maximum, scores.amax(dim=-1))
    safe = higher.masked_fill(higher == -math.inf, 0.0)
    factor = torch.exp(maximum - safe)
    parts = torch.exp(scores - safe[..., None])
    denominator = denominator * factor + parts.sum(dim=-1)
    output = output * factor[..., None] + parts @ values
    return maximum, denominator, output
