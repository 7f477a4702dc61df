"""Post-norm with GELU, layers in a ModuleDict."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.parts = nn.ModuleDict(
            {
                "mlp": nn.Sequential(
                    nn.Linear(n_embd, 4 * n_embd),
                    nn.GELU(),
                    nn.Linear(4 * n_embd, n_embd),
                ),
                "att": MultiHeadAttention(
                    n_embd, n_embd, context_length, dropout, num_heads
                ),
                "one": nn.LayerNorm(n_embd),
                "two": nn.LayerNorm(n_embd),
            }
        )

    def forward(self, x):
        half = self.parts["one"](self.parts["att"](x) + x)
        return self.parts["two"](self.parts["mlp"](half) + half)
