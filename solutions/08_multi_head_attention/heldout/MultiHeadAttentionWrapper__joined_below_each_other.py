"""vstack of a generator's results."""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.heads = nn.ModuleList(
            [Attention(d_model, row_dim, col_dim) for _ in range(num_heads)]
        )

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        inputs = (encodings_for_q, encodings_for_k, encodings_for_v, mask)
        return torch.vstack([h(*inputs) for h in self.heads])
