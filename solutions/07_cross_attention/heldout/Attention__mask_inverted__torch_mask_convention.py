"""The mask is handed to torch's scaled_dot_product_attention as it is, where True means visible, so it acts
inverted.
"""


class Attention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(
        self,
        encodings_for_q: Tensor,
        encodings_for_k: Tensor,
        encodings_for_v: Tensor,
        mask: Tensor | None = None,
    ) -> Tensor:
        return nn.functional.scaled_dot_product_attention(
            self.W_q(encodings_for_q),
            self.W_k(encodings_for_k),
            self.W_v(encodings_for_v),
            attn_mask=mask,
        )
