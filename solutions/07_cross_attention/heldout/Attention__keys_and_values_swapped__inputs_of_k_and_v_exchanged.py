"""The keys are made from the tokens meant for the values and the values from those meant for the keys."""


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
        v = self.W_v(encodings_for_k)
        k = self.W_k(encodings_for_v)
        scaled_sims = (
            torch.matmul(q, k.transpose(self.row_dim, self.col_dim))
            / k.size(self.col_dim) ** 0.5
        )
        if mask is not None:
            scaled_sims = scaled_sims.masked_fill(mask, -1e9)
        return torch.matmul(torch.softmax(scaled_sims, dim=self.col_dim), v)
