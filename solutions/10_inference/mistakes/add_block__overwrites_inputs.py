"""You write into an argument in place. Who may still need it? Make new tensors."""


def add_block(state, scores, values):
    maximum, denominator, output = state
    higher = torch.maximum(maximum, scores.amax(dim=-1))
    safe = higher.masked_fill(higher == -math.inf, 0.0)
    factor = torch.exp(maximum - safe)
    parts = torch.exp(scores - safe[..., None])
    with torch.no_grad():
        denominator.mul_(factor)
        output.mul_(factor[..., None])
    denominator = denominator + parts.sum(dim=-1)
    output = output + parts @ values
    return higher, denominator, output
