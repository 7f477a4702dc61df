"""Whatever mask is given, the class hides the future with a triangle of its own."""


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = (
            self.W_q(token_encodings),
            self.W_k(token_encodings),
            self.W_v(token_encodings),
        )
        sims = torch.matmul(q, k.transpose(self.row_dim, self.col_dim))
        sims = sims / torch.tensor(k.size(self.col_dim) ** 0.5)
        if mask is not None:
            n = token_encodings.size(self.row_dim)
            sims = sims.masked_fill(
                torch.triu(torch.ones(n, n, dtype=torch.bool), 1), -1e9
            )
        return torch.matmul(torch.softmax(sims, dim=self.col_dim), v)
