"""A large positive number is added where the mask is True, so hidden tokens get all the weight."""


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.dims = (row_dim, col_dim)

    def forward(self, token_encodings: Tensor, mask: Tensor | None = None) -> Tensor:
        k = self.W_k(token_encodings)
        scores = (
            self.W_q(token_encodings)
            @ k.transpose(*self.dims)
            / k.shape[self.dims[1]] ** 0.5
        )
        if mask is not None:
            scores = scores + mask * 1e9
        return scores.softmax(dim=self.dims[1]) @ self.W_v(token_encodings)
