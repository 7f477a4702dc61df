# %% [markdown]
# # 9. A tiny GPT
#
# Everything is in place: attention that looks only at the past, and many heads of it. What is missing is
# the rest of the model. In this notebook you build a small language model of the same kind as the large
# ones, train it on a nursery rhyme in a few seconds, and let it write.
#
# Four questions lead there:
#
# 1. `Block`: attention, a small network that works on each token, and the two paths around them.
# 2. `TinyGPT`: from tokens to a guess at every next token.
# 3. `generate`: guess, append, repeat.
# 4. `train_step`: make the guesses a little better.
#
# ![On the left the model: tokens (B, T), token and position embeddings (B, T, n_embd), num_layers blocks,
# a LayerNorm, and a Linear head that gives logits (B, T, vocab_size). On the right one block: x goes
# through LayerNorm and attention and is added to x itself, which gives h; h goes through LayerNorm and the
# feed-forward network and is added to h, which gives the output. The two ways around are the residual
# paths.](flow.png)
#
# Two short written questions come at the end, and before them experiments with a model
# that has read half of *Alice in Wonderland*; take another half hour if you like them.
# Each question is graded by itself: a mistake in `Block` costs nothing in `TinyGPT`,
# and `generate` and `train_step` are tested with a model that the tests provide. A
# check tests your code on the lesson's example and on one small input of another size.
# Grading tests it on more inputs, and tests gradients, too. So write code that works
# for all inputs. Use any function of Python or torch, unless a question lists it under
# *Not allowed here*. Symbols and names are those of the [table of
# notation](notation.md). Plan for 60 to 90 minutes.
#
# `MultiHeadAttention` from exercise 8 is given here, finished.

# %%
import math

import torch
from torch import nn
from torch.nn import functional as F


# %%
class MultiHeadAttention(nn.Module):
    """Causal attention in several heads: (B, T, d_in) -> (B, T, d_out) for T <=
    context_length.
    """

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        mask = torch.ones(context_length, context_length, dtype=torch.bool).triu(
            diagonal=1
        )
        self.register_buffer("mask", mask, persistent=False)

    def split(self, x):
        """(B, T, d_out) -> (B, num_heads, T, d_out / num_heads)."""
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def attention_weights(self, x):
        """(B, T, d_in) -> (B, num_heads, T, T): how much each token looks at each
        token, in every head.
        """
        queries, keys = self.split(self.W_query(x)), self.split(self.W_key(x))
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(keys.shape[-1])
        length = x.shape[1]
        return scores.masked_fill(self.mask[:length, :length], -math.inf).softmax(
            dim=-1
        )

    def forward(self, x):
        weights = self.dropout(self.attention_weights(x))
        context = weights @ self.split(self.W_value(x))
        return self.out_proj(context.transpose(1, 2).flatten(-2))


# %% [markdown]
# ## The block
#
# Attention lets tokens *exchange* what they know. It does not let them *think about it*: the result is a
# weighted mean of values. So a block has a second half, the **feed-forward network**. It takes each token by
# itself, makes it four times as wide, applies GELU or ReLU, and makes it narrow again.
#
# GPTs call the width of a token `n_embd`, and so does this notebook; inside `MultiHeadAttention` it is both
# `d_in` and `d_out`.
#
# Two additions make it possible to stack many blocks.
#
# **Residual paths.** A half does not replace its input, it *adds* to it: `x + half(x)`. If the half gives
# 0, the token passes through unchanged. And the gradient has a direct path back to the first block.
#
# **LayerNorm.** It gives each token's features mean 0 and variance 1, token by token, then scales and shifts
# them by learnt numbers. We use it *before* each half (pre-norm), so that the residual path itself stays
# untouched:
#
# $$h = x + \mathrm{attention}(\mathrm{norm}_1(x))$$
# $$\mathrm{out} = h + \mathrm{feedforward}(\mathrm{norm}_2(h))$$
#
# Note that the second line reads $h$, not $x$. The [2017 Transformer](https://arxiv.org/abs/1706.03762)
# normalised after the addition (post-norm); nearly all newer models do it before, because deep stacks then
# [train more calmly](https://arxiv.org/abs/2002.04745).
#
# The picture shows what LayerNorm does to four tokens of very different size.

# %% demo
import matplotlib.pyplot as plt

torch.manual_seed(0)
tokens_before = torch.randn(4, 12) * torch.tensor(
    [[0.3], [1.0], [3.0], [6.0]]
) + torch.tensor([[0.0], [2.0], [-3.0], [4.0]])
tokens_after = nn.LayerNorm(12)(tokens_before).detach()
figure, axes = plt.subplots(1, 2, figsize=(10, 2.8), layout="constrained")
for axis, values, title in zip(
    axes,
    (tokens_before, tokens_after),
    ("before LayerNorm", "after LayerNorm"),
    strict=True,
):
    picture = axis.imshow(values, cmap="coolwarm", vmin=-4, vmax=4, aspect="auto")
    axis.set(title=title, xlabel="feature", ylabel="token", yticks=range(4))
figure.colorbar(picture, ax=axes)
plt.show()

# %% [markdown]
# ### Question 1: `Block` (4 points)
#
# About 15 minutes, medium.
#
# Write the two lines above as a module. The names of the layers are yours to choose. With the suggested ones,
# a trained model fits into your class by name: you will meet it at the end of this notebook.


# %% solution="Block"
class Block(nn.Module):
    """One pre-norm Transformer block, causal, with two residual paths.

    Arguments:
        n_embd: number of features of a token, in and out
        num_heads: heads of the attention; n_embd is divisible by it
        context_length: the length of the longest sequence that may come in
        dropout: probability for MultiHeadAttention (and, if you like, inside a half or
            at its end; the sums themselves drop nothing)

    forward(x): (B, T, n_embd) -> (B, T, n_embd), for every T <= context_length; x is
        left as it was

        h   = x + attention(norm_1(x))
        out = h + feed_forward(norm_2(h))

    attention is the given MultiHeadAttention; feed_forward is Linear to 4 * n_embd
    features, GELU (exact or tanh) or ReLU, Linear back to n_embd; norm_1 and norm_2 are
    two LayerNorms of n_embd features.

    Suggested names of the layers: attention_norm, attention, feed_forward_norm and
    feed_forward (an nn.Sequential: Linear, activation, Linear).

    Set no seed in the class; its caller sets the seed.
    """

    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        ### BEGIN SOLUTION
        self.attention_norm = nn.LayerNorm(n_embd)
        self.attention = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.feed_forward_norm = nn.LayerNorm(n_embd)
        self.feed_forward = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd),
            nn.GELU(),
            nn.Linear(4 * n_embd, n_embd),
            nn.Dropout(dropout),
        )
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        h = x + self.attention(self.attention_norm(x))
        return h + self.feed_forward(self.feed_forward_norm(h))
        ### END SOLUTION


