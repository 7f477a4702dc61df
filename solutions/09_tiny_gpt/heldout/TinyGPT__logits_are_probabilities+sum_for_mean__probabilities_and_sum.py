"""The model returns probabilities after a softmax instead of logits and the loss is the sum over all
guesses instead of the mean.
"""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.tokens = nn.Embedding(vocab_size, n_embd)
        self.places = nn.Embedding(context_length, n_embd)
        self.blocks = nn.ModuleList(
            [make_block(n_embd, num_heads, context_length) for _ in range(num_layers)]
        )
        self.norm = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab_size)

    def forward(self, tokens, targets=None):
        x = self.tokens(tokens) + self.places.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        probabilities = self.head(self.norm(x)).softmax(dim=-1)
        if targets is None:
            return probabilities, None
        chosen = probabilities.gather(-1, targets.unsqueeze(-1))
        return probabilities, -chosen.log().sum()
