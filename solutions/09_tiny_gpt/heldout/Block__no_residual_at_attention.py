"""The functional ReLU, and layers made in another order."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.wide = nn.Linear(n_embd, 4 * n_embd)
        self.narrow = nn.Linear(4 * n_embd, n_embd)
        self.mha = MultiHeadAttention(
            d_in=n_embd,
            d_out=n_embd,
            context_length=context_length,
            dropout=dropout,
            num_heads=num_heads,
        )
        self.before_mha = nn.LayerNorm(n_embd)
        self.before_mlp = nn.LayerNorm(n_embd)

    def forward(self, x):
        a = self.mha(self.before_mha(x))
        return a + self.narrow(self.wide(self.before_mlp(a)).relu())
