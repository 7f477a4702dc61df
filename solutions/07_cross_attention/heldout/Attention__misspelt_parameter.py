"""The value's parameter is misspelt, in the last line."""


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.scale = d_model**-0.5

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        att = self.W_q(encodings_for_q) @ self.W_k(encodings_for_k).mT * self.scale
        if mask is not None:
            att = att.masked_fill(mask, -torch.inf)
        return att.softmax(dim=-1) @ self.W_v(encoding_for_v)
