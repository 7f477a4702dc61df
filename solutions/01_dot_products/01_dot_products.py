# %% [markdown]
# # 1. Dot products: the smallest attention there is
#
# Read the sentence *Your journey starts with one step* and stop at the word *journey*. What it means here
# depends on the words around it: a journey that *starts*, with a *step*. A language model has to do the
# same: for each word it must decide **how much each other word matters**, and then mix what they say into
# one new vector.
#
# That is all attention does, and in this notebook you build it for one word, by hand, out of three moves:
#
# 1. **score** every token: how well does it match the one we are looking at? (a dot product)
# 2. **weigh**: turn the scores into shares that are positive and sum to 1 (softmax)
# 3. **mix**: add up the tokens, each times its share (a weighted sum)
#
# ![The three moves for one query. Tokens of shape (n, d) and a query of shape (d,) give scores of shape
# (n,) by dot products; softmax makes weights of shape (n,) of them, which sum to 1; the weighted sum of
# the tokens is one context vector of shape (d,).](flow.png)
#
# Nothing is trained yet. Later notebooks add trainable weights, masks and several heads, but these three
# moves stay as they are.
#
# **How to work.** Read the description of each question before you write its code. A
# check tests your code on the lesson's example and on one small input of another size.
# Grading tests it on more inputs, and tests gradients, too. So write code that works
# for all inputs. Use any function of Python or torch, unless a question lists it under
# *Not allowed here*. Symbols and names are those of the [table of
# notation](notation.md). Numbers may differ by rounding: by 1e-5 in float32, by 1e-9 in
# float64. Pictures have a line marked `# try` for you to change. Plan for about an
# hour.

# %%
import torch
from torch import Tensor

# %% [markdown]
# ## Words as vectors
#
# A model does not see words. A text is cut into **tokens** (here: words), and each token is given a
# vector, its **embedding**. Real embeddings have hundreds of dimensions. Ours have three, so that you can
# follow every number: six tokens, three numbers each, a tensor of shape `(6, 3)`.
#
# We call the number of tokens `n` and the length of each vector `d`. Here `n = 6` and `d = 3`. (The sentence
# and its numbers come from [Raschka (2024), *Build a Large Language Model*,
# 3.3](https://github.com/rasbt/LLMs-from-scratch/blob/main/ch03/01_main-chapter-code/ch03.ipynb).)

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
# Look at the rows before you go on. Which two tokens have nearly the same colours? Which token looks
# least like *journey*? Keep your guess; in a few minutes you will have a number for it.

# %% demo
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(4.5, 3.6), layout="constrained")
image = axes.imshow(journey, cmap="Blues", vmin=0, vmax=1, aspect="auto")
axes.set_yticks(range(6), tokens)
axes.set_xticks(range(3), ["dim 0", "dim 1", "dim 2"])
for i in range(6):
    for j in range(3):
        value = journey[i, j].item()
        axes.text(
            j,
            i,
            f"{value:.2f}",
            ha="center",
            va="center",
            color="white" if value > 0.6 else "black",
        )
axes.set_title("Six tokens, three numbers each")
figure.colorbar(image, ax=axes)
plt.show()

# %% [markdown]
# ## Tensors that remember how they were made
#
# A network learns from **gradients**: by how much would the result change if an input changed a little? torch
# can tell, because it keeps a record of each step.
#
# - `requires_grad=True` marks a tensor. torch records each step that is computed from it.
# - `result.backward()` follows the record back and writes the gradient of `result` into `x.grad`. For
#   $y = x_0 x_1$ that is $(x_1, x_0)$: where $x_0$ grows by a little, $y$ grows by $x_1$ times as much.
# - `.item()`, `float(...)` and `torch.tensor(...)` make plain numbers, which have no record. The value is
#   right, but no gradient flows back through it, so nothing before it can learn.
# - All numbers of a tensor have one **dtype**: float32, about 7 digits, unless you ask for float64, about 16
#   digits, as with `.double()`. A tensor that you make inside a function has the dtype that you give it:
#   `torch.zeros(3)` is float32, whatever you were given, and `torch.zeros(3, dtype=x.dtype)` follows x.
#
# Run the cell. Then let `y` use `x[0].item()` in the place of `x[0]`: which number of the gradient changes?

# %% demo
x = torch.tensor([2.0, 3.0], requires_grad=True)
y = x[0] * x[1]  # try x[0].item() * x[1]

