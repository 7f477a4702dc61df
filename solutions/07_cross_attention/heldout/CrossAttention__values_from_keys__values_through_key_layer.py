"""The values are made by W_key, and W_value is never used."""


class CrossAttention(nn.Module):
    def __init__(
        self, d_query: int, d_context: int, d_out: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        query = self.W_query(x)
        key = value = self.W_key(context)
        score = torch.einsum("bqe,bke->bqk", query, key) / key.shape[2] ** 0.5
        if mask is not None:
            if mask.dim() < 3:
                mask = mask.unsqueeze(1).expand_as(score)
            score = score.masked_fill(mask, float("-inf"))
        return torch.einsum("bqk,bke->bqe", torch.softmax(score, dim=-1), value)
