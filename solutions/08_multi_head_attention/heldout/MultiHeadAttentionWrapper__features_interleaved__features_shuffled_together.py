"""The features of the heads are interleaved, first features of all heads, then second ones, instead of head
after head.
"""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(
        self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1, num_heads: int = 1
    ) -> None:
        super().__init__()
        self.heads = nn.ModuleList(
            [Attention(d_model, row_dim, col_dim) for i in range(num_heads)]
        )

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        stacked = torch.stack(
            [
                head(encodings_for_q, encodings_for_k, encodings_for_v, mask)
                for head in self.heads
            ],
            dim=-1,
        )
        return stacked.flatten(-2)
