"""The textbook's three lines."""


def add_block(state, scores, values):
    m, total, o = state
    m_new = torch.maximum(m, scores.max(dim=-1).values)
    p = (scores - m_new.unsqueeze(-1)).exp()
    scale = (m - m_new).exp()
    return m_new, scale * total + p.sum(-1), scale.unsqueeze(-1) * o + p @ values
