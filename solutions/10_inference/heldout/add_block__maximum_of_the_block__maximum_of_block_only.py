"""The new maximum is that of the block alone, even where the maximum so far is higher."""


def add_block(state, scores, values):
    m, l, o = state  # noqa: E741
    m_new = scores.max(dim=-1).values
    m_new = torch.where(m_new.isinf(), m, m_new)
    shift = m_new.masked_fill(m_new.isinf(), 0.0)
    alpha = (m - shift).exp()
    w = (scores - shift[..., None]).exp()
    return m_new, l * alpha + w.sum(dim=-1), o * alpha[..., None] + w @ values
