"""Your old sums are added as they are, though they were measured from a lower maximum. Which factor brings
them to the new one?
"""


def add_block(state, scores, values):
    maximum, denominator, output = state
    higher = torch.maximum(maximum, scores.amax(dim=-1))
    safe = higher.masked_fill(higher == -math.inf, 0.0)
    factor = torch.exp(maximum - safe)
    parts = torch.exp(scores - safe[..., None])
    return higher, denominator + parts.sum(dim=-1), output + parts @ values
