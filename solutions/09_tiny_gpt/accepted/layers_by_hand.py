"""LayerNorm and GELU (its tanh form) written by hand, dropout on both halves, a head without bias."""


class HandLayerNorm(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.eps = 1e-5
        self.scale = nn.Parameter(torch.ones(emb_dim))
        self.shift = nn.Parameter(torch.zeros(emb_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.scale * (x - mean) / torch.sqrt(var + self.eps) + self.shift


class HandGELU(nn.Module):
    def forward(self, x):
        return (
            0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
        )


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.norm2 = HandLayerNorm(n_embd)
        self.norm1 = HandLayerNorm(n_embd)
        self.ff = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), HandGELU(), nn.Linear(4 * n_embd, n_embd)
        )
        self.att = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads, qkv_bias=True
        )
        self.drop_shortcut = nn.Dropout(dropout)

    def forward(self, x):
        shortcut = x
        x = self.drop_shortcut(self.att(self.norm1(x))) + shortcut
        shortcut = x
        x = self.drop_shortcut(self.ff(self.norm2(x)))
        return x + shortcut


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.tok_emb = nn.Embedding(vocab_size, n_embd)
        self.pos_emb = nn.Parameter(torch.zeros(1, context_length, n_embd))
        nn.init.normal_(self.pos_emb, std=0.1)
        self.drop_emb = nn.Dropout(0.0)
        self.trf_blocks = nn.Sequential(
            *[Block(n_embd, num_heads, context_length, 0.0) for _ in range(num_layers)]
        )
        self.final_norm = HandLayerNorm(n_embd)
        self.out_head = nn.Linear(n_embd, vocab_size, bias=False)

    def forward(self, in_idx, targets=None):
        x = self.drop_emb(self.tok_emb(in_idx) + self.pos_emb[:, : in_idx.shape[1]])
        logits = self.out_head(self.final_norm(self.trf_blocks(x)))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.transpose(1, 2), targets)
