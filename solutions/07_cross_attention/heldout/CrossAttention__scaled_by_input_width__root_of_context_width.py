"""The scores are divided by the root of d_context instead of d_out."""


class CrossAttention(nn.Module):
    def __init__(
        self, d_query: int, d_context: int, d_out: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.scale = 1 / d_context**0.5

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        queries, keys, values = (
            self.W_query(x),
            self.W_key(context),
            self.W_value(context),
        )
        att = torch.einsum("bnd,bmd->bnm", queries, keys) * self.scale
        if mask is not None:
            if mask.ndim == 2:
                mask = mask[:, None, :]
            att = att.masked_fill(mask, float("-inf"))
        att = torch.softmax(att, dim=2)
        return torch.einsum("bnm,bmd->bnd", att, values)