# %% check="Block" points=4
@check("Block")
def check_Block():
    """Shape, parts and gradients; then large weights, which show what each half does."""
    torch.manual_seed(1)
    block, x = Block(12, 3, context_length=8), torch.randn(2, 5, 12)
    expect_shape(block(x), (2, 5, 12), "A block keeps the shape.")
    expect_unchanged(block, x)
    for name, one in block.named_parameters():
        expect_gradient(block(x), one, hint=f"{name} is frozen, or not used.")
    shapes = {tuple(one.shape) for one in block.parameters()}
    expect({(48, 12), (12, 48)} <= shapes, "Two Linear layers: 12 to 48 and back.")
    norms = [name for name, one in block.named_parameters() if (one == 1).all()]
    expect(len(norms) == 2, "There are two LayerNorms, one for each half.")

    def enlarged(*halves):
        block = Block(12, 3, context_length=8, dropout=0.5).eval()
        for one in block.parameters():
            half = "feed_forward" if 48 in one.shape else "attention"
            torch.manual_seed(sum(one.shape))
            if one.dim() == 2 or not (one == 1).all():  # biases become 0
                nn.init.normal_(one, std=0.5 * (half in halves and one.dim() == 2))
        return block

    nothing, both = enlarged(), enlarged("attention", "feed_forward")
    first, second = enlarged("attention"), enlarged("feed_forward")
    expect_close(nothing(x), x, "Halves whose matrices are zero add nothing.")
    expect_close(both(x), both(x), "In evaluation nothing is dropped.")
    for half in (first, second):
        added = half(x) - x
        expect(added.abs().max() > 0.1, "Each half adds to its input.")
        why = "Larger tokens with another mean are the same after a norm."
        expect_close(half(20 * x + 30) - 20 * x - 30, added, why, 1e-2)
    for attention in first.modules():
        if isinstance(attention, MultiHeadAttention):
            expect(attention.num_heads == 3, "The attention has num_heads heads.")
            added = attention(F.layer_norm(x, (12,)))
            expect_close(first(x), x + added, "h is x + attention(norm_1(x)).")
    why = "GELU or ReLU is applied between the Linear layers."
    expect(not torch.allclose(second(-x) + x, x - second(x), atol=1e-2), why)
    expect((second(x) - x).min() < -0.5, "A half adds numbers of both signs.")
    expect_close(both(x), second(first(x)), "The second half goes on from h.", 1e-3)
    other = torch.cat([x[:, :-1], torch.randn(2, 1, 12)], dim=1)
    why = "Another last token changes no earlier output."
    expect_close(both(other)[:, :-1], both(x)[:, :-1], why)
    why = "In training, dropout does not act on the sums themselves."
    expect_close(nothing.train()(x), x, why)
    why = "In training, dropout acts within a half, here with the rate 0.5."
    expect(not torch.equal(both.train()(x), both(x)), why)
    expect(both.double()(x.double()).dtype == torch.float64, "float64 stays float64.")


# %% [markdown]
# A deep stack shows what the residual paths do. Random tokens go through 16 of your blocks. How much do
# they still resemble what went in? With residual paths each block refines what is there, and the tokens
# stay recognisable to the end. For the orange line, the input is subtracted from each block's output again,
# so that only what the halves add is handed on: after one block, the tokens no longer resemble what went
# in. Every block would first have to learn to keep what it needs.


# %% demo
def similarity_to_input(residual, depth=16):
    """Return how similar (cosine) the tokens still are to the input, after each of
    `depth` fresh blocks.
    """
    torch.manual_seed(0)
    blocks = [Block(32, 4, context_length=16) for _ in range(depth)]
    tokens = stream = torch.randn(4, 16, 32)
    similarities = []
    with torch.no_grad():
        for block in blocks:
            stream = block(stream) if residual else block(stream) - stream
            similarities.append(
                F.cosine_similarity(stream, tokens, dim=-1).mean().item()
            )
    return similarities


figure, axis = plt.subplots(figsize=(7, 3), layout="constrained")
axis.plot(
    range(1, 17), similarity_to_input(True), marker="o", label="with residual paths"
)
axis.plot(range(1, 17), similarity_to_input(False), marker="o", label="without them")
axis.set(
    xlabel="block",
    ylabel="similarity to the input",
    title="What is left of the tokens",
    ylim=(-0.2, 1.05),
)
axis.legend()
plt.show()

# %% [markdown]
# ### If your block is not ready
#
# You can still go on. `ReadyBlock` is PyTorch's own block, with the same arguments and shapes. `make_block`
# gives your `Block` if it runs and can learn, and a `ReadyBlock` if it does not. Use it in the next
# question. (Calling `Block` itself there is right too.)


# %%
class ReadyBlock(nn.Module):
    """PyTorch's own pre-norm block, causal: (B, T, n_embd) -> (B, T, n_embd)."""

    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(
            n_embd,
            num_heads,
            4 * n_embd,
            dropout,
            activation="gelu",
            batch_first=True,
            norm_first=True,
        )

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(
            x.shape[1], device=x.device, dtype=x.dtype
        )
        return self.layer(x, src_mask=mask, is_causal=True)


def make_block(n_embd, num_heads, context_length):
    """Make one block: your Block where it runs, else a ReadyBlock. Both (B, T, n_embd)
    -> (B, T, n_embd).
    """
    try:
        block = Block(n_embd, num_heads, context_length)
        for length in (1, context_length):
            output = block(torch.zeros(1, length, n_embd))
            assert output.shape == (1, length, n_embd)
        torch.autograd.grad(output.sum(), list(block.parameters()))  # it can learn
        return block
    except Exception:  # whatever is wrong with it, TinyGPT need not wait for it
        return ReadyBlock(n_embd, num_heads, context_length)


# %% [markdown]
# ## From tokens to guesses
#
# Our text is a nursery rhyme, "The House That Jack Built", a little shortened. It is centuries old and free
# for everyone to use. Each character is a token.

# %%
TEXT = """This is the house that Jack built.

This is the malt
That lay in the house that Jack built.

This is the rat
That ate the malt
That lay in the house that Jack built.

This is the cat
That killed the rat
That ate the malt
That lay in the house that Jack built.

This is the dog
That worried the cat
That killed the rat
That ate the malt
That lay in the house that Jack built.

This is the cow with the crumpled horn
That tossed the dog
That worried the cat
That killed the rat
That ate the malt
That lay in the house that Jack built.

This is the maiden all forlorn
That milked the cow with the crumpled horn
That tossed the dog
That worried the cat
That killed the rat
That ate the malt
That lay in the house that Jack built.

This is the man all tattered and torn
That kissed the maiden all forlorn
That milked the cow with the crumpled horn
That tossed the dog
That worried the cat
That killed the rat
That ate the malt
That lay in the house that Jack built.
"""
CHARACTERS = sorted(set(TEXT))


def encode(text):
    """A text of n characters -> (n,) int64, the place of each character in
    CHARACTERS.
    """
    return torch.tensor([CHARACTERS.index(character) for character in text])


def decode(tokens):
    """(n,) int64 -> the text of n characters."""
    return "".join(CHARACTERS[token] for token in tokens.tolist())


def random_batch(data, batch_size, length):
    """(n,) -> tokens and targets, both (batch_size, length): random pieces, and each
    moved on by one.
    """
    starts = torch.randint(len(data) - length, (batch_size, 1))
    places = starts + torch.arange(length)
    return data[places], data[places + 1]


# %% [markdown]
# A language model guesses the next token. A piece of text holds many such exercises at once: after `T`
# comes `h`, after `Th` comes `i`, and so on. So the **targets** are the tokens moved on by one place, and
# every position of the model's output is one guess.

# %% demo
torch.manual_seed(3)
piece, piece_targets = random_batch(encode(TEXT), batch_size=1, length=16)
figure, axis = plt.subplots(figsize=(9, 1.6), layout="constrained")
axis.imshow(torch.stack([piece[0], piece_targets[0]]), cmap="Pastel1", aspect="auto")
for row, line in enumerate((decode(piece[0]), decode(piece_targets[0]))):
    for column, character in enumerate(line):
        axis.text(
            column,
            row,
            repr(character)[1:-1],
            ha="center",
            va="center",
            family="monospace",
            size=13,
        )
axis.set(
    yticks=[0, 1],
    yticklabels=["tokens", "targets"],
    xticks=range(16),
    title="Each target is the next token",
)
plt.show()

