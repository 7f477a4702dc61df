# %% [markdown]
# # 2. Simple self-attention: every token asks
#
# So far one token asked: *journey* was the query, its dot products with all tokens were the scores, softmax
# made weights of them, and the weighted sum of the tokens was its context vector.
#
# A model wants a context vector for **every** token. So now each token takes its turn as the query, and all
# of them look at the sentence that they are part of. That is why it is called **self**-attention: the
# tokens that ask and the tokens that answer are the same.
#
# The three moves stay as they are. What is new is doing them for all tokens at once:
#
# | | one query | all queries |
# |---|---|---|
# | 1. score | a vector, `(n,)` | a matrix, `(n, n)`: one row for each token that asks |
# | 2. weigh | softmax of the vector | softmax of **each row** |
# | 3. mix | one context vector, `(d,)` | one for each token, `(n, d)` |
#
# ![Self-attention as two products. Inputs (n, d) times their transpose (d, n) give scores (n, n); softmax
# of each row gives weights (n, n), whose rows sum to 1; weights times the inputs (n, d) give context
# vectors (n, d). Row i belongs to the token that asks, column j to the token that is looked at.](flow.png)
#
# By the end you will have written self-attention in three lines, for any number of sentences at once, and
# you will know two things about it that are easy to miss.
#
# As before, stay in torch so that gradients flow, and leave the inputs as they were. A
# check tests your code on the lesson's example and on one small input of another size.
# Grading tests it on more inputs, and tests gradients, too. So write code that works
# for all inputs. If a question asks for loops or for one product, that is what to
# practise. You may still use any function of Python or torch, unless the question lists
# it under *Not allowed here*. Symbols and names are those of the [table of
# notation](notation.md). Plan for about an hour.

# %%
import torch
from torch import Tensor

# %% [markdown]
# The sentence is the one you know: *Your journey starts with one step*, `n = 6` tokens of `d = 3` numbers
# ([Raschka (2024), *Build a Large Language Model*,
# 3.3](https://github.com/rasbt/LLMs-from-scratch/blob/main/ch03/01_main-chapter-code/ch03.ipynb)).

# %%
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

# %% [markdown]
# ## Move 1: all scores
#
# Row `i`, column `j` of the score matrix says how well token `j` matches token `i`:
#
# $$s_{ij} = x_i \cdot x_j$$
#
# **Row `i` belongs to the token that asks, column `j` to the token that is looked at.** Keep this in mind;
# most mistakes with attention take a row for a column.
#
# ### Question 1: `pairwise_scores_loop` (1 point)
#
# About 5 minutes, easy.
#
# First write down what the formula says: for every `i` and every `j`, one dot product. You may use
# `torch.dot` or `@` for it this time. A table to fill is `torch.zeros(n, n, dtype=inputs.dtype)`; gradients
# flow through what you write into a table of your own. `torch.tensor([...])` around the numbers would cut
# them off.


# %% solution="pairwise_scores_loop"
def pairwise_scores_loop(inputs: Tensor) -> Tensor:
    """Return the dot products of all pairs of rows of `inputs`, by two loops.

    Arguments:
        inputs: n token vectors, one a row, shape (n, d). n and d are at least 1.

    Returns:
        The scores, shape (n, n), of the same dtype as `inputs`: row i, column j is
        inputs[i] . inputs[j]. Gradients flow from the scores back to `inputs`.
    """
    ### BEGIN SOLUTION
    rows = [
        torch.stack([torch.dot(query, token) for token in inputs]) for query in inputs
    ]
    return torch.stack(rows)
    ### END SOLUTION


