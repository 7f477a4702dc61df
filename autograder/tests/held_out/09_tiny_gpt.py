# %% mistake="Block" name="adds_normalised_input__residual_of_normalised"
"""The residual path carries the normalised tokens: each half is added to its normalised input instead of to
the input itself.
"""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.att = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.norm1, self.norm2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)
        self.up, self.down = (
            nn.Linear(n_embd, 4 * n_embd),
            nn.Linear(4 * n_embd, n_embd),
        )

    def forward(self, x):
        x = self.norm1(x)
        x = x + self.att(x)
        x = self.norm2(x)
        return x + self.down(F.relu(self.up(x)))


# %% mistake="Block" name="feed_forward_without_norm"
"""The book's block, with shortcuts by name, its own GELU and a dropout after each half."""


class GELU(nn.Module):
    def forward(self, x):
        inner = math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3))
        return 0.5 * x * (1 + torch.tanh(inner))


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.att = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.ff = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), GELU(), nn.Linear(4 * n_embd, n_embd)
        )
        self.norm1 = nn.LayerNorm(n_embd)
        self.norm2 = nn.LayerNorm(n_embd)
        self.drop_shortcut = nn.Dropout(dropout)

    def forward(self, x):
        shortcut = x
        x = self.norm1(x)
        x = self.att(x)
        x = self.drop_shortcut(x)
        x = x + shortcut

        shortcut = x
        x = self.ff(x)
        x = self.drop_shortcut(x)
        return x + shortcut


# %% mistake="Block" name="no_activation+no_residual_at_attention__linear_only_no_first_path"
"""The feed-forward network has no GELU or ReLU and the attention half replaces its input instead of
being added to it.
"""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.norm_1 = nn.LayerNorm(n_embd)
        self.attention = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.norm_2 = nn.LayerNorm(n_embd)
        self.feed_forward = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.Linear(4 * n_embd, n_embd)
        )

    def forward(self, x):
        h = self.attention(self.norm_1(x))
        return h + self.feed_forward(self.norm_2(h))


# %% mistake="Block" name="no_activation"
"""Two layers called one inside the other."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.ln_2 = nn.LayerNorm(n_embd)
        self.c_fc = nn.Linear(n_embd, n_embd * 4)
        self.c_proj = nn.Linear(n_embd * 4, n_embd)

    def forward(self, x):
        h = x + self.attn(self.ln_1(x))
        return h + self.c_proj(self.c_fc(self.ln_2(h)))


# %% mistake="Block" name="no_residual_at_attention"
"""The functional ReLU, and layers made in another order."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.wide = nn.Linear(n_embd, 4 * n_embd)
        self.narrow = nn.Linear(4 * n_embd, n_embd)
        self.mha = MultiHeadAttention(
            d_in=n_embd,
            d_out=n_embd,
            context_length=context_length,
            dropout=dropout,
            num_heads=num_heads,
        )
        self.before_mha = nn.LayerNorm(n_embd)
        self.before_mlp = nn.LayerNorm(n_embd)

    def forward(self, x):
        a = self.mha(self.before_mha(x))
        return a + self.narrow(self.wide(self.before_mlp(a)).relu())


# %% mistake="Block" name="no_residual_at_attention__2"
"""The video's block, with the first plus forgotten."""


class FeedFoward(nn.Module):
    def __init__(self, n_embd):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.ReLU(), nn.Linear(4 * n_embd, n_embd)
        )

    def forward(self, x):
        return self.net(x)


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.sa = MultiHeadAttention(n_embd, n_embd, context_length, dropout, num_heads)
        self.ffwd = FeedFoward(n_embd)
        self.ln1 = nn.LayerNorm(n_embd)
        self.ln2 = nn.LayerNorm(n_embd)

    def forward(self, x):
        x = self.sa(self.ln1(x))
        x = x + self.ffwd(self.ln2(x))
        return x