y.backward()
print("y and its record:        ", y)
print("gradient of y at x:      ", x.grad)
print("y.item() and its record: ", torch.tensor(y.item()))
print("torch.zeros(2):          ", torch.zeros(2).dtype)
print("torch.zeros(2).double(): ", torch.zeros(2).double().dtype)

# %% [markdown]
# ## Move 1: score
#
# How alike are two vectors? Multiply them place by place and add up the products:
#
# $$a \cdot b = \sum_{i} a_i\, b_i$$
#
# For *Your* and *journey*:
#
# | | dim 0 | dim 1 | dim 2 | sum |
# |---|---|---|---|---|
# | *Your* | 0.43 | 0.15 | 0.89 | |
# | *journey* | 0.55 | 0.87 | 0.66 | |
# | product | 0.2365 | 0.1305 | 0.5874 | **0.9544** |
#
# A product is large when both numbers are large, so the sum is large when the two vectors are large *in
# the same places*. That is why the dot product serves as a score for "these two match". It is 0 when they
# have nothing in common, and negative when they pull in opposite directions.
#
# ### Question 1: `dot_product` (2 points)
#
# About 10 minutes, easy.
#
# torch can do this in one call, but write it once with a loop: after that, you know what the one call
# does. Two things to care about, here and in every question that follows:
#
# - **Stay in torch**, without `.item()`, `float(...)` and `torch.tensor(...)`. (To begin a sum with 0 or with
#   `torch.zeros(())` is fine: there is no record yet that could get lost.)
# - **Leave the inputs alone.** The caller still needs `a` and `b`. Operations such as `a *= b` and methods
#   whose name ends in `_` overwrite them.


# %% solution="dot_product"
def dot_product(a: Tensor, b: Tensor) -> Tensor:
    """Return the sum of the products of the entries of `a` and `b`, computed with a
    loop: nothing else adds them up.

    Arguments:
        a: one vector of floats, shape (d,). d is at least 1.
        b: another vector of the same length, shape (d,).

    Returns:
        A tensor with a single value, shape () - neither (1,) nor a Python number -
        of the same dtype as `a` and `b`. Gradients flow back to both.

    Raises:
        ValueError: if `a` and `b` have different lengths.

    Not allowed here: dot, vdot, inner, matmul, @, mm, mv, einsum, tensordot, bmm,
        linear and sum, whether Python's own or torch's, nor what adds up in their
        place, such as cumsum or mean.
    """
    ### BEGIN SOLUTION
    if len(a) != len(b):
        raise ValueError(f"the vectors have different lengths: {len(a)} and {len(b)}")
    total = torch.zeros((), dtype=a.dtype)
    for i in range(len(a)):
        total = total + a[i] * b[i]
    return total
    ### END SOLUTION


# %% check="dot_product" points=2
@check("dot_product")
def check_dot_product():
    """The table above, each column alone and all together; then float64 vectors."""
    terms = [0.240, 0.130, 0.590]
    why = "Each index adds one product to the sum."
    for i in range(3):
        your, other = journey[0, i : i + 1], journey[1, i : i + 1]
        expect_close(dot_product(your, other), torch.tensor(terms[i]), why, 0.005)
    why = "The score is the sum of the three products in the table."
    expect_close(dot_product(journey[0], journey[1]), torch.tensor(0.9544), why)
    why = "Vectors of different lengths have no dot product."
    expect_raises("ValueError", dot_product, torch.ones(3), torch.ones(4), hint=why)
    expect_raises("ValueError", dot_product, torch.ones(4), torch.ones(3), hint=why)

    # 2 * 3 + (-1) * 5 = 1
    a, b = torch.tensor([[2.0, -1.0], [3.0, 5.0]]).double()
    expect_close(dot_product(a, b), torch.tensor(1.0).double(), "2 * 3 - 1 * 5 = 1.")
    expect_unchanged(dot_product, a, b)
    expect_gradient(dot_product(a.requires_grad_(), b.requires_grad_()), a)
    expect_gradient(dot_product(a, b), b)
    small = dot_product(torch.tensor([1e-3]), torch.tensor([-1e-2]))
    expect_close(small, torch.tensor(-1e-5), "Do not round or cut the result.", 1e-7)


