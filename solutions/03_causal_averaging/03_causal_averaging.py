# %% [markdown]
# # 3. Causal averaging: attention that does not look ahead
#
# A language model reads a text from left to right and guesses, at every token, what comes next. It may use
# everything that it has read so far. It must never use what comes later: a model that can see the next word
# has nothing left to guess, and learns nothing.
#
# The rule is called **causal**: *token t may look at the tokens 0, 1, ... t, and at no others.*
#
# In this notebook you build the simplest machine that obeys it. Each token becomes the plain average of
# itself and all tokens before it. You will write the same thing three times:
#
# 1. with **loops**, as one would explain it to a person;
# 2. as one **matrix product**, as one would explain it to a computer;
# 3. with a **mask and a softmax**, as every GPT does it.
#
# All three give the same numbers. The third looks like a detour, but you will need it
# in all later exercises: if you replace its zeros with real attention scores, you have
# causal attention.
#
# ![The third version. Scores (T, T) are 0 on and below the diagonal and minus infinity above it; softmax
# of each row makes weights (T, T) with 1/(t+1) in row t up to the diagonal and 0 above it; weights times
# the tokens x (T, C) give averages (T, C), and row t is the mean of rows 0 to t.](flow.png)
#
# **How to work.** Read the description of each question before you write its code. A
# check tests your code on the lesson's example and on one small input of another size.
# Grading tests it on more inputs, and tests gradients, too. So write code that works
# for all inputs. If a question asks for loops or for one product, that is what to
# practise. You may still use any function of Python or torch, unless the question lists
# it under *Not allowed here*. Symbols and names are those of the [table of
# notation](notation.md). Pictures have a line marked `# try` for you to change. Each
# question is graded by itself, so let every answer stand on its own. Plan for about an
# hour.

# %% [markdown]
# ## Given: what earlier exercises taught
#
# Run this cell. It holds nothing new:
#
# - `attention_weights(scores)`: a softmax over the last dimension, so that every row of weights sums to 1;
# - `context_vectors(weights, inputs)`: one matrix product; its row i is the average of the rows of `inputs`,
#   with the weights of row i;
# - `sequence`: eight tokens with two numbers each, our example;
# - `draw_heatmap`, for the pictures.

# %%
import torch
from torch import Tensor


def attention_weights(scores: Tensor) -> Tensor:
    """Return the softmax of `scores`, shape (..., n, m), over the last dimension."""
    return torch.softmax(scores, dim=-1)


def context_vectors(weights: Tensor, inputs: Tensor) -> Tensor:
    """Return the rows of `inputs` (..., m, d), averaged with `weights` (..., n, m):
    shape (..., n, d).
    """
    return weights @ inputs


torch.manual_seed(1)
sequence = torch.randn(8, 2)  # T = 8 tokens, C = 2 numbers each


def draw_heatmap(
    axes, values: Tensor, title: str, labels: list[str] | None = None
) -> None:
    """Draw the square matrix `values` with its numbers; cells of -inf are grey."""
    finite = values.masked_fill(values.isinf(), torch.nan)
    low, high = (
        min(0.0, finite.nan_to_num().min().item()),
        max(1.0, finite.nan_to_num().max().item()),
    )
    axes.imshow(finite, cmap="Blues", vmin=low, vmax=high)
    axes.set_facecolor("lightgrey")
    names = labels or [str(number) for number in range(len(values))]
    axes.set_xticks(range(len(names)), names, rotation=45 if labels else 0)
    axes.set_yticks(range(len(names)), names)
    axes.set(title=title, xlabel="is looked at", ylabel="looks")
    for i, row in enumerate(values.tolist()):
        for j, value in enumerate(row):
            text = (
                f"{value + 0:g}" if value in (0, 1, float("-inf")) else f"{value:.2f}"
            )
            colour = "white" if value > low + 0.6 * (high - low) else "black"
            axes.text(j, i, text, ha="center", va="center", fontsize=8, color=colour)


