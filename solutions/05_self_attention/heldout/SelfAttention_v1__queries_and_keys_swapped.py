"""The names are right, the scores are transposed before the softmax."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.d_out = d_out
        for name in ("W_query", "W_key", "W_value"):
            setattr(self, name, nn.Parameter(torch.rand(d_in, d_out)))

    def forward(self, x):
        queries, keys, values = x @ self.W_query, x @ self.W_key, x @ self.W_value
        attn_scores = torch.matmul(keys, torch.transpose(queries, -1, -2))
        attn_weights = torch.softmax(attn_scores / self.d_out**0.5, dim=-1)
        return torch.matmul(attn_weights, values)
