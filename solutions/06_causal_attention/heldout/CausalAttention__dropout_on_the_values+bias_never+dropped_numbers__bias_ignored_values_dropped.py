"""The layers never have a bias, whatever qkv_bias says, and dropout acts on the values instead of the
weights.
"""


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
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.drop = nn.Dropout(p=dropout)

    def forward(self, x: Tensor) -> Tensor:
        values = self.drop(self.W_value(x))
        return nn.functional.scaled_dot_product_attention(
            self.W_query(x), self.W_key(x), values, is_causal=True
        )
