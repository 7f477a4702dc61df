# %% [markdown]
# # 6. Causal attention: no looking ahead
#
# A language model learns by a simple game. It gets a text and must say, at every word, **which word comes
# next**. One sentence of six words gives five exercises at once:
#
# | it has read | it should say |
# |---|---|
# | Your | journey |
# | Your journey | starts |
# | Your journey starts | with |
# | ... | ... |
#
# Now think of self-attention as you know it: every token looks at every other. At *journey*, the model
# may look at *starts*, and *starts* is the answer. It would learn to copy, win the game without having
# understood anything, and be lost as soon as it has to write a text itself, because then there is no next
# word to look at.
#
# So we hide the later tokens. Token *t* may look at itself and at what came before it.
# That is **causal** attention, and it is what makes a GPT a GPT. In this notebook you
#
# 1. make the mask that hides later tokens,
# 2. put it where it belongs: *before* the softmax,
# 3. build it into self-attention,
# 4. write a **head** as GPTs have it: for batches, and for texts of any length up to a limit,
# 5. add **dropout** on the weights, which is active only while the model trains.
#
# ![One causal head. From x (B, T, C) come queries, keys and values (B, T, size). Queries and keys give
# scores (B, T, T), divided by the root of the size; the mask writes minus infinity above the diagonal;
# softmax of each row gives weights (B, T, T) that are 0 there; dropout acts on them in training; they mix
# the values to a result (B, T, size).](flow.png)
#
# **How to work.** Read the description of each question before you write its code. A
# check tests your code on the lesson's example and on one small input of another size.
# Grading tests it on more inputs, and tests gradients, too. So write code that works
# for all inputs. Use any function of Python or torch, unless a question lists it under
# *Not allowed here*. Symbols and names are those of the [table of
# notation](notation.md). Pictures have a line marked `# try` for you to change. Where
# you need a mask, make it with torch, or call your function from an earlier question.
# If that function is wrong, the later answer is graded with a right version of it. Plan
# for 75 minutes.

# %%
import torch
from torch import Tensor, nn

# %% [markdown]
# ## Given: what you built before
#
# Self-attention from the last notebook, without any mask, and three tokens to try it on.

# %%
words = ["write", "a", "poem"]
encodings = torch.tensor([[1.16, 0.23], [0.57, 1.36], [4.41, -2.16]])
tokens = ["Your", "journey", "starts", "with", "one", "step"]


class SelfAttention(nn.Module):
    """Self-attention in which each token looks at all others, (n, d_model) -> (n,
    d_model).
    """

    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings: Tensor) -> Tensor:
        """Return one mixture of values for each token."""
        q = self.W_q(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        scores = q @ k.transpose(self.row_dim, self.col_dim)
        scaled = scores / k.size(self.col_dim) ** 0.5
        weights = torch.softmax(scaled, dim=self.col_dim)
        return weights @ v


# %% [markdown]
# ## The leak
#
# How do you find out whether a model looks ahead? You need not read its code. **Change a token and see
# which outputs move.** Below, six random tokens go through the given `SelfAttention`, then one of them is
# replaced and all six go through it again. Bars show how far each output moved. Guess first: which bars
# would be zero if nobody looked ahead?

# %% demo
import matplotlib.pyplot as plt


def show_matrix(axes, matrix, rows, columns, title, **options):
    """Draw a small matrix with its numbers; cells of -inf stay grey."""
    axes.set_facecolor("lightgrey")
    image = axes.imshow(
        matrix.masked_fill(matrix.isinf(), torch.nan),
        **({"cmap": "Blues", "vmin": 0, "vmax": 1} | options),
    )
    axes.set_xticks(range(len(columns)), columns, rotation=45, ha="right")
    axes.set_yticks(range(len(rows)), rows)
    axes.set_title(title)
    for i, line in enumerate(matrix.tolist()):
        for j, value in enumerate(line):
            dark = (
                abs(value) != float("inf")
                and sum(image.cmap(image.norm(value))[:3]) < 1.5
            )
            text = f"{value:.2f}".replace("-inf", "$-\\infty$")
            colour = "white" if dark else "black"
            axes.text(j, i, text, ha="center", va="center", color=colour, fontsize=8)


def moves(attend, x, place):
    """Return how far each output moves when the token at `place` is replaced."""
    changed = x.clone()
    changed[place] = -2 * x[place]
    with torch.no_grad():
        return (attend(changed) - attend(x)).norm(dim=-1)


place = 4  # try each from 0 to 5

torch.manual_seed(2)
x = torch.randn(6, 4)
moved = moves(SelfAttention(4), x, place)
figure, axes = plt.subplots(figsize=(6.5, 3), layout="constrained")
axes.bar(
    tokens,
    moved.tolist(),
    color=["tab:red" if t < place else "tab:blue" for t in range(6)],
)
axes.set(
    title=f'How far outputs move when "{tokens[place]}" is replaced', ylabel="distance"
)
plt.show()

# %% [markdown]
# The red bars are the leak: the outputs of tokens *before* the replaced one moved all the same. By the end
# of this notebook they will be exactly zero. Remember this experiment; the hidden tests do the same with
# your classes.
#
# ## 1 · Who may not look at whom
#
# A mask is a table with a row for each token that looks and a column for each token
# that is looked at. **True means hidden**, here and in all that follows. This fits
# `masked_fill`, which you will use: it overwrites the places where a mask is True. (The
# ones of `tril` in *Causal averaging* meant the opposite, "may look", because they
# became weights; and in other books, and in some of torch's own functions, True means
# visible. So look twice when you read code.)
#
# | | write | a | poem |
# |---|---|---|---|
# | **write** looks at | | hidden | hidden |
# | **a** looks at | | | hidden |
# | **poem** looks at | | | |
#
# The hidden part is the triangle *above* the diagonal. The diagonal itself stays visible: a token may look at
# itself, and the first token has nothing else.
#
# ### Question 1: `causal_mask` (2 points)
#
# About 5 minutes, easy. Source: [Vaswani et al. (2017), 3.2.3](https://arxiv.org/abs/1706.03762).


# %% solution="causal_mask"
def causal_mask(length: int) -> Tensor:
    """Return the mask that hides the future.

    Arguments:
        length: the number of tokens T, at least 1.

    Returns:
        A boolean tensor of shape (T, T), True where the column's token comes after the
        row's token.

    Source: Vaswani et al. (2017), "Attention Is All You Need", 3.2.3.
    """
    ### BEGIN SOLUTION
    return torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)
    ### END SOLUTION


