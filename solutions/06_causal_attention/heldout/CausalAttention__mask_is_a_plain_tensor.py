"""A plain attribute called future, built from positions."""


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.future = (
            torch.arange(context_length)[None, :]
            > torch.arange(context_length)[:, None]
        )

    def forward(self, x):
        n = x.shape[1]
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        s = torch.einsum("bqd,bkd->bqk", q, k) / k.shape[-1] ** 0.5
        s[:, self.future[:n, :n]] = -torch.inf
        return self.drop(s.softmax(-1)) @ v
