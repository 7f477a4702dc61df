"""A mask (B, m) meets the scores as it is, without a dimension of size 1 for the queries."""


class CrossAttention(nn.Module):
    def __init__(
        self, d_query: int, d_context: int, d_out: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self.W_query(x)
        k = self.W_key(context)
        v = self.W_value(context)
        scores = q @ k.transpose(1, 2) / k.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask, -torch.inf)
        return scores.softmax(-1) @ v
