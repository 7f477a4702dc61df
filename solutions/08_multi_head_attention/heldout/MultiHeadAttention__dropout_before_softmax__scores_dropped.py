"""Dropout acts on the scores before the softmax instead of on the weights."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError(
                f"{d_out} features cannot be shared among {num_heads} heads"
            )
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.num_heads = num_heads

    def forward(self, x):
        B, T, _ = x.shape

        def cut(t):
            return t.reshape(B, T, self.num_heads, -1).permute(0, 2, 1, 3)

        q, k, v = cut(self.W_query(x)), cut(self.W_key(x)), cut(self.W_value(x))
        scores = self.dropout(q @ k.transpose(-1, -2) / q.size(-1) ** 0.5)
        hidden = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)
        mixed = (weights @ v).permute(0, 2, 1, 3).reshape(B, T, -1)
        return self.out_proj(mixed)