# %% check="pairwise_scores_loop" points=1
@check("pairwise_scores_loop")
def check_pairwise_scores_loop():
    """The lesson's example, and three small tokens in float64."""
    expected = torch.tensor(
        [
            [0.9995, 0.9544, 0.9422, 0.4753, 0.4576, 0.6310],
            [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865],
            [0.9422, 1.4754, 1.4570, 0.8296, 0.7154, 1.0605],
            [0.4753, 0.8434, 0.8296, 0.4937, 0.3474, 0.6565],
            [0.4576, 0.7070, 0.7154, 0.3474, 0.6654, 0.2935],
            [0.6310, 1.0865, 1.0605, 0.6565, 0.2935, 0.9450],
        ]
    )
    why = "Row i, column j is the dot product of token i and token j."
    expect_close(pairwise_scores_loop(journey), expected, why)

    few = torch.tensor([[1.0, 2.0], [0.0, 3.0], [-1.0, 1.0]]).double()
    expected = torch.tensor([[5.0, 6.0, 1.0], [6.0, 9.0, 3.0], [1.0, 3.0, 2.0]])
    expect_close(pairwise_scores_loop(few), expected.double(), why)
    expect_gradient(pairwise_scores_loop(few.requires_grad_()), few)
    expect_unchanged(pairwise_scores_loop, few)
    small = torch.tensor([[1e-3], [-1e-3]])
    expect_close(pairwise_scores_loop(small)[0, 1], -1e-6, "No score is rounded.", 1e-7)


# %% [markdown]
# ### Question 2: `pairwise_scores` (2 points)
#
# About 10 minutes, medium.
#
# The loop is slow, and it hides what it computes: **a matrix product**. The entry at row `i`, column `j` of
# a product `A @ B` is row `i` of `A` times column `j` of `B`. We want row `i` of the inputs times *row* `j`
# of the inputs. So what must `B` be?
#
# ```
#      A           @        B          =     scores
#    (n, d)              (d, n)              (n, n)
#   the tokens             ?             who matches whom
# ```
#
# One thing more. Models work on many sentences at once, a **batch**: a tensor of shape `(batch, n, d)`, and
# sometimes with more dimensions in front. `@` multiplies the last two dimensions and leaves all before them
# alone. Your transposition must do the same: on a batch, `.T` reverses *all* dimensions, while
# `x.transpose(a, b)` swaps only the dimensions `a` and `b`. Counted from the end, `-1` is the last
# dimension and `-2` the one before.


# %% solution="pairwise_scores"
def pairwise_scores(inputs: Tensor) -> Tensor:
    """Return the dot product of every token with every token of its sentence, by one
    matrix product.

    Arguments:
        inputs: token vectors, shape (..., n, d). `...` stands for any number of leading
            dimensions, or none: (n, d) is one sentence, (batch, n, d) are several.

    Returns:
        The scores, shape (..., n, n), of the same dtype as `inputs`: row i, column j
        belongs to the token i that asks and the token j that is looked at. Sentences do
        not mix.
    """
    ### BEGIN SOLUTION
    return inputs @ inputs.transpose(-2, -1)
    ### END SOLUTION


# %% check="pairwise_scores" points=2
@check("pairwise_scores")
def check_pairwise_scores():
    """The lesson's example, and two sentences of three tokens in float64."""
    expected = torch.tensor(
        [
            [0.9995, 0.9544, 0.9422, 0.4753, 0.4576, 0.6310],
            [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865],
            [0.9422, 1.4754, 1.4570, 0.8296, 0.7154, 1.0605],
            [0.4753, 0.8434, 0.8296, 0.4937, 0.3474, 0.6565],
            [0.4576, 0.7070, 0.7154, 0.3474, 0.6654, 0.2935],
            [0.6310, 1.0865, 1.0605, 0.6565, 0.2935, 0.9450],
        ]
    )
    why = "Row i, column j is the dot product of token i and token j."
    expect_close(pairwise_scores(journey), expected, why)

    two = [[[1.0, 2.0], [0.0, 3.0], [-1.0, 1.0]], [[2.0, 0.0], [1.0, 1.0], [0.0, 4.0]]]
    batch = torch.tensor(two).double().requires_grad_()
    expected = [[[5.0, 6, 1], [6, 9, 3], [1, 3, 2]], [[4, 2, 0], [2, 2, 4], [0, 4, 16]]]
    expected = torch.tensor(expected).double()
    expect_close(pairwise_scores(batch), expected, "Each sentence has its own scores.")
    many = torch.stack([batch, 2 * batch, 3 * batch])
    expected = torch.stack([expected, 4 * expected, 9 * expected])
    expect_close(
        pairwise_scores(many), expected, "There may be several batch dimensions."
    )
    expect_shape(
        pairwise_scores(torch.ones(1, 1, 3)), (1, 1, 1), "No dimension is removed."
    )
    # The first score is 1 * 1 + 2 * 2: its derivatives are twice these numbers.
    gradient = torch.zeros(2, 3, 2).double()
    gradient[0, 0] = torch.tensor([2.0, 4.0])
    why = "A token is in both factors of the product: its gradient has two parts."
    expect_gradient(
        pairwise_scores(batch)[0, 0, 0], batch, expected={0: gradient}, hint=why
    )
    small = torch.tensor([[1e-3], [-1e-3]])
    expect_close(pairwise_scores(small)[0, 1], -1e-6, "No score is rounded.", 1e-7)