# %% [markdown]
# ## A table of vectors
#
# A token is a whole number, and attention needs vectors. `nn.Embedding(5, 3)` is a table for 5 different
# tokens: row i holds the 3 features of token i. Call it with tokens, and you get their rows. The numbers
# are random at first, and they are parameters: training changes them.

# %% demo
torch.manual_seed(0)
table = nn.Embedding(5, 3)
print("the table, (5, 3):", table.weight.data, sep="\n")
print("tokens 1 and 4, (2, 3):", table(torch.tensor([1, 4])).data, sep="\n")
text_of_tokens = torch.tensor([[1, 4, 4, 0]])  # try two texts
print("a batch", tuple(text_of_tokens.shape), "->", tuple(table(text_of_tokens).shape))

# %% [markdown]
# ## From tokens to logits
#
# The way through the model:
#
# | step | shape |
# |---|---|
# | tokens | (B, T) |
# | token embedding + position embedding | (B, T, n_embd) |
# | `num_layers` blocks, one after the other | (B, T, n_embd) |
# | a final LayerNorm | (B, T, n_embd) |
# | a Linear layer, the head: a score for every token that may come next | (B, T, vocab_size) |
#
# **Positions.** Attention compares tokens and takes weighted means. Apart from the mask, it does not
# depend on their positions. So each position 0, 1, 2... has its own embedding, learnt like those of the
# tokens, and it is added to the token's embedding.
#
# **Loss.** The head's scores are called logits. Cross-entropy makes probabilities of them, by softmax, and
# takes $-\log p$ of the token that really came next, averaged over all B × T guesses. A model that knows
# nothing gives every token about the same probability, 1 / vocab_size. So the loss starts near
# $\log(\mathrm{vocab\_size})$. That is worth checking before any training. `F.cross_entropy` does it all; it
# expects one row of scores and one target for each guess, (N, vocab_size) and (N,), so B and T must first
# become one dimension: `flatten(0, 1)`.
#
# ### Question 2: `TinyGPT` (5 points)
#
# About 20 minutes, hard.


# %% solution="TinyGPT"
class TinyGPT(nn.Module):
    """A causal language model.

    Arguments:
        vocab_size: number of different tokens
        n_embd: number of features of a token
        num_heads: heads in each block
        num_layers: number of blocks, each with weights of its own
        context_length: the length of the longest sequence that may come in; kept as
            attribute `context_length`

    forward(tokens, targets=None) -> (logits, loss)
        tokens: (B, T) int64, T <= context_length
        targets: (B, T) int64, already shifted by one position: targets[b, t] comes
            after tokens[b, t]
        logits: (B, T, vocab_size), with or without targets
        loss: 0-d, the mean cross-entropy of all B * T guesses; None without targets

    Token and position embeddings (learnt, or any other kind of position), the blocks
    (from make_block), a final LayerNorm, a Linear head. Logits are scores, before any
    softmax. Without training, the loss is near log(vocab_size), less than 4 away; if
    the head shares the token embedding's weights, these must start small, at
    1 / sqrt(n_embd) or less. No dropout. `tokens` and `targets` are left as they were,
    and the class sets no seed: its caller does.

    Suggested names of the layers: token_embedding, position_embedding, blocks, norm and
    head.

    The model must learn a short text in 240 steps of AdamW, with a learning rate of
    0.01. It learns soonest if tokens and positions start at about the same size: sines,
    or an nn.Embedding as torch makes it, have size 1, and beside them tokens that start
    at 0.02 have hardly any effect. Then make the positions small, too, or multiply the
    embedded tokens by the square root of n_embd.
    """

    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        ### BEGIN SOLUTION
        self.context_length = context_length
        self.token_embedding = nn.Embedding(vocab_size, n_embd)
        self.position_embedding = nn.Embedding(context_length, n_embd)
        self.blocks = nn.Sequential(
            *(make_block(n_embd, num_heads, context_length) for _ in range(num_layers))
        )
        self.norm = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab_size)
        ### END SOLUTION

    def forward(self, tokens, targets=None):
        ### BEGIN SOLUTION
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.token_embedding(tokens) + self.position_embedding(positions)
        logits = self.head(self.norm(self.blocks(x)))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        ### END SOLUTION


# %% check="TinyGPT" points=5
@check("TinyGPT")
def check_TinyGPT():
    """Three short texts before any training; then other weights, and other texts."""
    torch.manual_seed(2)
    gpt = TinyGPT(40, 32, 4, num_layers=1, context_length=10).eval()
    tokens, targets = torch.randint(40, (3, 7)), torch.randint(40, (3, 7))
    targets[0] = 0  # a token like any other
    why = "The model has the attribute context_length."
    expect(gpt.context_length == 10, why)
    expect(isinstance(gpt(tokens), (tuple, list)), "Return the pair (logits, loss).")
    expect_shape(gpt(tokens)[0], (3, 7, 40), "Logits are (B, T, vocab_size).")
    expect(gpt(tokens)[1] is None, "Without targets the loss is None.")
    expect_close(gpt(tokens, targets)[0], gpt(tokens)[0], "Targets change no logits.")
    expect_shape(gpt(tokens, targets)[1], (), "The loss is one number, 0-d.")
    why = "Before training the loss is near log(40)."
    expect(abs(gpt(tokens, targets)[1] - math.log(40)) < 4, why)
    texts = torch.arange(40).unsqueeze(-1).repeat(1, 10)  # one token again and again
    logits = TinyGPT(40, 96, 4, 1, 10)(texts)[0]
    by_token, by_place = (logits - logits.mean(n, keepdim=True) for n in (0, 1))
    why = "Before training, tokens and positions both change the logits."
    expect(20 * by_token.std() + 1e-6 >= by_place.std(), why)
    counts = {}
    for layers in (1, 2, 3):
        deeper = TinyGPT(40, 32, 4, layers, 10)
        for name, one in deeper.named_parameters():
            expect_gradient(
                deeper(tokens, targets)[1], one, hint=f"{name} is not used."
            )
        counts[layers] = sum(one.numel() for one in deeper.parameters())
    why = "Each block has the same number of weights of its own."
    expect(counts[3] - counts[2] == counts[2] - counts[1] > 0, why)

    for one in gpt.parameters():  # which may have been zero
        one.data += 0.3 * torch.randn_like(one)
    logits = gpt(tokens)[0]
    expect((logits < 0).any(), "Logits are scores, before any softmax.")
    right = -logits.log_softmax(dim=-1).gather(-1, targets.unsqueeze(-1)).mean()
    why = "The loss is the mean of -log(probability of the target) over all guesses."
    expect_close(gpt(tokens, targets)[1], right, why)
    other = torch.cat([tokens[:, :-1], (tokens[:, -1:] + 1) % 40], dim=1)
    why = "Another last token changes no earlier guess."
    expect_close(gpt(other)[0][:, :-1], logits[:, :-1], why)
    why = "The end of a text does not change the logits before it."
    expect_close(gpt(tokens[:, :5])[0], logits[:, :5], why)
    story = torch.tensor([[3, 14, 1, 5, 9, 2, 6], [2, 9, 5, 1, 14, 3, 6]])
    one, turned = gpt(story)[0][:, -1]
    expect(not torch.allclose(one, turned, atol=1e-4), "The order of tokens counts.")
    expect_close(gpt.train()(tokens)[0], logits, "In training nothing is dropped.")
    expect_unchanged(gpt, tokens, targets)
    one_head = TinyGPT(40, 32, 1, num_layers=1, context_length=10)
    ours, others = (
        {name: one.shape for name, one in model.state_dict().items()}
        for model in (gpt, one_head)
    )
    if ours == others:
        one_head.load_state_dict(gpt.state_dict())
        why = "With the same weights, one head gives other logits than four."
        expect(not torch.allclose(one_head(tokens)[0], logits, atol=1e-4), why)
    for one in gpt.modules():
        if isinstance(one, nn.Embedding):
            one.register_forward_hook(lambda layer, given, output: 1e4 * output)
    why = "Thanks to the final LayerNorm, huge embeddings give no huge logits."
    expect(gpt(tokens)[0].abs().max() < 100, why)


