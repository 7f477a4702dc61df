"""The loss is cross_entropy of probabilities: a softmax is taken before it, which takes one itself."""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.emb = nn.Embedding(vocab_size, n_embd)
        self.pos = nn.Embedding(context_length, n_embd)
        self.body = nn.Sequential(
            *(make_block(n_embd, num_heads, context_length) for _ in range(num_layers)),
            nn.LayerNorm(n_embd),
        )
        self.head = nn.Linear(n_embd, vocab_size)

    def forward(self, tokens, targets=None):
        T = tokens.shape[-1]
        logits = self.head(
            self.body(
                self.emb(tokens) + self.pos(torch.arange(T, device=tokens.device))
            )
        )
        loss = None
        if targets is not None:
            probs = F.softmax(logits, dim=-1)
            loss = F.cross_entropy(probs.flatten(0, 1), targets.flatten(0, 1))
        return logits, loss
