"""The tokens themselves are added to the mixtures."""


class SelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings: Tensor) -> Tensor:
        x = token_encodings
        mixed = scaled_dot_product_attention(self.W_q(x), self.W_k(x), self.W_v(x))
        return x + mixed
