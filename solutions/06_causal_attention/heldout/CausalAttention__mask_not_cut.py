"""masked_fill_ with a boolean buffer of the full size, and einsum."""


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.drop = nn.Dropout(dropout)
        self.register_buffer(
            "causal", torch.ones(context_length, context_length).tril() == 0
        )

    def forward(self, x):
        sim = torch.einsum("bid,bjd->bij", self.W_query(x), self.W_key(x))
        sim.masked_fill_(self.causal, -torch.inf)
        w = self.drop((sim / self.W_key.out_features**0.5).softmax(-1))
        return torch.einsum("bij,bjd->bid", w, self.W_value(x))