# %% check="causal_mask" points=2
@check("causal_mask")
def check_causal_mask():
    """The lesson's three words; then longer texts."""
    mask = torch.tensor(
        [[False, True, True], [False, False, True], [False, False, False]]
    )
    why = "True hides a later token. A token sees itself and what came before it."
    expect_close(causal_mask(3), mask, why)
    hidden = [4, 3, 2, 1, 0]
    expect_close(
        causal_mask(5).sum(dim=1),
        hidden,
        "Each row hides one token less than the row above it.",
    )
    expect_close(causal_mask(40)[-1].sum(), 0, "The last token sees all tokens.")


# %% [markdown]
# Dark means hidden. Read the picture by rows: how many tokens can *with* see? And by columns: who can see
# *step*?

# %% demo
length = 6  # try 1, 3, 30

names = tokens if length == 6 else [str(t) for t in range(length)]
figure, axes = plt.subplots(figsize=(4.2, 4.2), layout="constrained")
axes.imshow(causal_mask(length), cmap="Greys", vmin=0, vmax=1.4)
axes.set_xticks(range(length), names, rotation=45, ha="right")
axes.set_yticks(range(length), names)
axes.set(xlabel="at whom", ylabel="who looks", title="The causal mask")
plt.show()

# %% [markdown]
# ## 2 · Where the mask belongs
#
# We have scores, and from them softmax makes weights. Where do we put the mask? Here are two ideas.
#
# **Idea A: softmax first, then set the hidden weights to 0.** The hidden tokens are
# out. But the row no longer sums to 1: part of the whole was given to hidden tokens and
# is now thrown away. And *how much* is thrown away depends on the scores of the hidden
# tokens. So the future still leaks in: the hidden scores affect how large the visible
# weights are.
#
# **Idea B: hide the scores first, then softmax.** A hidden score becomes $-\infty$. Its
# exponential is 0, so its weight is exactly 0, and it adds nothing to the denominator.
# The visible weights sum to 1, and the hidden score has no effect on them.
#
# Idea B is the usual way. (You can repair idea A by dividing each row by its new sum.
# That gives the same weights.)
#
# ### Question 2: `masked_attention_weights` (3 points)
#
# About 5 minutes, medium. Source: [Vaswani et al. (2017), 3.2.3](https://arxiv.org/abs/1706.03762).
#
# `scores.masked_fill(mask, value)` returns a **new** tensor with `value` wherever
# `mask` is True. Keep the tensor that it returns. Do not use `masked_fill_` instead: it
# writes into the caller's scores.


# %% solution="masked_attention_weights"
def masked_attention_weights(scores: Tensor, mask: Tensor) -> Tensor:
    """Return the softmax of the visible scores; hidden ones get the weight 0.

    Arguments:
        scores: scores that are scaled already, shape (..., n, m): n tokens look at m
            tokens. `...` are any leading batch dimensions, or none. Scores lie
            between -1e6 and 1e6: hidden ones may be far higher than all visible ones.
        mask: boolean, shape (n, m), True where a token must not look. It is not always
            a triangle. In every row something is visible.

    Returns:
        The weights, shape (..., n, m), of the same dtype as the scores. Each row (last
        dimension) sums to 1; hidden weights are exactly 0. Scores and mask stay as they
        were. Every step keeps the dtype: float64 stays as precise as it is. You may
        replace hidden scores with a finite number that works for all these scores.

    Source: Vaswani et al. (2017), 3.2.3: "masking out (setting to -inf)".
    """
    ### BEGIN SOLUTION
    return torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)
    ### END SOLUTION


# %% check="masked_attention_weights" points=3
@check("masked_attention_weights")
def check_masked_attention_weights():
    """The lesson's scores; then batches in which two tokens look at three."""
    scores = torch.tensor(
        [
            [-0.0700, 0.0458, -0.4612],
            [-0.2844, 0.2883, -2.1230],
            [0.3424, -0.4725, 2.8610],
        ]
    )
    mask = torch.tensor([[False, True, True], [False, False, True], [False] * 3])
    weights = torch.tensor(
        [[1.0000, 0.0000, 0.0000], [0.3606, 0.6394, 0.0000], [0.0722, 0.0320, 0.8959]]
    )
    expect_unchanged(masked_attention_weights, scores, mask)
    why = "Hidden weights are 0, and the visible weights sum to 1."
    expect_close(masked_attention_weights(scores, mask), weights, why)
    why, ones = "Each row sums to 1, and nothing is rounded.", [1.0, 1.0, 1.0]
    expect_close(masked_attention_weights(scores, mask).sum(dim=-1), ones, why, 1e-6)
    zeros = masked_attention_weights(scores, mask)[mask]
    expect((zeros == 0).all(), "Hidden weights are exactly 0, not just small.")

    # A batch of two in float64. This mask is not a triangle.
    log_3 = 1.0986122886681098  # e to this power is 3
    low = [-20_000, -20_000, -19_000]
    rows = [[[0, log_3, 9], [1991, 2e3, 2e3]], [low, [1, log_3, 0]]]
    batch = torch.tensor(rows, dtype=torch.float64, requires_grad=True)
    mask = torch.tensor([[False, False, True], [True, False, False]])
    expected = batch.new_tensor(
        [[[0.25, 0.75, 0], [0, 0.5, 0.5]], [[0.5, 0.5, 0], [0, 0.75, 0.25]]]
    )
    expect_unchanged(masked_attention_weights, batch, mask)
    why = "The mask applies to each text, and each row sums to 1."
    expect_close(masked_attention_weights(batch, mask), expected, why)
    expect_gradient(masked_attention_weights(batch, mask), batch)
    batches = torch.stack([batch, -batch, 0 * batch])
    why = "A batch of batches has the same weights as its batches alone."
    expect_close(masked_attention_weights(batches, mask)[0], expected, why)