# %% [markdown]
# The picture below shows what the model can see. One token is changed at a time; the colour says how much
# each guess moves, on a logarithmic scale, and grey means not at all. A causal model gives a triangle: a
# token moves the guesses at its own place and after it, never before. Its own guess moves most, since the
# residual path carries the token there directly.

# %% demo
torch.manual_seed(4)
small_model = TinyGPT(
    len(CHARACTERS), n_embd=32, num_heads=4, num_layers=2, context_length=16
).eval()
sentence = "This is the rat."
sentence_tokens = encode(sentence)[None]
with torch.no_grad():
    guesses = small_model(sentence_tokens)[0]
    moved = torch.zeros(len(sentence), len(sentence))
    for place in range(len(sentence)):
        other = sentence_tokens.clone()
        other[0, place] = (other[0, place] + 1) % len(CHARACTERS)
        moved[:, place] = (small_model(other)[0] - guesses)[0].norm(dim=-1)
figure, axis = plt.subplots(figsize=(5.2, 4.2), layout="constrained")
axis.set_facecolor("lightgrey")
seen_only = torch.where(moved > 1e-5, moved, torch.nan)
picture = axis.imshow(seen_only, cmap="magma_r", norm="log")
axis.set(
    xticks=range(len(sentence)),
    yticks=range(len(sentence)),
    xlabel="token that changes",
    ylabel="guess after",
)
axis.set_xticklabels(list(sentence), family="monospace")
axis.set_yticklabels(list(sentence), family="monospace")
figure.colorbar(picture, ax=axis, label="how far the guess moves")
plt.show()

# %% [markdown]
# ## Writing
#
# To write, the model guesses one token, we append it, and the longer text goes in again. Taking the likeliest
# token each time is called **greedy**. Three points need care:
#
# - Only the guess at the *last* position is about the token to come.
# - The model has no embedding for places beyond `context_length`. Once the text is longer, only its last
#   `context_length` tokens go in. The text that you return is still the whole one.
# - Dropout must be off while the model generates text: `model.eval()`. The caller expects the model in the
#   same mode as before, so restore it: `model.training` says which mode it is, `model.train(mode)` sets it.
#
# ### Question 3: `generate` (3 points)
#
# About 10 minutes, medium.


# %% solution="generate"
def generate(model, tokens, max_new_tokens):
    """Continue each sequence by max_new_tokens tokens, each time the likeliest one
    (greedy).

    Arguments:
        model: called as model(tokens) -> (logits, loss), logits (B, T, vocab_size);
            takes at most model.context_length tokens; generate puts it, with all its
            parts, into evaluation mode, and afterwards back into the mode (training or
            evaluation) that it had before
        tokens: (B, T) int64, the beginnings; T may be larger than model.context_length
        max_new_tokens: how many tokens to append to each; the whole batch goes into the
            model at once, once for each new token; of equally likely ones take any

    Returns: (B, T + max_new_tokens) int64, the beginnings and the new tokens. `tokens`
        is left as it is; for 0 new tokens it may be returned itself.
    """
    ### BEGIN SOLUTION
    was_training = model.training
    model.eval()
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits, _ = model(tokens[:, -model.context_length :])
            likeliest = logits[:, -1].argmax(dim=-1, keepdim=True)
            tokens = torch.cat([tokens, likeliest], dim=1)
    model.train(was_training)
    return tokens
    ### END SOLUTION


# %% check="generate" points=3
@check("generate")
def check_generate():
    """A model that predicts the last digit of the sum of its tokens, at most four."""

    class Adder(nn.Module):
        context_length = 4

        def __init__(self):
            super().__init__()
            self.part, self.lengths, self.modes = nn.Dropout(), [], []

        def forward(self, tokens, targets=None):
            self.lengths.append(tokens.shape[1])
            self.modes.append(self.training or self.part.training)
            # The sum, modulo 10, has a logit of -1, and all other tokens have -2.
            return F.one_hot(tokens.cumsum(dim=1) % 10, 10).float() - 2, None

    # After 1, 2, 3 comes 6, then 1 + 2 + 3 + 6 = 12, so 2, then 2 + 3 + 6 + 2 = 13.
    adder, beginnings = Adder(), torch.tensor([[1, 2, 3], [7, 8, 9]])
    expected = torch.tensor([[1, 2, 3, 6, 2, 3, 4, 5], [7, 8, 9, 4, 8, 9, 0, 1]])
    generate(adder, beginnings, 5)
    why = "Call the model once for each token, with context_length tokens at most."
    expect_close(adder.lengths, [3, 4, 4, 4, 4], why)
    why = "The model and its parts are in evaluation mode in each call."
    expect(not any(adder.modes), why)
    why = "A model in training mode is put back into it, with its parts."
    expect(adder.training and adder.part.training, why)
    why = "The likeliest token is appended to the whole text."
    expect_close(generate(adder, beginnings, 5), expected, why)
    expect_unchanged(generate, adder.eval(), beginnings, 5)
    expect(not adder.training, "A model in evaluation mode stays in it.")
    why = "With 0 new tokens, nothing is appended."
    expect_close(generate(adder, beginnings, 0), beginnings, why)
    long, expected = torch.tensor([[5, 5, 1, 2, 3, 4]]), [[5, 5, 1, 2, 3, 4, 0, 9]]
    why = "In a long text, the last tokens count. Token 0 is an ordinary token."
    expect_close(generate(adder, long, 2), expected, why)


# %% [markdown]
# ## Learning
#
# One step of training: compute the loss, find its gradient, let the optimizer move the weights a little
# against it. PyTorch *adds* new gradients to old ones, so the old ones must be cleared first.
#
# Here is all of it for a model with a single parameter, `weight`, which should become 3. The loss is the
# squared distance. `backward` leaves the gradient in `weight.grad`, and `step` moves `weight` by 0.1 times
# the gradient, downhill. Guess first: what happens without `zero_grad`?

# %% demo
weight = nn.Parameter(torch.tensor(-1.0))
descent = torch.optim.SGD([weight], lr=0.1)  # try lr=0.9, and lr=1.1
for step in range(12):
    distance = (weight - 3) ** 2
    descent.zero_grad()  # try it without this line
    distance.backward()
    print(
        f"step {step}: weight {weight.item():.3f}, loss {distance.item():.3f}, "
        f"gradient {weight.grad.item():.3f}"
    )
    descent.step()

# %% [markdown]
# The loss falls by the same share in each step, and the steps become smaller, because the gradient does.
# Without `zero_grad` the old gradients push on, and the weight overshoots and swings. A language model has
# more parameters and another loss; the four lines stay the same.
#
# ### Question 4: `train_step` (3 points)
#
# About 5 minutes, easy.


