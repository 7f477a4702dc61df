"""Each token also sees the next one, the triangle beginning one place too late, and the scores are
divided by the head's size instead of its root.
"""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError("d_out % num_heads must be 0")
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        q = self.W_query(x).chunk(self.num_heads, dim=-1)
        k = self.W_key(x).chunk(self.num_heads, dim=-1)
        v = self.W_value(x).chunk(self.num_heads, dim=-1)
        places = torch.arange(x.shape[1], device=x.device)
        hidden = places[None, :] > places[:, None] + 1
        results = []
        for qi, ki, vi in zip(q, k, v):
            scores = qi @ ki.transpose(1, 2) / ki.shape[-1]
            weights = scores.masked_fill(hidden, -torch.inf).softmax(dim=-1)
            results.append(self.dropout(weights) @ vi)
        return self.out_proj(torch.cat(results, dim=-1))
