"""You exponentiate the scores as they are, and huge ones overflow. What is the maximum kept for?"""


def add_block(state, scores, values):
    maximum, denominator, output = state
    higher = torch.maximum(maximum, scores.amax(dim=-1))
    parts = torch.exp(scores)
    return higher, denominator + parts.sum(dim=-1), output + parts @ values
