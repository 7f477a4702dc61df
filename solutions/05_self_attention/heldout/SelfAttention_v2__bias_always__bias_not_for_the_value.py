"""The layer for the values always has a bias, whatever qkv_bias says."""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out)

    def forward(self, x: Tensor) -> Tensor:
        return scaled_dot_product_attention(
            self.W_query(x), self.W_key(x), self.W_value(x)
        )
