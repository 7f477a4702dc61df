"""Without a mask nothing is hidden. What does your class hide when the mask is None?"""


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
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
        scores = (
            q @ k.transpose(self.row_dim, self.col_dim) / k.size(self.col_dim) ** 0.5
        )
        if mask is None:
            mask = torch.ones_like(scores, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(mask, -torch.inf)
        return torch.softmax(scores, dim=self.col_dim) @ v
