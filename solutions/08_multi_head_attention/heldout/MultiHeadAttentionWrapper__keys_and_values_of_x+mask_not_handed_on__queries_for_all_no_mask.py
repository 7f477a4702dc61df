"""Keys and values are made from the tokens that ask, their own inputs being ignored, and the mask is
not handed on.
"""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(
        self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1, num_heads: int = 1
    ) -> None:
        super().__init__()
        self.heads = nn.ModuleList(
            Attention(d_model, row_dim, col_dim) for _ in range(num_heads)
        )
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        x = encodings_for_q
        return torch.cat([head(x, x, x) for head in self.heads], dim=self.col_dim)
