"""Blocks of the library throughout, whatever the student's own Block does."""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.embeddings = nn.ModuleList(
            [nn.Embedding(vocab_size, n_embd), nn.Embedding(context_length, n_embd)]
        )
        self.blocks = nn.Sequential(
            *(ReadyBlock(n_embd, num_heads, context_length) for _ in range(num_layers))
        )
        self.head = nn.Sequential(nn.LayerNorm(n_embd), nn.Linear(n_embd, vocab_size))

    def forward(self, tokens, targets=None):
        places = torch.arange(tokens.shape[1]).expand_as(tokens)
        logits = self.head(
            self.blocks(self.embeddings[0](tokens) + self.embeddings[1](places))
        )
        if targets is None:
            return logits, None
        return logits, nn.CrossEntropyLoss()(logits.flatten(0, 1), targets.flatten())