# %% [markdown]
# Here is the score matrix. Look for these before you read on:
#
# - Fold it along the diagonal from the upper left to the lower right: why do the two halves agree?
# - The diagonal is every token's score with itself. Is it always the largest of its row? Compare *one*.

# %% demo
import matplotlib.pyplot as plt

scores = pairwise_scores(journey)
figure, axes = plt.subplots(figsize=(5.6, 4.6), layout="constrained")
image = axes.imshow(scores, cmap="Blues", vmin=0, vmax=1.5)
axes.set_xticks(range(6), tokens)
axes.set_yticks(range(6), tokens)
axes.set(xlabel="is looked at", ylabel="asks", title="Attention scores")
for i in range(6):
    for j in range(6):
        value = scores[i, j].item()
        axes.text(
            j,
            i,
            f"{value:.2f}",
            ha="center",
            va="center",
            color="white" if value > 0.9 else "black",
        )
figure.colorbar(image, ax=axes)
plt.show()

# %% [markdown]
# And this is what the one product saves. Both functions compute the same numbers; how does the time of each
# grow when you double the number of tokens?

# %% demo
import time

length = 60  # try 30, 120, 240

text = torch.randn(length, 64)
threads = torch.get_num_threads()
torch.set_num_threads(
    1
)  # so that other programs on this machine disturb the measurement less


def milliseconds(function):
    """Return the shortest time that `function` needs, from as many runs as fit into
    half a second.
    """
    times, end = [], time.perf_counter() + 0.5
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        function(text)
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


print(f"{length} tokens, two loops:   {milliseconds(pairwise_scores_loop):8.2f} ms")
print(f"{length} tokens, one product: {milliseconds(pairwise_scores):8.2f} ms")
difference = (pairwise_scores_loop(text) - pairwise_scores(text)).abs().max()
print(f"largest difference between their scores: {difference:.0e}")
torch.set_num_threads(threads)

# %% [markdown]
# ## Move 2: all weights
#
# Each token that asks has an attention of 1 to share out. So the weights of **each row** are positive and
# sum to 1: softmax is taken along the row, that is, over the dimension whose index is `j`.
#
# ### Question 3: `attention_weights` (2 points)
#
# About 5 minutes, easy.
#
# You have written softmax by hand; from now on use the library's, `torch.softmax(scores, dim=...)`, and
# tell it along which dimension the weights should sum to 1. Here that is the dimension of `j`, the token
# that is looked at:
#
# | scores of | shape | dim 0 | dim 1 | dim 2 |
# |---|---|---|---|---|
# | one sentence | `(n, n)` | `i` asks | **`j` is looked at** | |
# | a batch | `(batch, n, n)` | sentence | `i` asks | **`j` is looked at** |
#
# So `dim=1` is right for one sentence and wrong for a batch, and no error tells you so: the result still
# looks like weights, but its columns sum to 1, not its rows. Counted from the end, `j` has the same number
# in both.


# %% solution="attention_weights"
def attention_weights(scores: Tensor) -> Tensor:
    """Return the softmax of `scores` over the last dimension.

    Arguments:
        scores: attention scores, shape (..., n, n), of any sign and as large as 1e4 or
            -1e4. They need not be symmetric.

    Returns:
        The weights, same shape and dtype as `scores`: positive or 0, and every row sums
        to 1. Gradients must be able to flow back to `scores`. Every step keeps the
        dtype: float64 stays as precise as it is.
    """
    ### BEGIN SOLUTION
    return torch.softmax(scores, dim=-1)
    ### END SOLUTION


