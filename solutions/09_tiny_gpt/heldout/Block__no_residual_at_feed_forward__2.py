"""The book's block without its last shortcut."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.att = MultiHeadAttention(
            d_in=n_embd,
            d_out=n_embd,
            context_length=context_length,
            num_heads=num_heads,
            dropout=dropout,
        )
        self.layers = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd),
            nn.GELU(approximate="tanh"),
            nn.Linear(4 * n_embd, n_embd),
        )
        self.norm1 = nn.LayerNorm(n_embd, eps=1e-5)
        self.norm2 = nn.LayerNorm(n_embd, eps=1e-5)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        x = x + self.drop(self.att(self.norm1(x)))
        return self.drop(self.layers(self.norm2(x)))
