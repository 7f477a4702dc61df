# %% [markdown]
# # 5. Self-attention as a module: matrices that can learn
#
# In the last notebook, attention was a formula with three loose matrices: you made `W_query`, `W_key` and
# `W_value` yourself and handed them over at every call. They were random, so the weights that came out
# meant nothing. What should decide which tokens a token looks at?
#
# Nobody writes these matrices by hand. They are **learnt**: a training loop looks at the result, follows
# the computation backwards and changes each number a little, thousands of times. For that it must know
# *which numbers it may change*. In this notebook you build an object that owns its three matrices and
# can list them for the code that trains it. At the end you will watch one learn, in two seconds,
# from 300 small examples.
#
# ![A module around the formula. Tokens x (n, d_in) go into a frame, the module, which holds three
# parameters, W_query, W_key and W_value. They make queries, keys and values of shape (n, d_out); queries
# and keys give weights (n, n), which mix the values; out comes the context (n, d_out). An arrow leads
# back: training takes the loss, finds gradients and moves each parameter a little.](flow.png)
#
# You will
#
# 1. write self-attention as a class that **registers** its matrices as parameters,
# 2. write it again with ready-made linear layers, with or without a bias,
# 3. copy the weights of the second into the first, which needs one small but important step,
# 4. write it a third time as another source does, and follow every number on its way through.
#
# **How to work.** Read the description of each question before you write its code. A
# check tests your code on the lesson's example and on one small input of another size.
# Grading tests it on more inputs, and tests gradients, too. So write code that works
# for all inputs. Use any function of Python or torch, unless a question lists it under
# *Not allowed here*. Symbols and names are those of the [table of
# notation](notation.md). Pictures have a line marked `# try` for you to change. Plan
# for about an hour.

# %%
import math

import torch
from torch import Tensor, nn

# %% [markdown]
# ## Given: what you built before
#
# The inputs are the six tokens of *Your journey starts with one step*, three numbers each. The two
# functions are the results of the last notebook: **score** all pairs and scale, **weigh** with softmax,
# **mix** the values. Use them wherever you like.

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


def attention_weights(queries: Tensor, keys: Tensor) -> Tensor:
    """Return who looks at whom, (n, d), (m, d) -> (n, m); each row sums to 1."""
    scores = queries @ keys.transpose(-2, -1)
    return torch.softmax(scores / keys.size(-1) ** 0.5, dim=-1)


def scaled_dot_product_attention(
    queries: Tensor, keys: Tensor, values: Tensor
) -> Tensor:
    """Return a mixture of values for each query, (n, d), (m, d), (m, e) -> (n, e)."""
    return attention_weights(queries, keys) @ values


# %% [markdown]
# ## A module owns its parameters
#
# In torch, everything that can learn is an `nn.Module`. A module is an object with two duties: `forward`
# computes (you call it by calling the object), and the module **keeps a list of its parameters**. It does
# so by watching what you assign to `self`: an `nn.Parameter` goes on the list, a plain tensor does not.
#
# Both classes below compute exactly the same. Before you run the cell, guess which of the three printed
# lines will differ.


# %% demo
class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(3)

    def forward(self, x):
        return self.scale * x


