"""Adds the tokens to the result."""


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, token_encodings, mask=None):
        q, k, v = (
            self.W_q(token_encodings),
            self.W_k(token_encodings),
            self.W_v(token_encodings),
        )
        s = q @ k.mT / k.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(mask, -torch.inf)
        return s.softmax(-1) @ v + token_encodings
