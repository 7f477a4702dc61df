"""The heads' outputs are joined along the tokens, below each other, instead of side by side."""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(
        self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1, num_heads: int = 1
    ) -> None:
        super().__init__()
        self.row_dim = row_dim
        self.heads = nn.ModuleList()
        for _ in range(num_heads):
            self.heads.append(Attention(d_model, row_dim, col_dim))

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        results = [
            head(encodings_for_q, encodings_for_k, encodings_for_v, mask=mask)
            for head in self.heads
        ]
        return torch.cat(results, dim=self.row_dim)
