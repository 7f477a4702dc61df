"""Short names, einsum, and the wrong input for the values."""


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        q = self.W_q(encodings_for_q)
        k = self.W_k(encodings_for_k)
        v = self.W_v(encodings_for_k)
        att = torch.einsum("...qd,...kd->...qk", q, k) * q.size(-1) ** -0.5
        if mask is not None:
            att = att.masked_fill(mask, float("-inf"))
        return att.softmax(dim=-1) @ v
