"""Positions known by a penalty on distance inside the scores, in a block of the model's own."""


class _Attention(nn.Module):
    def __init__(self, n_embd, num_heads):
        super().__init__()
        self.h = num_heads
        self.qkv = nn.Linear(n_embd, 3 * n_embd)
        self.out = nn.Linear(n_embd, n_embd)
        self.register_buffer("slopes", 2.0 ** -torch.arange(num_heads))

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.h, C // self.h).permute(2, 0, 3, 1, 4)
        places = torch.arange(T, device=x.device)
        distance = places[:, None] - places
        scores = (
            q @ k.mT / math.sqrt(C // self.h) - self.slopes[:, None, None] * distance
        )
        weights = scores.masked_fill(distance < 0, -1e9).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(B, T, C))


class _DistanceBlock(nn.Module):
    def __init__(self, n_embd, num_heads):
        super().__init__()
        self.attention = _Attention(n_embd, num_heads)
        self.mlp = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd)
        )
        self.norms = nn.ModuleList([nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)])

    def forward(self, x):
        x = x + self.attention(self.norms[0](x))
        return x + self.mlp(self.norms[1](x))


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.embed = nn.Embedding(vocab_size, n_embd)
        self.layers = nn.Sequential(
            *[_DistanceBlock(n_embd, num_heads) for _ in range(num_layers)],
            nn.LayerNorm(n_embd),
            nn.Linear(n_embd, vocab_size),
        )

    def forward(self, tokens, targets=None):
        logits = self.layers(self.embed(tokens))
        loss = (
            None
            if targets is None
            else F.cross_entropy(
                logits.reshape(-1, logits.size(-1)), targets.reshape(-1)
            )
        )
        return logits, loss