# %% [markdown]
# The picture compares both ideas. Six tokens have random scores. At the top are the
# weights without a mask and the masked scores; at the bottom is what idea A and idea B
# make of them, with the sum of each row at the right. Raise the scores of the last two
# tokens with `bonus`, and watch the first four rows, in which these tokens are hidden.
# In which of the two lower pictures do the weights in these rows change?

# %% demo
bonus = 0.0  # try 2 and 5: added to everybody's score for the last two tokens

torch.manual_seed(5)
scores = 1.5 * torch.randn(6, 6)
scores[:, 4:] += bonus
mask = causal_mask(6)
open_eyed = torch.softmax(scores, dim=-1)
idea_a = open_eyed.masked_fill(mask, 0.0)
idea_b = masked_attention_weights(scores, mask)

figure, grid = plt.subplots(2, 2, figsize=(11, 9), layout="constrained")
show_matrix(grid[0, 0], open_eyed, tokens, tokens, "Weights without a mask")
hidden = scores.masked_fill(mask, -torch.inf)
show_matrix(
    grid[0, 1], hidden, tokens, tokens, "Masked scores", cmap="RdBu", vmin=-5, vmax=5
)
for axes, weights, title in (
    (grid[1, 0], idea_a, "A: masked after the softmax"),
    (grid[1, 1], idea_b, "B: masked before the softmax"),
):
    show_matrix(axes, weights, tokens, tokens, title)
    for i, total in enumerate(weights.sum(dim=-1).tolist()):
        axes.text(
            5.65,
            i,
            f"sum {total:.2f}",
            va="center",
            color="black" if abs(total - 1) < 0.01 else "tab:red",
        )
plt.show()

# %% [markdown]
# ## 3 · Masked self-attention
#
# Now build the mask into the class. Compared with the given `SelfAttention` there is
# one more step, between scaling and softmax, and `forward` has one more argument, the
# mask. Without a mask, the class works as before.
#
# From here on you write three classes, and none from scratch. Each starts from the one before. What you have
# written in earlier notebooks is there already, and only what is new is left to you:
#
# | class | starts from | what is new |
# |---|---|---|
# | `MaskedSelfAttention` | the given `SelfAttention` | the mask, an argument of `forward` |
# | `Head` | your `MaskedSelfAttention` | batches, a mask of its own, cut to the text, `head_size` |
# | `CausalAttention` | your `Head` | other names, an optional bias, dropout |
#
# Use `if mask is not None` to ask whether there is a mask. (`if mask` would turn a whole tensor into
# True or False, and torch raises an error.)
#
# ### Question 3: `MaskedSelfAttention` (3 points)
#
# About 5 minutes, easy. Source: [Vaswani et al. (2017), 3.2.3](https://arxiv.org/abs/1706.03762);
# [Starmer (2025), *Attention in
# Transformers*](https://www.deeplearning.ai/short-courses/attention-in-transformers-concepts-and-code-in-pytorch/).
#
# **What changes:** one step between scaling and softmax.
#
# `W_q`, `W_k`, `W_v`, `row_dim`, `col_dim` and `token_encodings` are the names in the
# source of this class. They are kept, so that you can compare your numbers with those
# in the source.


