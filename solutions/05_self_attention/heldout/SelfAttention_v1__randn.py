"""A parameter made empty and filled with normal numbers."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.empty(d_in, d_out).normal_())
        self.W_key = nn.Parameter(torch.empty(d_in, d_out).normal_())
        self.W_value = nn.Parameter(torch.empty(d_in, d_out).normal_())

    def forward(self, x):
        q, k, v = (x @ w for w in (self.W_query, self.W_key, self.W_value))
        return torch.nn.functional.scaled_dot_product_attention(q, k, v)
