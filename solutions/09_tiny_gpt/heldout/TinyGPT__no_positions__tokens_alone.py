"""The model has no positions: only the tokens are embedded."""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.embedding = nn.Embedding(vocab_size, n_embd)
        self.layers = nn.ModuleList(
            [make_block(n_embd, num_heads, context_length) for _ in range(num_layers)]
        )
        self.final_norm = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab_size, bias=False)

    def forward(self, tokens, targets=None):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x)
        logits = self.head(self.final_norm(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten(0, 1))
