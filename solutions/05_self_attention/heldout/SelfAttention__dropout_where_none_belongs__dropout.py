"""A dropout of 0.1 is applied to the weights, so the output is random while training."""


class SelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.dropout = nn.Dropout(0.1)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings: Tensor) -> Tensor:
        q, k, v = (
            self.W_q(token_encodings),
            self.W_k(token_encodings),
            self.W_v(token_encodings),
        )
        att = (q @ k.transpose(self.row_dim, self.col_dim)) * (
            1.0 / math.sqrt(k.size(self.col_dim))
        )
        att = nn.functional.softmax(att, dim=self.col_dim)
        att = self.dropout(att)
        return att @ v
