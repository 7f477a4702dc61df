"""A hidden score becomes 0 instead of minus infinity, so that hidden keys keep weight."""


class Attention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        q = self.W_q(encodings_for_q)
        k = self.W_k(encodings_for_k)
        v = self.W_v(encodings_for_v)
        s = q @ k.transpose(self.row_dim, self.col_dim) * k.size(self.col_dim) ** -0.5
        if mask is not None:
            s = s * mask.logical_not()
        s = s - s.amax(dim=self.col_dim, keepdim=True)
        e = s.exp()
        return (e / e.sum(dim=self.col_dim, keepdim=True)) @ v