# %% solution="train_step"
def train_step(model, optimizer, tokens, targets):
    """Take exactly one step of the optimizer on one batch.

    Arguments:
        model: called as model(tokens, targets) -> (logits, loss), logits (B, T,
            vocab_size), loss 0-d; the caller has put it into training mode, in which
            train_step leaves it
        optimizer: holds the model's parameters, all of them and no others
        tokens, targets: (B, T) int64, targets already moved on by one place

    The step minimises the loss that the model returns, even if it is not only a
    cross-entropy. Gradients from before the call must not count, and no gradient is
    clipped.

    Returns: the loss before the step, as a Python float.
    """
    ### BEGIN SOLUTION
    _, loss = model(tokens, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
    ### END SOLUTION


# %% check="train_step" points=3
@check("train_step")
def check_train_step():
    """A model that is one table, so that its first step can be computed by hand."""

    class Table(nn.Module):
        def __init__(self, steepness):
            super().__init__()
            self.rows, self.steepness = nn.Parameter(torch.zeros(4, 4)), steepness

        def forward(self, tokens, targets):
            logits = self.steepness * self.rows[tokens]
            return logits, 2 + F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    tokens, targets = torch.tensor([[[0, 1], [2, 3]], [[1, 2], [3, 0]]])
    model = Table(1)
    sgd = torch.optim.SGD(model.parameters(), lr=1.0, momentum=0.5)
    model.rows.grad = torch.full((4, 4), 9.0)  # left over from before
    why = "Return the loss of the model before the step. Here it is 2 + log(4)."
    expect_close(train_step(model, sgd, tokens, targets), 2 + math.log(4), why, 1e-6)
    expect((model.rows != 0).any(), "The step moves the table.")
    moved = torch.tensor([-0.0625, 0.1875, -0.0625, -0.0625])
    why = "One step of size 1 goes against the gradient of this loss alone."
    expect_close(model.rows[0], moved, why)
    expect(len(sgd.state) == 1, "The step is taken by the optimizer that was given.")
    why = "Return a Python float."
    expect(isinstance(train_step(model, sgd, tokens, targets), float), why)
    for _ in range(18):
        train_step(model, sgd, tokens, targets)
    expect(train_step(model, sgd, tokens, targets) < 2.7, "21 steps lower the loss.")
    steep = Table(1000)
    train_step(steep, torch.optim.SGD(steep.parameters(), lr=1.0), tokens, targets)
    expect_close(steep.rows[0], 1000 * moved, "The gradient is used as it is.")


# %% [markdown]
# ## All together
#
# Now train your model on the rhyme: 26 characters, two blocks, 400 steps. It takes about ten seconds. Two
# lines are milestones: the dashed one, `log(26)`, is pure guessing; the dotted one is the best that a model
# can do if it looks at the last character alone.

# %% demo
torch.set_num_threads(1)  # so small a model is fastest on one core
torch.manual_seed(2)
data = encode(TEXT)
model = TinyGPT(
    len(CHARACTERS), n_embd=64, num_heads=4, num_layers=2, context_length=64
)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
prompt = encode("This is the ")[None]
print("Before training:", repr(decode(generate(model, prompt, 50)[0])))

losses = [
    train_step(model, optimizer, *random_batch(data, batch_size=16, length=64))
    for _ in range(400)
]

pairs = torch.zeros(len(CHARACTERS), len(CHARACTERS))
pairs.index_put_((data[:-1], data[1:]), torch.tensor(1.0), accumulate=True)
last_character_alone = (
    -(pairs * (pairs / pairs.sum(dim=1, keepdim=True)).clamp(min=1e-9).log()).sum()
    / pairs.sum()
)
figure, axis = plt.subplots(figsize=(8, 3.2), layout="constrained")
axis.plot(losses)
axis.axhline(
    math.log(len(CHARACTERS)), color="grey", linestyle="--", label="log(vocab_size)"
)
axis.axhline(
    last_character_alone, color="grey", linestyle=":", label="last character alone"
)
axis.set(xlabel="step", ylabel="loss", title="The loss falls", ylim=(0, None))
axis.legend()
plt.show()
print("After training:\n")
print(decode(generate(model, prompt, 360)[0]))

# %% [markdown]
# It writes rhyme, not noise, and finds its way through the verses. It has learnt these few lines by heart:
# with so little text a model can do nothing else. The large models have more text, more blocks and more
# training; the parts are the same.
#
# What do its heads look at? Here are the four heads of the last block, reading a line and a half. Each row
# is a token and shows where it looks. Dark squares near the diagonal show a head that watches the last few
# characters. A dark column shows a token, such as a line break or the end of a word, to which many later
# ones look back. No line of the code divides the work among the heads; they learnt it
# in training.


# %% demo
def attention_maps(model, tokens):
    """The attention weights of every MultiHeadAttention in the model, each (num_heads,
    T, T).
    """
    maps = []

    def keep(attention, arguments, output):
        maps.append(attention.attention_weights(arguments[0])[0])

    heads = [
        module for module in model.modules() if isinstance(module, MultiHeadAttention)
    ]
    hooks = [module.register_forward_hook(keep) for module in heads]
    with torch.no_grad():
        model(tokens)
    for hook in hooks:
        hook.remove()
    return maps


line = "That ate the malt\nThat lay in"
maps = attention_maps(model, encode(line)[None])
if maps:
    figure, axes = plt.subplots(2, 2, figsize=(11, 11), layout="constrained")
    for number, axis in enumerate(axes.flat):
        axis.imshow(maps[-1][number], cmap="magma_r", vmin=0, vmax=1)
        axis.set(
            title=f"head {number + 1} of the last block",
            xticks=range(len(line)),
            yticks=range(len(line)),
        )
        axis.set_xticklabels(
            [repr(character)[1:-1] for character in line], family="monospace", size=8
        )
        axis.set_yticklabels(
            [repr(character)[1:-1] for character in line], family="monospace", size=8
        )
    plt.show()
else:
    print("This picture needs your own Block: a ReadyBlock does not show its weights.")

# %% [markdown]
# ## A model that has read more
#
# From one rhyme a model can only learn the rhyme. To see what heads do with real text, look into one that has
# read more. Two files lie beside this notebook (in Colab, upload them, too):
#
# - `alice.txt`: the first six chapters of *Alice's Adventures in Wonderland* by Lewis Carroll, 1865, free for
#   everyone to use;
# - `alice.safetensors`: the numbers of a tiny GPT built like yours, with three blocks of four heads, which
#   was trained on the first five chapters for some minutes. It has never seen the sixth.
#
# Nothing from here to the two written questions is graded: change what you like.
#
# Why this kind of file? What `torch.save` writes is a *pickle*, a small program that rebuilds objects, and a
# program can do harm; that is why `torch.load` has `weights_only`. A
# [safetensors](https://github.com/huggingface/safetensors) file holds names, shapes and numbers, and nothing
# that could run. Most models are published so. It needs no package either: 8 bytes say how long the header
# is, the header is JSON and says where each tensor begins and ends, and the rest is numbers.

# %% demo
import json
import re
from pathlib import Path

files = Path("alice.safetensors"), Path("alice.txt")


def read_safetensors(path):
    """The notes of a file, and its tensors by their names."""
    content = path.read_bytes()
    begin = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:begin])
    notes, tensors = header.pop("__metadata__"), {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        numbers = bytearray(content[begin + first : begin + last])
        tensors[name] = (
            torch.frombuffer(numbers, dtype=torch.float16).view(entry["shape"]).float()
        )
    return notes, tensors


def piece_of_alice(text):
    """A text of n characters -> (n,) int64, by the characters that the trained model
    knows.
    """
    return torch.tensor([letters.index(character) for character in text])


weights = {}
if all(file.exists() for file in files):
    notes, weights = read_safetensors(files[0])
    letters, heads, blocks = (
        notes["characters"],
        int(notes["num_heads"]),
        int(notes["num_layers"]),
    )
    longest = int(notes["context_length"])
    unseen = (
        "Pig and Pepper\n"
        + files[1].read_text(encoding="utf-8").partition("\n\nPig and Pepper\n")[2]
    )
    print(f"{len(weights)} tensors; the longest names and their shapes:")
    for name in sorted(weights, key=len)[-5:]:
        print(f"  {name}: {tuple(weights[name].shape)}")
else:
    print(
        "alice.safetensors and alice.txt are not in this folder, "
        "so the experiments below show nothing."
    )

# %% [markdown]
# The names tell you how the model is built. Here it is once more, in functions instead of modules, and with a
# switch for each part, so that you can take parts out.


# %% demo
def alice(tokens, positions=True, mask=True, residuals=True, without_head=None):
    """(B, T) -> logits (B, T, vocab_size), and each block's attention weights, (B,
    heads, T, T).
    """
    x, looks = weights["token_embedding.weight"][tokens], []
    if positions:
        x = x + weights["position_embedding.weight"][: tokens.shape[1]]
    future = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool).triu(
        diagonal=1
    )

    def layer(name, values):
        kind = F.layer_norm if "norm" in name else F.linear
        shape = [values.shape[-1:]] if "norm" in name else []
        return kind(
            values, *shape, weights[f"{name}.weight"], weights.get(f"{name}.bias")
        )

    for number in range(blocks):
        own = f"blocks.{number}."
        normed = layer(own + "attention_norm", x)
        q, k, v = (
            layer(own + f"attention.W_{role}", normed)
            .unflatten(-1, (heads, -1))
            .transpose(1, 2)
            for role in ("query", "key", "value")
        )
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
        look = (scores.masked_fill(future, -math.inf) if mask else scores).softmax(
            dim=-1
        )
        mixed = look @ v
        if without_head and without_head[0] == number:
            mixed[:, without_head[1]] = 0
        mixed = layer(own + "attention.out_proj", mixed.transpose(1, 2).flatten(-2))
        x = mixed + x if residuals else mixed
        wide = F.gelu(
            layer(own + "feed_forward.0", layer(own + "feed_forward_norm", x))
        )
        narrow = layer(own + "feed_forward.2", wide)
        x = narrow + x if residuals else narrow
        looks.append(look)
    return layer("head", layer("norm", x)), looks


