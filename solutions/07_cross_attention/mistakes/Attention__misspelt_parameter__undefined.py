"""Compare the names in the signature with the names in the body, letter by letter. What a class is given
and what happens to lie around in the notebook are two different things.
"""


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        v = self.W_v(encodings_for_v)
        k = self.W_k(encodings_for_k)
        q = self.W_q(encodings_for_Q)
        s = q @ k.mT / k.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(mask, -1e9)
        return s.softmax(-1) @ v
