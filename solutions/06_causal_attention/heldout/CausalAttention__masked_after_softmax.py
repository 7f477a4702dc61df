"""tril of the weights."""


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.scale = d_out**-0.5

    def forward(self, x):
        w = torch.softmax(self.scale * self.W_query(x) @ self.W_key(x).mT, dim=-1)
        return self.dropout(w.tril()) @ self.W_value(x)