# %% [markdown]
# ### What the dot product measures
#
# Here are two arrows of length 1. Your function draws the curve on the right: the dot product for every
# angle between them. Turn the second arrow and watch the point on the curve.
#
# - At which angle is the dot product largest? At which is it 0? What happens beyond 90 degrees?
# - Make the second arrow twice as long. The angle is as before; what about the dot product?
#
# The second experiment shows a property that will matter later: the dot product measures direction *and*
# length. A long vector gets large scores from every vector that points its way.

# %% demo
angle = 60  # try 0, 90, 120, 180 degrees
length = 1.0  # try 0.5 and 2.0


def arrow(degrees, size):
    radians = torch.deg2rad(torch.tensor(float(degrees)))
    return size * torch.stack([radians.cos(), radians.sin()])


first, second = arrow(0, 1.0), arrow(angle, length)
angles = list(range(0, 181, 5))
curve = [dot_product(first, arrow(degrees, length)).item() for degrees in angles]

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for vector, colour, label in [(first, "tab:blue", "a"), (second, "tab:orange", "b")]:
    x, y = vector.tolist()
    left.annotate(
        "",
        xy=(x, y),
        xytext=(0, 0),
        arrowprops={"arrowstyle": "->", "color": colour, "lw": 2},
    )
    left.text(1.08 * x, 1.08 * y + 0.05, label, color=colour, fontsize=13)
bound = 1.2 * max(1.0, length)
left.set(
    xlim=(-bound, bound),
    ylim=(-0.3, bound),
    aspect="equal",
    title=f"{angle} degrees apart",
)
right.plot(angles, curve, color="tab:gray")
right.plot(
    [angle], [dot_product(first, second).item()], "o", color="tab:orange", markersize=10
)
right.axhline(0, color="black", lw=0.8)
right.set(
    xlabel="angle between a and b in degrees",
    title="dot product",
    xticks=range(0, 181, 30),
)
plt.show()

# %% [markdown]
# ### Question 2: `attention_scores` (2 points)
#
# About 5 minutes, easy.
#
# Now one token asks and all tokens answer. The token that asks is called the **query**. Its dot product
# with each row of the inputs is that row's **attention score**.
#
# This time use whatever torch offers. A matrix times a vector is exactly this: one dot product per row.


# %% solution="attention_scores"
def attention_scores(inputs: Tensor, query: Tensor) -> Tensor:
    """Return the dot product of every row of `inputs` with `query`.

    Arguments:
        inputs: n token vectors, one a row, shape (n, d). n and d are at least 1.
        query: the vector of the token that asks, shape (d,). It need not be a row of
            `inputs`.

    Returns:
        One score for each row, shape (n,), of the same dtype as `inputs`. Gradients
        flow back to both arguments.
    """
    ### BEGIN SOLUTION
    return inputs @ query
    ### END SOLUTION


# %% check="attention_scores" points=2
@check("attention_scores")
def check_attention_scores():
    """The lesson's example; then three tokens of two numbers, and another query."""
    expected = torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])
    why = "Each score is the dot product of a token and the query."
    expect_close(attention_scores(journey, journey[1]), expected, why)

    few = torch.tensor([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]]).double()
    asks = torch.tensor([2.0, -1.0]).double()
    expected = torch.tensor([2.0, -2.0, 5.0]).double()
    expect_close(attention_scores(few, asks), expected, why)
    expect_unchanged(attention_scores, few, asks)
    expect_close(attention_scores(few[:1], asks), expected[:1], why)
    few.requires_grad_()
    asks.requires_grad_()
    expect_gradient(attention_scores(few, asks), few)
    expect_gradient(attention_scores(few, asks), asks)
    small = attention_scores(1e-6 * journey, journey[1])
    expect((small > 0).all(), "Small scores are not rounded.")


# %% [markdown]
# Was your guess right? Choose another query token, and see which token gets the highest score. One thing
# may surprise you: only *Your* and *journey* give the highest score to themselves. The other four give a
# higher score to another token. Can you explain it from what the dot product measures?

# %% demo
asks = 1  # try each from 0 to 5

scores = attention_scores(journey, journey[asks])
colours = ["tab:orange" if i == asks else "tab:blue" for i in range(6)]
figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
axes.bar(tokens, scores.tolist(), color=colours)
axes.set(title=f'"{tokens[asks]}" asks: attention scores', ylabel="dot product")
plt.show()