# %% [markdown]
# ### It runs in your class
#
# The numbers need a model. Take yours: `load_state_dict` copies each tensor to the parameter of the same
# name. If you chose other names, `match` pairs the tensors by layer, shape and order. Then your model and
# `alice` guess the same text. If they agree, your own `TinyGPT` is a trained language model, and your
# `generate` writes with it. If not, the cell says why, and `generate` goes on with `alice`.


# %% demo
class GivenModel(nn.Module):
    """alice, called as TinyGPT is: tokens (B, T) -> (logits, None)."""

    def __init__(self):
        super().__init__()
        self.context_length = longest

    def forward(self, tokens, targets=None):
        return alice(tokens)[0], None


def match(model):
    """Return the trained tensors by the names that the model has for them."""
    norms, attentions = (
        {
            id(own)
            for m in model.modules()
            if isinstance(m, kind)
            for own in m.parameters()
        }
        for kind in (nn.LayerNorm, MultiHeadAttention)
    )
    waiting, found = dict(weights), {}
    for name, own in model.named_parameters():
        kind = own.shape, id(own) in norms, id(own) in attentions
        for other, tensor in waiting.items():
            if kind == (tensor.shape, "norm" in other, "attention." in other):
                found[name] = waiting.pop(other)
                break
        else:
            raise LookupError(f"the trained model has nothing for {name}")
    if waiting:
        raise LookupError(f"your class has no place for {', '.join(waiting)}")
    return found


def load_into_yours():
    """Return your TinyGPT with the trained numbers, or else the given model."""
    reason = "it guesses like pre-norm blocks with GELU, and yours differ"
    try:
        yours = TinyGPT(len(letters), int(notes["n_embd"]), heads, blocks, longest)
        same_names = dict(yours.named_parameters()).keys() == weights.keys()
        yours.load_state_dict(weights if same_names else match(yours), strict=False)
        tokens = piece_of_alice(unseen[:longest])[None]
        with torch.no_grad():
            apart = (yours.eval()(tokens)[0] - alice(tokens)[0]).abs().max()
        if apart < 0.05:
            print(f"Your TinyGPT is the trained model; logits differ by {apart:.0e}.")
            return yours
    except NotImplementedError:
        reason = "your TinyGPT is not filled in yet"
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
    print(f"The given model goes on: {reason}.")
    names = (re.sub(r"\.\d+\.", ".*.", name).rpartition(".")[0] for name in weights)
    print("The trained numbers fit these layers:", *sorted(set(names)), sep="\n  ")
    return GivenModel()


if weights:
    reader = load_into_yours()
    prompt = piece_of_alice("Alice was ")[None]
    print("".join(letters[token] for token in generate(reader, prompt, 150)[0]))

# %% [markdown]
# ### What do its heads look at?
#
# Each picture is one head, each row a character that looks, each column one that is looked at. Guess first:
# is there a head that always looks at the character before? Is there one that finds the beginning of
# the word?

# %% demo
line = "'Oh dear! Oh dear! I shall be late!'"  # try a sentence of your own


def draw_heads(line):
    figure, panels = plt.subplots(blocks, heads, figsize=(10, 8), layout="constrained")
    _, looks = alice(piece_of_alice(line)[None])
    for number, (row, look) in enumerate(zip(panels, looks, strict=True)):
        for head, axis in enumerate(row):
            axis.imshow(look[0, head], cmap="magma_r", vmin=0, vmax=1)
            axis.set(
                title=f"block {number}, head {head}",
                xticks=range(len(line)),
                yticks=range(len(line)),
            )
            axis.set_xticklabels(line, family="monospace", size=6)
            axis.set_yticklabels(line, family="monospace", size=6)
    plt.show()


if weights:
    draw_heads(line)

# %% [markdown]
# The same heads as text: point at a character in the first line, and each head shows where it looks, in
# percent. (The first cell is given: it defines `show_heads`, the viewer of exercise 8.)

# %% demo
# %load ../show_heads.py

# %% demo
if weights:
    names = [f"block {b}, head {h}" for b in range(blocks) for h in range(heads)]
    _, looks = alice(piece_of_alice(line)[None])
    show_heads(torch.cat([look[0] for look in looks]), list(line), names=names)

# %% [markdown]
# Three of the four heads of block 0 have found the same thing to do: they give 80 to 90 % of their weight to
# the character just before. Training found it useful: after a *q*, the next guess is easy. The fourth looks
# far back, at a little of everything. The heads of the later blocks read what the first block has written
# into each token, so their pictures are harder to put into words: dark columns are characters to which many
# later ones return.
#
# ### A head that remembers
#
# Read nonsense: *qzkx...*, random letters, and the same letters once more. No word helps. But in the second
# round everything has happened before. Find the last place of the letter that you are at, look at the letter
# that came *after* it, and you know the next one. A head that does this is called an **induction head**
# ([Olsson et al., 2022](https://arxiv.org/abs/2209.11895)). By such heads large models continue patterns that
# they have only met in their prompt.
#
# One block is not enough for it. First, a head must write into each token which one came before it. Then a
# head of a later block can look for the token with the note "I came after a *q*". You have just seen the
# first half of this pair in block 0. Has Alice's model the second half? Its **induction score** says so: the
# weight that a head gives, in the second round, to the token after the last occurrence.


