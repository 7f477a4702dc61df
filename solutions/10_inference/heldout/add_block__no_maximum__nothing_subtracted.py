"""The scores are exponentiated without subtracting the maximum, so sums are measured from 0 and overflow."""


def add_block(state, scores, values):
    maximum, denominator, output = state
    weights = scores.exp()
    return (
        torch.maximum(maximum, scores.max(dim=-1)[0]),
        denominator + weights.sum(dim=-1),
        output + weights @ values,
    )
