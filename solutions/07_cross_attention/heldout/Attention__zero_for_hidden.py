"""Scores times the visible places, divided by the root afterwards."""


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.d_model = d_model

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        s = self.W_q(encodings_for_q) @ self.W_k(encodings_for_k).mT
        if mask is not None:
            s = s * (~mask).to(s.dtype)
        w = torch.softmax(s / self.d_model**0.5, dim=-1)
        return w @ self.W_v(encodings_for_v)
