"""A shared table of size 1 / sqrt(n_embd), grown again where tokens come in; dropout in the middle of a half.

So it stands in the paper of 2017: embedded tokens are multiplied by the root of their width, and sines of
size 1 are added to them. The fresh model still begins with a guess that favours the token it has just read.
"""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)
        self.attention = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.wide = nn.Linear(n_embd, 4 * n_embd)
        self.narrow = nn.Linear(4 * n_embd, n_embd)
        self.inner = nn.Dropout(dropout)

    def forward(self, x):
        h = x + self.inner(self.attention(self.norm_1(x)))
        return h + self.narrow(self.inner(F.relu(self.wide(self.norm_2(h)))))


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length, self.grow = context_length, n_embd**0.5
        self.table = nn.Embedding(vocab_size, n_embd)
        nn.init.normal_(self.table.weight, std=n_embd**-0.5)
        angles = torch.arange(context_length)[:, None] / 10000 ** (
            torch.arange(0, n_embd, 2) / n_embd
        )
        self.register_buffer("sines", torch.cat([angles.sin(), angles.cos()], dim=1))
        self.blocks = nn.ModuleList(
            make_block(n_embd, num_heads, context_length) for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(n_embd)

    def forward(self, tokens, targets=None):
        x = self.grow * self.table(tokens) + self.sines[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits = F.linear(self.norm(x), self.table.weight)
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.transpose(1, 2), targets)