# %% check="attention_weights" points=2
@check("attention_weights")
def check_attention_weights():
    """The lesson's example, alone and in a batch, and scores far apart in float64."""
    scores = torch.tensor(
        [
            [0.9995, 0.9544, 0.9422, 0.4753, 0.4576, 0.6310],
            [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865],
            [0.9422, 1.4754, 1.4570, 0.8296, 0.7154, 1.0605],
            [0.4753, 0.8434, 0.8296, 0.4937, 0.3474, 0.6565],
            [0.4576, 0.7070, 0.7154, 0.3474, 0.6654, 0.2935],
            [0.6310, 1.0865, 1.0605, 0.6565, 0.2935, 0.9450],
        ]
    )
    expected = torch.tensor(
        [
            [0.2098, 0.2006, 0.1981, 0.1242, 0.1220, 0.1452],
            [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581],
            [0.1390, 0.2369, 0.2326, 0.1242, 0.1108, 0.1565],
            [0.1435, 0.2074, 0.2046, 0.1462, 0.1263, 0.1720],
            [0.1526, 0.1958, 0.1975, 0.1367, 0.1879, 0.1295],
            [0.1385, 0.2184, 0.2128, 0.1420, 0.0988, 0.1896],
        ]
    )
    sums = "Each row sums to 1, in a batch too."
    expect_close(attention_weights(scores).sum(dim=-1), [1.0] * 6, sums)
    expect_close(attention_weights(scores), expected, "Row i is the softmax of row i.")
    batch = torch.stack([torch.stack([scores, -2 * scores])] * 2)
    expect_close(attention_weights(batch).sum(dim=-1), [[[1.0] * 6] * 2] * 2, sums)
    expect_close(
        attention_weights(batch)[1, 0], expected, "The softmax runs over each row."
    )

    # e to the power of log_3 is 3, and e to the power of -5000 is 0.
    log_3 = 1.0986122886681098
    far = torch.tensor([[1e4, 5e3], [0.0, log_3]]).double()
    far[1, 1] = log_3
    expected = torch.tensor([[1.0, 0.0], [0.25, 0.75]]).double()
    expect_close(attention_weights(far), expected, "Scores may be as large as 1e4.")
    expect_gradient(attention_weights(far.requires_grad_()), far)
    expect_unchanged(attention_weights, far)
    low = torch.tensor([[-1.0, -2.0]])
    expected = torch.tensor([[0.7311, 0.2689]])
    expect_close(attention_weights(low), expected, "Scores may be negative.")


# %% [markdown]
# This is the picture that you will see in every article on attention. Read it row by row: each row shows
# how one token shares out its attention. On the right, the columns are added up: how much attention does
# each token **receive**?
#
# The scores are divided by a **temperature**. Lower it, with the slider or in the line marked `# try`: the
# rows get sharper, but they always sum to 1. What happens to the columns? Which tokens end up with next to
# nothing, and why can that never happen to a row? And what do the rows look like when the temperature
# is very high?
#
# (The slider needs the package ipywidgets, which Jupyter and Colab bring along.)

# %% demo
temperature = 1.0  # try 0.25, 0.06, 0.015 and 10
slider = True  # try False, if no slider appears


def draw(temperature):
    weights = attention_weights(journey @ journey.T / temperature)
    received = weights.sum(dim=0).tolist()
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(10, 4.2), layout="constrained", width_ratios=[5, 4]
    )
    brightest = max(0.3, weights.max().item())
    image = left.imshow(weights, cmap="Oranges", vmin=0, vmax=brightest)
    left.set_xticks(range(6), tokens)
    left.set_yticks(range(6), tokens)
    left.set(xlabel="is looked at", ylabel="asks")
    left.set_title(f"Attention weights, temperature {temperature:.3g}")
    for i in range(6):
        for j in range(6):
            value = weights[i, j].item()
            colour = "white" if value > 0.6 * brightest else "black"
            left.text(j, i, f"{value:.2f}", ha="center", va="center", color=colour)
    figure.colorbar(image, ax=left)
    right.bar(tokens, received, color="tab:orange")
    right.axhline(1, color="black", lw=0.8, ls=":")
    right.set_title("attention received (column sums)")
    right.set_ylim(0, max(2.0, 1.1 * max(received)))
    plt.show()


try:
    from ipywidgets import FloatLogSlider, interact
except ImportError:
    slider = False
if slider:
    interact(draw, temperature=FloatLogSlider(temperature, min=-2, max=1))
