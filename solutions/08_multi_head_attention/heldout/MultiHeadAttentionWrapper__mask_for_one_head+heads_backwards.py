"""Only the first head gets the mask and the outputs stand in reverse order, the last head's features
first.
"""


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
        output = None
        for head in self.heads:
            one = head(encodings_for_q, encodings_for_k, encodings_for_v, mask)
            output = (
                one if output is None else torch.cat((one, output), dim=self.col_dim)
            )
            mask = None
        return output
