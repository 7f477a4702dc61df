"""The model has no positions and all layers are one and the same block."""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.num_layers = num_layers
        self.embed = nn.Embedding(vocab_size, n_embd)
        self.block = make_block(n_embd, num_heads, context_length)
        self.norm = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab_size)

    def forward(self, tokens, targets=None):
        x = self.embed(tokens)
        for _ in range(self.num_layers):
            x = self.block(x)
        logits = self.head(self.norm(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return logits, loss