# %% [markdown]
# ## Move 2: weigh
#
# A score of 1.495 says little by itself. Is that much? It depends on the other scores. We want **weights**:
# shares of one whole, so that we can say "*journey* gets 24 % of the attention".
#
# ### Question 3: `normalize_by_sum` (1 point)
#
# About 5 minutes, easy.
#
# The simplest way to make shares: divide each score by the sum of all.


# %% solution="normalize_by_sum"
def normalize_by_sum(scores: Tensor) -> Tensor:
    """Return `scores` divided by their sum, so that they sum to 1.

    Arguments:
        scores: n scores, shape (n,), whose sum is not 0. Some may be negative; treat
            them like the others.

    Returns:
        n weights, shape (n,), of the same dtype as `scores`. The scores stay as they
        were. Gradients flow back to them.
    """
    ### BEGIN SOLUTION
    return scores / scores.sum()
    ### END SOLUTION


# %% check="normalize_by_sum" points=1
@check("normalize_by_sum")
def check_normalize_by_sum():
    """The lesson's example, and scores of both signs whose sum is 2."""
    scores = torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])
    expected = torch.tensor([0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656])
    expect_close(normalize_by_sum(scores).sum(), 1.0, "The weights sum to 1.")
    expect_close(
        normalize_by_sum(scores),
        expected,
        "Each weight is its score divided by the sum.",
    )

    mixed = torch.tensor([3.0, 1.0, -4.0, 2.0]).double()
    expected = torch.tensor([1.5, 0.5, -2.0, 1.0]).double()
    why = "Negative scores keep their sign, in the sum too."
    expect_close(normalize_by_sum(mixed), expected, why)
    expect_close(normalize_by_sum(-mixed), expected, why)
    expect_unchanged(normalize_by_sum, mixed)
    # The derivatives of the first weight, 3 / 2, by the four scores: each is in the sum.
    gradient = torch.tensor([-0.25, -0.75, -0.75, -0.75]).double()
    why = "The sum depends on the scores, too."
    expect_gradient(
        normalize_by_sum(mixed.requires_grad_())[0],
        mixed,
        expected={0: gradient},
        hint=why,
    )
    small = normalize_by_sum(torch.tensor([1e-6, 1.0]))
    expect(small[0] > 0, "A small weight is not rounded.")


# %% [markdown]
# That works for these scores, because all of them are positive. Scores need not be. Before you run the
# next picture, work out in your head what your function makes of the scores `[2, 1, -1, -1.5]`. Their sum
# is 0.5.

# %% demo
scores = torch.tensor(
    [2.0, 1.0, -1.0, -1.5]
)  # try [2.0, 1.0, -1.0, -1.9]: the sum comes closer to 0

weights = normalize_by_sum(scores)
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 2.8), layout="constrained")
left.bar(range(4), scores.tolist(), color="tab:gray")
left.set(title="scores", xticks=range(4))
right.bar(
    range(4),
    weights.tolist(),
    color=["tab:blue" if w >= 0 else "tab:red" for w in weights.tolist()],
)
right.set(title=f"divided by their sum ({weights.sum():.2f} in all)", xticks=range(4))
for axes in (left, right):
    axes.axhline(0, color="black", lw=0.8)
plt.show()

# %% [markdown]
# A share of 400 %, another of -300 %, and both explode as the sum comes near 0. They do sum to 1, but they
# are not shares of anything.
#
# ### Question 4: `softmax` (3 points)
#
# About 10 minutes, medium.
#
# The remedy is to make every score positive first, in a way that keeps their order. The exponential does
# both: $e^s$ is positive for every $s$, and larger for larger $s$. Then divide by the sum as before:
#
# $$\mathrm{softmax}(s)_i = \frac{e^{s_i}}{\sum_j e^{s_j}}$$
#
# There is one trap. $e^{89}$ is more than a float32 can hold; it becomes `inf`, and `inf / inf` is `nan`.
# And if all scores are below about -104, every exponential becomes 0, and `0 / 0` is `nan` again. Scores
# like that occur in practice.
#
# The way out is a property of the exponential: $e^{s - c} = e^s / e^c$. Subtract the same number $c$ from
# *all* scores, and numerator and denominator shrink by the same factor, so the weights do not change. You
# are free to choose $c$. Which choice makes sure that no exponent is above 0 and that at least one of them
# is exactly 0?


