"""The scores are divided by the root of d_query instead of d_out and the softmax runs over the queries."""


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
        scores = torch.bmm(q, k.transpose(-2, -1)) / x.size(-1) ** 0.5
        if mask is not None:
            mask = mask.unsqueeze(1) if mask.dim() == 2 else mask
            scores = scores.masked_fill(mask, -1e9)
        return torch.bmm(torch.softmax(scores, dim=1), v)
