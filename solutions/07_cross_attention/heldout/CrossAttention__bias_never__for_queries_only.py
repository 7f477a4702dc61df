"""With qkv_bias only the queries get a bias; keys and values have none."""


class CrossAttention(nn.Module):
    def __init__(
        self, d_query: int, d_context: int, d_out: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=False)
        self.W_value = nn.Linear(d_context, d_out, bias=False)

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        if mask is not None:
            mask = ~(mask if mask.dim() == 3 else mask.unsqueeze(1))
        return nn.functional.scaled_dot_product_attention(
            self.W_query(x), self.W_key(context), self.W_value(context), attn_mask=mask
        )
