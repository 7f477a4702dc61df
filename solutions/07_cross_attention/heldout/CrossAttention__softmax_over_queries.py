"""nn.Softmax over dimension 1 of a batch of scores, the mask added."""


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.norm = nn.Softmax(dim=1)

    def forward(self, x, context, mask=None):
        q, k, v = self.W_query(x), self.W_key(context), self.W_value(context)
        att = q @ k.mT / k.shape[2] ** 0.5
        if mask is not None:
            m = mask if mask.dim() == 3 else mask.unsqueeze(dim=1)
            att = att.masked_fill(m, -torch.inf)
        return self.norm(att) @ v
