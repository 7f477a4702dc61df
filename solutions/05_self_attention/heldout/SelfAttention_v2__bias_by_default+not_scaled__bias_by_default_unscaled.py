"""The layers have a bias by default and the scores are not divided by the root of d_out."""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = True) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x: Tensor) -> Tensor:
        scores = torch.einsum("...id,...jd->...ij", self.W_query(x), self.W_key(x))
        weights = scores.softmax(-1)
        return torch.einsum("...ij,...jd->...id", weights, self.W_value(x))
