"""Divides by the root of the number of keys."""


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        q, k, v = (
            self.W_q(encodings_for_q),
            self.W_k(encodings_for_k),
            self.W_v(encodings_for_v),
        )
        q = q / k.size(-2) ** 0.5
        s = torch.einsum("...nd,...md->...nm", q, k)
        if mask is not None:
            s = torch.where(mask, torch.finfo(s.dtype).min, s)
        return torch.softmax(s, -1) @ v