else:
    draw(temperature)

# %% [markdown]
# ### Question 4: in your own words (2 points)
#
# About 5 minutes, medium.
#
# The score matrix is symmetric, the weight matrix is not: *one* gives *journey* 0.1958, *journey* gives
# *one* only 0.1082. Where does the symmetry get lost? And what do the rows and the columns of the weight
# matrix mean, and why must only the rows sum to 1?

# %% [markdown] manual="why_not_symmetric" points=2
# ### BEGIN SOLUTION
# The scores are symmetric because the dot product is: x_i . x_j = x_j . x_i. Softmax then divides each row
# by the sum of that row's own exponentials. The two entries (i, j) and (j, i) have the same numerator but
# different denominators, so the weights differ: *journey* has many good matches, and little is left for
# *one*.
#
# Row i is how token i shares out its attention over all tokens; its weights make a weighted average, so
# they must sum to 1. Column j is what token j receives from all the others; some tokens are looked at a
# lot, others hardly, and nothing fixes that sum.
#
# (the step at which the symmetry gets lost, and by which number two mirrored entries then differ: 1
# point; what a row means, and why its sum is fixed: 0.5 points; what a column means, and what one can
# say of its sum: 0.5 points.)
# ### END SOLUTION

# %% [markdown]
# ## Move 3: all context vectors
#
# For one query the context vector was the sum of all tokens, each times its weight. Now there is a row of
# weights for each token that asks:
#
# $$z_i = \sum_j w_{ij}\, x_j$$
#
# A sum over the middle index `j`: you have just seen which operation does that.
#
# ### Question 5: `context_vectors` (2 points)
#
# About 5 minutes, easy.


# %% solution="context_vectors"
def context_vectors(weights: Tensor, inputs: Tensor) -> Tensor:
    """Return, for each row of `weights`, the sum of the tokens times the weights of
    that row.

    Arguments:
        weights: one row for each token that asks, shape (..., n, n). Take them as they
            are: rows need not sum to 1.
        inputs: token vectors, shape (..., n, d), with the same leading dimensions.

    Returns:
        The context vectors, shape (..., n, d), of the same dtype as `inputs`. Sentences
        do not mix.
    """
    ### BEGIN SOLUTION
    return weights @ inputs
    ### END SOLUTION


# %% check="context_vectors" points=2
@check("context_vectors")
def check_context_vectors():
    """The lesson's example, and two sentences whose weights need not sum to 1."""
    expected = torch.tensor(
        [
            [0.4421, 0.5931, 0.5790],
            [0.4419, 0.6515, 0.5683],
            [0.4431, 0.6496, 0.5671],
            [0.4304, 0.6298, 0.5510],
            [0.4671, 0.5910, 0.5266],
            [0.4177, 0.6503, 0.5645],
        ]
    )
    weights = torch.softmax(journey @ journey.T, dim=-1)
    why = "Row i is the sum of the tokens, weighted by row i of the weights."
    expect_close(context_vectors(weights, journey), expected, why)

    weights = torch.tensor([[[1.0, 2], [3, 0]], [[0, 1], [2, -1]]]).double()
    inputs = torch.tensor([[[1.0, 0, 2], [0, 1, 1]], [[5, 1, 0], [1, 0, 3]]]).double()
    expected = torch.tensor([[[1.0, 2, 4], [3, 0, 6]], [[1, 0, 3], [9, 2, -3]]])
    expect_close(context_vectors(weights, inputs), expected.double(), why)
    expect_gradient(context_vectors(weights.requires_grad_(), inputs), weights)
    expect_unchanged(context_vectors, weights, inputs)
    many = context_vectors(weights.repeat(2, 1, 1, 1), inputs.repeat(2, 1, 1, 1))
    expect_close(many[1], expected.double(), "There may be several batch dimensions.")
    small = context_vectors(torch.full((1, 1), 1e-6), torch.ones(1, 3))
    expect_close(small, torch.full((1, 3), 1e-6), "No number is rounded.", 1e-8)


# %% [markdown]
# Row 1 is the context vector of *journey* that you computed in the first notebook. Here are all six: each
# arrow leads from a token to its context vector (two of the three numbers, as before).
#
# With factor 1 all arrows end close together, near the middle: the weights are nearly even, so all tokens
# get nearly the same average. Sharpen the weights and watch the arrows move apart. With factor 0, where
# do they all end? With 64, which tokens stay where they are, and to which tokens do the others move?

