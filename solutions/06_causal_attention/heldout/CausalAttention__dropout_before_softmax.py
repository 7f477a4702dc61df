"""A dropout layer called att_drop, on the masked scores."""


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.att_drop = nn.Dropout(p=dropout)
        self.register_buffer(
            "bias", torch.tril(torch.ones(context_length, context_length))
        )

    def forward(self, x):
        _, t, _ = x.shape
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        att = (q @ k.transpose(-2, -1)) * (1.0 / k.size(-1) ** 0.5)
        att = att.masked_fill(self.bias[:t, :t] == 0, float("-inf"))
        att = self.att_drop(att)
        return torch.softmax(att, dim=-1) @ v
