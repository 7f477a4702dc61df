"""No dropout is ever applied and the scores are divided by the root of d_in instead of d_out."""


class CausalAttention(nn.Module):
    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.d_in = d_in
        self.W_query = nn.Linear(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", causal_mask(context_length), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        B, T, _ = x.size()
        scores = torch.matmul(self.W_query(x), self.W_key(x).transpose(1, 2)) / (
            self.d_in**0.5
        )
        scores = scores.masked_fill(self.mask[:T, :T], float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        return torch.matmul(weights, self.W_value(x))
