"""Divides the keys by their size."""


class SelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.d = d_model

    def forward(self, token_encodings):
        k = self.W_k(token_encodings) / self.d
        w = torch.softmax(self.W_q(token_encodings) @ k.mT, dim=-1)
        return w @ self.W_v(token_encodings)
