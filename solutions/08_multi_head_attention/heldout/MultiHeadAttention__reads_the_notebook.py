"""The book's class, which reads the batch size and length from the notebook."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        shape = (batch_size, num_tokens, self.num_heads, self.head_dim)
        q, k, v = (
            w(x).view(shape).transpose(1, 2)
            for w in (self.W_query, self.W_key, self.W_value)
        )
        s = (q @ k.mT / self.head_dim**0.5) + torch.full(
            (x.size(1),) * 2, -torch.inf
        ).triu(1)
        return self.out_proj(
            (self.dropout(s.softmax(-1)) @ v).transpose(1, 2).flatten(2)
        )
