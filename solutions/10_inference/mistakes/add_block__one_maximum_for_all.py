"""You take one maximum over all queries. Queries far below it lose all their scores; each needs a maximum
of its own.
"""


def add_block(state, scores, values):
    maximum, denominator, output = state
    higher = torch.maximum(maximum, scores.amax().expand_as(maximum))
    safe = higher.masked_fill(higher == -math.inf, 0.0)
    factor = torch.exp(maximum - safe)
    parts = torch.exp(scores - safe[..., None])
    denominator = denominator * factor + parts.sum(dim=-1)
    output = output * factor[..., None] + parts @ values
    return higher, denominator, output
