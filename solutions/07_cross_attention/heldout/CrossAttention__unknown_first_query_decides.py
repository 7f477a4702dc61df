"""Of a mask (B, n, m) only the first query's row is used, for all queries."""


class CrossAttention(nn.Module):
    def __init__(
        self, d_query: int, d_context: int, d_out: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        keys = self.W_key(context)
        similarity = self.W_query(x) @ keys.mT * keys.size(-1) ** -0.5
        if mask is not None:
            rows = mask[:, 0] if mask.dim() == 3 else mask
            similarity = similarity.masked_fill(rows.unsqueeze(1), float("-inf"))
        return similarity.softmax(dim=-1) @ self.W_value(context)
