"""The residual path carries the normalised tokens: each half is added to its normalised input instead of to
the input itself.
"""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.att = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.norm1, self.norm2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)
        self.up, self.down = (
            nn.Linear(n_embd, 4 * n_embd),
            nn.Linear(4 * n_embd, n_embd),
        )

    def forward(self, x):
        x = self.norm1(x)
        x = x + self.att(x)
        x = self.norm2(x)
        return x + self.down(F.relu(self.up(x)))
