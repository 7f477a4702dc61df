"""All heads are one and the same layer, put into the list several times."""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(
        self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1, num_heads: int = 1
    ) -> None:
        super().__init__()
        head = Attention(d_model=d_model, row_dim=row_dim, col_dim=col_dim)
        self.heads = nn.ModuleList([head] * num_heads)

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        return torch.cat(
            [
                h(encodings_for_q, encodings_for_k, encodings_for_v, mask)
                for h in self.heads
            ],
            -1,
        )