# %% solution="MaskedSelfAttention"
class MaskedSelfAttention(nn.Module):
    """Self-attention with a mask that is given at each call.

    Arguments:
        d_model: numbers in a token's vector, and in each query, key and value.
        row_dim: which dimension of the input counts its rows, the tokens; 0 for an
            input (n, d_model).
        col_dim: which one counts its columns, the numbers of a token; 1 for an input
            (n, d_model).

    Layers: `W_q`, `W_k`, `W_v`, each an nn.Linear(d_model, d_model) without bias, made
        in this order and before anything else random.

    Write the formula step by step, or use any function of torch.

    Set no seed in the class; its caller sets the seed.
    Every step, the root too, keeps the dtype of its inputs: float64 stays precise.

    Source: Vaswani et al. (2017), 3.2.3.
    """

    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings: Tensor, mask: Tensor | None = None) -> Tensor:
        """Return one mixture of visible values for each token.

        Arguments:
            token_encodings: n tokens, one a row, shape (n, d_model). n is at least 1.
                Scores lie between -1e6 and 1e6: hidden ones may be far higher.
            mask: boolean, shape (n, n), True where a token must not look; None hides
                nothing. In every row something is visible.

        Returns:
            The mixtures, shape (n, d_model), of the same dtype as the tokens and the
            parameters. Tokens and mask stay as they were. The class need
            not support batches, which need other values of row_dim and col_dim.
        """
        q = self.W_q(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        scores = q @ k.transpose(self.row_dim, self.col_dim)
        scaled = scores / k.size(self.col_dim) ** 0.5
        # New: hide what the mask hides, if there is a mask.
        ### BEGIN SOLUTION
        if mask is not None:
            scaled = scaled.masked_fill(mask, -torch.inf)
        ### END SOLUTION
        weights = torch.softmax(scaled, dim=self.col_dim)
        return weights @ v


# %% check="MaskedSelfAttention" points=3
@check("MaskedSelfAttention")
def check_MaskedSelfAttention():
    """The lesson's words with a seed; then a mask that is not a triangle, by hand."""
    mask = torch.tensor([[False, True, True], [False, False, True], [False] * 3])
    torch.manual_seed(42)
    module = MaskedSelfAttention(d_model=2, row_dim=0, col_dim=1)
    expect_parameters(module, "W_q.weight W_k.weight W_v.weight", encodings, mask)
    expected = torch.tensor([[1.0100, 1.0641], [0.2040, 0.7057], [3.4989, 2.2427]])
    why = "Scores are scaled, and without a mask nothing is hidden."
    expect_close(module(encodings), expected, why)
    why, own = "The first token sees only itself.", module.W_v(encodings[0])
    expect_close(module(encodings, mask)[0], own, why, 1e-5)
    expected = torch.tensor([[0.6038, 0.7434], [-0.0062, 0.6072], [3.4989, 2.2427]])
    why = "The second token sees the first and itself; the third token sees all."
    expect_close(module(encodings, mask), expected, why)

    # A token (a, b, 0, 0) has the query (2a, 0, 0, 0) and the key (b * log_3, 0, 0, 0).
    # Divided by the root of 4, a score is a * b * log_3: the first token (a = 1) weighs
    # the first two (b = 0 and b = 1) as 1 and 3.
    log_3 = 1.0986122886681098  # e to this power is 3
    module = MaskedSelfAttention(d_model=4).double()
    with torch.no_grad():
        for layer in (module.W_q, module.W_k, module.W_v):
            layer.weight.zero_()
        module.W_q.weight[0, 0] = 2
        module.W_k.weight[0, 1] = log_3
        module.W_v.weight[:, :2] = torch.tensor([[4, 0], [0, 4], [8, 0], [0, -4]])
    x = torch.tensor([[1, 0, 0, 0], [0, 1, 0, 0], [-1, 1, 0, 0], [0] * 4]).double()
    rows = [[0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 1, 1], [0, 1, 1, 1]]
    mask = torch.tensor(rows, dtype=torch.bool)
    rows = [[1, 3, 2, -3], [-2, 2, -4, -2], [3, 1, 6, -1], [4, 0, 8, 0]]
    expect_unchanged(module, x, mask)
    why = "Scores are divided by the root of d_model; hidden weights are 0."
    expect_close(module(x, mask), x.new_tensor(rows), why, 1e-6)
    mask = torch.tensor([[False, True, True, True]] * 4)
    expected = x.new_tensor([[20, 0, 40, 0]] * 4)
    expect_close(
        module(5 * x, mask), expected, "All tokens see just the first token.", 1e-6
    )


# %% [markdown]
# The experiment from the beginning, with your class. The red bars should be gone. Then set
# `with_mask = False`, and they are back.

# %% demo
place = 4  # try each from 0 to 5
with_mask = True  # try False

torch.manual_seed(2)
x = torch.randn(6, 4)
module = MaskedSelfAttention(4)
mask = causal_mask(6) if with_mask else None
moved = moves(lambda encodings: module(encodings, mask), x, place)
figure, axes = plt.subplots(figsize=(6.5, 3), layout="constrained")
axes.bar(
    tokens,
    moved.tolist(),
    color=["tab:red" if t < place else "tab:blue" for t in range(6)],
)
axes.set(
    title=f'How far outputs move when "{tokens[place]}" is replaced', ylabel="distance"
)
plt.show()

# %% [markdown]
# ## 4 · A head
#
# Real models do the same with three practical additions, and each has its own trap.
#
# **Batches.** The input is $(B, T, C)$: $B$ texts at a time, $T$ tokens each, $C$
# numbers a token. The texts have nothing to do with each other. Two lines need
# attention: swap only the **last two** dimensions of the keys (`keys.T` would reverse
# the order of all three), and let the softmax run over the **last** dimension. In a
# batch, dimension 1 counts the queries. A softmax over it is wrong but raises no error.
#
# | | shape |
# |---|---|
# | `x` | $(B, T, n_{embd})$ |
# | keys, queries, values | $(B, T, head\_size)$ |
# | scores, weights | $(B, T, T)$ |
# | result | $(B, T, head\_size)$ |
#
# **Length.** The class is made for texts of up to `block_size` tokens, but many are shorter, and when a
# model writes, it starts from a single one. A mask of the full size must be **cut** to the $T$ tokens
# that are there.
#
# **Where to keep the mask.** The mask is no longer an argument: the head makes it. It
# must not be a *parameter*, because the optimizer should not train it. If it is a plain
# attribute, it stays on the CPU when the module moves to a GPU, and `forward` then
# fails. For such tensors torch has a third kind of attribute, a **buffer**: it moves
# and is saved with the module, but is not trained.
#
#     self.register_buffer("mask", ...)   # in __init__; afterwards it is self.mask
#
# You may also make the mask in each call of `forward`. Then make it on the input's
# device, with `device=x.device`. Without this argument, the mask is made on the CPU,
# even if the module is on a GPU. (The tests have no GPU. They only look at the
# attributes of the module.)
#
# Queries, keys and values are now of size `head_size`, usually smaller than `n_embd`.
# Scale by the root of the size that the dot products sum over. (The lecture that this
# head comes from first builds it without scaling. Later it explains scaling as
# "dividing by 1/sqrt", but means multiplying. The complete program of the lecture first
# scaled by the root of `n_embd`; the lecture's list of corrections mentions this.)
#
# ### Question 4: `Head` (4 points)
#
# About 15 minutes, hard. Source: [Karpathy (2023), *Let's build GPT*, "the mathematical trick in
# self-attention", the head](https://www.youtube.com/watch?v=kCc8FmEb1nY); [Vaswani et al. (2017),
# 3.2.1](https://arxiv.org/abs/1706.03762).
#
# **What changes:** three dimensions instead of two, and a mask that the class makes itself. If you make it
# in `forward`, delete the two lines in `__init__`.
#
# `n_embd`, `block_size`, `key`, `query` and `value` are the names in that lecture, which you may want to read
# beside your code. Elsewhere in the course they are called `d_in`, `context_length`, `W_key`, `W_query` and
# `W_value`.


# %% solution="Head"
class Head(nn.Module):
    """One causal attention head, for batches.

    Arguments:
        n_embd: numbers in a token's vector.
        head_size: numbers in each key, query and value, and so in each row of the
            output.
        block_size: the largest number of tokens in a text. No text is longer.

    Layers: `key`, `query`, `value`, each an nn.Linear(n_embd, head_size) without bias,
        made in this order and before anything else random. The mask is a buffer, or
        made in forward; it is neither a parameter nor a plain tensor attribute, alone
        or in a list.

    Write the formula step by step, or use any function of torch.

    Set no seed in the class; its caller sets the seed.
    Every step, the root too, keeps the dtype of its inputs: float64 stays precise.

    Source: "the mathematical trick in self-attention", the head, with the scaling of
        Vaswani et al. (2017).
    """

    def __init__(self, n_embd: int, head_size: int, block_size: int) -> None:
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        # New: the mask for the longest text.
        ### BEGIN SOLUTION
        self.register_buffer(
            "mask",
            torch.ones(block_size, block_size, dtype=torch.bool).triu(diagonal=1),
        )
        ### END SOLUTION

    def forward(self, x: Tensor) -> Tensor:
        """Return, for each token, a weighted mean of its own value and the values of
        the tokens before it in the same text.

        Arguments:
            x: a batch of texts, shape (B, T, n_embd), with T from 1 to block_size.
                Scores lie between -1e6 and 1e6: hidden ones may be far higher.

        Returns:
            The mixtures, shape (B, T, head_size), of the same dtype as x and the
            parameters. x stays as it was.
        """
        keys, queries, values = self.key(x), self.query(x), self.value(x)
        # New: batches, and the mask cut to this text. Return the mixtures.
        ### BEGIN SOLUTION
        length = x.size(1)
        scores = queries @ keys.transpose(1, 2) / keys.size(-1) ** 0.5
        scores = scores.masked_fill(self.mask[:length, :length], -torch.inf)
        return torch.softmax(scores, dim=-1) @ values
        ### END SOLUTION


# %% check="Head" points=4
@check("Head")
def check_Head():
    """The lesson's shapes; a text's beginning alone; then two texts by hand."""
    torch.manual_seed(1)
    x = torch.randn(4, 8, 32)
    head = Head(32, 16, 8)
    for layer in (head.key, head.query, head.value):
        expect_shape(layer(x), (4, 8, 16), "A layer maps n_embd to head_size.")
    scores = head.query(x) @ head.key(x).transpose(1, 2)
    expect_shape(scores, (4, 8, 8), "Each token has a score for each token.")
    expect_shape(head(x), (4, 8, 16), "The weights (4, 8, 8) mix the values.")
    expect_parameters(head, "key.weight query.weight value.weight", x)
    why = "The first token sees only itself."
    expect_close(head(x)[:, 0], head.value(x)[:, 0], why, 1e-5)
    changed = torch.cat([x[:, :5], 0 * x[:, 5:] + 3], dim=1)
    why = "Tokens from 5 on have changed. The outputs before them must not change."
    expect_close(head(changed)[:, :5], head(x)[:, :5], why, 1e-5)
    why = "A text's beginning alone has the same outputs as in the whole text."
    expect_close(head(x[:, :5]), head(x)[:, :5], why, 1e-5)

    # A token (a, b) has the query (a * root of 3, 0, 0) and the key (b * log_3, 0, 0).
    # Divided by the root of 3, a score is a * b * log_3. So the second token of the
    # first text (a = 1) weighs the first (b = 0) and itself (b = 1) as 1 and 3.
    log_3 = 1.0986122886681098  # e to this power is 3
    head = Head(2, 3, 12).double()
    for name, one in vars(head).items():
        why = f"No tensor stays behind when the module moves: register {name}."
        expect(not isinstance(one, torch.Tensor), why)
    zeros = [[0, 0]] * 2
    with torch.no_grad():
        head.query.weight.copy_(torch.tensor([[3**0.5, 0], *zeros]).double())
        head.key.weight.copy_(torch.tensor([[0, log_3], *zeros]).double())
        head.value.weight.copy_(torch.tensor([[4, 0], [0, 20], [0, 40]]))
    x = torch.tensor([[[5, 0], [1, 1], [1, 0]], [[0, 1], [-1, 0], [-1, 1]]]).double()
    first = [[20, 0, 0], [8, 15, 30], [7.2, 12, 24]]
    second = [[0, 20, 40], [-3, 5, 10], [-3.2, 8, 16]]
    why = "Scores are divided by the root of head_size, and rows of weights sum to 1."
    expect_close(head(x), x.new_tensor([first, second]), why, 1e-6)
    why = "The first token sees only itself, however high the hidden scores are."
    expect_close(head(2 * x)[0, 0], 2 * x.new_tensor(first[0]), why, 1e-6)
    x = x.repeat(1, 4, 1)  # the longest texts that this head takes
    far = torch.cat([x[:, :1] + 1, x[:, 1:]], dim=1)
    why = "The last token must see the first one."
    expect(not torch.allclose(head(far)[:, -1], head(x)[:, -1], atol=1e-2), why)


# %% [markdown]
# ### Who influences whom
#
# Gradients tell us. The picture shows, for each output (row) and each token (column),
# how strongly the output would react to a small change of the token. The code of the
# picture draws no triangle: the triangle comes from your head.

# %% demo
length = 8  # try 3 and 12
stretch = 3.0  # try 0, 1, 10: queries grow by this factor

torch.manual_seed(3)
head = Head(6, 4, block_size=12)
with torch.no_grad():
    head.query.weight *= stretch
x = torch.randn(1, length, 6)
reaction = torch.autograd.functional.jacobian(
    head, x
)  # (1, T, head_size, 1, T, n_embd)
strength = reaction.pow(2).sum(dim=(0, 2, 3, 5)).sqrt()
names = [str(t) for t in range(length)]
figure, axes = plt.subplots(figsize=(6, 5.4), layout="constrained")
show_matrix(
    axes,
    strength,
    names,
    names,
    "How strongly outputs react to tokens",
    vmax=strength.max().item(),
)
axes.set(xlabel="token that is changed a little", ylabel="output that reacts")
plt.show()

# %% [markdown]
# ## 5 · Dropout on the weights
#
# A model that always relies on the same few tokens learns its texts by heart.
# **Dropout** is a remedy: while the model trains, each weight is set to 0 with a
# certain probability *p*. Every call draws other weights. The model must work with the
# remaining weights, and so learns not to depend on any single one.
#
# On average a row would lose the part *p* of its weights. To make up for it, the remaining ones are
# divided by $1 - p$. A row then no longer sums to exactly 1, but it does **on average**.
#
# When the model is used, nothing is dropped. A module knows whether it is being trained or used:
# `module.train()` and `module.eval()` set `module.training`, and an `nn.Dropout(p)` layer acts accordingly,
# by itself.
#
# The picture shows one matrix of weights in training, in evaluation, and the average over many calls in
# training.

# %% demo
p = 0.3  # try 0.0, 0.5, 0.9
calls = 2000  # try 1, 10, 100

torch.manual_seed(5)
weights = torch.softmax(
    (1.5 * torch.randn(6, 6)).masked_fill(torch.ones(6, 6).triu(1) == 1, -torch.inf),
    dim=-1,
)
dropout = nn.Dropout(p)
dropout.train()
once = dropout(weights)
average = sum(dropout(weights) for _ in range(calls)) / calls
dropout.eval()

figure, row = plt.subplots(1, 3, figsize=(14, 4.6), layout="constrained")
show_matrix(row[0], dropout(weights), tokens, tokens, "evaluation: nothing is dropped")
show_matrix(row[1], once, tokens, tokens, f"training: one call with p = {p:g}")
show_matrix(row[2], average, tokens, tokens, f"training: average of {calls} calls")
plt.show()

# %% [markdown]
# The place matters: dropout acts on the **weights, after the softmax**. If you applied
# it to the scores, it would hide nothing: a score of 0 is an ordinary score. (Look at
# row *Your*: its only weight may be dropped, too. Its output is then 0 in that call, as
# intended.)
#
# ### Question 5: `CausalAttention` (4 points)
#
# About 10 minutes, medium. Source: [Raschka (2024), *Build a Large Language Model*, 3.4 and 3.5,
# "self-attention with trainable
# weights"](https://github.com/rasbt/LLMs-from-scratch/blob/main/ch03/01_main-chapter-code/ch03.ipynb).
#
# **What changes:** your `Head` with an optional bias, which the layers below have already, and with
# dropout on its weights. The layers have the names that you know from `SelfAttention_v2`. Your forward
# should read only its arguments and `self`, and no variable that is left over in the notebook.


# %% solution="CausalAttention"
class CausalAttention(nn.Module):
    """Causal self-attention for batches, with dropout on the weights.

    Arguments:
        d_in: numbers in a token's vector.
        d_out: numbers in each query, key and value, and so in each row of the output.
        context_length: the largest number of tokens in a text. No text is longer.
        dropout: the probability with which a weight is dropped in training, 0 <=
            dropout < 1.
        qkv_bias: whether the three layers have a bias. By default they have none.

    Layers: `W_query`, `W_key`, `W_value`, each an nn.Linear from d_in to d_out, made in
        this order and before anything else random. The mask is a buffer, or made in
        forward; it is neither a parameter nor a plain tensor attribute, alone or in a
        list.

    Write the formula step by step, or use any function of torch.

    Set no seed in the class; its caller sets the seed.
    Every step, the root too, keeps the dtype of its inputs: float64 stays precise.

    Source: announced, but not written, in "self-attention with trainable weights".
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        # Your mask from Head. New: a layer for dropout.
        ### BEGIN SOLUTION
        self.dropout = nn.Dropout(dropout)
        mask = torch.ones(context_length, context_length, dtype=torch.bool).triu(
            diagonal=1
        )
        self.register_buffer("mask", mask)
        ### END SOLUTION

    def forward(self, x: Tensor) -> Tensor:
        """Return, for each token, a weighted mean of its own value and the values of
        the tokens before it in the same text.

        Arguments:
            x: a batch of texts, shape (B, T, d_in), with T from 1 to context_length.
                Scores lie between -1e6 and 1e6: hidden ones may be far higher.

        Returns:
            The mixtures, shape (B, T, d_out), of the same dtype as x and the
            parameters. x stays as it was.
        """
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        # Your lines from Head. New: dropout on the weights.
        ### BEGIN SOLUTION
        length = x.size(1)
        scores = queries @ keys.transpose(1, 2) / keys.size(-1) ** 0.5
        scores = scores.masked_fill(self.mask[:length, :length], -torch.inf)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        return weights @ values
        ### END SOLUTION


# %% check="CausalAttention" points=4
@check("CausalAttention")
def check_CausalAttention():
    """Parameters and the first tokens; two texts by hand; then dropout."""
    torch.manual_seed(0)
    x = torch.randn(2, 6, 3)
    module = CausalAttention(3, 4, 6, 0.0)
    expect_shape(module(x), (2, 6, 4))
    names = "W_query.weight W_key.weight W_value.weight"
    expect_parameters(module, names, x)
    both = " ".join(f"{name} {name[:-6]}bias" for name in names.split())
    expect_parameters(CausalAttention(3, 4, 6, 0.0, True), both, x)
    expect_close(module(x), module(x), "With dropout 0 no weight is dropped.")
    why, own = "The first token sees only itself.", module.W_value(x)[:, 0]
    expect_close(module(x)[:, 0], own, why, 1e-5)
    why = "A text's beginning alone has the same outputs as in the whole text."
    expect_close(module(x[:, :4]), module(x)[:, :4], why, 1e-5)
    # The two texts of the check of Head, with the same numbers by hand.
    log_3 = 1.0986122886681098  # e to this power is 3
    module = CausalAttention(2, 3, 12, 0.0).double()
    for name, one in vars(module).items():
        why = f"No tensor stays behind when the module moves: register {name}."
        expect(not isinstance(one, torch.Tensor), why)
    zeros = [[0, 0]] * 2
    with torch.no_grad():
        module.W_query.weight.copy_(torch.tensor([[3**0.5, 0], *zeros]).double())
        module.W_key.weight.copy_(torch.tensor([[0, log_3], *zeros]).double())
        module.W_value.weight.copy_(torch.tensor([[4, 0], [0, 20], [0, 40]]))
    x = torch.tensor([[[5, 0], [1, 1], [1, 0]], [[0, 1], [-1, 0], [-1, 1]]]).double()
    first = [[20, 0, 0], [8, 15, 30], [7.2, 12, 24]]
    second = [[0, 20, 40], [-3, 5, 10], [-3.2, 8, 16]]
    why = "Scores are divided by the root of d_out, and each row of weights sums to 1."
    expected = x.new_tensor([first, second])
    expect_close(module(x), expected, why, 1e-6)
    last, why = (
        module(x.repeat_interleave(4, 1))[:, -1],
        "A token sees tokens far away, too.",
    )
    expect_close(last, expected[:, -1], why, 1e-6)
    why = "The first token sees only itself, however high the hidden scores are."
    expect_close(module(2 * x)[:, 0], 2 * expected[:, 0], why, 1e-6)

    # The first token's only weight is 1. Dropout makes it 0 or 1 / (1 - 0.75) = 4.
    module, x = CausalAttention(3, 4, 6, 0.75), torch.randn(64, 1, 3)
    factors = (module(x) / module.W_value(x))[:, 0].round()
    why = "Dropout 0.75 makes each weight 0 or 4 times as large, after the softmax."
    expect_close(factors.unique(dim=0).tolist(), [[0] * 4, [4] * 4], why)
    # Several tokens, whose values are such that the output is the weights.
    whole, tokens = CausalAttention(4, 4, 4, 0.75), torch.eye(4).expand(64, 4, 4)
    with torch.no_grad():
        whole.W_value.weight.copy_(torch.eye(4))
    dropped, weights = whole(tokens), whole.eval()(tokens)
    expect_close(dropped, torch.where(dropped == 0, dropped, 4 * weights), why, 1e-5)
    why = "In evaluation no weight is dropped."
    expect_close(module.eval()(x), module.W_value(x), why, 1e-5)


# %% [markdown]
# ### The same formula underneath
#
# The cell below gives your three classes the same parameters, and hides the future in
# all three. At first no weight is dropped. What must be true of the three pictures?
# Then switch dropout on with `training = True` and run the cell several times: which
# picture changes, and which row of it is sometimes empty?

# %% demo
training = False  # try True
length, size = 5, 4  # try 1, 4 and 8, 4

torch.manual_seed(3)
masked, head = MaskedSelfAttention(size), Head(size, size, block_size=8)
causal = CausalAttention(size, size, context_length=8, dropout=0.5).train(training)
for one, two, three in (
    ("W_q", "query", "W_query"),
    ("W_k", "key", "W_key"),
    ("W_v", "value", "W_value"),
):
    numbers = getattr(masked, one).state_dict()
    getattr(head, two).load_state_dict(numbers)
    getattr(causal, three).load_state_dict(numbers)
x = torch.randn(length, size)
future = torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)
torch.seed()  # dropout is another at each run
with torch.no_grad():
    outputs = {
        "MaskedSelfAttention": masked(x, future),
        "Head": head(x[None])[0],
        "CausalAttention": causal(x[None])[0],
    }
figure, row = plt.subplots(1, 3, figsize=(10, 2.8), layout="constrained")
for axes, (name, output) in zip(row, outputs.items(), strict=True):
    axes.imshow(output, cmap="RdBu", vmin=-1, vmax=1)
    axes.set(
        title=name,
        xlabel="feature",
        ylabel="token",
        xticks=range(size),
        yticks=range(length),
    )
plt.show()
farthest = max(
    (output - outputs["Head"]).abs().max().item() for output in outputs.values()
)
print(f"the outputs differ by at most {farthest:.6f}")

# %% [markdown]
# ### A cloud around the truth
#
# Each dot is the output of the last token in one call in training mode; the star is its
# output in evaluation. With dropout, each call gives a slightly different output. The
# average of these outputs is close to the star. What do you expect for `dropout = 0.0`,
# and what for 0.8?

# %% demo
dropout = 0.2  # try 0.0, 0.5, 0.8

torch.manual_seed(1)
module = CausalAttention(3, 2, 6, dropout)
x = 2 * torch.randn(1, 6, 3)
with torch.no_grad():
    module.train()
    cloud = torch.cat([module(x)[:, -1] for _ in range(400)])
    module.eval()
    star = module(x)[0, -1].tolist()

figure, axes = plt.subplots(figsize=(5.4, 4.4), layout="constrained")
axes.scatter(cloud[:, 0], cloud[:, 1], alpha=0.25, label="training, 400 calls")
axes.plot(
    *cloud.mean(dim=0).tolist(),
    "x",
    color="black",
    markersize=11,
    label="their average",
)
axes.plot(*star, "*", color="tab:orange", markersize=18, label="evaluation")
axes.set_title(f"The last token's output, dropout = {dropout:g}")
axes.legend()
plt.show()

# %% [markdown]
# ### Question 6: in your own words (2 points)
#
# About 5 minutes, easy.
#
# A team trains a model to predict the next word and forgets the mask. In training the error falls to almost
# 0, much lower than for any serious model. They let it write a story, and it writes nonsense. What has the
# model learnt? Why does that not help when the model writes? Three or four sentences are enough.

# %% [markdown] manual="why_hide" points=2
# ### BEGIN SOLUTION
# Without the mask, the token at place t can look at place t + 1, and what stands there is the answer. So
# the model learns to attend to the next place and to copy it: that makes the error almost 0 without
# knowing anything of language. When it writes, the next word does not exist yet; there is nothing to
# copy, and it never learnt to draw conclusions from the words before. Low error in training was a sign of
# the leak, not of quality. The mask makes training the same situation as writing: only the past is
# visible.
#
# (where the answer stands during training, and what the model learns to do with it: 1 point; what is
# different when the model writes: 1 point.)
# ### END SOLUTION

# %% [markdown]
# ### Question 7: in your own words (2 points)
#
# About 5 minutes, medium.
#
# The mask of a head can be a parameter, a plain attribute or a buffer. For each of the first two, say what
# would go wrong and when one would notice.

# %% [markdown] manual="why_buffer" points=2
# ### BEGIN SOLUTION
# As a parameter it is on the list that the optimizer gets: its numbers would be trained
# and counted among the model's parameters, although the mask is a rule and nothing to
# be learnt (a boolean one cannot even be a parameter with a gradient, so one notices at
# once; with numbers one may notice only after some training, when outputs depend on
# later tokens).
#
# As a plain attribute it works until the module is moved: model.to("cuda") moves parameters and buffers
# and leaves the attribute on the CPU, and the next forward fails because tensors are on two devices. On a
# machine without a GPU one never notices.
#
# A buffer moves and is saved with the module and is not trained.
#
# (for a parameter, who changes the mask or counts it, and when one would notice: 1 point; for a plain
# attribute, what a move of the module does to the mask, and when one would notice: 1 point.)
# ### END SOLUTION

# %% [markdown]
# ## What you can now explain
#
# - **Causal** means that an output depends on its own token and on earlier ones. You can test it from
#   outside: change a later token and see that no earlier output moves.
# - The mask hides what lies **above the diagonal**, and True means hidden.
# - It acts **before** the softmax, with $-\infty$, so that hidden weights are exactly 0 and rows still sum
#   to 1. If it acted after the softmax, the future would still have influence.
# - In a batch, only the last two dimensions take part: transpose those, softmax over the last one.
# - The mask is cut to the length of the text, and it lives in a **buffer** or is made in forward.
# - **Dropout** acts on the weights, only in training, and on average changes nothing.
#
# You have now built the attention of a GPT, in one head. Next: attention *between* two texts, and then
# several heads side by side.

# %% [markdown]
# ## Challenge (not graded)
#
# In trained GPTs one finds **previous-token heads**: each token looks at just the one before it. You can
# build one by hand. Below, a token is nine numbers: a 1 at its own position among eight, and a ninth
# number, its message. Set the three matrices of a `Head` so that each output is the message of the
# *previous* token. (There is no token before the first one, so its output may be any number.)
#
# A query should look like the key of the position before. Which matrix moves a 1 to the next position?

# %% demo
head = Head(n_embd=9, head_size=8, block_size=8)
query, key, value = torch.zeros(8, 9), torch.zeros(8, 9), torch.zeros(8, 9)
# Change the three matrices: a row is an output, a column a number of the token.

with torch.no_grad():
    head.query.weight.copy_(query)
    head.key.weight.copy_(key)
    head.value.weight.copy_(value)
    says = torch.tensor([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0])
    x = torch.cat([torch.eye(8), says[:, None]], dim=1)
    heard = head(x[None])[0, :, 0]  # output number 0 of each token
print("says: ", [round(number, 2) for number in says.tolist()])
print("hears:", [round(number, 2) for number in heard.tolist()])
right = torch.allclose(heard[1:], says[:-1], atol=0.05)
print("Each token hears the one before it!" if right else "Not yet.")
