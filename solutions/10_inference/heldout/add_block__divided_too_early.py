"""FlashAttention's first version, which divides each time."""


def add_block(state, scores, values):
    m, total, o = state
    m_new = torch.maximum(m, scores.max(dim=-1).values)
    shift = torch.where(m_new.isinf(), torch.zeros_like(m_new), m_new)
    p = (scores - shift.unsqueeze(-1)).exp()
    scale = (m - shift).exp()
    l_new = scale * total + p.sum(-1)
    weights = (scale.unsqueeze(-1) * o + p @ values) / torch.where(
        l_new == 0, 1, l_new
    ).unsqueeze(-1)
    return m_new, l_new, weights