# %% demo
def nonsense_twice(places=16):
    """Random letters, each once, and all of them again: a text of 2 * places."""
    torch.manual_seed(0)
    once = [chr(ord("a") + number) for number in torch.randperm(26)[:places]]
    return "".join(once + once)


def induction_scores(maps):
    """For each block and head, the mean weight of the token after the last occurrence;
    maps: for each block (heads, T, T).
    """
    half = maps[0].shape[-1] // 2
    asks = torch.arange(half, 2 * half)
    return torch.stack([look[:, asks, asks - half + 1].mean(dim=1) for look in maps])


if weights:
    _, looks = alice(piece_of_alice(nonsense_twice())[None])
    print(induction_scores([look[0] for look in looks]))

# %% [markdown]
# It has none: all scores are near 0. In a book, the last few letters say more than a letter a line ago, so
# such a head would not reduce the loss. Now train your own small `TinyGPT` by your own `train_step` on
# nothing but repeated nonsense, some 10 seconds. The length of a round changes from text to text, so that
# no fixed distance helps. Guess first: will the loss fall evenly?

# %% demo
alphabet = "abcdefghijklmnopqrstuvwxyz"
steps = 400  # try 100: too early


def rounds(batch, places=16):
    """(batch, 2 * places) tokens: 8 to 16 random letters, again and again."""
    once = torch.randint(26, (batch, places))
    length = torch.randint(places // 2, places + 1, (batch, 1))
    return once.gather(1, torch.arange(2 * places) % length)


torch.manual_seed(0)
copier = TinyGPT(26, n_embd=48, num_heads=2, num_layers=2, context_length=32)
optimizer = torch.optim.AdamW(copier.parameters(), lr=5e-3)
copier_losses = []
for _ in range(steps):
    tokens = rounds(32)
    loss = train_step(copier, optimizer, tokens[:, :-1], tokens[:, 1:])
    copier_losses.append(loss)

text = nonsense_twice()
text_tokens = torch.tensor([[alphabet.index(letter) for letter in text]])
copier_maps = attention_maps(copier, text_tokens)
if copier_maps:
    scores = induction_scores(copier_maps)
    block, head = divmod(int(scores.argmax()), 2)
    figure, panels = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    panels[0].plot(copier_losses)
    panels[0].axhline(math.log(26), color="grey", linestyle="--", label="log(26)")
    panels[0].set(title="loss on nonsense", xlabel="step", ylim=(0, None))
    panels[0].legend()
    panels[1].imshow(scores, cmap="Oranges", vmin=0, vmax=1)
    for row, column in ((0, 0), (0, 1), (1, 0), (1, 1)):
        score = f"{scores[row, column]:.2f}"
        panels[1].text(column, row, score, ha="center", va="center")
    panels[1].set(title="induction score", xlabel="head", ylabel="block")
    panels[1].set(xticks=[0, 1], yticks=[0, 1])
    panels[2].imshow(copier_maps[block][head], cmap="magma_r", vmin=0, vmax=1)
    panels[2].set_title(f"block {block}, head {head}")
    panels[2].set_xticks(range(32), text, family="monospace", size=6)
    panels[2].set_yticks(range(32), text, family="monospace", size=6)
    plt.show()
else:
    print("This picture needs your own Block: a ReadyBlock does not show its weights.")

# %% [markdown]
# For about a hundred steps nearly nothing happens. Then the loss falls within a few dozen steps: each half of
# the pair is useless alone, and now both work together. In the picture of the best head, the second round has
# a line of its own, 15 places to the left of the diagonal. In the first round this head has nothing to find,
# and gives its weight to the first letter. There the next letter can only be guessed, so the loss cannot
# reach 0.
#
# If three heads do nearly the same, what happens when one of them is taken away?
#
# ### What can it do without?
#
# The loss on the chapter that it has never seen, as it is and with one part taken out: the positions, the
# mask, the residual paths, or one head. Guess the order first. Which is worst? And without the mask each
# guess may see the very character that it is to guess. Will the loss fall?

# %% demo
pieces = 24  # of 128 characters; try 100


def loss_on_unseen(**switches):
    tokens = piece_of_alice(unseen[: pieces * longest + 1])
    logits, _ = alice(tokens[:-1].view(pieces, longest), **switches)
    return F.cross_entropy(logits.flatten(0, 1), tokens[1:]).item()


def draw_ablations():
    whole = loss_on_unseen()
    parts = {
        "nothing is missing": whole,
        "no positions": loss_on_unseen(positions=False),
    }
    parts |= {
        "no mask": loss_on_unseen(mask=False),
        "no residual paths": loss_on_unseen(residuals=False),
    }
    parts["(guessing blindly)"] = math.log(len(letters))
    grid = torch.tensor(
        [
            [loss_on_unseen(without_head=(b, h)) - whole for h in range(heads)]
            for b in range(blocks)
        ]
    )
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3), layout="constrained")
    bars = left.barh(list(parts), list(parts.values()))
    left.bar_label(bars, fmt=" %.2f")
    left.set(title="loss on the unseen chapter", xlim=(0, 1.2 * max(parts.values())))
    left.invert_yaxis()
    right.imshow(grid, cmap="Oranges", vmin=0, vmax=2 * grid.max())
    for b in range(blocks):
        for h in range(heads):
            right.text(h, b, f"+{grid[b, h]:.2f}", ha="center", va="center")
    right.set(title="how much it rises without one head", xlabel="head", ylabel="block")
    right.set(xticks=range(heads), yticks=range(blocks))
    plt.show()


if weights:
    draw_ablations()

# %% [markdown]
# No part can go, and each is missed in a way of its own.
#
# - **Without residual paths** the model does worse than blind guessing. Each block has learnt to *add*
#   something to what passes by; alone, what it adds makes no sense to the next.
# - **Without positions** the heads of block 0 no longer find the character before.
# - **Without the mask** the loss *rises*, although each guess can now see its own answer. The model never
#   saw an answer while it learnt, so it does not know what to do with one. A mask is not something to take
#   off after training.
# - **One head** is hardly missed: others do nearly the same.
#
# ### Let it write
#
# Greedy writing soon goes round in circles. **Sampling** draws the next token by its probability instead.
# The **temperature** divides the logits before the softmax: below 1 the likely gets likelier still, above 1
# the unlikely gets its chance. You know this from exercise 1, where the factor in front of the scores made
# softmax sharp or flat. Guess first: at which temperature do you get real words, and at which new ones?
#
# (The slider needs the package ipywidgets, which Jupyter and Colab bring along.)

# %% demo
temperatures = (0.1, 0.7, 1.5)  # try others
beginning = "Alice thought "  # only characters of the book
slider = True  # try False, if no slider appears


def logits_after(tokens):
    """The logits of the token that comes after each text: (B, T) -> (B, vocab_size)."""
    with torch.no_grad():
        return reader(tokens[:, -longest:])[0][:, -1]


def write_alice(temperature=0.7, seed=1, count=160):
    """Print a text; each token is drawn by its probability at this temperature."""
    torch.manual_seed(seed)
    tokens = piece_of_alice(beginning)[None]
    for _ in range(count):
        chances = (logits_after(tokens) / temperature).softmax(dim=-1)
        tokens = torch.cat([tokens, torch.multinomial(chances, 1)], dim=1)
    print(f"--- {temperature:g}\n{''.join(letters[token] for token in tokens[0])}\n")


def draw_chances():
    logits = logits_after(piece_of_alice(beginning)[None])[0]
    best = logits.topk(16).indices
    figure, axis = plt.subplots(figsize=(9, 2.4), layout="constrained")
    for number, temperature in enumerate(temperatures):
        chances = (logits / temperature).softmax(dim=-1)[best]
        places = torch.arange(16) + 0.27 * (number - 1)
        axis.bar(places, chances, width=0.25, label=f"temperature {temperature}")
    axis.set_xticks(range(16), [repr(letters[token])[1:-1] for token in best])
    axis.set(title=f"What comes after {beginning!r}?", ylabel="probability")
    axis.legend()
    plt.show()