# %% [markdown]
# ## Who may look at whom
#
# This is the picture to keep in mind. A row is a token that looks, a column is a token that is looked at,
# and 1 means "may look". *Your* sees only itself; *step* sees the whole sentence.
#
# The table contains ones because you can turn it into weights: divide each row by its
# sum. The third version asks the opposite question: which tokens to *hide*. From there
# on, and in all later notebooks, a table of this kind is called a mask, and True in it
# means hidden.

# %% demo
import matplotlib.pyplot as plt

tokens = [
    "Your",
    "journey",
    "starts",
    "with",
    "one",
    "step",
]  # try a sentence of your own

may_look = torch.tensor(
    [[float(j <= i) for j in range(len(tokens))] for i in range(len(tokens))]
)
figure, axes = plt.subplots(figsize=(4.5, 4.5), layout="constrained")
draw_heatmap(axes, may_look, "Who may look at whom", tokens)
plt.show()

# %% [markdown]
# ## First version: loops
#
# A batch of sequences is a tensor of shape `(B, T, C)`: B sequences (*batch*), T tokens in each (*time*), C
# numbers for each token (*channels*). The result has the same shape. Its row t is
#
# $$y_{b,t} = \frac{1}{t + 1} \sum_{s=0}^{t} x_{b,s}$$
#
# Take one sequence of one channel, 2, 6, 1. Its averages so far are 2, then (2 + 6) / 2 = 4, then
# (2 + 6 + 1) / 3 = 3.
#
# **A trap.** The loop reads from `x` and writes a result. These have to be *two* tensors. `y = x` makes no
# copy: it gives the same tensor a second name, and what is written into `y` is also in `x`.
#
# The lecture notes behind this exercise fell into that trap. Their loop wrote each
# average over the very row it had just read. Rows 0 and 1 came out right. Row 2 came
# out as (-0.9052, -0.8464), where the mean is (-0.7599, -0.9896), and the rows after it
# were wrong too. The notes said that loop and product agree. On this sequence they do
# not.
#
# ### Question 1: `causal_average_loop` (2 points)
#
# About 10 minutes, medium. Source: [Karpathy (2023), *Let's build GPT*, "the mathematical trick in
# self-attention", version 1](https://www.youtube.com/watch?v=kCc8FmEb1nY).
#
# Make a new tensor for the result. `torch.zeros_like(x)` makes one of x's shape *and*
# dtype.


# %% solution="causal_average_loop"
def causal_average_loop(x: Tensor) -> Tensor:
    """Average each token with all tokens before it, by loops over the sequences and the
    tokens.

    Arguments:
        x: B sequences of T tokens of C numbers, shape (B, T, C). Each size is at least
            1. x stays as it was.

    Returns:
        A new tensor, shape (B, T, C), of the same dtype as `x`. Row t of a sequence is
        the mean of its rows 0 to t, t included.

    Source: "the mathematical trick in self-attention", version 1, corrected.
    """
    ### BEGIN SOLUTION
    averages = torch.zeros_like(x)
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            averages[b, t] = x[b, : t + 1].mean(dim=0)
    return averages
    ### END SOLUTION


# %% check="causal_average_loop" points=2
@check("causal_average_loop")
def check_causal_average_loop():
    """The lesson's sequence and a second one; then three numbers, and a long text."""
    torch.manual_seed(1)
    sequence = torch.randn(8, 2)
    expected = torch.tensor(
        [
            [-1.5256, -0.7502],
            [-1.0898, -1.1799],
            [-0.7599, -0.9896],
            [-0.8149, -1.1445],
            [-0.7943, -0.8549],
            [-0.7915, -0.7543],
            [-0.7102, -0.4055],
            [-0.5929, -0.2964],
        ]
    )
    why = "Row t of each sequence is the mean of its rows 0 to t."
    batch = torch.stack([sequence, 3 - sequence])  # two sequences that differ
    expect_close(causal_average_loop(batch), torch.stack([expected, 3 - expected]), why)
    expect_unchanged(causal_average_loop, batch)

    few = torch.tensor([[[1.0], [3.0], [-1.0]]]).double()
    means = torch.tensor([[[1.0], [2.0], [1.0]]]).double()
    expect_close(causal_average_loop(few), means, why)
    expect_gradient(causal_average_loop(few.requires_grad_()), few)
    long = torch.arange(40.0).reshape(1, 40, 1)
    expect_close(
        causal_average_loop(long)[0, -1], [19.5], "This is the mean of 0 to 39.", 1e-3
    )
    small = causal_average_loop(torch.full((1, 2, 1), 1e-6))
    expect((small > 0).all(), "Small means are not rounded.")