# %% demo
factor = 1.0  # try 0, 4, 16, 64

weights = torch.softmax(factor * (journey @ journey.T), dim=-1)
contexts = context_vectors(weights, journey)
figure, axes = plt.subplots(figsize=(5.6, 4.4), layout="constrained")
axes.scatter(journey[:, 0], journey[:, 1], s=60, color="tab:blue", zorder=2)
axes.scatter(
    contexts[:, 0], contexts[:, 1], s=90, marker="*", color="tab:orange", zorder=3
)
for i, token in enumerate(tokens):
    home, away = journey[i, :2].tolist(), contexts[i, :2].tolist()
    axes.annotate(
        "", xy=away, xytext=home, arrowprops={"arrowstyle": "->", "color": "tab:gray"}
    )
    below = token in ("Your", "starts", "one")
    axes.text(home[0], home[1] + (-0.07 if below else 0.04), token, ha="center")
axes.set(xlim=(-0.1, 1.0), ylim=(0, 1.05), xlabel="dim 0", ylabel="dim 1")
axes.set_title(f"From tokens to context vectors, scores x {factor:g}")
plt.show()

# %% [markdown]
# ## Together
#
# ### Question 6: `simple_self_attention` (3 points)
#
# About 5 minutes, easy.
#
# Put the three moves into one function. Write them out instead of calling your answers from above: it is
# only three lines, and the function then stands on its own.


# %% solution="simple_self_attention"
def simple_self_attention(inputs: Tensor) -> Tensor:
    """Return a context vector for every token: score all pairs, softmax each row, mix.

    Arguments:
        inputs: token vectors, shape (..., n, d). `...` stands for any number of leading
            dimensions, or none.

    Returns:
        The context vectors, shape (..., n, d), of the same dtype as `inputs`. Scores
        are the plain dot products. Sentences do not mix. Every step keeps the dtype.
    """
    ### BEGIN SOLUTION
    scores = inputs @ inputs.transpose(-2, -1)
    weights = torch.softmax(scores, dim=-1)
    return weights @ inputs
    ### END SOLUTION


# %% check="simple_self_attention" points=3
@check("simple_self_attention")
def check_simple_self_attention():
    """The lesson's example, alone and in a batch, and tokens far apart in float64."""
    expected = torch.tensor(
        [
            [0.4421, 0.5931, 0.5790],
            [0.4419, 0.6515, 0.5683],
            [0.4431, 0.6496, 0.5671],
            [0.4304, 0.6298, 0.5510],
            [0.4671, 0.5910, 0.5266],
            [0.4177, 0.6503, 0.5645],
        ]
    )
    why = "Compute scores, take the softmax of each row, and mix the inputs."
    expect_close(simple_self_attention(journey), expected, why)

    other = 2 - journey
    batch = torch.stack([journey, other])
    alone = simple_self_attention(other)
    expect(
        not torch.allclose(alone, expected, atol=1e-2),
        "Another sentence has another result.",
    )
    why = "A sentence has the same result alone and in a batch."
    expect_close(simple_self_attention(batch), torch.stack([expected, alone]), why)
    expect_close(simple_self_attention(batch[:, None])[1, 0], alone, why)

    # These tokens are so far apart that each looks only at itself.
    far = torch.tensor([[100.0, 0.0], [0.0, 100.0], [-100.0, -100.0]]).double()
    expect_close(simple_self_attention(far), far, "Each token looks at itself only.")
    expect_gradient(simple_self_attention(far.requires_grad_()), far)
    expect_unchanged(simple_self_attention, far)
    opposite = torch.tensor([[1.0], [-1.0]])
    expected = torch.tensor([[0.761594], [-0.761594]])
    why = "The scores are 1 and -1: do you drop a sign, or round a number?"
    expect_close(simple_self_attention(opposite), expected, why, 1e-6)


# %% [markdown]
# ### Does the order of the words matter?
#
# *The dog bites the man* is not *the man bites the dog*. Does your self-attention notice? Shuffle the
# tokens, run it again and compare: on the left the context vectors of the sentence, on the right those of
# the shuffled one. Predict first: will the numbers change, or only their places?

