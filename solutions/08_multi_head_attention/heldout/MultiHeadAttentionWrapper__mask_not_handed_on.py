"""Loops and appends; the mask's argument is there and stays unused."""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.heads = nn.ModuleList()
        for _ in range(num_heads):
            self.heads.append(
                Attention(d_model=d_model, row_dim=row_dim, col_dim=col_dim)
            )

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        results = []
        for head in self.heads:
            results.append(
                head(
                    encodings_for_q=encodings_for_q,
                    encodings_for_k=encodings_for_k,
                    encodings_for_v=encodings_for_v,
                )
            )
        return torch.cat(tensors=results, dim=-1)
