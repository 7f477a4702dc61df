"""You divide the output by the denominator in each block. Who divides, and when?"""


def add_block(state, scores, values):
    maximum, denominator, output = state
    higher = torch.maximum(maximum, scores.amax(dim=-1))
    safe = higher.masked_fill(higher == -math.inf, 0.0)
    factor = torch.exp(maximum - safe)
    parts = torch.exp(scores - safe[..., None])
    total = denominator * factor + parts.sum(dim=-1)
    output = output * factor[..., None] + parts @ values
    return higher, total, output / total.clamp(min=1e-30)[..., None]
