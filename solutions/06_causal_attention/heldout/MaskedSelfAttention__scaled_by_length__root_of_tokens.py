"""The scores are divided by the root of the number of tokens instead of the size of the keys."""


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        for name in ("W_q", "W_k", "W_v"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))
        self.row_dim, self.col_dim = row_dim, col_dim

    def forward(self, token_encodings: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self.W_q(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        scores = torch.einsum("id,jd->ij", q, k) / k.size(self.row_dim) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask, -torch.inf)
        return torch.einsum("ij,jd->id", scores.softmax(self.col_dim), v)
