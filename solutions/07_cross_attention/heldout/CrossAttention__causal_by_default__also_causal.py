"""The class hides later context tokens as in causal attention, although each query may see the whole
context.
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
        B, n, _ = x.shape
        m = context.shape[1]
        q, k, v = self.W_query(x), self.W_key(context), self.W_value(context)
        scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
        scores = scores.masked_fill(torch.ones(n, m, dtype=torch.bool).triu(1), -1e9)
        if mask is not None:
            scores = scores.masked_fill(mask.view(B, -1, m), -1e9)
        return scores.softmax(dim=-1) @ v
