"""The mask is never used and the scores are divided by the root of the number of keys instead of their
size.
"""


class Attention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        q, k, v = (
            self.W_q(encodings_for_q),
            self.W_k(encodings_for_k),
            self.W_v(encodings_for_v),
        )
        kt = k.transpose(self.row_dim, self.col_dim)
        scores = (q @ kt) / len(k) ** 0.5
        return torch.softmax(scores, dim=self.col_dim) @ v
