"""The scores are not scaled and the mask sets weights to 0 only after the softmax, so rows do not sum
to 1.
"""


class CrossAttention(nn.Module):
    def __init__(
        self, d_query: int, d_context: int, d_out: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = self.W_query(x), self.W_key(context), self.W_value(context)
        weights = (q @ k.transpose(-1, -2)).softmax(dim=-1)
        if mask is not None:
            visible = ~mask if mask.dim() == 3 else ~mask[:, None]
            weights = weights * visible.to(weights.dtype)
        return weights @ v
