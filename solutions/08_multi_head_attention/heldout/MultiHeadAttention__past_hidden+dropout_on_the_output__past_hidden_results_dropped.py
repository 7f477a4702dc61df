"""The mask hides the past instead of the future and dropout acts on the heads' results instead of the
weights.
"""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0, "not divisible"
        self.num_heads = num_heads
        self.head_size = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        past = torch.tril(
            torch.ones(context_length, context_length, dtype=torch.bool), diagonal=-1
        )
        self.register_buffer("mask", past)

    def forward(self, x):
        B, T, _ = x.shape
        q = self.W_query(x).view(B, T, self.num_heads, self.head_size).transpose(1, 2)
        k = self.W_key(x).view(B, T, self.num_heads, self.head_size).transpose(1, 2)
        v = self.W_value(x).view(B, T, self.num_heads, self.head_size).transpose(1, 2)
        scores = q @ k.mT / self.head_size**0.5
        weights = scores.masked_fill(self.mask[:T, :T], -torch.inf).softmax(-1)
        mixed = self.dropout(weights @ v)
        return self.out_proj(mixed.transpose(1, 2).reshape(B, T, -1))
