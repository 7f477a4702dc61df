"""Two kinds of masks are unified, and the result of where is not kept."""


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        q, k, v = self.W_query(x), self.W_key(context), self.W_value(context)
        att = torch.einsum("bnd,bmd->bnm", q, k) / q.size(-1) ** 0.5
        if mask is not None:
            if len(mask.shape) == 2:
                mask = mask[:, None, :]
            torch.where(mask, -1e9, att)
        return att.softmax(-1) @ v
