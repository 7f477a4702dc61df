"""One nn.Sequential for the whole block."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.net = nn.Sequential(
            nn.LayerNorm(n_embd),
            MultiHeadAttention(n_embd, n_embd, context_length, dropout, num_heads),
            nn.LayerNorm(n_embd),
            nn.Linear(n_embd, 4 * n_embd),
            nn.GELU(),
            nn.Linear(4 * n_embd, n_embd),
        )

    def forward(self, x):
        return self.net(x)
