"""Your attention looks at the whole sequence, the future included. Does the given MultiHeadAttention do
that too?
"""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(n_embd)
        self.attention = nn.MultiheadAttention(
            n_embd, num_heads, dropout, batch_first=True
        )
        self.norm2 = nn.LayerNorm(n_embd)
        self.feed_forward = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd),
            nn.GELU(),
            nn.Linear(4 * n_embd, n_embd),
            nn.Dropout(dropout),
        )

    def forward(self, x):
        normalised = self.norm1(x)
        x = (
            x
            + self.attention(normalised, normalised, normalised, need_weights=False)[0]
        )
        return x + self.feed_forward(self.norm2(x))
