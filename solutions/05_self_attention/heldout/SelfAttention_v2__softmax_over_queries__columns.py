"""The softmax runs over the queries instead of the keys, so columns of the weights sum to 1."""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        attn = nn.Softmax(dim=-2)(q @ k.mT * self.d_out**-0.5)
        return attn @ v