# %% mistake="Block" name="no_residual_at_feed_forward"
"""A feed-forward class of its own."""


class FeedForward(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return self.down(F.relu(self.up(x)))


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.att = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.norm1, self.norm2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)
        self.ff = FeedForward(n_embd)

    def forward(self, x):
        shortcut = x
        x = self.norm1(x)
        x = self.att(x)
        x = x + shortcut
        x = self.norm2(x)
        return self.ff(x)


# %% mistake="Block" name="no_residual_at_feed_forward__2"
"""The book's block without its last shortcut."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.att = MultiHeadAttention(
            d_in=n_embd,
            d_out=n_embd,
            context_length=context_length,
            num_heads=num_heads,
            dropout=dropout,
        )
        self.layers = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd),
            nn.GELU(approximate="tanh"),
            nn.Linear(4 * n_embd, n_embd),
        )
        self.norm1 = nn.LayerNorm(n_embd, eps=1e-5)
        self.norm2 = nn.LayerNorm(n_embd, eps=1e-5)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        x = x + self.drop(self.att(self.norm1(x)))
        return self.drop(self.layers(self.norm2(x)))


# %% mistake="Block" name="no_residuals"
"""One nn.Sequential for the whole block."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.net = nn.Sequential(
            nn.LayerNorm(n_embd),
            MultiHeadAttention(n_embd, n_embd, context_length, dropout, num_heads),
            nn.LayerNorm(n_embd),
            nn.Linear(n_embd, 4 * n_embd),
            nn.GELU(),
            nn.Linear(4 * n_embd, n_embd),
        )

    def forward(self, x):
        return self.net(x)


# %% mistake="Block" name="norm_after_addition+narrow_feed_forward+other_feed_forward__post_norm_narrow"
"""The block normalises after the additions instead of before the halves and the hidden layer has
n_embd features instead of 4 * n_embd.
"""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.attention = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.linear1 = nn.Linear(n_embd, n_embd)
        self.linear2 = nn.Linear(n_embd, n_embd)
        self.norm1 = nn.LayerNorm(n_embd)
        self.norm2 = nn.LayerNorm(n_embd)

    def forward(self, x):
        h = self.norm1(self.attention(x) + x)
        f = self.linear2(torch.relu(self.linear1(h)))
        return self.norm2(f + h)


# %% mistake="Block" name="norm_after_addition"
"""Other names, and ReLU."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.sa = MultiHeadAttention(n_embd, n_embd, context_length, dropout, num_heads)
        self.ffwd = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.ReLU(), nn.Linear(4 * n_embd, n_embd)
        )
        self.ln1 = nn.LayerNorm(n_embd)
        self.ln2 = nn.LayerNorm(n_embd)

    def forward(self, x):
        x = self.ln1(x + self.sa(x))
        x = self.ln2(x + self.ffwd(x))
        return x


# %% mistake="Block" name="norm_after_addition__2"
"""Post-norm with GELU, layers in a ModuleDict."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.parts = nn.ModuleDict(
            {
                "mlp": nn.Sequential(
                    nn.Linear(n_embd, 4 * n_embd),
                    nn.GELU(),
                    nn.Linear(4 * n_embd, n_embd),
                ),
                "att": MultiHeadAttention(
                    n_embd, n_embd, context_length, dropout, num_heads
                ),
                "one": nn.LayerNorm(n_embd),
                "two": nn.LayerNorm(n_embd),
            }
        )

    def forward(self, x):
        half = self.parts["one"](self.parts["att"](x) + x)
        return self.parts["two"](self.parts["mlp"](half) + half)


