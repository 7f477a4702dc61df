"""Make all scores of a token larger by a thousand. Their softmax stays the same; what about the
exponentials?"""


class MultiHeadAttention(nn.Module):
    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError(
                f"d_out = {d_out} is not divisible by num_heads = {num_heads}"
            )
        self.num_heads = num_heads
        self.head_size = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", causal_mask(context_length))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        queries, keys, values = (
            layer(x).view(batch, length, self.num_heads, self.head_size).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        scores = queries @ keys.transpose(2, 3) / self.head_size**0.5
        scores = scores.masked_fill(self.mask[:length, :length], -torch.inf)
        weights = self.dropout(scores.exp() / scores.exp().sum(dim=-1, keepdim=True))
        joined = (weights @ values).transpose(1, 2).reshape(batch, length, -1)
        return self.out_proj(joined)
