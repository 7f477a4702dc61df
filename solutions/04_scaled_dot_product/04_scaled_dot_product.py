# %% [markdown]
# # 4. Scaled dot-product attention: the formula at the heart of the Transformer
#
# In the simple attention of the earlier exercises a token's own vector did three jobs at once: it was the
# query, it was compared with queries, and it was mixed. Nothing could be learnt: the scores depended on the
# embeddings alone.
#
# Real attention gives each job a vector of its own, made from the token by a matrix that training can change:
#
# - the **query**: what this token is looking for;
# - the **key**: what this token is compared with;
# - the **value**: what this token adds to the result.
#
# Think of a library. You come with a question (query), it is compared with the words on the spines (keys),
# and what you take home is what stands in the books (values). The whole mechanism fits on one line:
#
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V$$
#
# ![Tokens x (n, d_in) go through W_query and W_key, both (d_in, d_k), and W_value (d_in, d_v). They become
# queries Q and keys K, both (n, d_k), and values V (n, d_v). Q times K transposed gives scores (n, n);
# divided by the root of d_k and after a softmax they are weights (n, n); weights times V are the context
# vectors (n, d_v).](flow.png)
#
# You will build it from left to right: the projections, the scores $Q K^\top$, the odd $\sqrt{d_k}$ (which is
# there for a reason that you will *measure*), the weights, and at last the whole line.
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
# - `journey`: the six tokens of *Your journey starts with one step*, three numbers each;
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


tokens = ["Your", "journey", "starts", "with", "one", "step"]

journey = torch.tensor(
    [
        [0.43, 0.15, 0.89],  # Your
        [0.55, 0.87, 0.66],  # journey
        [0.57, 0.85, 0.64],  # starts
        [0.22, 0.58, 0.33],  # with
        [0.77, 0.25, 0.10],  # one
        [0.05, 0.80, 0.55],  # step
    ]
)


def draw_heatmap(
    axes,
    values: Tensor,
    title: str,
    rows: list[str],
    columns: list[str],
    high: float = 1,
) -> None:
    """Draw the matrix `values` with its numbers and the names of its rows and columns;
    `high` is darkest.
    """
    axes.imshow(values, cmap="Blues", vmin=0, vmax=high, aspect="auto")
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_title(title)
    for i, row in enumerate(values.tolist()):
        for j, value in enumerate(row):
            colour = "white" if value > 0.6 * high else "black"
            axes.text(
                j, i, f"{value:.2f}", ha="center", va="center", fontsize=9, color=colour
            )


# %% [markdown]
# ## Three roles: query, key, value
#
# A token x of `d_in` numbers becomes a query of `d_k` numbers by one matrix product, with a matrix of shape
# `(d_in, d_k)`. Keys and values are made in the same way, each with a matrix of its own:
#
# $$Q = X W_Q \qquad K = X W_K \qquad V = X W_V$$
#
# Here is what such a product does for *journey* = (0.55, 0.87, 0.66): each number of the token multiplies
# one row of the matrix, and the rows are added up.
#
# | | row of $W_Q$ | number times row |
# |---|---|---|
# | 0.55 | 0.2961, 0.5166 | 0.1629, 0.2841 |
# | 0.87 | 0.2517, 0.6886 | 0.2190, 0.5990 |
# | 0.66 | 0.0740, 0.8665 | 0.0488, 0.5719 |
# | | **sum: the query** | **0.4306, 1.4551** |
#
# Keep two sizes apart from now on. `d_in = 3` is the width of a token. `d_k = 2` is the width of a query
# and of a key, which must agree, since they will be multiplied with each other. Values may have any width.
#
# The matrices start as random numbers; training will make something of them. Here they stay as they are.

# %%
d_in, d_out = 3, 2

torch.manual_seed(123)
W_query = torch.rand(d_in, d_out)
W_key = torch.rand(d_in, d_out)
W_value = torch.rand(d_in, d_out)

# %% [markdown]
# ### Question 1: `project` (2 points)
#
# About 5 minutes, easy. Source: [Raschka (2024), *Build a Large Language Model*, 3.4, "self-attention with
# trainable
# weights"](https://github.com/rasbt/LLMs-from-scratch/blob/main/ch03/01_main-chapter-code/ch03.ipynb).
#
# Work with the arguments only. `journey` and `W_query` also exist in the notebook, and a function that reads
# them by accident gives the right answer here and a wrong one everywhere else.


