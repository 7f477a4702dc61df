"""The feed-forward network reads h as it is, norm_2 being applied to its result instead."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.norm_1 = nn.LayerNorm(n_embd)
        self.norm_2 = nn.LayerNorm(n_embd)
        self.attention = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.feed = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd),
            nn.GELU(),
            nn.Linear(4 * n_embd, n_embd),
            nn.Dropout(dropout),
        )

    def forward(self, x):
        h = x + self.attention(self.norm_1(x))
        return h + self.norm_2(self.feed(h))
