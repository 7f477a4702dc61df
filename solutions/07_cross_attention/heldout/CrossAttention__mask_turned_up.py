"""A mask (B, m) gets its extra dimension at the end, so it hides whole queries instead of context tokens."""


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
        scores = (q @ k.transpose(1, 2)) / k.size(2) ** 0.5
        if mask is not None:
            if mask.dim() == 2:
                mask = mask.unsqueeze(-1)
            scores = scores.masked_fill(mask, -1e9)
        return torch.softmax(scores, dim=2) @ v
