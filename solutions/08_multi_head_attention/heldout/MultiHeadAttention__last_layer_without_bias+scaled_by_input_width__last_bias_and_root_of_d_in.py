"""out_proj has a bias only if qkv_bias says so and the scores are divided by the root of d_in."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError("not divisible")
        self.num_heads, self.head_size = num_heads, d_out // num_heads
        self.scale = d_in**-0.5
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        B, T, _ = x.shape
        shape = (B, T, self.num_heads, self.head_size)
        q = self.W_query(x).view(shape).transpose(1, 2)
        k = self.W_key(x).view(shape).transpose(1, 2)
        v = self.W_value(x).view(shape).transpose(1, 2)
        dots = torch.matmul(q, k.transpose(-1, -2)) * self.scale
        dots = dots.masked_fill(
            torch.triu(torch.ones(T, T, device=x.device), 1).bool(), -torch.inf
        )
        out = torch.matmul(self.dropout(dots.softmax(dim=-1)), v)
        return self.out_proj(out.transpose(1, 2).reshape(B, T, -1))
