"""The final LayerNorm before the head is missing."""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.tok = nn.Embedding(vocab_size, n_embd)
        self.pos = nn.Embedding(context_length, n_embd)
        self.blocks = nn.ModuleList(
            make_block(n_embd, num_heads, context_length) for _ in range(num_layers)
        )
        self.head = nn.Linear(n_embd, vocab_size)

    def forward(self, tokens, targets=None):
        places = torch.arange(tokens.shape[1])
        x = self.tok(tokens) + self.pos(places)[None]
        for block in self.blocks:
            x = block(x)
        logits = self.head(x)
        loss = (
            None
            if targets is None
            else F.cross_entropy(logits.transpose(1, 2), targets)
        )
        return logits, loss
