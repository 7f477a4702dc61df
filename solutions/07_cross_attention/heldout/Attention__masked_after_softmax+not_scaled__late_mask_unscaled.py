"""Hidden weights are set to 0 only after the softmax, without sharing the rest anew, and the scores are not
scaled.
"""


class Attention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim, self.col_dim = row_dim, col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        query = self.W_q(encodings_for_q)
        key = self.W_k(encodings_for_k)
        value = self.W_v(encodings_for_v)
        attn = nn.functional.softmax(
            query.matmul(key.transpose(self.row_dim, self.col_dim)), dim=self.col_dim
        )
        if mask is not None:
            attn = attn.masked_fill(mask, 0.0)
        return attn.matmul(value)
