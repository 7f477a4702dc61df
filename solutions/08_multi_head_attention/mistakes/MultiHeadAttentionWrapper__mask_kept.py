"""Call the module with a mask, and then without one. What is left of the first call?"""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(
        self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1, num_heads: int = 1
    ) -> None:
        super().__init__()
        self.heads = nn.ModuleList(
            Attention(d_model, row_dim, col_dim) for _ in range(num_heads)
        )
        self.col_dim = col_dim

    def forward(
        self,
        encodings_for_q: Tensor,
        encodings_for_k: Tensor,
        encodings_for_v: Tensor,
        mask: Tensor | None = None,
    ) -> Tensor:
        mask = self.__dict__.setdefault("kept", mask)
        outputs = [
            head(encodings_for_q, encodings_for_k, encodings_for_v, mask)
            for head in self.heads
        ]
        return torch.cat(outputs, dim=self.col_dim)
