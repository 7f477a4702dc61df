"""The matrices are drawn with torch.randn instead of torch.rand."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.randn(d_in, d_out))
        self.W_key = nn.Parameter(torch.randn(d_in, d_out))
        self.W_value = nn.Parameter(torch.randn(d_in, d_out))

    def forward(self, x: Tensor) -> Tensor:
        queries, keys, values = (
            x @ w for w in (self.W_query, self.W_key, self.W_value)
        )
        weights = attention_weights(queries, keys)
        return weights @ values
