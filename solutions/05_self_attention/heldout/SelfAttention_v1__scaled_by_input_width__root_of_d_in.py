"""The scores are divided by the root of d_in, the width of the tokens, instead of the width of the keys."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.d_in = d_in
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.d_in)
        return torch.matmul(nn.functional.softmax(scores, dim=-1), v)
