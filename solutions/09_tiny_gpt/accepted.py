# %% accepted="distance_in_the_scores"
"""No position embedding: a block that subtracts a penalty for distance from the scores."""


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


# %% accepted="gpt_initialisation"
"""Every weight is small at first, the head shares the token embedding, as in GPT-2.

With small weights all tokens are almost equally likely at first, so the first loss is near log(vocab_size).
Input and output share what is learnt about a token.
"""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.wpe = nn.Embedding(context_length, n_embd)
        self.h = nn.ModuleList(
            [make_block(n_embd, num_heads, context_length) for _ in range(num_layers)]
        )
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size, bias=False)
        self.wte.weight = self.lm_head.weight
        self.apply(self._init_weights)

    def _init_weights(self, module):
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if getattr(module, "bias", None) is not None:
                nn.init.zeros_(module.bias)

    def forward(self, idx, targets=None):
        x = self.wte(idx) + self.wpe(torch.arange(idx.size(1), device=idx.device))
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
        return logits, loss


# %% accepted="layers_by_hand"
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


# %% accepted="one_buffer_and_own_clearing"
"""generate fills a tensor of the final size; train_step sets the mode and clears each gradient itself."""


@torch.inference_mode()
def _write(model, tokens, max_new_tokens):
    batch, length = tokens.shape
    text = torch.empty(batch, length + max_new_tokens, dtype=tokens.dtype)
    text[:, :length] = tokens
    for end in range(length, length + max_new_tokens):
        window = text[:, max(0, end - model.context_length) : end]
        text[:, end] = model(window)[0].max(dim=-1).indices[:, -1]
    return text


def generate(model, tokens, max_new_tokens):
    mode = model.training
    try:
        return _write(model.train(False), tokens, max_new_tokens).clone()
    finally:
        model.train(mode)


def train_step(model, optimizer, tokens, targets):
    model.train()
    loss = model(tokens, targets)[1]
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad = None
    loss.backward()
    optimizer.step()
    return float(loss.detach())


# %% accepted="ready_blocks"
"""Only blocks of torch; the student's Block is not used."""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.embeddings = nn.ModuleList(
            [nn.Embedding(vocab_size, n_embd), nn.Embedding(context_length, n_embd)]
        )
        self.blocks = nn.Sequential(
            *(ReadyBlock(n_embd, num_heads, context_length) for _ in range(num_layers))
        )
        self.head = nn.Sequential(nn.LayerNorm(n_embd), nn.Linear(n_embd, vocab_size))

    def forward(self, tokens, targets=None):
        places = torch.arange(tokens.shape[1]).expand_as(tokens)
        logits = self.head(
            self.blocks(self.embeddings[0](tokens) + self.embeddings[1](places))
        )
        if targets is None:
            return logits, None
        return logits, nn.CrossEntropyLoss()(logits.flatten(0, 1), targets.flatten())


# %% accepted="rotary_block"
"""A fused projection, queries and keys rotated by their positions; the model has no position embedding."""


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


# %% accepted="scaled_tokens_and_inner_dropout"
"""Shared embeddings of size 1 / sqrt(n_embd), multiplied by sqrt(n_embd) at the input; dropout inside a half.

This is the method of the paper of 2017: token embeddings are multiplied by the root of their width, and sines
of size 1 are added. A new model still prefers the token that it has just read.
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


# %% accepted="short_names_and_relu"
"""Customary short names, ReLU, a feed-forward class, a loop over a ModuleList and view instead of flatten.

Most code for small GPTs uses these names. The two halves of a block are two lines of the same form.
"""


class FeedForward(nn.Module):
    def __init__(self, n_embd, dropout):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd),
            nn.ReLU(),
            nn.Linear(4 * n_embd, n_embd),
            nn.Dropout(dropout),
        )

    def forward(self, x):
        return self.net(x)


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.sa = MultiHeadAttention(n_embd, n_embd, context_length, dropout, num_heads)
        self.ffwd = FeedForward(n_embd, dropout)
        self.ln1 = nn.LayerNorm(n_embd)
        self.ln2 = nn.LayerNorm(n_embd)

    def forward(self, x):
        x = x + self.sa(self.ln1(x))
        x = x + self.ffwd(self.ln2(x))
        return x


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.token_embedding_table = nn.Embedding(vocab_size, n_embd)
        self.position_embedding_table = nn.Embedding(context_length, n_embd)
        self.blocks = nn.ModuleList(
            [Block(n_embd, num_heads, context_length) for _ in range(num_layers)]
        )
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size)
        self.context_length = context_length

    def forward(self, idx, targets=None):
        B, T = idx.shape
        x = self.token_embedding_table(idx) + self.position_embedding_table(
            torch.arange(T)
        )
        for block in self.blocks:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.view(B * T, -1), targets.view(B * T))
        return logits, loss


def generate(model, idx, max_new_tokens):
    training = model.training
    model.eval()
    for _ in range(max_new_tokens):
        with torch.no_grad():
            logits, _ = model(idx[:, -model.context_length :])
        probs = F.softmax(logits[:, -1, :], dim=-1)
        _, idx_next = torch.topk(probs, k=1, dim=-1)
        idx = torch.cat((idx, idx_next), dim=1)
    if training:
        model.train()
    return idx


def train_step(model, optimizer, xb, yb):
    logits, loss = model(xb, yb)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    return loss.item()


# %% accepted="sinusoids_and_tied_head"
"""Fixed sine and cosine positions, and a head that shares the token embedding, made small at first."""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.tokens = nn.Embedding(vocab_size, n_embd)
        nn.init.normal_(self.tokens.weight, std=0.02)
        angles = torch.arange(context_length)[:, None] / 10000 ** (
            torch.arange(0, n_embd, 2) / n_embd
        )
        positions = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        self.register_buffer("positions", 0.02 * positions)
        self.blocks = nn.Sequential(
            *[make_block(n_embd, num_heads, context_length) for _ in range(num_layers)]
        )
        self.norm = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab_size, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, tokens, targets=None):
        x = self.tokens(tokens) + self.positions[: tokens.size(1)]
        logits = self.head(self.norm(self.blocks(x)))
        loss = None
        if targets is not None:
            likelihoods = logits.log_softmax(dim=-1).gather(-1, targets.unsqueeze(-1))
            loss = -likelihoods.mean()
        return logits, loss


# %% accepted="starts_at_zero"
"""Some weights start at zero: the head, the positions, and the last layer of each half of a block."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.ln1 = nn.LayerNorm(n_embd)
        self.attn = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.ln2 = nn.LayerNorm(n_embd)
        self.up = nn.Linear(n_embd, 4 * n_embd)
        self.down = nn.Linear(4 * n_embd, n_embd)
        for layer in (self.attn.out_proj, self.down):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.down(F.gelu(self.up(self.ln2(x))))


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.tok_emb = nn.Embedding(vocab_size, n_embd)
        self.pos_emb = nn.Parameter(torch.zeros(context_length, n_embd))
        self.blocks = nn.Sequential(
            *[Block(n_embd, num_heads, context_length) for _ in range(num_layers)]
        )
        self.norm = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size)
        nn.init.zeros_(self.lm_head.weight)
        nn.init.zeros_(self.lm_head.bias)

    def forward(self, tokens, targets=None):
        x = self.tok_emb(tokens) + self.pos_emb[: tokens.shape[1]]
        logits = self.lm_head(self.norm(self.blocks(x)))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())
