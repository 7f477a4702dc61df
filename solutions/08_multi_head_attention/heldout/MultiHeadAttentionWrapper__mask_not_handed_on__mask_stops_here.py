"""The mask is taken and not handed on to the heads."""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(
        self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1, num_heads: int = 1
    ) -> None:
        super().__init__()
        self.heads = nn.ModuleList(
            [Attention(d_model, row_dim, col_dim) for _ in range(num_heads)]
        )
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        outs = []
        for head in self.heads:
            outs.append(head(encodings_for_q, encodings_for_k, encodings_for_v))
        return torch.cat(outs, dim=self.col_dim)
