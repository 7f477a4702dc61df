"""A fresh model knows nothing yet, but the first loss of yours is far above log(vocab_size). How large
are the weights of the head, above all if it shares those of the embedding?
"""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.token_embedding = nn.Embedding(vocab_size, n_embd)
        self.position_embedding = nn.Embedding(context_length, n_embd)
        self.blocks = nn.ModuleList(
            [make_block(n_embd, num_heads, context_length) for _ in range(num_layers)]
        )
        self.norm = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab_size, bias=False)
        self.head.weight = self.token_embedding.weight

    def forward(self, tokens, targets=None):
        x = self.token_embedding(tokens) + self.position_embedding(
            torch.arange(tokens.shape[1])
        )
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())
