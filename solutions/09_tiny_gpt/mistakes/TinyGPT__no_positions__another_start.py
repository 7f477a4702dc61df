"""The model knows which tokens came before, but not where they stood. What else is added to the token
embedding?
"""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.h = nn.Sequential(*(make_block(n_embd, num_heads, context_length) for _ in range(num_layers)))
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size, bias=False)

    def forward(self, tokens, targets=None):
        x = self.ln_f(self.h(self.wte(tokens)))
        logits = self.lm_head(x)
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())
