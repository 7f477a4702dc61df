"""The scores are not divided by the root of d_out and the softmax runs over dimension 0."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x: Tensor) -> Tensor:
        scores = (x @ self.W_query) @ (x @ self.W_key).T
        attention = torch.softmax(scores, dim=0)
        return attention @ (x @ self.W_value)
