"""Takes the flag, keeps it and forgets it."""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.qkv_bias = qkv_bias
        self.d_out = d_out

        def make():
            return nn.Linear(d_in, d_out, bias=False)

        self.W_query, self.W_key, self.W_value = make(), make(), make()

    def forward(self, x):
        att = self.W_query(x).matmul(self.W_key(x).transpose(-1, -2)) * self.d_out**-0.5
        return att.softmax(-1).matmul(self.W_value(x))
