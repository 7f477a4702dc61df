"""The model learns too slowly. How large are its two embeddings at the start? nn.Embedding begins with
numbers of size 1, which drown much smaller ones.
"""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.token_embedding = nn.Embedding(vocab_size, n_embd)
        self.token_embedding.weight.data.normal_(std=0.02)
        self.position_embedding = nn.Embedding(context_length, n_embd)
        self.blocks = nn.Sequential(
            *(make_block(n_embd, num_heads, context_length) for _ in range(num_layers))
        )
        self.norm = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab_size)

    def forward(self, tokens, targets=None):
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.token_embedding(tokens) + self.position_embedding(positions)
        logits = self.head(self.norm(self.blocks(x)))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())
