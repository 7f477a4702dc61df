"""The softmax runs along row_dim instead of col_dim, so columns sum to 1."""


class SelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.row_dim, self.col_dim = row_dim, col_dim
        self.W_q, self.W_k, self.W_v = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(3)
        )

    def forward(self, token_encodings: Tensor) -> Tensor:
        q, k, v = (layer(token_encodings) for layer in (self.W_q, self.W_k, self.W_v))
        scores = q @ k.transpose(self.row_dim, self.col_dim)
        scaled = scores / k.size(self.col_dim) ** 0.5
        return torch.softmax(scaled, dim=self.row_dim) @ v
