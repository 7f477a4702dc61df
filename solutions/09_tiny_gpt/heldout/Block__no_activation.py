"""Two layers called one inside the other."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.ln_2 = nn.LayerNorm(n_embd)
        self.c_fc = nn.Linear(n_embd, n_embd * 4)
        self.c_proj = nn.Linear(n_embd * 4, n_embd)

    def forward(self, x):
        h = x + self.attn(self.ln_1(x))
        return h + self.c_proj(self.c_fc(self.ln_2(h)))