# %% demo
order = [5, 2, 0, 4, 1, 3]  # try any order of 0 to 5

plain = simple_self_attention(journey)
shuffled = simple_self_attention(journey[order])
low, high = plain.min().item(), plain.max().item()
figure, panels = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
for axes, rows, names, title in [
    (panels[0], plain, tokens, "as written"),
    (panels[1], shuffled, [tokens[i] for i in order], "shuffled"),
]:
    axes.imshow(rows, cmap="Greens", vmin=low, vmax=high, aspect="auto")
    axes.set_yticks(range(6), names)
    axes.set_xticks(range(3), ["dim 0", "dim 1", "dim 2"])
    axes.set_title(f"context vectors, {title}")
    for i in range(6):
        for j in range(3):
            value = rows[i, j].item()
            dark = value > (low + high) / 2
            axes.text(
                j,
                i,
                f"{value:.4f}",
                ha="center",
                va="center",
                color="white" if dark else "black",
            )
plt.show()

# %% [markdown]
# ### Question 7: in your own words (2 points)
#
# About 5 minutes, medium.
#
# What does the picture show about self-attention and the order of the tokens? Explain it from the formula,
# and say why this is a problem for a language model. (What one does about it is the subject of a later
# notebook. If you have an idea, add it.)

# %% [markdown] manual="word_order" points=2
# ### BEGIN SOLUTION
# Shuffling the tokens shuffles the context vectors in the same way and changes none of them. The score of
# two tokens depends on their vectors alone, not on where they stand, and the weighted sum over j does not
# care in which order its terms are added. So each token gets the same context vector wherever it stands.
#
# For language that is a problem: two sentences of the same words in different order mean different things,
# but every word would get the same vector in both. So the position must be put into the vectors themselves,
# for example by adding a position embedding to each token's embedding.
#
# (what the order of the tokens changes in the output, and what it does not: 0.5 points; the parts of
# the formula from which that follows: 0.5 points; what this means for two sentences of the same words:
# 1 point.)
# ### END SOLUTION

# %% [markdown]
# ## What you can now explain
#
# - In **self-attention** every token is a query once, and all look at the same tokens. The scores of all
#   pairs are **one matrix product** of the inputs with their transpose.
# - Row = who asks, column = who is looked at. **Softmax runs along the rows**, over the last dimension, also
#   in a batch.
# - The context vectors are a second matrix product. Three lines in all, for any number of sentences.
# - Scores are symmetric here, weights are not. And self-attention **does not know the order** of its tokens.
#
# Two things are still missing. So far a token may look at every other one, even at those that come after
# it, but a model that writes text must not see the future. That is the next notebook. And the dot product
# compares the tokens as they are: nothing can be *learnt* about what should match what. The notebook after
# next changes that.

# %% [markdown]
# ## Challenge (not graded)
#
# Self-attention can find groups. Here are 30 points on a circle, in three noisy groups. Each point is a token
# of two numbers. A point looks most at its neighbours, so its context vector lies nearer to the middle of its
# group. Repeat that, and each group shrinks to one point, if the weights are sharp enough. If they are not,
# all points end in one place.
#
# Write `gather`: a few rounds of your `simple_self_attention`. Two things are for you to find out: by which
# factor to multiply the points before each round, so that weights are sharp, and how to bring the points back
# to the circle after it. The check counts the groups that are left. Three is right.

# %% demo
torch.manual_seed(0)
angles = torch.tensor([0.5, 2.4, 4.4]).repeat(10) + 0.3 * torch.randn(30)
points = torch.stack([angles.cos(), angles.sin()], dim=1)


def gather(points):
    return points  # change this


ends = gather(points)
groups = ends.mul(10).round().unique(dim=0)
print(f"{len(groups)} different places are left")
figure, axes = plt.subplots(figsize=(4.2, 4.2), layout="constrained")
axes.plot(points[:, 0], points[:, 1], "o", color="tab:blue", alpha=0.4, label="before")
axes.plot(ends[:, 0], ends[:, 1], "*", color="tab:orange", markersize=14, label="after")
axes.set(aspect="equal", xlim=(-1.3, 1.3), ylim=(-1.3, 1.3))
axes.legend()
plt.show()
