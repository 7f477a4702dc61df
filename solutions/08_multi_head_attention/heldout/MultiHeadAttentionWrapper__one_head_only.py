"""A ModuleList with one layer, joined by hstack."""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.num_heads = num_heads
        self.heads = nn.ModuleList()
        self.heads.append(Attention(d_model, row_dim, col_dim))

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        outs = tuple(
            h(encodings_for_q, encodings_for_k, encodings_for_v, mask)
            for h in self.heads
        )
        return torch.cat(outs, dim=-1)