# %% mistake="Block" name="norm_after_addition__again"
"""The block normalises after each addition (post-norm) instead of before each half."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.attn = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.ffwd = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.ReLU(), nn.Linear(4 * n_embd, n_embd)
        )
        self.ln1 = nn.LayerNorm(n_embd)
        self.ln2 = nn.LayerNorm(n_embd)

    def forward(self, x):
        x = self.ln1(x + self.attn(x))
        return self.ln2(x + self.ffwd(x))


# %% mistake="Block" name="one_norm_for_both__norm_shared"
"""Both halves use one and the same LayerNorm instead of one each."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.norm = nn.LayerNorm(n_embd)
        self.sa = MultiHeadAttention(n_embd, n_embd, context_length, dropout, num_heads)
        self.fc1 = nn.Linear(n_embd, n_embd * 4)
        self.fc2 = nn.Linear(n_embd * 4, n_embd)

    def forward(self, x):
        x = x + self.sa(self.norm(x))
        x = x + self.fc2(F.gelu(self.fc1(self.norm(x))))
        return x


# %% mistake="Block" name="overwrites_inputs__plus_equals"
"""The result is right, but the residual additions write into the caller's x."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.ln_2 = nn.LayerNorm(n_embd)
        self.mlp = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd)
        )

    def forward(self, x):
        x += self.attn(self.ln_1(x))
        x = x + self.mlp(self.ln_2(x))
        return x


# %% mistake="Block" name="parts_swapped"
"""The feed-forward half comes before the attention."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)
        self.attn = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.mlp = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd)
        )

    def forward(self, x):
        x = x + self.mlp(self.ln2(x))
        return x + self.attn(self.ln1(x))


# %% mistake="Block" name="residual_from_before_attention__second_path_from_input"
"""The feed-forward half is added to the block's input x instead of to h, so what attention gives is lost
from the residual path.
"""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.norm_1 = nn.LayerNorm(n_embd)
        self.norm_2 = nn.LayerNorm(n_embd)
        self.attention = MultiHeadAttention(
            d_in=n_embd,
            d_out=n_embd,
            context_length=context_length,
            dropout=dropout,
            num_heads=num_heads,
        )
        self.feed_forward = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd)
        )

    def forward(self, x):
        h = x + self.attention(self.norm_1(x))
        out = x + self.feed_forward(self.norm_2(h))
        return out


# %% mistake="Block" name="unknown_second_half_not_normalised"
"""The feed-forward network reads h as it is, norm_2 being applied to its result instead."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.norm_1 = nn.LayerNorm(n_embd)
        self.norm_2 = nn.LayerNorm(n_embd)
        self.attention = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.feed = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd),
            nn.GELU(),
            nn.Linear(4 * n_embd, n_embd),
            nn.Dropout(dropout),
        )

    def forward(self, x):
        h = x + self.attention(self.norm_1(x))
        return h + self.norm_2(self.feed(h))


# %% mistake="TinyGPT" name="final_norm_missing__no_last_norm"
"""The final LayerNorm before the head is missing."""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.tok = nn.Embedding(vocab_size, n_embd)
        self.pos = nn.Embedding(context_length, n_embd)
        self.blocks = nn.ModuleList(
            make_block(n_embd, num_heads, context_length) for _ in range(num_layers)
        )
        self.head = nn.Linear(n_embd, vocab_size)

    def forward(self, tokens, targets=None):
        places = torch.arange(tokens.shape[1])
        x = self.tok(tokens) + self.pos(places)[None]
        for block in self.blocks:
            x = block(x)
        logits = self.head(x)
        loss = (
            None
            if targets is None
            else F.cross_entropy(logits.transpose(1, 2), targets)
        )
        return logits, loss


# %% mistake="TinyGPT" name="logits_are_probabilities+sum_for_mean__probabilities_and_sum"
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


# %% mistake="TinyGPT" name="logits_flattened"
"""The video's forward, which reshapes the logits that it returns."""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.token_embedding_table = nn.Embedding(vocab_size, n_embd)
        self.position_embedding_table = nn.Embedding(context_length, n_embd)
        self.blocks = nn.Sequential(
            *[make_block(n_embd, num_heads, context_length) for _ in range(num_layers)]
        )
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size)

    def forward(self, idx, targets=None):
        B, T = idx.shape
        tok_emb = self.token_embedding_table(idx)
        pos_emb = self.position_embedding_table(torch.arange(T))
        x = self.blocks(tok_emb + pos_emb)
        logits = self.lm_head(self.ln_f(x))
        if targets is None:
            loss = None
        else:
            B, T, C = logits.shape
            logits = logits.view(B * T, C)
            loss = F.cross_entropy(logits, targets.view(B * T))
        return logits, loss


