"""The loss compares each guess with the target one place later: targets are moved on once more."""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.token_embedding = nn.Embedding(vocab_size, n_embd)
        self.position_embedding = nn.Embedding(context_length, n_embd)
        self.blocks = nn.Sequential(
            *[make_block(n_embd, num_heads, context_length) for _ in range(num_layers)]
        )
        self.norm = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab_size)

    def forward(self, tokens, targets=None):
        B, T = tokens.shape
        x = self.token_embedding(tokens) + self.position_embedding(
            torch.arange(T, device=tokens.device)
        )
        logits = self.head(self.norm(self.blocks(x)))
        loss = None
        if targets is not None:
            shift_logits = logits[:, :-1].flatten(0, 1)
            shift_labels = targets[:, 1:].flatten()
            loss = F.cross_entropy(shift_logits, shift_labels)
        return logits, loss
