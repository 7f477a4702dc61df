"""Your loss grows with the number of guesses. Should a longer text have a larger loss?"""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.tok_emb = nn.Embedding(vocab_size, n_embd)
        self.pos_emb = nn.Embedding(context_length, n_embd)
        self.trf_blocks = nn.Sequential(
            *[make_block(n_embd, num_heads, context_length) for _ in range(num_layers)]
        )
        self.final_norm = nn.LayerNorm(n_embd)
        self.out_head = nn.Linear(n_embd, vocab_size, bias=False)

    def forward(self, tokens, targets=None):
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.trf_blocks(self.tok_emb(tokens) + self.pos_emb(positions))
        logits = self.out_head(self.final_norm(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.flatten(0, 1), targets.reshape(-1), reduction="sum")
        return logits, loss
