"""Your maximum is that of the newest block alone. What if an earlier block had a higher score?"""


def add_block(state, scores, values):
    maximum, denominator, output = state
    higher = scores.amax(dim=-1)
    safe = higher.masked_fill(higher == -math.inf, 0.0)
    factor = torch.exp(maximum - safe)
    parts = torch.exp(scores - safe[..., None])
    denominator = denominator * factor + parts.sum(dim=-1)
    output = output * factor[..., None] + parts @ values
    return higher, denominator, output
