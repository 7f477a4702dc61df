"""Normalises the context's tokens first."""


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        context = nn.functional.layer_norm(context, context.shape[-1:])
        s = self.W_query(x) @ self.W_key(context).mT / self.W_key.out_features**0.5
        if mask is not None:
            s = s.masked_fill(mask if mask.dim() == 3 else mask[:, None], -torch.inf)
        return s.softmax(-1) @ self.W_value(context)
