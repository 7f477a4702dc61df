"""einsum over all heads; out_proj is made and forgotten."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.heads, self.size = num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(in_features=d_out, out_features=d_out)
        self.attn_dropout = nn.Dropout(dropout)

    def split(self, t):
        return t.reshape(t.size(0), t.size(1), self.heads, self.size)

    def forward(self, x):
        n = x.size(1)
        q, k, v = (
            self.split(self.W_query(x)),
            self.split(self.W_key(x)),
            self.split(self.W_value(x)),
        )
        logits = torch.einsum("bihs,bjhs->bhij", q, k) / self.size**0.5
        where = torch.arange(n)
        logits = torch.where(
            where[:, None] >= where, logits, torch.finfo(logits.dtype).min
        )
        probs = self.attn_dropout(torch.softmax(logits, dim=3))
        return torch.einsum("bhij,bjhs->bihs", probs, v).flatten(2)
