"""You scale by the size of the wrong thing. A score is a sum of products: over how many places does the
sum run?"""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries = x @ self.W_query
        keys = x @ self.W_key
        values = x @ self.W_value
        scores = queries @ keys.T
        weights = torch.softmax(scores / x.shape[-1] ** 0.5, dim=-1)
        return weights @ values
