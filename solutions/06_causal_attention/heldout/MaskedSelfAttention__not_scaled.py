"""Shorter names, einsum, and where for the mask."""


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(3)
        )
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings, mask=None):
        q = self.W_q(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        s = torch.einsum("...qd,...kd->...qk", q, k)
        if mask is not None:
            s = torch.where(mask, -torch.inf, s)
        return s.softmax(dim=-1) @ v