# %% [markdown]
# ### What the average does
#
# The dots are the tokens; the line is the average of all tokens so far. The first
# average *is* the first token. Then the line moves less and less, because each new
# token has a smaller weight: the tenth token has the weight 1/10.
#
# - Make `length` larger. What happens to the start of the line, and why must it be so?
# - Try a few other seeds: how far apart are the lines at the start, and how far at the end?

# %% demo
seed = 1  # try others
length = 30  # try 10, 100, 1000

torch.manual_seed(seed)
walk = torch.randn(1, length, 1) + 1
average = causal_average_loop(walk)
figure, axes = plt.subplots(figsize=(8, 3), layout="constrained")
axes.plot(walk[0, :, 0], "o", color="tab:gray", label="token")
axes.plot(average[0, :, 0], color="tab:blue", label="average of all tokens so far")
axes.set(xlabel="position t", ylabel="value")
axes.legend()
plt.show()

# %% [markdown]
# And here is the trap at work, with its code, so that you can see how harmless it looks. The orange line is
# plausible: no error, the right shape, the right size. Only a comparison gives it away.

# %% demo
trapped = sequence.clone()
for t in range(8):
    trapped[t] = trapped[: t + 1].mean(
        dim=0
    )  # reads rows that it has already overwritten

right = causal_average_loop(sequence[None])[0]
figure, both = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for channel, axes in enumerate(both):
    axes.plot(sequence[:, channel], "o", color="tab:gray", label="token")
    axes.plot(right[:, channel], color="tab:blue", label="average so far")
    axes.plot(
        trapped[:, channel],
        "--",
        color="tab:orange",
        label="overwritten while it is read",
    )
    axes.set(title=f"channel {channel}", xlabel="position t")
