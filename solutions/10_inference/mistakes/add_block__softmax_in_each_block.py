"""You take a softmax in each block, so that each block weighs as much as any other. Which sums must be kept
apart until the end?
"""


def add_block(state, scores, values):
    maximum, denominator, output = state
    higher = torch.maximum(maximum, scores.amax(dim=-1))
    safe = higher.masked_fill(higher == -math.inf, 0.0)
    factor = torch.exp(maximum - safe)
    parts = torch.softmax(scores.clamp(min=-1e30), dim=-1)
    denominator = denominator * factor + parts.sum(dim=-1)
    output = output * factor[..., None] + parts @ values
    return higher, denominator, output