# %% solution="softmax"
def softmax(scores: Tensor) -> Tensor:
    """Return the softmax of `scores`, without overflow, written by hand.

    Arguments:
        scores: n scores, shape (n,). They can be of any sign and as large as 1e4 or
            -1e4.

    Returns:
        n weights, shape (n,), positive or 0, which sum to 1, of the same dtype as
        `scores`. Never inf or nan, and neither are the gradients, which must be able to
        flow back to `scores`.

    Not allowed here: torch's softmax, softmin and log_softmax in any of their forms.
    exp, max, sum and logsumexp are allowed. Every step keeps the dtype of `scores`:
    float64 stays as precise as it is.
    """
    ### BEGIN SOLUTION
    powers = torch.exp(scores - scores.max())
    return powers / powers.sum()
    ### END SOLUTION


# %% check="softmax" points=3
@check("softmax")
def check_softmax():
    """The lesson's example, large and low scores, and float64 to nine digits."""
    scores = torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])
    expected = torch.tensor([0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581])
    expect_close(softmax(scores).sum(), 1.0, "The weights sum to 1.")
    why = "Each weight is an exponential divided by the sum of the exponentials."
    expect_close(softmax(scores), expected, why)

    halves = torch.tensor([1000.0, 1000.0])
    expect_close(
        softmax(halves), torch.tensor([0.5, 0.5]), "Equal scores have equal weights."
    )
    for size in (-1000.0, 1e4):
        three = torch.tensor([size, size, size - 5000])
        why = "The weight of a score far below the others is 0."
        expect_close(softmax(three), torch.tensor([0.5, 0.5, 0.0]), why, 1e-3)

    # Scores that differ by log(3) have weights of 1 to 3.
    scores = 2 + torch.tensor([1.0, 3.0]).double().log()
    expected = torch.tensor([0.25, 0.75]).double()
    expect_close(
        softmax(scores), expected, "float64 scores need float64 in every step.", 1e-12
    )
    expect_unchanged(softmax, scores)
    gradient = torch.tensor([0.1875, -0.1875]).double()
    why = "The sum depends on the scores, too."
    expect_gradient(
        softmax(scores.requires_grad_())[0], scores, expected={0: gradient}, hint=why
    )
    small = softmax(torch.tensor([0.0, 15.0]))
    expect(small[0] > 0, "A small weight is not rounded.")


# %% [markdown]
# ### How softmax sharpens
#
# Softmax does more than mend the sign. Look at how it treats **differences**: every step of 1 between two
# scores means a factor of $e \approx 2.7$ between their weights. So if we multiply all scores by a factor,
# their order stays as it is but the differences grow, and the weights get sharper.
#
# Each row below is the softmax of the same six scores, times the factor on the left. Predict first:
#
# - What happens with factor 0?
# - Where does all the weight go as the factor grows?
# - Which two tokens stay close to each other the longest, and why?

# %% demo
factors = [0, 1, 4, 16, 64]  # try negative factors, or 256

scores = torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])
rows = torch.stack([softmax(factor * scores) for factor in factors])
figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
image = axes.imshow(rows, cmap="Oranges", vmin=0, vmax=1, aspect="auto")
axes.set_xticks(range(6), tokens)
axes.set_yticks(range(len(factors)), [f"x {factor}" for factor in factors])
for i in range(len(factors)):
    for j in range(6):
        value = rows[i, j].item()
        axes.text(
            j,
            i,
            f"{value:.2f}",
            ha="center",
            va="center",
            color="white" if value > 0.6 else "black",
        )
axes.set_title('Who gets the attention of "journey", as the scores grow')
figure.colorbar(image, ax=axes)
plt.show()

# %% [markdown]
# This is where the name comes from. For very large scores softmax picks the maximum and nothing else; for
# moderate ones it is a *soft* maximum, which leaves something to everyone. Remember the picture: when
# scores grow too large, attention stops mixing and starts picking. Exercise 4 shows how the full mechanism
# keeps them moderate.
#
# ### Question 5: in your own words (2 points)
#
# About 5 minutes, medium.
#
# Why does attention use softmax and not simply `normalize_by_sum`? Name two different reasons, and say for
# each what would go wrong otherwise. Three or four sentences are enough.

