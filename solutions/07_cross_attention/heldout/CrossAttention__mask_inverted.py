"""torch.where that keeps the scores of hidden places."""


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        s = (
            self.W_query(x).matmul(self.W_key(context).transpose(-1, -2))
            / self.d_out**0.5
        )
        if mask is not None:
            visible = mask.reshape(mask.shape[0], -1, mask.shape[-1])
            s = torch.where(visible, s, -torch.inf)
        return s.softmax(dim=-1).matmul(self.W_value(context))
