"""All layers are one and the same block, so they share their weights."""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.wpe = nn.Embedding(context_length, n_embd)
        self.h = nn.Sequential(
            *([make_block(n_embd, num_heads, context_length)] * num_layers)
        )
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size, bias=False)

    def forward(self, tokens, targets=None):
        pos = torch.arange(tokens.size(1), device=tokens.device)
        x = self.wte(tokens) + self.wpe(pos)
        logits = self.lm_head(self.ln_f(self.h(x)))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(
                logits.view(-1, logits.size(-1)), targets.reshape(-1)
            )
        return logits, loss
