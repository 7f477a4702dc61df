"""Adds the queries' tokens to the mixtures."""


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        s = self.W_q(encodings_for_q) @ self.W_k(encodings_for_k).mT
        s = s / s.new_tensor(self.W_k.out_features).sqrt()
        if mask is not None:
            s = s.masked_fill(mask, -torch.inf)
        return encodings_for_q + s.softmax(-1) @ self.W_v(encodings_for_v)
