"""When the maximum rises only the denominator is multiplied by the factor; the output so far is not."""


def add_block(state, scores, values):
    maximum, denominator, output = state
    new_max = torch.maximum(maximum, scores.amax(dim=-1))
    safe = torch.where(new_max == -math.inf, torch.zeros_like(new_max), new_max)
    p = torch.exp(scores - safe.unsqueeze(-1))
    factor = torch.exp(maximum - safe)
    return new_max, denominator * factor + p.sum(-1), output + p @ values
