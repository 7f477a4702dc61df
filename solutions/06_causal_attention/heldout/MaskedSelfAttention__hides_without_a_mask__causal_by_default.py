"""Without a mask the class hides the future instead of nothing."""


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings: Tensor, mask: Tensor | None = None) -> Tensor:
        if mask is None:
            mask = causal_mask(token_encodings.size(0))
        q = self.W_q(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        scaled = (
            q @ k.transpose(self.row_dim, self.col_dim) / k.size(self.col_dim) ** 0.5
        )
        return masked_attention_weights(scaled, mask) @ v
