"""Width taken from x, division done on the queries."""


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        q = self.W_query(x) / x.size(-1) ** 0.5
        scores = torch.bmm(q, self.W_key(context).transpose(1, 2))
        if mask is not None:
            if mask.dim() == 2:
                mask = mask[:, None]
            scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
        return torch.bmm(torch.softmax(scores, dim=2), self.W_value(context))
