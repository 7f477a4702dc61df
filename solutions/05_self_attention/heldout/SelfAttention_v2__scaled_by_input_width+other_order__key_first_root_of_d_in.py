"""The layers are made in the order key, query, value and the scores are divided by the root of d_in instead
of d_out.
"""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x: Tensor) -> Tensor:
        k, q, v = self.W_key(x), self.W_query(x), self.W_value(x)
        C = x.shape[-1]
        wei = q @ k.transpose(-2, -1) * C**-0.5
        wei = torch.softmax(wei, dim=-1)
        return wei @ v
