"""A helper class inside the cell does the weights."""


class Weigher(nn.Module):
    def forward(self, q, k, hidden):
        s = torch.einsum("bqd,bkd->bqk", q, k)
        return (s if hidden is None else s.masked_fill(hidden, -1e9)).softmax(-1)


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.weigh = Weigher()

    def forward(self, x, context, mask=None):
        if mask is not None and mask.ndim == 2:
            mask = mask.unsqueeze(1)
        return self.weigh(self.W_query(x), self.W_key(context), mask) @ self.W_value(
            context
        )
