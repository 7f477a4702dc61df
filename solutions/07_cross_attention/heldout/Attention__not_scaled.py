"""The library's own attention with a scale of 1 and an inverted mask."""


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        return nn.functional.scaled_dot_product_attention(
            self.W_q(encodings_for_q),
            self.W_k(encodings_for_k),
            self.W_v(encodings_for_v),
            attn_mask=None if mask is None else ~mask,
            scale=1.0,
        )