# %% solution="project"
def project(
    x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the queries, keys and values of the tokens `x`, each by one matrix
    product.

    Arguments:
        x: one token, shape (d_in,), or any number of tokens, shape (..., d_in). It may
            be a transposed tensor, on which `view` fails and `reshape` does not.
        W_query: shape (d_in, d_k).
        W_key: shape (d_in, d_k).
        W_value: shape (d_in, d_v). d_v may differ from d_k.

    Returns:
        queries, keys, values, in this order, of shapes (..., d_k), (..., d_k) and (...,
        d_v) and of the same dtype as `x`. Gradients must be able to flow to x and to
        all three matrices.

    Source: "self-attention with trainable weights".
    """
    ### BEGIN SOLUTION
    return x @ W_query, x @ W_key, x @ W_value
    ### END SOLUTION


# %% check="project" points=2
@check("project")
def check_project():
    """The lesson's token, number by number and with all others; then batches."""
    torch.manual_seed(123)
    W_query, W_key, W_value = torch.rand(3, 2), torch.rand(3, 2), torch.rand(3, 2)
    matrix = [[0.2961, 0.5166], [0.2517, 0.6886], [0.0740, 0.8665]]
    expect_close(W_query, matrix, "This is the lesson's matrix.")
    why = "Queries, keys and values, in this order."
    for role in (1, 2):
        expect_shape(project(journey, W_query, W_key, W_value)[role], (6, 2), why)
    rows = torch.tensor([[0.1629, 0.2841], [0.2190, 0.5990], [0.0488, 0.5719]])
    for i in range(3):  # each number of the token alone, times its row of W_query
        alone = torch.zeros(3)
        alone[i] = journey[1, i]
        expect_close(project(alone, W_query, W_key, W_value)[0], rows[i], why)
    query_2 = torch.tensor([0.4306, 1.4551])
    expect_close(project(journey[1], W_query, W_key, W_value)[0], query_2, why)
    queries = torch.tensor(
        [
            [0.2309, 1.0966],
            [0.4306, 1.4551],
            [0.4300, 1.4343],
            [0.2355, 0.7990],
            [0.2983, 0.6565],
            [0.2568, 1.0533],
        ]
    )
    pairs = torch.stack([journey, 2 * journey]).transpose(0, 1)  # `view` fails on it
    expected = torch.stack([queries, 2 * queries], dim=1)
    expect_close(project(pairs, W_query, W_key, W_value)[0], expected, why, 2e-4)

    x = torch.tensor([[[1.0, 2.0, 0.0]], [[0.0, 1.0, -1.0]]]).double().requires_grad_()
    to_queries = torch.tensor([[1.0, 0], [0, 1], [2, 2]]).double()
    to_keys = torch.tensor([[0.0, 1], [1, 1], [1, 0]]).double()
    to_values = torch.tensor([[1.0, 0, 0, 2], [0, 3, 0, 0], [0, 0, 1, 1]]).double()
    right = (
        [[[1.0, 2]], [[-2, -1]]],
        [[[2.0, 3]], [[0, 1]]],
        [[[1.0, 6, 0, 2]], [[0, 3, -1, -1]]],
    )
    expect(len(project(x, to_queries, to_keys, to_values)) == 3, why)
    for n, role in enumerate(["Queries", "Keys", "Values"]):
        why = f"{role} are the tokens times their own matrix."
        expected = torch.tensor(right[n]).double()
        expect_close(project(x, to_queries, to_keys, to_values)[n], expected, why)
        expect_gradient(project(x, to_queries, to_keys, to_values)[n], x)
    wide = project(
        torch.ones(2, 5), torch.ones(5, 2), torch.ones(5, 2), torch.ones(5, 4)
    )
    expect_close(
        wide[2], torch.full((2, 4), 5.0), "A token may have more than 3 numbers."
    )


# %% [markdown]
# ### One token, three roles
#
# Each token is drawn three times, as query, key and value. The same six tokens make three different clouds,
# because they are projected by three matrices. Change one matrix, and only its cloud moves. That freedom is
# what the simple attention did not have: here a token can look for something unlike itself.

# %% demo
import matplotlib.pyplot as plt

seed = 123  # try others: each is a different, untrained layer

torch.manual_seed(seed)
roles = ["query", "key", "value"]
three = project(journey, torch.rand(3, 2), torch.rand(3, 2), torch.rand(3, 2))
figure, axes = plt.subplots(figsize=(6, 4.5), layout="constrained")
for points, colour, role in zip(
    three, ["tab:blue", "tab:orange", "tab:green"], roles, strict=True
):
    axes.scatter(points[:, 0], points[:, 1], color=colour, label=role)
    for token, (x, y) in zip(tokens, points.tolist(), strict=True):
        below = token == "starts"  # it lies almost on "journey"
        axes.annotate(
            token,
            (x, y),
            (5, -10 if below else 4),
            textcoords="offset points",
            color=colour,
            fontsize=8,
        )
axes.margins(0.12)
axes.set(xlabel="dim 0", ylabel="dim 1", title="Six tokens in three roles")
axes.legend()
plt.show()

# %% [markdown]
# ## Scores: who matches whom
#
# From here on the notebook has ready-made queries, keys and values of the six tokens, so that a mistake
# above has no effect below. They come from the library, which calls the same projection `linear`.

# %%
queries = torch.nn.functional.linear(journey, W_query.T)
keys = torch.nn.functional.linear(journey, W_key.T)
values = torch.nn.functional.linear(journey, W_value.T)

# %% [markdown]
# The score of token i for token j is the dot product of **query i** with **key j**. For all pairs at once
# that is one matrix product, $Q K^\top$: row i belongs to the query, column j to the key. It need not be
# symmetric any more, or even square: there may be n queries and m keys.
#
# To transpose the keys, exchange their **last two** dimensions: `keys.transpose(-2, -1)`, or `keys.mT` for
# short. `keys.T` reverses *all* dimensions; that is the same for a matrix, and wrong for a batch.
#
# **A trap.** One of the notebooks behind this course computes `key = x @ W_key` inside its class and then
# goes on with `keys`. That name did not exist in the class. It existed in the *notebook*, left over from an
# earlier cell. So the class ran, gave the right answer for the one sentence on the page, and would have
# compared any other sentence with the keys of the wrong text. After a restart of the kernel it would not have
# run at all. Your notebook now has such a `keys` too. Does your function read it?
#
# ### Question 2: `attention_scores` (2 points)
#
# About 5 minutes, easy. Source: [Raschka (2024), *Build a Large Language Model*, 3.4, "self-attention with
# trainable
# weights"](https://github.com/rasbt/LLMs-from-scratch/blob/main/ch03/01_main-chapter-code/ch03.ipynb).


# %% solution="attention_scores"
def attention_scores(queries: Tensor, keys: Tensor) -> Tensor:
    """Return the dot product of every query with every key, not scaled yet.

    Arguments:
        queries: n queries, shape (..., n, d). The dimensions in front, if any, are
            batches.
        keys: m keys, shape (..., m, d). m may differ from n.

    Returns:
        The scores, shape (..., n, m), of the same dtype as `queries`: row i for query
        i, column j for key j. Gradients flow back to both.

    Source: "self-attention with trainable weights".
    """
    ### BEGIN SOLUTION
    return queries @ keys.transpose(-2, -1)
    ### END SOLUTION


# %% check="attention_scores" points=2
@check("attention_scores")
def check_attention_scores():
    """One query with one key and with all, then all; and a batch of two in float64."""
    why = "Row i, column j is the plain dot product of query i and key j."
    one, six = queries[1:2], keys[1:2]
    expect_close(attention_scores(one, six), torch.tensor([[1.8524]]), why)
    expected = torch.tensor([1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440])
    expect_close(attention_scores(queries[1:2], keys), expected[None], why)
    expected = torch.tensor(
        [
            [0.9231, 1.3545, 1.3241, 0.7910, 0.4032, 1.1330],
            [1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440],
            [1.2544, 1.8284, 1.7877, 1.0654, 0.5508, 1.5238],
            [0.6973, 1.0167, 0.9941, 0.5925, 0.3061, 0.8475],
            [0.6114, 0.8819, 0.8626, 0.5121, 0.2707, 0.7307],
            [0.8995, 1.3165, 1.2871, 0.7682, 0.3937, 1.0996],
        ]
    )
    expect_close(attention_scores(queries, keys), expected, why)

    asks = torch.tensor([[[1.0, 2.0]], [[3.0, 0.0]]]).double()
    few = torch.tensor([[[1.0, 0], [0, 1], [1, 1]], [[2, 1], [0, 5], [-1, 1]]]).double()
    expected = torch.tensor([[[1.0, 2.0, 3.0]], [[6.0, 0.0, -3.0]]]).double()
    why = "Each sequence of a batch has its own queries and keys."
    expect_close(attention_scores(asks, few), expected, why)
    batches = asks.repeat(3, 1, 1, 1), few.repeat(3, 1, 1, 1)
    expect_close(attention_scores(*batches), expected.repeat(3, 1, 1, 1), why)
    expect_gradient(attention_scores(asks.requires_grad_(), few.requires_grad_()), asks)
    expect_gradient(attention_scores(asks, few), few)
    small = attention_scores(torch.full((1, 2), 1e-3), torch.full((3, 2), 1e-3))
    expect((small > 0).all(), "Small scores are not rounded.")


# %% [markdown]
# ### Question 3: in your own words (2 points)
#
# About 5 minutes, medium.
#
# Take the trap again. In a notebook, a cell has computed `keys` for some text. Further down stands
#
#     def scores_of(x, W_query, W_key):
#         queries = x @ W_query
#         key = x @ W_key
#         return queries @ keys.T
#
# When does this function give the right answer? When does it give a wrong one *without any error*, and when
# does it fail? Name one habit that would have shown the mistake.

# %% [markdown] manual="leftover_names" points=2
# ### BEGIN SOLUTION
# It is right only when x is the very text from which the notebook's `keys` were made, with the same W_key.
# For any other text (or other weights) it compares the new queries with the old keys and silently gives wrong
# scores, even of the wrong shape if the lengths differ. It fails with a NameError where the notebook's `keys`
# does not exist: in another file, or after a restart of the kernel when that cell has not run.
#
# Habits that help: restart the kernel and run everything from the top; try the function on a second,
# different input (another length shows it at once); let an editor or linter point at the unused `key`.
#
# (the condition under which the result is right, and a case in which it is silently wrong: 1 point;
# when there is an error, and which: 0.5 points; a habit that would have shown the mistake: 0.5 points.)
# ### END SOLUTION

# %% [markdown]
# ## Why scale? Measure it
#
# Now to the $\sqrt{d_k}$. A score is a sum of `d_k` products. Let queries and keys be random numbers with
# mean 0 and variance 1, as they are in a fresh network. Each of the products then has mean 0 and variance 1
# as well, and the variances of independent terms add up. So the score has
#
# $$\text{variance } d_k, \qquad \text{standard deviation } \sqrt{d_k}.$$
#
# With $d_k = 64$, a common size, scores of ±8 are nothing unusual, and between 8 and -8 the softmax sees a
# factor of $e^{16}$, nearly nine million. Dividing the scores by $\sqrt{d_k}$ divides their variance by
# $d_k$ and brings it back to 1, whatever $d_k$ is. ($d_k$ is also called the **head size**.)
#
# (Mind the words. Some notes say "dividing by $1/\sqrt{d_k}$". Dividing by $1/\sqrt{d_k}$ would *multiply* by
# $\sqrt{d_k}$ and make it worse. Either divide by $\sqrt{d_k}$, or multiply by $1/\sqrt{d_k}$, that is by
# `d_k ** -0.5`.)
#
# ### Question 4: `score_variance` (2 points)
#
# About 5 minutes, easy. Source: [Karpathy (2023), *Let's build GPT*, the notes on scaled
# attention](https://www.youtube.com/watch?v=kCc8FmEb1nY).
#
# Do not take it on trust. Write the function that measures it. `Tensor.var()` gives the variance of all
# numbers in a tensor; by default it is the *unbiased* one, which divides by their count minus 1, and that is
# what we want.


# %% solution="score_variance"
def score_variance(queries: Tensor, keys: Tensor, scaled: bool) -> Tensor:
    """Return the variance of all scores between `queries` and `keys`, taken together.

    Arguments:
        queries: n queries, shape (n, d_k).
        keys: m keys, shape (m, d_k). n * m is at least 2.
        scaled: True to divide the scores by the square root of d_k first, False to take
            them as they are.

    Returns:
        The unbiased variance of the n * m scores: a tensor with a single value, shape
        (), of the same dtype as `queries`. Every step keeps it, the root too. The
        variance is near d_k without scaling and near 1 with it, if the inputs are
        random normal.

    Source: the notes on scaled attention.
    """
    ### BEGIN SOLUTION
    scores = queries @ keys.T
    if scaled:
        scores = scores / queries.shape[-1] ** 0.5
    return scores.var()
    ### END SOLUTION


# %% check="score_variance" points=2
@check("score_variance")
def check_score_variance():
    """Six scores by hand, 1, 3, 2, 2, 0 and 2; then many of head size 64."""
    # Their mean is 10/6, and the squared distances from it add up to 16/3. Six
    # numbers: divide by 5. Scaling divides the scores by the root of 2.
    asks = torch.tensor([[1.0, 1.0], [2.0, 0.0]])
    few = torch.tensor([[1.0, 0.0], [0.0, 3.0], [1.0, 1.0]])
    why = "This is the unbiased variance of all scores, without scaling."
    expect_close(score_variance(asks, few, False), torch.tensor(16 / 15), why)
    why = "Scores divided by the root of d_k have a variance divided by d_k."
    expect_close(score_variance(asks, few, True), torch.tensor(8 / 15), why)

    torch.manual_seed(0)
    many, others = torch.randn(200, 64), torch.randn(200, 64)
    plain = score_variance(many, others, False)
    expect(
        55 < plain < 75,
        f"For head size 64 the variance is near 64; yours is {plain:.2f}.",
    )
    scaled = score_variance(many, others, True)
    expect(
        0.85 < scaled < 1.15, f"With scaling it is near 1, but yours is {scaled:.2f}."
    )
    expect_unchanged(score_variance, asks, few, True)
    small = score_variance(1e-2 * asks, 1e-2 * few, False)
    expect_close(small, torch.tensor(1.0667e-8), "Do not round the variance.", 1e-10)


# %% [markdown]
# ### The measurement
#
# Both axes are logarithmic. Is the orange line what the calculation promised? And the blue one?
#
# - Halve the queries (`queries_size = 0.5`). By what factor does the variance fall, and why not by two?
# - Does the number of tokens matter? Change it: do the lines move, or do they only become
#   smoother?

# %% demo
head_sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
number = 100  # try 5, 20, 400 tokens
queries_size = 1.0  # try 0.5 and 2

torch.manual_seed(0)
plain, scaled = [], []
for head_size in head_sizes:
    some_queries, some_keys = (
        queries_size * torch.randn(number, head_size),
        torch.randn(number, head_size),
    )
    plain.append(score_variance(some_queries, some_keys, False).item())
    scaled.append(score_variance(some_queries, some_keys, True).item())

figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
axes.loglog(head_sizes, plain, "o-", color="tab:orange", label="scores as they are")
axes.loglog(
    head_sizes,
    scaled,
    "o-",
    color="tab:blue",
    label="divided by the root of the head size",
)
axes.loglog(head_sizes, head_sizes, ":", color="tab:gray", label="variance = head size")
axes.set(xlabel="head size", ylabel="variance of the scores")
axes.legend()
plt.show()

# %% [markdown]
# ### What becomes of softmax
#
# Why does it matter? Because of what softmax does with large scores. Each row below shares out a weight of 1
# among eight tokens. On the left the scores are as they come, on the right they are scaled. As the head
# grows, the left side stops mixing and starts picking: one token gets all.
#
# A picking softmax is also a *dead* one. The derivative of a weight w with respect to its own score is
# $w\,(1 - w)$. For w near 0 or near 1 that is almost 0, so no learning passes through. The curves below
# show how much of this derivative is left, summed over the eight tokens.

# %% demo
sizes = [1, 4, 16, 64, 256, 1024]
seed = 3  # try others

torch.manual_seed(seed)
rows, alive = {"as they are": [], "scaled": []}, {"as they are": [], "scaled": []}
for head_size in sizes:
    scores = torch.nn.functional.linear(
        torch.randn(200, head_size), torch.randn(8, head_size)
    )
    for name, factor in [("as they are", 1.0), ("scaled", head_size**-0.5)]:
        weights = attention_weights(scores * factor)
        rows[name].append(weights[0].sort(descending=True).values)
        alive[name].append((weights * (1 - weights)).sum(dim=-1).mean().item())

figure, (left, right, curves) = plt.subplots(
    1, 3, figsize=(12, 3.6), layout="constrained"
)
for axes, name in [(left, "as they are"), (right, "scaled")]:
    names = [f"size {size}" for size in sizes]
    draw_heatmap(
        axes,
        torch.stack(rows[name]),
        f"Weights, scores {name}",
        names,
        [str(i) for i in range(1, 9)],
    )
    axes.set_xlabel("tokens, the most attended first")
curves.semilogx(
    sizes, alive["as they are"], "o-", color="tab:orange", label="scores as they are"
)
curves.semilogx(sizes, alive["scaled"], "o-", color="tab:blue", label="scaled")
curves.set(
    title="Sum of w (1 - w): how alive softmax is", xlabel="head size", ylim=(0, 1)
)
curves.legend()
plt.show()

# %% [markdown]
# Now be the one who chooses the scale. In a head of size 64, move the slider, or change the line marked `#
# try`: the same scores are divided by another number, and each row of the picture is a query. Where does
# the softmax pick, where does it only average, and where does it do something in between? Look at the two
# numbers in the title when you divide by 8, the root of 64. (The slider needs the package ipywidgets,
# which Jupyter and Colab bring along.)

# %% demo
divisor = 1.0  # try 8 and 64
slider = True  # try False, if no slider appears

torch.manual_seed(3)
asking, asked = torch.randn(6, 64), torch.randn(8, 64)


def draw(divisor):
    weights = attention_weights(torch.nn.functional.linear(asking, asked) / divisor)
    variance = score_variance(asking, asked, False) / divisor**2
    alive = (weights * (1 - weights)).sum(dim=-1).mean()
    figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
    names = [f"query {i}" for i in range(6)], [f"key {j}" for j in range(8)]
    draw_heatmap(axes, weights, "", *names)
    axes.set_title(
        f"scores / {divisor:.3g}: variance {variance:.3g}, sum of w (1 - w) {alive:.2f}"
    )
    plt.show()


try:
    from ipywidgets import FloatLogSlider, interact
except ImportError:
    slider = False
if slider:
    interact(draw, divisor=FloatLogSlider(divisor, base=2, min=0, max=6, step=0.25))
else:
    draw(divisor)

# %% [markdown]
# ## Weights
#
# ### Question 5: `scaled_attention_weights` (2 points)
#
# About 5 minutes, easy. Source: [Vaswani et al. (2017), equation 1](https://arxiv.org/abs/1706.03762).
#
# Divide the scores by $\sqrt{d_k}$, then take the softmax over the keys. `d_k` is an argument, since the
# scores do not show it: they are `(..., n, m)`, numbers of queries and of keys, and neither has anything to
# do with the *width* of a key.
#
# Each query shares out a weight of 1 among the keys, so the softmax runs over the **last** dimension, -1,
# however many dimensions there are. `dim=1` is the same for a matrix, and wrong for a batch: there the
# softmax runs over the queries.


# %% solution="scaled_attention_weights"
def scaled_attention_weights(scores: Tensor, d_k: int) -> Tensor:
    """Return the softmax of the scaled scores, over the keys.

    Arguments:
        scores: the scores of one query, shape (m,), or of many, shape (..., n, m), of
            any size, even 1e4. They stay as they were.
        d_k: the width of a key, a Python int, at least 1; the scores are divided by its
            square root.

    Returns:
        The weights, of the same shape and dtype as `scores`. They sum to 1 over the
        last dimension. Every step keeps the dtype, the root too: float64 stays as
        precise as it is. Gradients flow back to the scores.

    Source: "Attention is all you need", equation 1.
    """
    ### BEGIN SOLUTION
    return torch.softmax(scores / d_k**0.5, dim=-1)
    ### END SOLUTION


# %% check="scaled_attention_weights" points=2
@check("scaled_attention_weights")
def check_scaled_attention_weights():
    """The lesson's scores, of one query and of all; then a batch with d_k = 4."""
    scores = torch.tensor(
        [
            [0.9231, 1.3545, 1.3241, 0.7910, 0.4032, 1.1330],
            [1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440],
            [1.2544, 1.8284, 1.7877, 1.0654, 0.5508, 1.5238],
            [0.6973, 1.0167, 0.9941, 0.5925, 0.3061, 0.8475],
            [0.6114, 0.8819, 0.8626, 0.5121, 0.2707, 0.7307],
            [0.8995, 1.3165, 1.2871, 0.7682, 0.3937, 1.0996],
        ]
    )
    expected = torch.tensor([0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820])
    why = "Divide the scores by the root of d_k, then take the softmax over the keys."
    expect_unchanged(scaled_attention_weights, scores, 2)
    expect_close(scaled_attention_weights(scores[1], 2).sum(), 1.0, "Weights sum to 1.")
    expect_close(scaled_attention_weights(scores[1], 2), expected, why)
    expected = torch.tensor(
        [
            [0.1551, 0.2104, 0.2059, 0.1413, 0.1074, 0.1799],
            [0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820],
            [0.1503, 0.2256, 0.2192, 0.1315, 0.0914, 0.1819],
            [0.1591, 0.1994, 0.1962, 0.1477, 0.1206, 0.1769],
            [0.1610, 0.1949, 0.1923, 0.1501, 0.1265, 0.1752],
            [0.1557, 0.2092, 0.2048, 0.1419, 0.1089, 0.1794],
        ]
    )
    expect_close(scaled_attention_weights(scores, 2), expected, why)

    log_3 = 1.0986122886681098  # e to this power is 3
    rows = [[[0, 2 * log_3], [1e4, -1e4]], [[5, 5], [2 * log_3, 0]]]
    batch = torch.tensor(rows, dtype=torch.float64)
    expected = torch.tensor([[[0.25, 0.75], [1, 0]], [[0.5, 0.5], [0.75, 0.25]]])
    expect_close(scaled_attention_weights(batch, 4), expected.double(), why)
    many = scaled_attention_weights(torch.stack([batch, 0 * batch]), 4)
    expect_close(many[0], expected.double(), "There may be several batch dimensions.")
    expect_gradient(scaled_attention_weights(batch.requires_grad_(), 4), batch)
    low = torch.tensor([[-1.0, -2.0, -40.0]])
    expected = torch.tensor([0.7311, 0.2689])
    expect_close(scaled_attention_weights(low, 1)[0, :2], expected, why)
    expect(scaled_attention_weights(low, 1)[0, 2] > 0, "Small weights are not rounded.")


# %% [markdown]
# ### Who looks at whom
#
# The weights of the six tokens. A row is a token that asks, and sums to 1. Compare the two pictures: the
# order in a row is the same, but scaling brings the weights closer together. With a head of size 2 the effect
# is small; you have seen what happens at 64.
#
# All rows of this *untrained* attention are similar, since all numbers are positive and the matrices are
# random. Raise `strength` (it makes all queries longer): which token gets the largest weight, and why
# is it the same in all rows?

# %% demo
strength = 1.0  # try 5, 20, 0

scores = strength * torch.nn.functional.linear(queries, keys)
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
unscaled = attention_weights(scores)
high = unscaled.max().item()
draw_heatmap(left, unscaled, "Without scaling", tokens, tokens, high)
draw_heatmap(right, scaled_attention_weights(scores, 2), "Scaled", tokens, tokens, high)
for axes in (left, right):
    axes.set(xlabel="key: is asked", ylabel="query: asks")
plt.show()

# %% [markdown]
# ### Question 6: in your own words (2 points)
#
# About 10 minutes, hard.
#
# Why are the scores divided by $\sqrt{d_k}$, rather than by $d_k$ or not at all? Say what would happen to
# the variance of the scores, to the softmax and to learning in a head of size 256, in each of the two other
# cases.

# %% [markdown] manual="why_scale" points=2
# ### BEGIN SOLUTION
# A score is a sum of d_k products, so its variance grows like d_k and its typical size like the root of d_k.
# Dividing by the root of d_k makes the variance 1 for every head size.
#
# Not at all: the variance is about 256, scores are typically ±16. Softmax gives nearly all weight to the
# largest score; weights are near 0 or 1, where the derivative w (1 - w) is nearly 0, so hardly any gradient
# passes and the layer learns very slowly.
#
# By d_k: the variance is 256 / 256² = 1/256, scores are typically ±1/16. All exponentials are near 1, the
# weights nearly equal, and attention is almost a plain average, whatever the queries and keys say, until
# training has made queries and keys much longer.
#
# (how the variance of a score depends on the head size: 0.5 points; without scaling, the size of the
# scores, the form of the weights, and what that does to the gradient: 1 point; divided by $d_k$, the
# size of the scores and the form of the weights: 0.5 points.)
# ### END SOLUTION

# %% [markdown]
# ## The whole line
#
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V$$
#
# ### Question 7: `scaled_dot_product_attention` (3 points)
#
# About 10 minutes, medium. Source: [Vaswani et al. (2017), equation 1](https://arxiv.org/abs/1706.03762).
#
# Put it together: scores, scaling, softmax over the keys, and the average of the **values** with these
# weights. Now d_k is not an argument. Which size of your arguments is it? It is neither the number of
# tokens, nor the width of the values, nor the width of the tokens before they were projected.
#
# torch has a function of this very name. Here you write it yourself, so the library's own is not allowed. You
# may call your `attention_scores` and `scaled_attention_weights`. Should one of these be wrong, this answer
# is graded with a right one.


# %% solution="scaled_dot_product_attention"
def scaled_dot_product_attention(
    queries: Tensor, keys: Tensor, values: Tensor
) -> Tensor:
    """Return, for each query, the average of the values, weighted by how well their
    keys match it.

    Arguments:
        queries: n queries, shape (..., n, d_k). The dimensions in front, if any, are
            batches.
        keys: m keys, shape (..., m, d_k). m may differ from n.
        values: one value for each key, shape (..., m, d_v). d_v may differ from d_k.

    Returns:
        The context vectors, shape (..., n, d_v), of the same dtype as `values`. The
        arguments stay as they were. Every step keeps the dtype of the arguments, the
        root too: float64 stays as precise as it is. Gradients flow back to all three.

    Not allowed here: torch's own scaled_dot_product_attention.

    Source: "Attention is all you need", equation 1.
    """
    ### BEGIN SOLUTION
    scores = queries @ keys.transpose(-2, -1)
    weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
    return weights @ values
    ### END SOLUTION


# %% check="scaled_dot_product_attention" points=3
@check("scaled_dot_product_attention")
def check_scaled_dot_product_attention():
    """The lesson's queries, one and all; then a batch of two in float64."""
    why = "Each row is a sum of values, weighted by the softmax of scaled scores."
    one = queries[1:2]
    expected = torch.tensor([[0.3061, 0.8210]])
    expect_close(scaled_dot_product_attention(one, keys, values), expected, why)
    expected = torch.tensor(
        [
            [0.2996, 0.8053],
            [0.3061, 0.8210],
            [0.3058, 0.8203],
            [0.2948, 0.7939],
            [0.2927, 0.7891],
            [0.2990, 0.8040],
        ]
    )
    expect_close(scaled_dot_product_attention(queries, keys, values), expected, why)

    # The scores of the first query differ by 2 * log_3. Divided by the root of 4 that
    # is log_3, so its weights are as 1 to 3.
    log_3 = 1.0986122886681098
    asks = torch.zeros(2, 3, 4).double()
    asks[0, :, 0] = torch.tensor([2.0, 0.0, -2.0])
    asks[1] = -asks[0]
    few = torch.zeros(2, 2, 4).double()
    few[0, 1, 0] = few[1, 0, 0] = log_3
    mixed = torch.tensor([[[4.0, 0, 8], [0, 4, 4]], [[4, 0, 0], [0, 0, 8]]]).double()
    first, second = (
        [[1.0, 3, 5], [2, 2, 6], [3, 1, 7]],
        [[1, 0, 6], [2, 0, 4], [3, 0, 2]],
    )
    expected = torch.tensor([first, second]).double()
    expect_close(scaled_dot_product_attention(asks, few, mixed), expected, why)
    batches = [part.repeat(2, 1, 1, 1) for part in (asks, few, mixed)]
    many = scaled_dot_product_attention(*batches)
    expect_close(many[1], expected, "There may be several batch dimensions.")
    large = scaled_dot_product_attention(1e4 * asks, few, mixed)
    expect(
        large.isfinite().all(),
        "Large scores must not give inf or nan: which step overflows?",
    )
    for part in (asks, few, mixed):
        part.requires_grad_()
        expect_gradient(scaled_dot_product_attention(asks, few, mixed), part)
    signs = torch.tensor([[1.0], [-1.0]])
    expected = torch.tensor([[0.761594], [-0.761594]])
    why = "Do you drop a sign, or round a number?"
    expect_close(scaled_dot_product_attention(signs, signs, signs), expected, why, 1e-6)


# %% [markdown]
# ### Where the context vectors lie
#
# Grey points are the six values, stars the context vectors that your function makes of them. They are
# averages with positive weights, so they never leave the cloud; and because the weights of this untrained
# layer are almost equal, all stars crowd near the middle. Make the queries longer, and each star moves to
# the value with the largest weight.
#
# - Where do the stars go for `strength = 0`?
# - Why do they all move to the same point here, for a large `strength`? What would training have to
#   change?
# - With a negative `strength` a query looks for the *opposite* of what it looked for.

# %% demo
strength = 1.0  # try 0, 10, 50, -10

stars = scaled_dot_product_attention(strength * queries, keys, values)
figure, axes = plt.subplots(figsize=(6, 4.5), layout="constrained")
axes.scatter(values[:, 0], values[:, 1], color="tab:gray", s=60, label="value")
for token, place in zip(tokens, values.tolist(), strict=True):
    below = token == "starts"  # it lies almost on "journey"
    axes.annotate(
        token,
        place,
        (6, -13 if below else 5),
        textcoords="offset points",
        color="tab:gray",
    )
axes.margins(0.18)
axes.plot(
    stars[:, 0],
    stars[:, 1],
    "*",
    color="tab:orange",
    markersize=13,
    label="context vector",
)
axes.set(
    xlabel="dim 0",
    ylabel="dim 1",
    title=f"Values and their averages, queries x {strength:g}",
)
axes.legend()
plt.show()

# %% [markdown]
# ## What you can explain now
#
# - What queries, keys and values are for, and why each has a matrix of its own.
# - How $Q K^\top$ holds a score for each pair, and why the keys are transposed in their last two dimensions
#   only.
# - Why the variance of the scores grows with the head size, and why dividing by $\sqrt{d_k}$ mends it: you
#   have measured both.
# - What large scores do to softmax, and why a softmax that picks one token no longer learns.
# - Over which dimension the softmax runs, and why -1 is a better name for it than 1.
# - Why code in a notebook can be right by accident, and how to find out.
#
# What is missing for a real layer: the matrices should be parameters that training can change, and they
# should live in a module. That is the next exercise.

# %% [markdown]
# ## Challenge (not graded)
#
# Attention can look things up, as in a dictionary: a query finds the key that matches, and gets its value.
# Use that to decode a message. Each of its letters was replaced by the one three places later in the
# alphabet; A became D, and Z became C. A blank stayed a blank.
#
# A letter is 27 numbers, a 1 at its own place and 0 elsewhere. The queries are the letters of the message.
# You choose the 27 keys and their 27 values, so that each letter finds what it stands for. At first both
# are the alphabet itself, and each letter finds itself. Then make a code of your own, and give it to a
# friend.

# %% demo
alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ "
message = "DWWHQWLRQ LV DOO BRX QHHG"
letters = torch.eye(27)

code_keys = letters  # change these two; torch.roll(letters[:26], ...) may help
code_values = letters
sharpness = 1.0  # does it matter?

code_queries = letters[[alphabet.index(letter) for letter in message]]
decoded = scaled_dot_product_attention(sharpness * code_queries, code_keys, code_values)
print("".join(alphabet[number] for number in decoded.argmax(dim=-1).tolist()))
print(f"the least sure letter has {decoded.max(dim=-1).values.min():.0%} of the weight")