# %% mistake="TinyGPT" name="logits_flattened__logits_flat_with_targets"
"""With targets the logits are returned as (B * T, vocab_size) instead of (B, T, vocab_size)."""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.token_embedding_table = nn.Embedding(vocab_size, n_embd)
        self.position_embedding_table = nn.Embedding(context_length, n_embd)
        self.blocks = nn.Sequential(
            *[make_block(n_embd, num_heads, context_length) for _ in range(num_layers)]
        )
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size)

    def forward(self, tokens, targets=None):
        B, T = tokens.shape
        tok_emb = self.token_embedding_table(tokens)
        pos_emb = self.position_embedding_table(torch.arange(T))
        x = tok_emb + pos_emb
        x = self.blocks(x)
        x = self.ln_f(x)
        logits = self.lm_head(x)
        if targets is None:
            loss = None
        else:
            B, T, C = logits.shape
            logits = logits.view(B * T, C)
            targets = targets.view(B * T)
            loss = F.cross_entropy(logits, targets)
        return logits, loss


# %% mistake="TinyGPT" name="no_positions+one_block_shared__no_places_one_block"
"""The model has no positions and all layers are one and the same block."""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.num_layers = num_layers
        self.embed = nn.Embedding(vocab_size, n_embd)
        self.block = make_block(n_embd, num_heads, context_length)
        self.norm = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab_size)

    def forward(self, tokens, targets=None):
        x = self.embed(tokens)
        for _ in range(self.num_layers):
            x = self.block(x)
        logits = self.head(self.norm(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return logits, loss


# %% mistake="TinyGPT" name="no_positions__tokens_alone"
"""The model has no positions: only the tokens are embedded."""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.embedding = nn.Embedding(vocab_size, n_embd)
        self.layers = nn.ModuleList(
            [make_block(n_embd, num_heads, context_length) for _ in range(num_layers)]
        )
        self.final_norm = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab_size, bias=False)

    def forward(self, tokens, targets=None):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x)
        logits = self.head(self.final_norm(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten(0, 1))


# %% mistake="TinyGPT" name="one_block_shared__block_reused"
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


# %% mistake="TinyGPT" name="softmax_before_the_loss__softmax_before_cross_entropy"
"""The loss is cross_entropy of probabilities: a softmax is taken before it, which takes one itself."""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.emb = nn.Embedding(vocab_size, n_embd)
        self.pos = nn.Embedding(context_length, n_embd)
        self.body = nn.Sequential(
            *(make_block(n_embd, num_heads, context_length) for _ in range(num_layers)),
            nn.LayerNorm(n_embd),
        )
        self.head = nn.Linear(n_embd, vocab_size)

    def forward(self, tokens, targets=None):
        T = tokens.shape[-1]
        logits = self.head(
            self.body(
                self.emb(tokens) + self.pos(torch.arange(T, device=tokens.device))
            )
        )
        loss = None
        if targets is not None:
            probs = F.softmax(logits, dim=-1)
            loss = F.cross_entropy(probs.flatten(0, 1), targets.flatten(0, 1))
        return logits, loss


# %% mistake="TinyGPT" name="targets_moved_twice"
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


# %% mistake="generate" name="always_back_to_training+returns_new_tokens_only__always_train_only_new"
"""The model is always left in training mode, even if it came in evaluation mode, and only the new
tokens are returned.
"""


def generate(model, tokens, max_new_tokens):
    model.eval()
    text, start = tokens, tokens.shape[1]
    for _ in range(max_new_tokens):
        logits, _ = model(text[:, -model.context_length :])
        best = logits[:, -1].max(dim=-1, keepdim=True).indices
        text = torch.cat([text, best], dim=-1)
    model.train()
    return text[:, start:]


# %% mistake="generate" name="crops_the_end"
"""narrow for a slice of the beginning."""


def generate(model, tokens, max_new_tokens):
    before = model.training
    model.train(False)
    out = tokens
    for _ in range(max_new_tokens):
        size = min(out.size(1), model.context_length)
        with torch.no_grad():
            logits = model(out.narrow(1, 0, size))[0]
        out = torch.cat([out, logits[:, -1].max(dim=-1, keepdim=True).indices], dim=-1)
    model.train(before)
    return out


# %% mistake="generate" name="crops_the_end__crops_the_beginning"
"""Of a long text the first context_length tokens go into the model instead of the last ones."""


def generate(model, tokens, max_new_tokens):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits, _ = model(tokens[:, : model.context_length])
            following = logits[:, -1].argmax(dim=-1, keepdim=True)
            tokens = torch.cat([tokens, following], dim=1)
    model.train(was_training)
    return tokens


# %% mistake="generate" name="least_likely"
"""Takes the token that is least likely."""


def generate(model, tokens, max_new_tokens):
    mode = model.training
    model.eval()
    for _ in range(max_new_tokens):
        with torch.no_grad():
            logits, _ = model(tokens[:, -model.context_length :])
        tokens = torch.cat([tokens, logits[:, -1].argmin(-1, keepdim=True)], dim=1)
    model.train(mode)
    return tokens


# %% mistake="generate" name="leaves_evaluation_on"
"""A decorator for no_grad, topk for argmax."""


@torch.no_grad()
def generate(model, tokens, max_new_tokens):
    model.eval()
    idx = tokens.clone()
    for _ in range(max_new_tokens):
        scores, _loss = model(idx[:, -model.context_length :])
        probs = F.softmax(scores[:, -1, :], dim=-1)
        nxt = torch.topk(probs, k=1, dim=-1).indices
        idx = torch.cat([idx, nxt], dim=1)
    return idx


# %% mistake="generate" name="leaves_evaluation_on__stays_in_eval"
"""The model is left in evaluation mode, even if it came in training mode."""


@torch.no_grad()
def generate(model, tokens, max_new_tokens):
    model.eval()
    for _ in range(max_new_tokens):
        idx_cond = tokens[:, -model.context_length :]
        logits, loss = model(idx_cond)
        logits = logits[:, -1, :]
        probs = F.softmax(logits, dim=-1)
        idx_next = torch.argmax(probs, dim=-1, keepdim=True)
        tokens = torch.cat((tokens, idx_next), dim=1)
    return tokens


# %% mistake="generate" name="never_crops"
"""A context variable that holds the whole text."""


def generate(model, tokens, max_new_tokens):
    was_training = model.training
    model.eval()
    with torch.inference_mode():
        for _ in range(max_new_tokens):
            logits, _ = model(tokens)
            best = torch.argmax(logits[:, -1, :], dim=-1, keepdim=True)
            tokens = torch.cat((tokens, best), dim=1)
    if was_training:
        model.train()
    return tokens


# %% mistake="generate" name="one_token_too_many"
"""A while loop on the length, with <= for <."""


def generate(model, tokens, max_new_tokens):
    mode = model.training
    model.eval()
    ids, goal = tokens, tokens.size(1) + max_new_tokens
    while ids.size(1) <= goal:
        with torch.no_grad():
            logits, _ = model(ids[:, -model.context_length :])
        ids = torch.cat([ids, logits[:, -1, :].argmax(dim=-1, keepdim=True)], dim=-1)
    model.train(mode)
    return ids


# %% mistake="generate" name="returns_new_tokens_only"
"""Keeps a list of new tokens and joins it at the end."""


def generate(model, tokens, max_new_tokens):
    mode = model.training
    model.eval()
    text, new = tokens, []
    with torch.no_grad():
        for _ in range(max_new_tokens):
            window = text[:, -model.context_length :]
            step = model(window)[0][:, -1].argmax(1).unsqueeze(1)
            new.append(step)
            text = torch.hstack([text, step])
    model.train(mode)
    return torch.cat(new, dim=1)


# %% mistake="generate" name="returns_the_window__beginning_lost"
"""The text itself is cropped to context_length, so that its beginning is missing from what is returned."""


def generate(model, tokens, max_new_tokens):
    mode = model.training
    model.eval()
    out = tokens.clone()
    for _ in range(max_new_tokens):
        out = out[:, -model.context_length :]
        with torch.no_grad():
            logits = model(out)[0]
        out = torch.cat([out, logits[:, -1:, :].argmax(-1)], dim=1)
    model.train(mode)
    return out


# %% mistake="generate" name="stays_in_training+never_crops__no_eval_no_crop"
"""The model is not put into evaluation mode and a text longer than context_length is not cropped."""


def generate(model, tokens, max_new_tokens):
    for i in range(max_new_tokens):
        with torch.no_grad():
            logits, _ = model(tokens)
        next_token = torch.argmax(logits[:, -1, :], dim=1)
        tokens = torch.cat([tokens, next_token.unsqueeze(1)], dim=1)
    return tokens


# %% mistake="train_step" name="clears_before_the_step__cleared_too_late"
"""The gradients are cleared between backward and step, so the optimizer has nothing to move by."""


def train_step(model, optimizer, tokens, targets):
    _, loss = model(tokens, targets)
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()
    return loss.item()


# %% mistake="train_step" name="keeps_old_gradients+returns_a_tensor__old_gradients_and_tensor"
"""The old gradients are not cleared and the loss is returned as a tensor instead of a float."""


def train_step(model, optimizer, tokens, targets):
    logits, loss = model(tokens, targets)
    loss.backward()
    optimizer.step()
    return loss.detach()


# %% mistake="train_step" name="keeps_old_gradients"
"""Calls forward by keywords and has no zero_grad."""


def train_step(model, optimizer, tokens, targets):
    _, batch_loss = model(tokens, targets=targets)
    batch_loss.backward()
    optimizer.step()
    return float(batch_loss.detach())


# %% mistake="train_step" name="makes_its_own_optimizer__own_optimizer"
"""The step is taken by a new optimizer made inside instead of the one that was given."""


def train_step(model, optimizer, tokens, targets):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    optimizer.zero_grad()
    logits, loss = model(tokens, targets)
    loss.backward()
    optimizer.step()
    return loss.item()


# %% mistake="train_step" name="no_step"
"""Zeroes by hand and forgets the step."""


def train_step(model, optimizer, tokens, targets):
    for p in model.parameters():
        p.grad = None
    loss = model(tokens, targets)[1]
    loss.backward()
    return loss.item()


# %% mistake="train_step" name="returns_a_tensor"
"""Clears by the model, and returns the loss detached from nothing."""


def train_step(model, optimizer, tokens, targets):
    model.zero_grad()
    logits, cost = model(tokens, targets)
    cost.backward()
    optimizer.step()
    return cost


# %% mistake="train_step" name="returns_the_loss_after__loss_afterwards"
"""The loss that is returned is computed after the step instead of before it."""


def train_step(model, optimizer, tokens, targets):
    optimizer.zero_grad(set_to_none=True)
    model(tokens, targets)[1].backward()
    optimizer.step()
    with torch.no_grad():
        logits, loss = model(tokens, targets)
    return float(loss)


# %% mistake="train_step" name="unknown_clips_gradients"
"""Shortens the gradients to a length of 0.1."""


def train_step(model, optimizer, tokens, targets):
    optimizer.zero_grad()
    _, loss = model(tokens, targets)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()
    return loss.item()
