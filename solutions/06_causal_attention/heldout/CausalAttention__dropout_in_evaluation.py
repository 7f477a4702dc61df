"""The functional dropout without the module's mode, after a where."""


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.p = dropout

    def forward(self, x):
        t = x.shape[1]
        idx = torch.arange(t, device=x.device)
        s = self.W_query(x) @ self.W_key(x).mT
        s = (
            s.masked_fill(idx[None, :] > idx[:, None], -1e20)
            / self.W_key.out_features**0.5
        )
        return nn.functional.dropout(s.softmax(-1), self.p) @ self.W_value(x)
