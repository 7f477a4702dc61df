"""A list multiplied inside the ModuleList, joined by concat."""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        layers = [Attention(d_model, row_dim, col_dim)] * num_heads
        self.heads = nn.ModuleList(layers)
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        return torch.concat(
            [
                m(encodings_for_q, encodings_for_k, encodings_for_v, mask)
                for m in self.heads
            ],
            dim=self.col_dim,
        )
