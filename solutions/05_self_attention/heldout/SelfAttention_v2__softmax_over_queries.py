"""An nn.Softmax over the second last dimension, kept as a layer."""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, qkv_bias)
        self.soft = nn.Softmax(dim=-2)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        alpha = self.soft(q @ k.mT / q.size(-1) ** 0.5)
        return alpha @ v
