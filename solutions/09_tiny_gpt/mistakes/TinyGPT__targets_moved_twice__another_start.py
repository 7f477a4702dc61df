"""You move the targets on by one place, although they come moved already. Which target belongs to the
guess at place t?
"""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.tok = nn.Embedding(vocab_size, n_embd)
        self.pos = nn.Embedding(context_length, n_embd)
        self.blocks = nn.ModuleList(make_block(n_embd, num_heads, context_length) for _ in range(num_layers))
        self.final = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab_size)

    def forward(self, tokens, targets=None):
        hidden = self.tok(tokens) + self.pos.weight[: tokens.size(1)]
        for block in self.blocks:
            hidden = block(hidden)
        logits = self.head(self.final(hidden))
        if targets is None:
            return logits, None
        guesses, wanted = logits[:, :-1], targets[:, 1:]
        return logits, F.cross_entropy(guesses.transpose(1, 2), wanted)