if weights:
    draw_chances()
    for temperature in temperatures:
        write_alice(temperature)
try:
    from ipywidgets import FloatSlider, interact
except ImportError:
    slider = False
if weights and slider:
    hotter = FloatSlider(1, min=0.1, max=2, step=0.1, continuous_update=False)
    interact(write_alice, temperature=hotter, seed=(1, 9), count=[160, 320])

# %% [markdown]
# At 0.1 it says the same over and over. At 0.7 most words are English, and their sense is not. At 1.5 it
# makes words of its own. So few numbers are enough to learn spelling, and something of how a sentence goes.
#
# ### Count it
#
# How large is this model, and how much does it compute for one token? Each number of a matrix is used in one
# multiplication and one addition for each token: two operations. Attention has two products without weights
# of their own: scores (queries times keys) and the mixture (weights times values), each with `2 * T *
# n_embd` operations for a token that looks at T tokens.
#
# Count first, on paper. A block has three matrices for queries, keys and values, and `out_proj`, each
# `n_embd` by `n_embd`, and two that are four times as large. How many numbers are that in all, in terms of
# `n_embd`? And for which T do the two products of attention cost as much as all of these matrices?

# %% demo
seen = 128  # tokens that the new one looks at; try 1_000 and 100_000


def count_alice():
    groups = {
        "embeddings": "embedding",
        "attention": "attention.",
        "feed-forward": "forward.",
        "head": "head.",
    }
    numbers = dict.fromkeys((*groups, "norms"), 0)
    for name, tensor in weights.items():
        group = next((group for group, part in groups.items() if part in name), "norms")
        numbers[group] += tensor.numel()
    width = weights["head.weight"].shape[1]
    print(
        f"{sum(numbers.values()):,} parameters: "
        + ", ".join(f"{g} {n:,}" for g, n in numbers.items())
    )
    print(f"12 * n_embd ** 2 in each of {blocks} blocks: {12 * width**2 * blocks:,}")
    matrices = 2 * sum(
        t.numel() for n, t in weights.items() if t.dim() == 2 and "embedding" not in n
    )
    products = blocks * 2 * 2 * seen * width
    print(
        "operations for a token: "
        f"{matrices:,} in matrices, {products:,} in attention to {seen:,} tokens"
    )


if weights:
    count_alice()

# %% [markdown]
# Twelve times the square of the width, for each block: with that you can count any GPT. The smallest GPT-2
# has 12 blocks of width 768, which is 85 million; with its embeddings, 124 million. The two products of
# attention catch up with the matrices at T = 6 * n_embd, since `4 * T * n_embd` meets `24 * n_embd ** 2`.
# For this model, which counts characters, that is a paragraph; for one of width 8,192, which counts pieces
# of words, a short book. Up to there most of the work is in the matrices, and beyond it is in attention.

# %% [markdown]
# ## In your own words
#
# You have built every part of a language model. You should now be able to explain
#
# - what the two halves of a block are for, and why each adds to its input;
# - why a model of attention needs positions;
# - how one piece of text holds as many exercises as it has tokens, and why the mask makes that fair;
# - what the loss says, before and after training;
# - what it takes to generate: the last guess, the cropping and the right mode.
#
# ### Question 5: no peeking (2 points)
#
# About 5 minutes, medium.
#
# During training the model sees the whole piece of text at once, targets and all. Why can it not simply
# copy the next token from its input? And why would it take longer to train on one guess at a time? Three or
# four sentences.

# %% [markdown] manual="why_no_peeking" points=2
# ### BEGIN SOLUTION
# The guess at place t is computed from the tokens 0 to t only: the mask gives every later token the weight 0
# in each head, and all other parts (feed-forward network, LayerNorm, head) work on each token by itself. The
# token to be guessed stands at place t + 1, so it cannot reach the guess; the targets go into the loss and
# not into the model. Because this holds for every place at once, one pass through the model gives T guesses
# to learn from. One guess at a time would need T passes, each repeating nearly all the work of the one
# before.
#
# (what keeps the token to be guessed away from its guess, in attention and in all other parts: 1 point;
# how many guesses one pass through the model gives, compared with one guess at a time: 1 point.)
# ### END SOLUTION

# %% [markdown]
# ### Question 6: reading the loss (2 points)
#
# About 5 minutes, medium.
#
# A friend's untrained model, with a vocabulary of 50 tokens, starts with a loss of 12. Another friend's
# starts with 0.9. What should both losses be, why, and what would you suspect in each case?

# %% [markdown] manual="reading_the_loss" points=2
# ### BEGIN SOLUTION
# A model that knows nothing should give each of the 50 tokens about the probability 1/50, and -log(1/50) =
# log(50) is about 3.9. A loss of 12 means that the fresh model is sure of itself and wrong: the logits are
# far too large, for instance because the weights start too large or the final LayerNorm is missing; or the
# loss is a sum over guesses and not a mean. A loss of 0.9 means that it knows the answer already: the
# future leaks in (no mask), or the targets are not moved on by one place, so that it need only repeat its
# input; or the loss is divided once too often.
#
# (the loss of a model that knows nothing, with the reason: 1 point; a cause for a loss that is much too
# high: 0.5 points; a cause for a loss that is much too low: 0.5 points.)
# ### END SOLUTION

# %% [markdown]
# ## Challenge (not graded)
#
# Greedy writing goes round in circles, and a high temperature invents words. Find a rule that does neither:
# `pick` gets the text so far and the logits of the next character, and chooses. Models in use draw from the
# `k` likeliest tokens only ([top-k](https://arxiv.org/abs/1805.04833)), or from the fewest that have 90 % of
# the probability ([top-p](https://arxiv.org/abs/1904.09751)), or lower the logits of what was just said. Or
# you let a whole list of English words decide.
#
# The goal, in 500 characters: at least 90 % of the words stand in the book, at least 60 % of them are
# different, and no piece of 30 characters is copied from it. Then read what your model has written to
# somebody.


# %% demo
def pick(tokens, logits):
    """The text so far (T,) and logits (vocab_size,) -> the next token, an int."""
    return int(logits.argmax())  # greedy: find a better rule


def judge(pick, beginning="Alice was beginning to ", count=500):
    """Write a text with `pick`, and measure it."""
    torch.manual_seed(5)
    tokens = piece_of_alice(beginning)
    for _ in range(count):
        new = int(pick(tokens, logits_after(tokens[None])[0]))
        tokens = torch.cat([tokens, torch.tensor([new])])
    text = "".join(letters[token] for token in tokens)
    book = files[1].read_text(encoding="utf-8")
    known = set(re.findall(r"[a-z]+", book.lower()))
    words = re.findall(r"[a-z]+", text[len(beginning) :].lower())
    real = sum(word in known for word in words) / max(1, len(words))
    different = len(set(words)) / max(1, len(words))
    pieces = (text[n : n + 30] for n in range(len(beginning), len(text) - 29))
    copied = sum(piece in book for piece in pieces)
    print(text)
    print(f"\n{real:.0%} are words of the book (90 %), {different:.0%} are different")
    print(f"(60 %), and {copied} pieces of 30 characters are copied (0).")
    reached = real >= 0.9 and different >= 0.6 and copied == 0
    print("You have reached the goal!" if reached else "The goal is not reached yet.")


if weights:
    judge(pick)
