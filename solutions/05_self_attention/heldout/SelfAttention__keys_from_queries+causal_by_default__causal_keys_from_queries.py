"""Each token sees only itself with the tokens before it and the keys are made with W_q instead of W_k."""


class SelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.row_dim = row_dim
        self.col_dim = col_dim
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, token_encodings: Tensor) -> Tensor:
        q = self.W_q(token_encodings)
        k = self.W_q(token_encodings)
        v = self.W_v(token_encodings)
        return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