figure.legend(*both[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
plt.show()

# %% [markdown]
# ### Question 2: in your own words (2 points)
#
# About 10 minutes, hard.
#
# Look at the loop in the cell above. Why are rows 0 and 1 still right? Why is row 2 the first wrong one?
# Write the wrong row 2 as a weighted sum of the *original* rows x0, x1 and x2: how much does each of them
# count, and how much should it?

# %% [markdown] manual="in_place_trap" points=2
# ### BEGIN SOLUTION
# Row 0 is replaced by the mean of itself alone, which changes nothing. Row 1 is the mean of x0 and x1;
# both are still the original ones when they are read, so it is right, but from then on x1 is gone
# and (x0 + x1) / 2 stands in its place. Row 2 is the first that reads an overwritten row:
#
# (x0 + (x0 + x1) / 2 + x2) / 3 = 1/2 x0 + 1/6 x1 + 1/3 x2, where each should count 1/3.
#
# Early tokens count too much. The weights still sum to 1, so the result looks plausible,
# and only a comparison shows the fault.
#
# (what rows 0 and 1 have read when they are written: 0.5 points; what row 2 reads instead: 0.5 points;
# how much x0, x1 and x2 count in the wrong row 2, as three fractions, and how much they should: 1
# point.)
# ### END SOLUTION

# %% [markdown]
# ## Second version: one matrix product
#
# Two nested Python loops are slow. But an average with weights is a matrix product. Here are three tokens of
# two numbers each, and weights chosen by hand:
#
# $$
# \begin{pmatrix} 1 & 0 & 0 \\ 0.2 & 0.8 & 0 \\ 0.5 & 0.25 & 0.25 \end{pmatrix}
# \begin{pmatrix} 2 & 7 \\ 6 & 4 \\ 10 & 8 \end{pmatrix}
# =
# \begin{pmatrix} 2 & 7 \\ 5.2 & 4.6 \\ 5 & 6.5 \end{pmatrix}
# $$
#
# Row i of the weights says how row i of the result is mixed. Take row 1: 0.2 times the first token, 0.8
# times the second, and *nothing* of the third, because a 0 stands in its place. So **a zero in the weights
# is a token that cannot be seen**, and weights with zeros above the diagonal are causal.
#
# Which weights give the plain average so far? Row t divides the weight 1 equally among
# the tokens 0 to t.
#
# ### Question 3: `causal_average_weights` (2 points)
#
# About 5 minutes, medium. Source: [Karpathy (2023), *Let's build GPT*, "the mathematical trick in
# self-attention", version 2](https://www.youtube.com/watch?v=kCc8FmEb1nY).
#
# `torch.tril` keeps the lower triangle of a matrix and sets the rest to 0. When you divide a matrix by the
# sums of its rows, mind that a tensor of shape `(T,)` lines up with the *columns*. The row sums need the
# shape `(T, 1)`, which `keepdim=True` gives.


# %% solution="causal_average_weights"
def causal_average_weights(length: int) -> Tensor:
    """Return the weights that average each token with all tokens before it.

    Arguments:
        length: the number of tokens T, a Python int, at least 1.

    Returns:
        A float32 tensor, shape (T, T). Row t holds 1 / (t + 1) in the columns 0 to t,
        and exactly 0 in all later ones.

    Source: "the mathematical trick in self-attention", version 2.
    """
    ### BEGIN SOLUTION
    allowed = torch.tril(torch.ones(length, length))
    return allowed / allowed.sum(dim=1, keepdim=True)
    ### END SOLUTION


# %% check="causal_average_weights" points=2
@check("causal_average_weights")
def check_causal_average_weights():
    """The weights of the lesson's eight tokens, of two, and of forty."""
    expected = torch.tensor(
        [
            [1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
            [0.5000, 0.5000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
            [0.3333, 0.3333, 0.3333, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
            [0.2500, 0.2500, 0.2500, 0.2500, 0.0000, 0.0000, 0.0000, 0.0000],
            [0.2000, 0.2000, 0.2000, 0.2000, 0.2000, 0.0000, 0.0000, 0.0000],
            [0.1667, 0.1667, 0.1667, 0.1667, 0.1667, 0.1667, 0.0000, 0.0000],
            [0.1429, 0.1429, 0.1429, 0.1429, 0.1429, 0.1429, 0.1429, 0.0000],
            [0.1250, 0.1250, 0.1250, 0.1250, 0.1250, 0.1250, 0.1250, 0.1250],
        ]
    )
    why = "Row t holds 1 / (t + 1) in the columns 0 to t, and 0 in all others."
    expect_close(causal_average_weights(8), expected, why)
    expect_close(causal_average_weights(2), torch.tensor([[1.0, 0], [0.5, 0.5]]), why)
    expect_shape(causal_average_weights(40), (40, 40))
    expect_close(causal_average_weights(40)[-1], [1 / 40] * 40, why, 1e-7)
    sums = "Every row sums to 1."
    expect_close(causal_average_weights(8).sum(dim=1), [1.0] * 8, sums, 1e-5)
    future = causal_average_weights(8).triu(diagonal=1)
    expect((future == 0).all(), "Above the diagonal all weights are exactly 0.")


# %% [markdown]
# ### Rows and columns
#
# The triangle again, but now each row shares out a weight of 1. Read a row: which tokens does this token
# see, and with which weights? Read a column: in which averages is this token? Which token is in the most
# averages, and which has the largest sum of weights?

# %% demo
length = 8  # try 3, or 12

figure, axes = plt.subplots(figsize=(5, 5), layout="constrained")
draw_heatmap(axes, causal_average_weights(length), "Weights of the average so far")
plt.show()

# %% [markdown]
# ### Question 4: `causal_average` (2 points)
#
# About 5 minutes, medium. Source: [Karpathy (2023), *Let's build GPT*, "the mathematical trick in
# self-attention", version 2](https://www.youtube.com/watch?v=kCc8FmEb1nY).
#
# Now average with such weights. `weights @ x`, with weights `(T, T)` and x `(B, T, C)`,
# works for the whole batch at once: the product uses the last two dimensions, and all
# sequences share the weights. So one line serves a single sequence `(T, C)`, a batch
# `(B, T, C)` and anything with more dimensions in front. Note where T is: it is the
# *second-to-last* dimension, which is not always dimension 1.
#
# Both factors of a product need the same dtype. `torch.ones(T, T)` is float32;
# `torch.ones(T, T, dtype=x.dtype)` follows the input.
#
# Make the weights inside the function, or call your `causal_average_weights`. If your
# `causal_average_weights` is wrong, this answer is graded with a right version of it.


# %% solution="causal_average"
def causal_average(x: Tensor) -> Tensor:
    """Average each token with all tokens before it, by one matrix product.

    Arguments:
        x: sequences of T tokens of C numbers, shape (..., T, C), with any number of
            dimensions in front, or none. x stays as it was. It may be a transposed
            tensor, on which `view` fails and `reshape` does not.

    Returns:
        A new tensor, shape (..., T, C), of the same dtype as `x`. Row t of a sequence
        is the mean of its rows 0 to t, t included.

    Source: "the mathematical trick in self-attention", version 2.
    """
    ### BEGIN SOLUTION
    length = x.shape[-2]
    allowed = torch.tril(torch.ones(length, length, dtype=x.dtype, device=x.device))
    return allowed / allowed.sum(dim=1, keepdim=True) @ x
    ### END SOLUTION


# %% check="causal_average" points=2
@check("causal_average")
def check_causal_average():
    """The lesson's sequence, alone and in transposed batches; then three numbers."""
    torch.manual_seed(1)
    sequence = torch.randn(8, 2)
    expected = torch.tensor(
        [
            [-1.5256, -0.7502],
            [-1.0898, -1.1799],
            [-0.7599, -0.9896],
            [-0.8149, -1.1445],
            [-0.7943, -0.8549],
            [-0.7915, -0.7543],
            [-0.7102, -0.4055],
            [-0.5929, -0.2964],
        ]
    )
    why = "Row t is the mean of the rows 0 to t."
    expect_close(causal_average(sequence), expected, why)
    batch = torch.stack([sequence, -sequence, 2 * sequence])
    means = torch.stack([expected, -expected, 2 * expected])
    why = "Each sequence of a batch has its own averages."
    expect_close(causal_average(batch), means, why, 2e-4)
    # Transposed, the numbers lie in another order in memory, so `view` fails.
    batches = torch.stack([batch, -batch]).transpose(0, 1)
    means = torch.stack([means, -means]).transpose(0, 1)
    expect_close(causal_average(batches), means, why, 2e-4)
    front = torch.ones(1, 3, 2, 4, 5)
    expect_shape(
        causal_average(front), (1, 3, 2, 4, 5), "All leading dimensions are kept."
    )

    few = torch.tensor([[1.0, 3.0, -1.0]]).double()
    means = torch.tensor([[1.0], [2.0], [1.0]]).double()
    expect_close(causal_average(few.T), means, "The means are 1, 2 and 1.", 1e-7)
    expect_gradient(causal_average(few.requires_grad_().T), few)
    expect_unchanged(causal_average, few.T)
    long = torch.arange(40.0).reshape(40, 1)
    expect_close(causal_average(long)[-1], [19.5], "This is the mean of 0 to 39.", 1e-3)
    small = causal_average(torch.full((1, 2, 1), 1e-6))
    expect((small > 0).all(), "Small means are not rounded.")


# %% [markdown]
# ### Two ways, one result
#
# Now compare the two results. Two ways of computing may differ in the last digit. So
# look at how large the difference is, instead of whether the results are equal.
#
# The picture shows the product as it stands on paper: weights times tokens give averages. Follow row 2 of the
# weights: which tokens does it take, and does row 2 of the averages look like them?

# %% demo
seed = 1  # try others

torch.manual_seed(seed)
tokens_in = torch.randn(8, 2)
averages = causal_average(tokens_in)
difference = (causal_average_loop(tokens_in[None])[0] - averages).abs().max()
print(f"largest difference between loop and product: {difference:.0e}")

figure, panels = plt.subplots(
    1, 3, figsize=(9, 4.5), width_ratios=[4, 1, 1], layout="constrained"
)
draw_heatmap(panels[0], causal_average_weights(8), "weights (8, 8)")
for axes, values, title in [
    (panels[1], tokens_in, "@ tokens (8, 2)"),
    (panels[2], averages, "= averages"),
]:
    axes.imshow(values, cmap="coolwarm", vmin=-2, vmax=2)
    axes.set(title=title, xlabel="channel", xticks=range(2), yticks=range(8))
    for i, row in enumerate(values.tolist()):
        for j, value in enumerate(row):
            axes.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=8)
plt.show()

# %% [markdown]
# ## Third version: a mask and a softmax
#
# The plain average gives the same weight to all earlier tokens. Attention will not: it gives each pair
# of tokens a *score* and lets a softmax turn each row of scores into weights. How do we then keep the
# future out?
#
# We cannot simply put a 0 into the scores. A score of 0 is an ordinary score: $e^0 = 1$, and the token gets
# its share. We need a score whose exponential is 0, and there is one:
#
# $$e^{-\infty} = 0$$
#
# So write **minus infinity** over every score that looks ahead, *before* the softmax.
# The hidden tokens then get a weight of exactly 0, and the softmax divides the whole 1
# among the others. For the second of three tokens, with scores 0:
#
# $$
# \mathrm{softmax}(0, 0, -\infty)
# = \frac{(e^0, e^0, e^{-\infty})}{e^0 + e^0 + e^{-\infty}} = \frac{(1, 1, 0)}{2} = (0.5, 0.5, 0)
# $$
#
# ### Question 5: `causal_mask_scores` (2 points)
#
# About 5 minutes, easy. Source: [Karpathy (2023), *Let's build GPT*, "the mathematical trick in
# self-attention", version 3](https://www.youtube.com/watch?v=kCc8FmEb1nY).
#
# Useful tools: `torch.zeros`, `torch.ones`, `torch.tril`, `torch.triu`, `float("-inf")` and
# `tensor.masked_fill(condition, value)`, which *returns* a new tensor and leaves the old one as it is.
# One thing does not work: multiplying by minus infinity. 0 times infinity is NaN, "not a number".


# %% solution="causal_mask_scores"
def causal_mask_scores(length: int) -> Tensor:
    """Return scores of 0 for every token, with the future masked by minus infinity.

    Arguments:
        length: the number of tokens T, a Python int, at least 1.

    Returns:
        A float32 tensor, shape (T, T): 0 on and below the diagonal, -inf above it (not
        merely a large negative number).

    Source: "the mathematical trick in self-attention", version 3.
    """
    ### BEGIN SOLUTION
    allowed = torch.tril(torch.ones(length, length))
    return torch.zeros(length, length).masked_fill(allowed == 0, float("-inf"))
    ### END SOLUTION


# %% check="causal_mask_scores" points=2
@check("causal_mask_scores")
def check_causal_mask_scores():
    """The scores of the lesson's eight tokens, of two, and of forty."""
    inf = float("inf")
    expected = torch.tensor(
        [
            [0.0, -inf, -inf, -inf, -inf, -inf, -inf, -inf],
            [0.0, 0.0, -inf, -inf, -inf, -inf, -inf, -inf],
            [0.0, 0.0, 0.0, -inf, -inf, -inf, -inf, -inf],
            [0.0, 0.0, 0.0, 0.0, -inf, -inf, -inf, -inf],
            [0.0, 0.0, 0.0, 0.0, 0.0, -inf, -inf, -inf],
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -inf, -inf],
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -inf],
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        ]
    )
    why = "Scores are 0 on and below the diagonal, and -inf above it."
    expect_close(causal_mask_scores(8), expected, why, 1e-12)
    expect_close(causal_mask_scores(2), torch.tensor([[0.0, -inf], [0.0, 0.0]]), why)
    expect_shape(causal_mask_scores(40), (40, 40))
    expect_close(
        causal_mask_scores(40)[-1], [0.0] * 40, "The last token sees all tokens."
    )


# %% [markdown]
# ### Question 6: `causal_softmax_weights` (2 points)
#
# About 5 minutes, easy. Source: [Karpathy (2023), *Let's build GPT*, "the mathematical trick in
# self-attention", version 3](https://www.youtube.com/watch?v=kCc8FmEb1nY).
#
# Now the softmax of these scores. Over which dimension must it run, so that each token
# that *looks* shares out a weight of 1? Make the masked scores inside the function, or
# call your `causal_mask_scores`.


# %% solution="causal_softmax_weights"
def causal_softmax_weights(length: int) -> Tensor:
    """Return the weights of the average so far, as the softmax of zeros with the future
    masked.

    Arguments:
        length: the number of tokens T, a Python int, at least 1.

    Returns:
        A float32 tensor, shape (T, T). Every row sums to 1, weights above the diagonal
        are exactly 0, and the other weights of a row are equal.

    Source: "the mathematical trick in self-attention", version 3.
    """
    ### BEGIN SOLUTION
    allowed = torch.tril(torch.ones(length, length))
    scores = torch.zeros(length, length).masked_fill(allowed == 0, float("-inf"))
    return attention_weights(scores)
    ### END SOLUTION


# %% check="causal_softmax_weights" points=2
@check("causal_softmax_weights")
def check_causal_softmax_weights():
    """The weights of the lesson's eight tokens, of two, and of forty."""
    expected = torch.tensor(
        [
            [1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
            [0.5000, 0.5000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
            [0.3333, 0.3333, 0.3333, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
            [0.2500, 0.2500, 0.2500, 0.2500, 0.0000, 0.0000, 0.0000, 0.0000],
            [0.2000, 0.2000, 0.2000, 0.2000, 0.2000, 0.0000, 0.0000, 0.0000],
            [0.1667, 0.1667, 0.1667, 0.1667, 0.1667, 0.1667, 0.0000, 0.0000],
            [0.1429, 0.1429, 0.1429, 0.1429, 0.1429, 0.1429, 0.1429, 0.0000],
            [0.1250, 0.1250, 0.1250, 0.1250, 0.1250, 0.1250, 0.1250, 0.1250],
        ]
    )
    sums = "Every row sums to 1."
    expect_close(causal_softmax_weights(8).sum(dim=1), [1.0] * 8, sums, 1e-5)
    why = "Row t holds 1 / (t + 1) in the columns 0 to t, and 0 in all others."
    expect_close(causal_softmax_weights(8), expected, why)
    expect_close(causal_softmax_weights(2), torch.tensor([[1.0, 0], [0.5, 0.5]]), why)
    expect_shape(causal_softmax_weights(40), (40, 40))
    expect_close(causal_softmax_weights(40)[-1], [1 / 40] * 40, why, 1e-7)
    future = causal_softmax_weights(8).triu(diagonal=1)
    expect((future == 0).all(), "Above the diagonal all weights are exactly 0.")


# %% [markdown]
# ### The mask at work
#
# On the left are the scores: zeros, and grey where minus infinity stands. On the right is what the softmax
# makes of each row.

# %% demo
length = 6  # try others

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.5), layout="constrained")
draw_heatmap(left, causal_mask_scores(length), "Scores: 0 and -inf")
draw_heatmap(right, causal_softmax_weights(length), "Weights: softmax of each row")
plt.show()

# %% [markdown]
# ### Why the detour: scores that are not zero
#
# Why go through a softmax for a mere average? Because the zeros can now become
# anything. Below, each pair of tokens gets a score of its own. Here it is drawn at
# random; the next exercise *computes* it from the tokens. Adding your mask leaves the
# scores of the past as they are and sends all others to minus infinity. The weights of
# a row now differ, as they do in attention, and they are still causal.
#
# - Raise `strength` to 10: what does each token do?
# - Set it to 0. You have seen this picture before; why does it come back?
# - Take the mask away (`masked = scores`). What does *Your* see now?

# %% demo
strength = 1.0  # try 0, 3, 10

torch.manual_seed(4)
scores = strength * torch.randn(len(tokens), len(tokens))
masked = scores + causal_mask_scores(len(tokens))  # try without the mask
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
draw_heatmap(left, masked, "Random scores, future masked", tokens)
draw_heatmap(right, attention_weights(masked), "Weights: softmax of each row", tokens)
plt.show()

# %% [markdown]
# ### Question 7: in your own words (2 points)
#
# About 5 minutes, medium.
#
# A friend proposes two shortcuts: (a) put 0 in place of minus infinity into the scores that look ahead;
# (b) take the softmax of all scores first, and set the weights above the diagonal to 0 afterwards.
#
# What goes wrong with each of them? And for (b): is a token of the future then really without influence?

# %% [markdown] manual="why_minus_infinity" points=2
# ### BEGIN SOLUTION
# (a) A score of 0 is an ordinary score: its exponential is 1, so the hidden token still gets a positive
# weight, more than any visible token whose score is negative. Only the exponential of minus infinity is 0.
#
# (b) The visible weights of a row no longer sum to 1, because the hidden ones took a part of the whole
# before they were set to 0. And the future still has influence: the scores of hidden tokens stand in the
# denominator of the softmax, so a high score in the future makes all visible weights smaller.
# (Dividing each row by its new sum would repair both. Masking before the softmax does the same in one step.)
#
# (for (a), the exponential of the new score, and the weight that results: 1 point; for
# (b), the sums of the rows: 0.5 points; for (b), the place in the formula where a token
# of the future still has influence: 0.5 points.)
# ### END SOLUTION

# %% [markdown]
# ## What you can explain now
#
# - What *causal* means, and why a model that predicts the next token must be so.
# - Why an average with weights is a matrix product, and what a row, a column and a zero of the weights say.
# - Why a loop must not write into the tensor that it reads, and why `y = x` does not help.
# - Why the mask is minus infinity and not 0, why it comes *before* the softmax, and why the weight of a
#   hidden token is then exactly 0.
# - Why the softmax of a mask of zeros is a plain average, and what changes when the scores are not zero.
#
# You now hold one half of a GPT's attention: the mask. The other half computes, from the tokens themselves,
# the scores that take the place of the zeros. That is the next exercise.

# %% [markdown]
# ## Challenge (not graded)
#
# In the plain average, all tokens count the same, so after a thousand tokens a new one
# hardly counts. Let old tokens count less. Replace the zeros with scores for which the
# softmax gives each token **half** the weight of the next token. In the row of the
# third token, the weights are then 1/7, 2/7, 4/7. Each score depends only on the
# distance between the token that looks and the token that is looked at.
#
# Real language models add such a table to their scores, so that near tokens count more.
# In each head, the scores fall with distance at a different rate: [Press et al. (2022),
# *Train Short, Test Long*](https://arxiv.org/abs/2108.12409).


# %% demo
def fading_scores(length):
    """Return scores (length, length); the mask hides those above the diagonal."""
    return torch.zeros(length, length)  # change this


weights = attention_weights(fading_scores(60) + causal_mask_scores(60))
last = weights[-1]
if torch.allclose(last[:-1][-20:], last[1:][-20:] / 2):
    print("Each token has half the weight of the next one: found!")
else:
    print(f"The last three weights are {last[-3:].tolist()}: not yet.")

torch.manual_seed(2)
signal = torch.cat([torch.zeros(30), torch.ones(30)]) + 0.15 * torch.randn(60)
figure, axes = plt.subplots(figsize=(8, 3), layout="constrained")
axes.plot(signal, "o", color="tab:gray", label="token")
axes.plot(causal_softmax_weights(60) @ signal, color="tab:blue", label="plain average")
axes.plot(weights @ signal, color="tab:orange", label="with your scores")
axes.set(xlabel="position t", title="Which line notices the step?")
axes.legend()
plt.show()
