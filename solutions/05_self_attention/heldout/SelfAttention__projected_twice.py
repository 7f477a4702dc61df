"""The values go through their layer a second time."""


class SelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim, self.col_dim = row_dim, col_dim

    def forward(self, token_encodings):
        q, v = self.W_q(token_encodings), self.W_v(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(v)
        att = q @ k.transpose(self.row_dim, self.col_dim) / k.size(self.col_dim) ** 0.5
        return att.softmax(self.col_dim) @ v
