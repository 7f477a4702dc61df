"""The matrices have the shape (d_out, d_in) instead of (d_in, d_out)."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_out, d_in))
        self.W_key = nn.Parameter(torch.rand(d_out, d_in))
        self.W_value = nn.Parameter(torch.rand(d_out, d_in))

    def forward(self, x: Tensor) -> Tensor:
        q = x @ self.W_query.T
        k = x @ self.W_key.T
        v = x @ self.W_value.T
        return nn.functional.scaled_dot_product_attention(q, k, v)