class Registered(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return self.scale * x


for kind in (Plain, Registered):
    module = kind()
    print(kind.__name__)
    print(
        "    what training will change:",
        [name for name, _ in module.named_parameters()],
    )
    print("    what is saved to disk:    ", list(module.state_dict()))
    print("    after module.double():    ", module.double().scale.dtype)

# %% [markdown]
# All three differ. `Plain` gives right results today, and yet it will never learn, its numbers are not
# saved, and they stay behind when the module moves to another number type or to a GPU. There is no error
# message for any of it. That is why the hidden tests ask about parameters and not only about results.
#
# ## Self-attention, version 1
#
# Here is the whole computation, for $n$ tokens of size $d_{in}$:
#
# | step | shape |
# |---|---|
# | tokens `x` | $(n, d_{in})$ |
# | `W_query`, `W_key`, `W_value` | $(d_{in}, d_{out})$ each |
# | queries `x @ W_query`, keys `x @ W_key`, values `x @ W_value` | $(n, d_{out})$ each |
# | weights: softmax of queries · keys, scaled by $\sqrt{d_{out}}$ | $(n, n)$ |
# | context: weights times values | $(n, d_{out})$ |
#
# It is *self*-attention because queries, keys and values come from the same tokens. But three different
# matrices make them, so a token may ask for one thing, offer another, and hand over a third.
#
# ### Question 1: `SelfAttention_v1` (3 points)
#
# About 10 minutes, medium. Source: [Raschka (2024), *Build a Large Language Model*, 3.4, "self-attention
# with trainable
# weights"](https://github.com/rasbt/LLMs-from-scratch/blob/main/ch03/01_main-chapter-code/ch03.ipynb).
#
# Two things that go wrong easily:
#
# - **Order.** `torch.rand` draws from one stream of random numbers. With a given seed, the matrix made
#   first gets the first numbers of the stream. The course prints its results for the order query, key,
#   value.
# - **Globals.** Inside the class, read only arguments and `self`. A name such as `keys` or `d_out` that is
#   left over in the notebook can give wrong results now, and it gives an error once you restart the kernel.


# %% solution="SelfAttention_v1"
class SelfAttention_v1(nn.Module):
    """Self-attention with its three matrices as parameters of its own.

    Arguments:
        d_in: numbers in a token's vector.
        d_out: numbers in a query, key or value, and so in each row of the output.

    Parameters: `W_query`, `W_key`, `W_value`, each an nn.Parameter of shape (d_in,
        d_out), drawn with torch.rand in this order and before anything else random.

    Write the formula step by step, or use any function of torch.

    Set no seed in the class; its caller sets the seed. Every step keeps the dtype of
    its inputs, the root too: float64 stays as precise as it is.

    Source: "self-attention with trainable weights", version 1.
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
        ### END SOLUTION

    def forward(self, x: Tensor) -> Tensor:
        """Return one context vector for each token.

        Arguments:
            x: n tokens, one a row, shape (n, d_in). n is at least 1; x stays as it was.

        Returns:
            The context vectors, shape (n, d_out), of the same dtype as x and the
            parameters. Batches (B, n, d_in) are welcome but not required.
        """
        ### BEGIN SOLUTION
        return scaled_dot_product_attention(
            x @ self.W_query, x @ self.W_key, x @ self.W_value
        )
        ### END SOLUTION


# %% check="SelfAttention_v1" points=3
@check("SelfAttention_v1")
def check_SelfAttention_v1():
    """The lesson's tokens with a seed; then matrices that one can work out by hand."""
    torch.manual_seed(123)
    module = SelfAttention_v1(3, 2)
    expect_parameters(module, "W_query W_key W_value", journey)
    expect_shape(module.W_query, (3, 2), "A parameter has the shape (d_in, d_out).")
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
    why = "torch.rand draws query, key, value, in this order; scores are scaled."
    expect_close(module(journey), expected, why)
    other = SelfAttention_v1(3, 2).W_query
    expect(not torch.equal(other, module.W_query), "No line of your class sets a seed.")

    # A token's score with itself is -2 * log(3). Divided by the root of 4 it is -log(3).
    # The score with the other token is 0, so the weights are 1/4 and 3/4.
    module = SelfAttention_v1(2, 4).double()
    with torch.no_grad():
        for one, size in zip(
            module.parameters(), (2 * math.log(3), -1, 4), strict=True
        ):
            one.copy_(size * torch.eye(2, 4))
    x = torch.tensor([[1.0, 0.0], [0.0, -1.0]]).double()
    expected = torch.tensor([[1.0, -3.0, 0.0, 0.0], [3.0, -1.0, 0.0, 0.0]]).double()
    expect_close(module(x), expected, "Scores are divided by the root of d_out.", 1e-6)
    expect_close(
        module(x[:1]), 4 * torch.eye(1, 4).double(), "A single token sees itself."
    )
    expect_unchanged(module, x)
    expect(module(1000 * x).isfinite().all(), "Large tokens do not overflow.")
    expect((module(1e-6 * x) != 0).any(), "Small numbers are not rounded.")


# %% [markdown]
# ### What does it look at?
#
# The module returns the mixtures. With its parameters in our hands we can also draw the weights: a row is a
# token that looks, a column is one that is looked at. Guess first: with random matrices, will the rows be
# very different from each other?

# %% demo
import matplotlib.pyplot as plt


def show_matrix(axes, matrix, rows, columns, title, **options):
    """Draw a small matrix with its numbers."""
    image = axes.imshow(matrix, **({"cmap": "Blues", "vmin": 0, "vmax": 1} | options))
    axes.set_xticks(range(len(columns)), columns, rotation=45, ha="right")
    axes.set_yticks(range(len(rows)), rows)
    axes.set_title(title)
    for i, line in enumerate(matrix.tolist()):
        for j, value in enumerate(line):
            dark = sum(image.cmap(image.norm(value))[:3]) < 1.5
            colour = "white" if dark else "black"
            axes.text(
                j, i, f"{value:.2f}", ha="center", va="center", color=colour, fontsize=8
            )


seed = 123  # try other seeds: does the picture change much?
stretch = 1.0  # try 3, 10 and 30: all queries grow by this factor

torch.manual_seed(seed)
module = SelfAttention_v1(3, 2)
with torch.no_grad():
    weights = attention_weights(
        stretch * journey @ module.W_query, journey @ module.W_key
    )

figure, axes = plt.subplots(figsize=(5.2, 4.4), layout="constrained")
darkest = max(0.5, weights.max().item())
show_matrix(
    axes, weights, tokens, tokens, "Weights of an untrained module", vmax=darkest
)
axes.set(xlabel="at whom", ylabel="who looks")
plt.show()

# %% [markdown]
# The picture is rather flat, whatever the seed, and all rows prefer the same columns. There is a reason.
# `torch.rand` gives numbers between 0 and 1: all positive, and so are our tokens. So all queries point into
# the same quarter of the plane, and a token with a long key gets the largest weight in every row. (With a
# large `stretch` you see it clearly: which token gets all the weight?) A better start has numbers of both
# signs.
#
# ## Version 2: linear layers
#
# That better start is one of three things a ready-made `nn.Linear(d_in, d_out)` brings along:
#
# - it draws its numbers from both signs, between $-1/\sqrt{d_{in}}$ and $1/\sqrt{d_{in}}$, so that the
#   results stay of moderate size however wide the input is;
# - it can add a **bias**, a vector that is the same for all tokens: $x W^\top + b$. Most attention layers
#   have none, but some well-known models do, so it becomes an option. `nn.Linear` adds one unless you say
#   `bias=False`;
# - it registers its parameters by itself: the `weight`, and the `bias` if there is one.
#
# ### Question 2: `SelfAttention_v2` (2 points)
#
# About 5 minutes, easy. Source: [Raschka (2024), *Build a Large Language Model*, 3.4, "self-attention with
# trainable
# weights"](https://github.com/rasbt/LLMs-from-scratch/blob/main/ch03/01_main-chapter-code/ch03.ipynb).
#
# **What changes:** each parameter becomes a layer. A layer is an object that you make once, in `__init__`,
# and call in `forward`: your version 1 with `self.W_query(x)` in the place of `x @ self.W_query`.


# %% solution="SelfAttention_v2"
class SelfAttention_v2(nn.Module):
    """Self-attention with linear layers for queries, keys and values.

    Arguments:
        d_in: numbers in a token's vector.
        d_out: numbers in a query, key or value, and so in each row of the output.
        qkv_bias: whether the three layers have a bias. By default they have none.

    Layers: `W_query`, `W_key`, `W_value`, each an nn.Linear from d_in to d_out, made in
        this order and before anything else random.

    Write the formula step by step, or use any function of torch.

    Set no seed in the class; its caller sets the seed. Every step keeps the dtype of
    its inputs, the root too: float64 stays as precise as it is.

    Source: "self-attention with trainable weights", version 2.
    """

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        ### END SOLUTION

    def forward(self, x: Tensor) -> Tensor:
        """Return one context vector for each token.

        Arguments:
            x: n tokens, one a row, shape (n, d_in). n is at least 1; x stays as it was.

        Returns:
            The context vectors, shape (n, d_out), of the same dtype as x and the
            parameters. Batches (B, n, d_in) are welcome but not required.
        """
        ### BEGIN SOLUTION
        return scaled_dot_product_attention(
            self.W_query(x), self.W_key(x), self.W_value(x)
        )
        ### END SOLUTION


# %% check="SelfAttention_v2" points=2
@check("SelfAttention_v2")
def check_SelfAttention_v2():
    """Two sentences with seeds; then weights that one can work out by hand."""
    names = "W_query.weight W_key.weight W_value.weight"
    torch.manual_seed(789)
    module = SelfAttention_v2(3, 2)
    expect_parameters(module, names, journey)
    expected = torch.tensor(
        [
            [-0.0739, 0.0713],
            [-0.0748, 0.0703],
            [-0.0749, 0.0702],
            [-0.0760, 0.0685],
            [-0.0763, 0.0679],
            [-0.0754, 0.0693],
        ]
    )
    why = "Create just three layers, in the order query, key, value. Scale the scores."
    expect_close(module(journey), expected, why)
    rows = [[0.12, 0.45, 0.67], [0.34, 0.56, 0.78], [0.23, 0.57, 0.91]]
    mechanism = torch.tensor([*rows, [0.76, 0.88, 0.45], [0.54, 0.12, 0.34]])
    torch.manual_seed(123)
    expected = [
        [-0.5128, -0.0366],
        [-0.5141, -0.0376],
        [-0.5143, -0.0377],
        [-0.5143, -0.0377],
        [-0.5129, -0.0367],
    ]
    expect_close(SelfAttention_v2(3, 2)(mechanism), expected, why)
    biased = SelfAttention_v2(3, 2, True)
    both = " ".join(f"{name} {name[:-6]}bias" for name in names.split())
    expect_parameters(biased, both, journey)
    same = torch.equal(biased.W_key.weight, module.W_key.weight)
    expect(not same, "No line of your class sets a seed.")
    # Numbers by hand, as in the check of SelfAttention_v1.
    module = SelfAttention_v2(2, 4).double()
    with torch.no_grad():
        for one, size in zip(
            module.parameters(), (2 * math.log(3), -1, 4), strict=True
        ):
            one.copy_(size * torch.eye(4, 2))
    x = torch.tensor([[1.0, 0.0], [0.0, -1.0]]).double()
    expected = torch.tensor([[1.0, -3.0, 0.0, 0.0], [3.0, -1.0, 0.0, 0.0]]).double()
    expect_close(module(x), expected, "Scores are divided by the root of d_out.", 1e-6)
    expect_shape(expect_unchanged(module, x[:1]), (1, 4))
    expect(module(1000 * x).isfinite().all(), "Large tokens do not overflow.")
    expect((module(1e-6 * x) != 0).any(), "Small numbers are not rounded.")


# %% [markdown]
# ### Two ways to begin
#
# On the left you see where the numbers of a fresh matrix lie, for both versions. In the middle and on the
# right are the weights that follow from them, with a large `stretch` this time. With nine seeds in ten, all
# rows of version 1 pick the same token. With two seeds in three, different rows of version 2 pick different
# tokens.

# %% demo
seed = 34  # try others
stretch = 100.0  # try 1, 5, 20, 500

torch.manual_seed(seed)
first = SelfAttention_v1(3, 2)
torch.manual_seed(seed)
second = SelfAttention_v2(3, 2)
many = {
    "torch.rand": torch.rand(3, 2000),
    "nn.Linear": nn.Linear(3, 2000).weight.detach(),
}
with torch.no_grad():
    pictures = {
        "Version 1": attention_weights(
            stretch * journey @ first.W_query, journey @ first.W_key
        ),
        "Version 2": attention_weights(
            stretch * second.W_query(journey), second.W_key(journey)
        ),
    }

figure, (left, middle, right) = plt.subplots(
    1, 3, figsize=(13, 4), layout="constrained"
)
for label, numbers in many.items():
    left.hist(
        numbers.flatten().tolist(), bins=40, range=(-1, 1), alpha=0.6, label=label
    )
left.axvline(0, color="black", lw=0.8)
left.set(title="6,000 fresh numbers", xlabel="value", yticks=[])
left.legend()
for axes, (title, weights) in zip((middle, right), pictures.items(), strict=True):
    show_matrix(axes, weights, tokens, tokens, f"{title}, queries x {stretch:g}")
plt.show()

# %% [markdown]
# ## From one to the other
#
# Both versions are the same mathematics, so with the same numbers inside they must give the same output.
# Copying the numbers is a good test of whether you know where they are. And there is a catch: the shapes
# differ.
#
# | | shape of its numbers | how it computes |
# |---|---|---|
# | version 1 | `W_query`: $(d_{in}, d_{out})$ | `x @ W_query` |
# | version 2 | `W_query.weight`: $(d_{out}, d_{in})$ | `x @ W_query.weight.T` |
#
# A linear layer keeps its matrix **transposed**: one row for each *output*. If $d_{in} = d_{out}$,
# forgetting that gives no error, just other numbers. And `reshape` does not help: it gives the right
# shape, but it reads the numbers in their old order. Transposing moves each number to a new place.
#
# Overwriting a parameter takes a little care as well. It is a leaf of the gradient computation, so torch
# refuses to change it in place unless you say that this is not part of any computation:
#
#     with torch.no_grad():
#         parameter.copy_(new_values)
#
# Giving the module a new `nn.Parameter` is right too. But then mind that `.T` copies nothing: it is another
# view of the same numbers, so training one of the two modules would change the other. `.clone()` makes an
# independent copy.
#
# ### Question 3: `copy_weights` (2 points)
#
# About 10 minutes, hard.


# %% solution="copy_weights"
def copy_weights(source: nn.Module, target: nn.Module) -> nn.Module:
    """Copy the weights of a SelfAttention_v2 into a SelfAttention_v1, so that both give
    the same output.

    Arguments:
        source: has bias-free layers `W_query`, `W_key`, `W_value`, made in any order,
            whose `weight` is (d_out, d_in). It stays as it was.
        target: has parameters `W_query`, `W_key`, `W_value` of shape (d_in, d_out), for
            the same sizes. It is changed. Its parameters can be trained afterwards as
            before, and training them changes nothing in the source.

    Returns:
        target: the same object, not another one.
    """
    ### BEGIN SOLUTION
    with torch.no_grad():
        target.W_query.copy_(source.W_query.weight.T)
        target.W_key.copy_(source.W_key.weight.T)
        target.W_value.copy_(source.W_value.weight.T)
    return target
    ### END SOLUTION


# %% check="copy_weights" points=2
@check("copy_weights")
def check_copy_weights():
    """Stand-ins for the two modules, which have the parameters but no forward."""
    names = ("W_query", "W_key", "W_value")
    for d_in in (3, 2):  # a square matrix can be transposed, or not, without an error
        layers = {name: nn.Linear(d_in, 2, bias=False) for name in names}
        source = nn.ModuleDict(layers)
        empty = {name: nn.Parameter(torch.rand(d_in, 2)) for name in names}
        target = nn.ParameterDict(empty)
        before = [source[name].weight.tolist() for name in names]
        expect(copy_weights(source, target) is target, "Return the target itself.")
        for name, was in zip(names, before, strict=True):
            one, layer = target[name], source[name].weight
            expect_close(layer, was, f"{name} of the source has changed.", 1e-12)
            expect_shape(one, (d_in, 2), f"{name} of the target keeps its shape.")
            why = f"{name} of the target is the transposed weight of the source."
            expect_close(one, torch.tensor(was).T, why, 1e-12)
            can_learn = one.requires_grad and one.is_leaf
            expect(can_learn, f"{name} of the target can still be trained.")
            with torch.no_grad():
                one.add_(1)
            expect_close(
                layer, was, f"Both modules use the same memory for {name}.", 1e-12
            )


# %% [markdown]
# Here are your two classes and your copy at work. Follow one number of the left picture to its place in the
# third. What would the third picture look like with `reshape(3, 2)` instead of `.T`?

# %% demo
torch.manual_seed(1)  # try others
second, first = SelfAttention_v2(3, 2), SelfAttention_v1(3, 2)
old = first.W_query.detach().clone()
copy_weights(second, first)
gap = (first(journey) - second(journey)).abs().max().item()

matrices = [
    (
        "source: W_query.weight",
        second.W_query.weight.detach(),
        ["out 0", "out 1"],
        ["in 0", "in 1", "in 2"],
    ),
    ("target: W_query before", old, ["in 0", "in 1", "in 2"], ["out 0", "out 1"]),
    (
        "target: W_query after",
        first.W_query.detach(),
        ["in 0", "in 1", "in 2"],
        ["out 0", "out 1"],
    ),
]
figure, row = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
for axes, (title, matrix, rows, columns) in zip(row, matrices, strict=True):
    show_matrix(axes, matrix, rows, columns, title, cmap="RdBu", vmin=-1, vmax=1)
plt.show()
print(f"largest difference between the two outputs: {gap:.1e}")

# %% [markdown]
# ## The same thing, written by someone else
#
# You will meet this class in many notebooks, under many names. Here is how another of the course's sources
# writes it. Queries, keys and values are as wide as the tokens, $d_{model}$, and the layers are called
# `W_q`, `W_k`, `W_v`. Two arguments name the dimensions of the input. In an input $(n, d_{model})$,
# dimension 0 counts the tokens, one a row, so `row_dim` is 0. Dimension 1 counts the numbers of a token,
# one a column, so `col_dim` is 1. Your work is tested with these two values.
#
# The names stay as they are in that source, so that you can compare each number with those that it prints.
#
# **What changes:** the names, no bias, and three steps in `forward` that use the two arguments instead of
# fixed numbers. What you have written before is there already, under its new names; you write out the steps
# in the middle. The three tokens of the example are *write a poem*, two numbers each, and on the way you
# compute each of these tensors:
#
# | name | what it is | where the dimensions come in |
# |---|---|---|
# | `q`, `k`, `v` | `W_q(x)`, `W_k(x)`, `W_v(x)` | |
# | `scores` | $q k^\top$ | transpose: swap `row_dim` and `col_dim` |
# | `scaled` | scores divided by $\sqrt{d}$ | $d$ is `k.size(col_dim)` |
# | `weights` | softmax | along `col_dim`: each row sums to 1 |
# | result | weights times `v` | |
#
# ### Question 4: `SelfAttention` (3 points)
#
# About 10 minutes, medium. Source: [Vaswani et al. (2017), 3.2.1](https://arxiv.org/abs/1706.03762);
# [Starmer (2025), *Attention in
# Transformers*](https://www.deeplearning.ai/short-courses/attention-in-transformers-concepts-and-code-in-pytorch/).

# %%
words = ["write", "a", "poem"]
encodings = torch.tensor([[1.16, 0.23], [0.57, 1.36], [4.41, -2.16]])


# %% solution="SelfAttention"
class SelfAttention(nn.Module):
    """Self-attention whose queries, keys and values are as wide as the tokens.

    Arguments:
        d_model: numbers in a token's vector, and in each query, key and value.
        row_dim: which dimension of the input counts its rows, the tokens; 0 for an
            input (n, d_model).
        col_dim: which one counts its columns, the numbers of a token; 1 for an input
            (n, d_model).

    Layers: `W_q`, `W_k`, `W_v`, each an nn.Linear(d_model, d_model) without bias, made
        in this order and before anything else random.

    Write the formula step by step, or use any function of torch.

    Set no seed in the class; its caller sets the seed. Every step keeps the dtype of
    its inputs, the root too: float64 stays as precise as it is.

    Source: Vaswani et al. (2017), "Attention Is All You Need", 3.2.1.
    """

    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings: Tensor) -> Tensor:
        """Return one mixture of values for each token.

        Arguments:
            token_encodings: n tokens, one a row, shape (n, d_model). n is at least 1;
                the tokens stay as they were.

        Returns:
            The mixtures, shape (n, d_model), of the same dtype as the tokens and the
            parameters. Batches, with other values of row_dim and col_dim, are welcome
            but not required.
        """
        q = self.W_q(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        # New: scores, scaled and weights, by self.row_dim and self.col_dim.
        ### BEGIN SOLUTION
        scores = q @ k.transpose(self.row_dim, self.col_dim)
        scaled = scores / k.size(self.col_dim) ** 0.5
        weights = torch.softmax(scaled, dim=self.col_dim)
        ### END SOLUTION
        return weights @ v


# %% check="SelfAttention" points=3
@check("SelfAttention")
def check_SelfAttention():
    """The lesson's words, step by step with your layers; then numbers by hand."""
    torch.manual_seed(42)
    module = SelfAttention(d_model=2, row_dim=0, col_dim=1)
    expect_parameters(module, "W_q.weight W_k.weight W_v.weight", encodings)
    matrices = [
        [[0.5406, -0.1657], [0.5869, 0.6496]],
        [[-0.1549, -0.3443], [0.1427, 0.4153]],
        [[0.6233, 0.6146], [-0.5188, 0.1323]],
    ]
    words = [
        [[0.7621, -0.0428], [1.1063, 0.7890], [1.1164, -2.1336]],
        [[-0.1469, -0.3038], [0.1057, 0.3685], [-0.9914, -2.4152]],
        [[0.6038, 0.7434], [-0.3502, 0.5303], [3.8695, 2.4246]],
    ]
    why = "Create just three layers, in the order W_q, W_k, W_v."
    for n, layer in enumerate((module.W_q, module.W_k, module.W_v)):
        expect_close(layer.weight.T, matrices[n], why)
        expect_close(layer(encodings), words[n], why)
    scores = [
        [-0.0990, 0.0648, -0.6523],
        [-0.4022, 0.4078, -3.0024],
        [0.4842, -0.6683, 4.0461],
    ]
    scaled = [
        [-0.0700, 0.0458, -0.4612],
        [-0.2844, 0.2883, -2.1230],
        [0.3424, -0.4725, 2.8610],
    ]
    w = [[0.3573, 0.4011, 0.2416], [0.3410, 0.6047, 0.0542], [0.0722, 0.0320, 0.8959]]
    scaled = torch.tensor(scaled)
    expect_close(scaled * 2**0.5, scores, "Scores are scaled by the root of 2.", 2e-4)
    expect_close(torch.softmax(scaled, dim=1), w, "Each row of w is a softmax.")
    expected = torch.tensor([[1.0100, 1.0641], [0.2040, 0.7057], [3.4989, 2.2427]])
    expect_close(
        module(encodings), expected, "Your layers are right. Compare the steps."
    )
    other = SelfAttention(4).double()  # numbers as in the check of SelfAttention_v1
    with torch.no_grad():
        for one, size in zip(other.parameters(), (2 * math.log(3), -1, 4), strict=True):
            one.copy_(size * torch.eye(4))
    x = torch.tensor([[1.0, 0, 0, 0], [0, -1, 0, 0]]).double()
    expected = torch.tensor([[1.0, -3.0, 0.0, 0.0], [3.0, -1.0, 0.0, 0.0]]).double()
    expect_close(other(x), expected, "Scores are divided by the root of d_model.", 1e-6)
    expect_shape(expect_unchanged(other, x[:1]), (1, 4))
    same = torch.equal(SelfAttention().W_q.weight, SelfAttention().W_q.weight)
    expect(not same, "No line of your class sets a seed.")
    expect(other(1000 * x).isfinite().all(), "Large tokens do not overflow.")
    expect((other(1e-6 * x) != 0).any(), "Small numbers are not rounded.")


# %% [markdown]
# ### Follow the numbers
#
# *poem* has by far the longest vector. Follow its row and its column from left to right. Then change its
# vector, for instance to `[0.4, -0.2]`, and say beforehand what will happen to its scores and to its weights.

# %% demo
poem = [4.41, -2.16]  # try [0.4, -0.2] and [-4.41, 2.16]

x = torch.tensor([[1.16, 0.23], [0.57, 1.36], poem])
torch.manual_seed(42)
module = SelfAttention()
with torch.no_grad():
    q, k = module.W_q(x), module.W_k(x)
    scores = q @ k.T
    scaled = scores / 2**0.5
    weights, output = torch.softmax(scaled, dim=1), module(x)

bound = max(scores.abs().max().item(), 1)
figure, row = plt.subplots(1, 4, figsize=(13, 3.4), layout="constrained")
signed = {"cmap": "RdBu", "vmin": -bound, "vmax": bound}
show_matrix(row[0], scores, words, words, "scores", **signed)
show_matrix(row[1], scaled, words, words, "scaled scores", **signed)
show_matrix(row[2], weights, words, words, "weights: rows sum to 1")
bound = max(output.abs().max().item(), 1)
show_matrix(
    row[3], output, words, ["0", "1"], "output", cmap="RdBu", vmin=-bound, vmax=bound
)
plt.show()

# %% [markdown]
# ### Three classes, one formula
#
# You have written it three times, and each time something else was new: parameters, layers, dimensions by
# number. Is it really the same? Then the same numbers inside must give the same output. The cell copies the
# numbers of a version 2 into the two others. Look at the pictures, then set `copied = False`.
#
# The third class can do one thing that nobody has used yet. Set `texts = 4`, so that the input is a batch,
# $(4, n, d_{model})$. Versions 1 and 2 may be able to take it as they are, if you counted dimensions from the
# end. `SelfAttention`, if its `forward` uses `row_dim` and `col_dim`, cannot, as long as they are 0 and 1.
# Which two values does it need?

# %% demo
copied = True  # try False
texts = 0  # 0 is one text without a batch; try 4
dims = 0, 1  # row_dim and col_dim; for a batch, try others

torch.manual_seed(2)
version_1, version_2, third = (
    SelfAttention_v1(3, 3),
    SelfAttention_v2(3, 3),
    SelfAttention(3, *dims),
)
if copied:
    copy_weights(version_2, version_1)
    for theirs, ours in (("W_q", "W_query"), ("W_k", "W_key"), ("W_v", "W_value")):
        getattr(third, theirs).load_state_dict(getattr(version_2, ours).state_dict())
x = 2 * (torch.randn(texts, 6, 3) if texts else torch.randn(6, 3))
figure, row = plt.subplots(1, 3, figsize=(10, 2.8), layout="constrained")
for axes, module in zip(row, (version_1, version_2, third), strict=True):
    name = type(module).__name__
    try:
        output = module(x).detach()
    except (RuntimeError, IndexError) as error:
        axes.set_axis_off()
        axes.set_title(name)
        print(f"{name} cannot take {tuple(x.shape)}: {error}")
        continue
    first = output[0] if texts else output
    show_matrix(axes, first, range(6), range(3), name, cmap="RdBu", vmin=-2, vmax=2)
plt.show()

# %% [markdown]
# ## Let it learn
#
# All this care about parameters had one purpose. Here it is.
#
# The task: eight tokens, each a letter (A, B, C or D) and a number. Each token must find out **the average
# number of all tokens with its own letter**. Nobody tells the module how. It gets 300 random examples, and
# after each one the optimizer changes all parameters a little in the direction that makes the error
# smaller.
#
# To succeed, the module must discover by itself: *my query must match the keys with my letter, and my
# value must be my number.* Run it with your `SelfAttention_v2`.

# %% demo
steps = 300  # try 0, 30, 100
letters = torch.tensor(
    [0, 1, 0, 2, 1, 0, 3, 2]
)  # try your own: eight numbers from 0 to 3


def example(kinds):
    """Return tokens (8, 5), a one-hot letter and a number each, and the averages to be
    found (8,).
    """
    numbers = torch.rand(8)
    same = (kinds[:, None] == kinds).float()
    tokens_with_numbers = torch.cat(
        [nn.functional.one_hot(kinds, 4), numbers[:, None]], dim=1
    )
    return tokens_with_numbers, same @ numbers / same.sum(dim=1)


torch.manual_seed(0)
module = SelfAttention_v2(5, 4)
optimizer = torch.optim.Adam(module.parameters(), lr=0.05)
fixed, _ = example(letters)


def current_weights():
    with torch.no_grad():
        return attention_weights(module.W_query(fixed), module.W_key(fixed))


untrained, losses = current_weights(), []
for _ in range(steps):
    x, wanted = example(torch.randint(4, (8,)))
    loss = ((module(x)[:, 0] - wanted) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

names = ["ABCD"[kind] for kind in letters.tolist()]
figure, (left, middle, right) = plt.subplots(
    1, 3, figsize=(13, 4), layout="constrained"
)
show_matrix(left, untrained, names, names, "Before: everybody looks everywhere")
middle.plot(losses)
middle.set(title="Error over the training", xlabel="step", yscale="log")
show_matrix(right, current_weights(), names, names, f"After {steps} steps")
plt.show()

# %% [markdown]
# A looks at A, B looks at B. No line of your code says so; the module found it in its three matrices,
# because they were on the list of parameters. This is the moment at which attention becomes useful, and
# large language models do the very same with some hundred billion parameters.
#
# ### Question 5: in your own words (2 points)
#
# About 5 minutes, medium.
#
# A friend writes `self.W_query = torch.rand(d_in, d_out)` without `nn.Parameter`, and likewise for the
# other two. The output of `forward` is exactly right. Name two things that go wrong later, and say why no
# error message appears.

# %% [markdown] manual="why_parameter" points=2
# ### BEGIN SOLUTION
# A module lists only what is registered: nn.Parameter objects, buffers and other modules. A plain tensor
# is an ordinary attribute. So the optimizer, which gets module.parameters(), does not know the matrices
# (it may even complain that its list is empty, but as soon as other layers are there, it trains those in
# silence); they keep their random values. They are missing in state_dict, so a saved and reloaded model
# has other random numbers. And module.to(...) or .double() does not take them along, so they stay on the
# old device or in the old number type.
#
# There is no message because forward needs only the numbers: the computation is right, only the
# bookkeeping is missing.
#
# (a first thing that goes wrong, and for whom or when: 0.5 points; a second one: 0.5 points; what
# `forward` needs and what it does not, which is why there is no message: 1 point.)
# ### END SOLUTION

# %% [markdown]
# ### Question 6: in your own words (2 points)
#
# About 5 minutes, medium.
#
# Why three matrices? Suppose you used one matrix for queries *and* keys. What would be true of the scores
# of token *i* for *j* and of *j* for *i*? Think of a sentence in which that would be wrong.

# %% [markdown] manual="why_three" points=2
# ### BEGIN SOLUTION
# With the same matrix for both, the score of i for j is (x_i W)·(x_j W), the same as that of j for i:
# scores would be symmetric. (Each token would also tend to look at itself, because its product with itself
# is a squared length.) But interest need not be mutual: in "the cat that chased the mice was tired", "was"
# needs to find "cat" to know who was tired, while "cat" gains little from "was"; an adjective looks for its
# noun, a pronoun for its name. With two matrices a token can ask for one thing and offer another. The third
# matrix lets it hand over something that is not what it was found by: in the training above, a token is
# found by its letter and hands over its number.
#
# (how the two scores are related, with the reason: 1 point; two tokens of a sentence, and what each of
# them looks for in the other: 1 point.)
# ### END SOLUTION

# %% [markdown]
# ## What you can now explain
#
# - A **module** computes in `forward` and keeps a list of its **parameters**. Only what is registered
#   learns, is saved and moves along.
# - Self-attention has three matrices: what a token **asks for**, what it **offers**, what it **hands over**.
# - A linear layer keeps its matrix transposed, one row for each output, and may add a bias.
# - Scaling is by the square root of the size of the **keys**, not of the tokens.
# - A seed fixes the results only together with the order in which the layers are made.
# - After training, the weights show what the module has found out: which tokens belong together.
#
# In all of this, each token could look at every other. A model that is to *predict the next word* must not:
# it would simply look at the answer. In the next notebook you hide the future from it.

# %% [markdown]
# ## Challenge (not graded)
#
# Training needed 300 examples to find the three matrices. You can do without: write them down. The task is
# the one above. A token is a letter, four numbers of which one is 1, and then its number; its output
# number 0 shall be the average number of all tokens with its letter.
#
# Which part of a token should make its query, which its key, and which its value? And what sharpens the
# weights? The check compares you with the module that training has made. Can you get below a thousandth of
# its error?

# %% demo
by_hand = SelfAttention_v2(5, 4)
query, key, value = torch.zeros(4, 5), torch.zeros(4, 5), torch.zeros(4, 5)
# Change the three matrices: a row is an output, a column a number of the token.

with torch.no_grad():
    by_hand.W_query.weight.copy_(query)
    by_hand.W_key.weight.copy_(key)
    by_hand.W_value.weight.copy_(value)


def error_of(attend):
    torch.manual_seed(1)
    tests = [example(torch.randint(4, (8,))) for _ in range(200)]
    with torch.no_grad():
        errors = [((attend(x)[:, 0] - wanted) ** 2).mean() for x, wanted in tests]
    return torch.stack(errors).mean().item()


yours, trained = error_of(by_hand), error_of(module)
print(f"error of the trained module: {trained:.6f}")
print(f"error of yours:              {yours:.6f}")
print("Training is beaten!" if yours < trained / 1000 else "Not yet.")
