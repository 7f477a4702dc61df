"""The feed-forward network has no GELU or ReLU and the attention half replaces its input instead of
being added to it.
"""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.norm_1 = nn.LayerNorm(n_embd)
        self.attention = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.norm_2 = nn.LayerNorm(n_embd)
        self.feed_forward = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.Linear(4 * n_embd, n_embd)
        )

    def forward(self, x):
        h = self.attention(self.norm_1(x))
        return h + self.feed_forward(self.norm_2(h))
