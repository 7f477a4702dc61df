"""The feed-forward half is added to the block's input x instead of to h, so what attention gives is lost
from the residual path.
"""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.norm_1 = nn.LayerNorm(n_embd)
        self.norm_2 = nn.LayerNorm(n_embd)
        self.attention = MultiHeadAttention(
            d_in=n_embd,
            d_out=n_embd,
            context_length=context_length,
            dropout=dropout,
            num_heads=num_heads,
        )
        self.feed_forward = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd)
        )

    def forward(self, x):
        h = x + self.attention(self.norm_1(x))
        out = x + self.feed_forward(self.norm_2(h))
        return out
