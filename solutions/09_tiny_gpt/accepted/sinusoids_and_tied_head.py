"""Fixed sine and cosine positions, and a head that shares the token embedding, made small at first."""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.tokens = nn.Embedding(vocab_size, n_embd)
        nn.init.normal_(self.tokens.weight, std=0.02)
        angles = torch.arange(context_length)[:, None] / 10000 ** (
            torch.arange(0, n_embd, 2) / n_embd
        )
        positions = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        self.register_buffer("positions", 0.02 * positions)
        self.blocks = nn.Sequential(
            *[make_block(n_embd, num_heads, context_length) for _ in range(num_layers)]
        )
        self.norm = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab_size, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, tokens, targets=None):
        x = self.tokens(tokens) + self.positions[: tokens.size(1)]
        logits = self.head(self.norm(self.blocks(x)))
        loss = None
        if targets is not None:
            likelihoods = logits.log_softmax(dim=-1).gather(-1, targets.unsqueeze(-1))
            loss = -likelihoods.mean()
        return logits, loss
