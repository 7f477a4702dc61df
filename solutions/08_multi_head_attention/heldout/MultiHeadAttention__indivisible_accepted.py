"""Heads of the rounded size, without a check, and layers made as usual."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = int(d_out / num_heads)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, t, _ = x.shape
        size = (b, t, self.num_heads, self.head_dim)
        q, k, v = (
            w(x).view(size).transpose(1, 2)
            for w in (self.W_query, self.W_key, self.W_value)
        )
        hide = torch.triu(torch.ones(t, t), diagonal=1).bool()
        s = (q @ k.mT / self.head_dim**0.5).masked_fill(hide, -1e9)
        y = self.drop(torch.softmax(s, -1)) @ v
        return self.out_proj(y.transpose(1, 2).flatten(2))
