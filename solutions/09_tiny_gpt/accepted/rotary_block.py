"""A fused projection, queries and keys rotated by their place; the model itself adds no positions."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.ln_1 = nn.LayerNorm(n_embd, bias=False)
        self.c_attn = nn.Linear(n_embd, 3 * n_embd, bias=False)
        self.c_proj = nn.Linear(n_embd, n_embd, bias=False)
        self.ln_2 = nn.LayerNorm(n_embd, bias=False)
        self.c_fc = nn.Linear(n_embd, 4 * n_embd, bias=False)
        self.c_out = nn.Linear(4 * n_embd, n_embd, bias=False)
        self.resid_dropout = nn.Dropout(dropout)

    def rotate(self, x):
        half = x.shape[-1] // 2
        speeds = 100.0 ** -(torch.arange(half, dtype=x.dtype) / half)
        angles = torch.arange(x.shape[-2], dtype=x.dtype)[:, None] * speeds
        a, b, rest = x.split([half, half, x.shape[-1] - 2 * half], dim=-1)
        return torch.cat(
            [
                a * angles.cos() - b * angles.sin(),
                a * angles.sin() + b * angles.cos(),
                rest,
            ],
            dim=-1,
        )

    def attend(self, x):
        B, T, C = x.shape
        q, k, v = (
            part.view(B, T, self.num_heads, -1).transpose(1, 2)
            for part in self.c_attn(x).split(C, dim=2)
        )
        y = F.scaled_dot_product_attention(
            self.rotate(q), self.rotate(k), v, is_causal=True
        )
        return self.resid_dropout(
            self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))
        )

    def forward(self, x):
        x = x + self.attend(self.ln_1(x))
        return x + self.resid_dropout(self.c_out(F.relu(self.c_fc(self.ln_2(x)))))


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.transformer = nn.ModuleDict(
            {
                "wte": nn.Embedding(vocab_size, n_embd),
                "h": nn.ModuleList(
                    Block(n_embd, num_heads, context_length) for _ in range(num_layers)
                ),
                "ln_f": nn.LayerNorm(n_embd, bias=False),
            }
        )
        self.lm_head = nn.Linear(n_embd, vocab_size, bias=False)

    def forward(self, idx, targets=None):
        x = self.transformer["wte"](idx)
        for block in self.transformer["h"]:
            x = block(x)
        logits = self.lm_head(self.transformer["ln_f"](x))
        return logits, None if targets is None else F.cross_entropy(
            logits.flatten(end_dim=1), targets.flatten()
        )
