"""The model does not know the parameters of its blocks, so no optimizer would train them. What kind of
list registers modules?
"""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.emb = nn.Embedding(vocab_size, n_embd)
        self.pos = nn.Parameter(torch.randn(context_length, n_embd) * 0.02)
        self.layers = tuple(make_block(n_embd, num_heads, context_length) for _ in range(num_layers))
        self.norm = nn.LayerNorm(n_embd)
        self.out = nn.Linear(n_embd, vocab_size)

    def forward(self, tokens, targets=None):
        x = self.emb(tokens) + self.pos[: tokens.shape[1]]
        for layer in self.layers:
            x = layer(x)
        logits = self.out(self.norm(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.transpose(1, 2), targets)
        return logits, loss