# %% [markdown] manual="why_softmax" points=2
# ### BEGIN SOLUTION
# Dividing by the sum only gives shares if all scores are positive. A dot product can be negative, and then
# some weights are negative and others above 1; if the sum is near 0 they explode, and if it is 0 they are
# not defined. Softmax gives positive weights that sum to 1 for any scores.
#
# Softmax depends only on the differences between scores, and it amplifies them: the best match gets clearly
# more than the others, while every token keeps a little. It is also smooth, so that gradients flow to all
# scores. With division by the sum, adding the same number to all scores would change the weights and make
# them more and more equal.
#
# (a kind of scores for which division by the sum goes wrong, and what the weights then are: 1 point; a
# second reason, about another property: differences between scores, a shift of all scores, or
# gradients, and what division by the sum does there: 1 point.)
# ### END SOLUTION

# %% [markdown]
# ## Move 3: mix
#
# Now the weights are put to use. The **context vector** of *journey* is the sum of all token vectors, each
# times its weight:
#
# $$z = \sum_{j} w_j\, x_j$$
#
# | | weight | vector | weight times vector |
# |---|---|---|---|
# | *Your* | 0.14 | 0.43, 0.15, 0.89 | 0.06, 0.02, 0.12 |
# | *journey* | 0.24 | 0.55, 0.87, 0.66 | 0.13, 0.21, 0.16 |
# | ... | ... | ... | ... |
# | | 1.00 | **sum** | **0.44, 0.65, 0.57** |
#
# The context vector is as long as a token's vector, and it is still "about" *journey*, but it has taken in
# something of the tokens that match.
#
# ### Question 6: `context_vector` (2 points)
#
# About 5 minutes, easy.


# %% solution="context_vector"
def context_vector(weights: Tensor, inputs: Tensor) -> Tensor:
    """Return the sum of the rows of `inputs`, each times its weight.

    Arguments:
        weights: one weight for each row, shape (n,). Take them as they are: the
            function neither needs them to sum to 1 nor makes them do so.
        inputs: n token vectors, one a row, shape (n, d). n and d are at least 1.

    Returns:
        The weighted sum, shape (d,), of the same dtype as `inputs`. Gradients flow back
        to both arguments.
    """
    ### BEGIN SOLUTION
    return weights @ inputs
    ### END SOLUTION


# %% check="context_vector" points=2
@check("context_vector")
def check_context_vector():
    """The lesson's example, token by token and together; then two tokens in float64."""
    scores = torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])
    weights = torch.softmax(scores, dim=0)
    weighted_rows = torch.tensor(
        [
            [0.0596, 0.0208, 0.1233],
            [0.1308, 0.2070, 0.1570],
            [0.1330, 0.1983, 0.1493],
            [0.0273, 0.0719, 0.0409],
            [0.0833, 0.0270, 0.0108],
            [0.0079, 0.1265, 0.0870],
        ]
    )
    for i in range(6):
        alone = torch.zeros(6)
        alone[i] = weights[i]
        why = f'All weights but that of "{tokens[i]}" are 0 here.'
        expect_close(context_vector(alone, journey), weighted_rows[i], why)
    expected = torch.tensor([0.4419, 0.6515, 0.5683])
    why = "Multiply each token by its weight, and add up all of them."
    expect_close(context_vector(weights, journey), expected, why)

    pair = torch.tensor([[1.0, 2.0, 0.0, -1.0], [0.0, 1.0, 3.0, 2.0]]).double()
    two = torch.tensor([2.0, -1.0]).double()
    expected = torch.tensor([2.0, 3.0, -3.0, -4.0]).double()
    why = "The weights 2 and -1 are used unchanged."
    expect_close(context_vector(two, pair), expected, why)
    expect_close(context_vector(two, pair[:, :2]), expected[:2], why)
    expect_close(context_vector(two, pair[:, :1]), expected[:1], why)
    expect_unchanged(context_vector, two, pair)
    expect_gradient(context_vector(two.requires_grad_(), pair.requires_grad_()), pair)
    expect_gradient(context_vector(two, pair), two)
    small = context_vector(torch.tensor([1e-6]), torch.ones(1, 3))
    expect((small > 0).all(), "Small numbers are not rounded.")


# %% [markdown]
# ### The whole road in one picture
#
# Each token is a point (two of its three numbers, so that it fits on paper); the size of a point is its
# weight. The star is the context vector that your functions compute. Because the weights are positive and
# sum to 1, the star can never leave the cloud of tokens.
#
# The dotted line is where the star goes as the factor from the last picture grows. Follow it: with factor 0
# it is the average of all tokens. Where does it end? Try other factors, and another query token.

