"""What was summed so far is not multiplied when the maximum rises and a block with all keys hidden gives
NaN.
"""


def add_block(state, scores, values):
    m, d, o = state
    m2 = torch.maximum(m, scores.amax(dim=-1))
    e = torch.exp(scores - m2.unsqueeze(-1))
    return m2, d + e.sum(dim=-1), o + torch.einsum("...nb,...bd->...nd", e, values)
