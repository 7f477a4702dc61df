"""The layers are made in the order W_k, W_q, W_v, so that a seed gives them other weights."""


class Attention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.row_dim = row_dim
        self.col_dim = col_dim
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        k, q, v = (
            self.W_k(encodings_for_k),
            self.W_q(encodings_for_q),
            self.W_v(encodings_for_v),
        )
        dots = q @ k.transpose(self.row_dim, self.col_dim)
        dots = dots / k.size(self.col_dim) ** 0.5
        if mask is not None:
            dots = dots.masked_fill(mask, float("-inf"))
        return dots.softmax(dim=self.col_dim) @ v