# %% demo
asks = 1  # try each from 0 to 5
factor = 1.0  # try 0, 4, 64


def look(strength):
    shares = softmax(strength * attention_scores(journey, journey[asks]))
    return shares, context_vector(shares, journey)


weights, context = look(factor)
road = torch.stack(
    [look(strength)[1] for strength in [0, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256]]
)
figure, axes = plt.subplots(figsize=(5.6, 4.4), layout="constrained")
axes.scatter(
    journey[:, 0],
    journey[:, 1],
    s=(40 + 1500 * weights).tolist(),
    alpha=0.5,
    color="tab:blue",
)
for i, token in enumerate(tokens):
    below = i == 2  # "starts" lies almost on "journey"
    place = (journey[i, 0].item(), journey[i, 1].item() + (-0.06 if below else 0.05))
    axes.text(*place, f"{token} {weights[i]:.2f}", ha="left" if below else "center")
axes.plot(road[:, 0], road[:, 1], ":", color="tab:gray")
axes.plot(
    [context[0].item()], [context[1].item()], "*", color="tab:orange", markersize=18
)
axes.set(xlim=(-0.1, 1.0), ylim=(0, 1.05), xlabel="dim 0", ylabel="dim 1")
axes.set_title(f'The context vector of "{tokens[asks]}", scores x {factor:g}')
plt.show()

# %% [markdown]
# ### Question 7: in your own words (2 points)
#
# About 5 minutes, medium.
#
# Someone says: "I add 1000 to every score before the softmax, so everyone gets more attention." What
# happens to the weights, and to the context vector? Give the reason, and say how your `softmax` makes use
# of the same fact.

# %% [markdown] manual="why_shift" points=2
# ### BEGIN SOLUTION
# Nothing happens: neither the weights nor the context vector change. Adding c to every score multiplies
# every exponential by the same factor e^c, in the numerator and in each term of the denominator, and the
# factor cancels. Attention is shared out: one token can only get more if another gets less.
#
# The stable softmax uses this by subtracting the largest score. The weights stay the same, but the largest
# exponent is now 0, so that no exponential overflows and the denominator is at least 1.
#
# (what happens to the weights and to the context vector: 0.5 points; the step of the formula that gives
# the reason: 0.5 points; what your `softmax` does with the same fact, and what that is good for: 1
# point.)
# ### END SOLUTION

# %% [markdown]
# ## What you can now explain
#
# - A token is a vector; a **dot product** says how well two of them match, by direction and by length.
# - The token that asks is the **query**; its dot products with all tokens are its **attention scores**.
# - **Softmax** turns any scores into positive weights that sum to 1. It looks only at the differences
#   between scores, so subtracting the maximum changes nothing and keeps the numbers in range. It sharpens
#   as the scores grow.
# - The **context vector** is the tokens' weighted sum: what the query takes away from the sentence.
#
# You did this for *one* query. A model does it for every token at once, and with one matrix product rather
# than a loop. That is the next notebook: simple self-attention.

# %% [markdown]
# ## Challenge (not graded)
#
# A query need not be a token. Find, for each of the six tokens, three numbers that make *it* the one that is
# looked at most. *journey* is easy, since a longer query sharpens the weights. For some tokens you need
# negative numbers: what does a negative number in a query ask for? A token is found if it gets at least
# half of the attention. Can you find all six? (Two of them are nearly equal. Only long queries give them
# clearly different weights.)

# %% demo
queries = {  # change these
    "Your": [1.0, 1.0, 1.0],
    "journey": [1.0, 1.0, 1.0],
    "starts": [1.0, 1.0, 1.0],
    "with": [1.0, 1.0, 1.0],
    "one": [1.0, 1.0, 1.0],
    "step": [1.0, 1.0, 1.0],
}

found = 0
for i, (token, numbers) in enumerate(queries.items()):
    shares = softmax(attention_scores(journey, torch.tensor(numbers)))
    found += bool(shares[i] >= 0.5)
    most = tokens[shares.argmax()]
    print(f"{token:8} gets {shares[i]:4.0%}; most goes to {most}, {shares.max():.0%}")
print(f"found: {found} of 6")
