# %% [markdown]
# # 5. Self-attention as a module: matrices that can learn
#
# In the last notebook, attention was a formula with three loose matrices: you made `W_query`, `W_key` and
# `W_value` yourself and handed them over at every call. They were random, so the weights that came out
# meant nothing. What should tell a token whom to look at?
#
# Nobody writes these matrices by hand. They are **learnt**: a training loop looks at the result, follows
# the computation backwards and nudges each number a little, thousands of times. For that it must know
# *which numbers it may nudge*. In this notebook you build an object that owns its three matrices and can
# list them for whoever trains it. At the end you will watch one learn, in two seconds, from 300 small
# examples.
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
# **How to work.** Read the description of each question before you write its code. A check tries the
# lesson's example and something small of another size; grading tries more, gradients too, so write what is
# true for all inputs. Any means are right unless a question says *Not allowed here*. Symbols and names are
# those of the [table of notation](notation.md). Pictures have a line marked `# try` for you to change. Plan
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

    Any means are right: the formula written out step by step, or what torch offers.

    The class sets no seed; whoever uses it does.
    Every step keeps the dtype of its inputs: float64 stays as precise as it is.

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
# Check of SelfAttention_v1
def check_SelfAttention_v1():
    torch.manual_seed(123)
    module = SelfAttention_v1(3, 2)
    assert isinstance(module, nn.Module), "the class must be an nn.Module"
    shapes = {
        name: tuple(parameter.shape) for name, parameter in module.named_parameters()
    }
    for name in ("W_query", "W_key", "W_value"):
        assert name in shapes, (
            f"{name} is not registered; the module's parameters are {list(shapes)}"
        )
        assert shapes[name] == (3, 2), (
            f"{name} should have shape (d_in, d_out) = (3, 2), not {shapes[name]}"
        )

    context = module(journey)
    assert isinstance(context, torch.Tensor), (
        "forward must return a tensor. Is a return missing?"
    )
    assert context.shape == (6, 2), (
        f"6 context vectors of 2 numbers have shape (6, 2), not {tuple(context.shape)}"
    )
    trainable_context = torch.tensor(
        [
            [0.2996, 0.8053],
            [0.3061, 0.8210],
            [0.3058, 0.8203],
            [0.2948, 0.7939],
            [0.2927, 0.7891],
            [0.2990, 0.8040],
        ]
    )
    assert torch.allclose(context, trainable_context, atol=1e-4, rtol=0), (
        f"the output differs from the documented one,\n{trainable_context}\n"
        f"and is\n{context}\n"
        "Are the parameters made with torch.rand, in the order query, key, value? "
        "Are the scores scaled?"
    )

    assert not torch.equal(SelfAttention_v1(3, 2).W_query, module.W_query), (
        "two modules start with the same numbers. Does your class set a seed?"
    )

    # A training loop sends gradients back; each parameter must get one.
    context.sum().backward()
    for name, parameter in module.named_parameters():
        assert parameter.grad is not None, (
            f"no gradient reaches {name}. Is it used in forward?"
        )

    # Other sizes, and matrices with so few numbers that the output can be worked out by
    # hand. A token (a, b) has the query (2a, 0, 0, 0) and the key (b * log_3, 0, 0, 0).
    # Divided by the root of 4, a score is a * b * log_3, so the first token (a = 1)
    # weighs the four tokens as 1, 3, 3, 1, and the third one as 3, 1, 1, 3.
    log_3 = 1.0986122886681098  # e to this power is 3
    x = torch.tensor([[1, 0], [0, 1], [-1, 1], [0, 0]], dtype=torch.float64)
    module = SelfAttention_v1(2, 4).double()
    with torch.no_grad():
        module.W_query.copy_(torch.tensor([[2, 0, 0, 0], [0, 0, 0, 0]]))
        module.W_key.copy_(torch.tensor([[0, 0, 0, 0], [log_3, 0, 0, 0]]))
        module.W_value.copy_(torch.tensor([[8, 0, 16, 0], [0, 8, 0, -8]]))

    expected = torch.tensor(
        [[-2, 6, -4, -6], [0, 4, 0, -4], [2, 2, 4, -2], [0, 4, 0, -4]],
        dtype=torch.float64,
    )
    context = module(x)
    assert context.dtype == torch.float64, (
        f"a float64 module makes float64 vectors, not {context.dtype}"
    )
    assert torch.allclose(context, expected, atol=1e-6), (
        f"the output differs from the one worked out by hand,\n{expected}\n"
        f"and is\n{context}"
    )
    assert module(1000 * x).isfinite().all(), (
        "large tokens give inf or nan: which step overflows?"
    )
    assert x.tolist() == [[1, 0], [0, 1], [-1, 1], [0, 0]], (
        "the call has changed the tokens"
    )
    shape = tuple(module(x[:1]).shape)
    assert shape == (1, 4), f"one token has an output of shape (1, 4), not {shape}"
    assert (module(1e-6 * x[:2]) != 0).any(), "small numbers must not be rounded"
    print("SelfAttention_v1: this check passes")


check_SelfAttention_v1()

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
# the same quarter of the plane, and a token with a long key wins in every row. (With a large `stretch` you
# see it clearly: which token takes it all?) A better start has numbers of both signs.
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
# A layer is an object that you make once, in `__init__`, and call in `forward`: `self.W_query(x)`.


# %% solution="SelfAttention_v2"
class SelfAttention_v2(nn.Module):
    """Self-attention with linear layers for queries, keys and values.

    Arguments:
        d_in: numbers in a token's vector.
        d_out: numbers in a query, key or value, and so in each row of the output.
        qkv_bias: whether the three layers have a bias. By default they have none.

    Layers: `W_query`, `W_key`, `W_value`, each an nn.Linear from d_in to d_out, made in
        this order and before anything else random.

    Any means are right: the formula written out step by step, or what torch offers.

    The class sets no seed; whoever uses it does.
    Every step keeps the dtype of its inputs: float64 stays as precise as it is.

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
# Check of SelfAttention_v2
def check_SelfAttention_v2():
    torch.manual_seed(789)
    module = SelfAttention_v2(3, 2)
    shapes = {
        name: tuple(parameter.shape) for name, parameter in module.named_parameters()
    }
    for name in ("W_query.weight", "W_key.weight", "W_value.weight"):
        assert name in shapes, (
            f"{name} is not registered; the module's parameters are {list(shapes)}"
        )
        assert shapes[name] == (2, 3), (
            f"a Linear(3, 2) has a weight of shape (2, 3), not {shapes[name]}"
        )
    assert len(shapes) == 3, (
        f"by default there is no bias, but the parameters are {list(shapes)}"
    )

    context = module(journey)
    assert isinstance(context, torch.Tensor), (
        "forward must return a tensor. Is a return missing?"
    )
    assert context.shape == (6, 2), (
        f"6 context vectors of 2 numbers have shape (6, 2), not {tuple(context.shape)}"
    )
    self_attention_v2 = torch.tensor(
        [
            [-0.0739, 0.0713],
            [-0.0748, 0.0703],
            [-0.0749, 0.0702],
            [-0.0760, 0.0685],
            [-0.0763, 0.0679],
            [-0.0754, 0.0693],
        ]
    )
    assert torch.allclose(context, self_attention_v2, atol=1e-4, rtol=0), (
        f"the output differs from the documented one,\n{self_attention_v2}\n"
        f"and is\n{context}\n"
        "Are there exactly three layers, made in the order query, key, value? "
        "Are the scores scaled?"
    )

    # Another sentence of the course: "Attention Mechanism drives contextual embedding".
    mechanism = torch.tensor(
        [
            [0.12, 0.45, 0.67],
            [0.34, 0.56, 0.78],
            [0.23, 0.57, 0.91],
            [0.76, 0.88, 0.45],
            [0.54, 0.12, 0.34],
        ]
    )
    torch.manual_seed(123)
    context = SelfAttention_v2(3, 2)(mechanism)
    self_attention_mechanism = torch.tensor(
        [
            [-0.5128, -0.0366],
            [-0.5141, -0.0376],
            [-0.5143, -0.0377],
            [-0.5143, -0.0377],
            [-0.5129, -0.0367],
        ]
    )
    assert torch.allclose(context, self_attention_mechanism, atol=1e-4, rtol=0), (
        "for the second sentence the output differs from the documented one,\n"
        f"{self_attention_mechanism}\nand is\n{context}"
    )

    biased = SelfAttention_v2(3, 2, True)
    names = [name for name, _ in biased.named_parameters()]
    assert len(names) == 6, (
        f"with qkv_bias all three layers have a bias, but the parameters are {names}"
    )
    biased(journey).sum().backward()
    for name, parameter in biased.named_parameters():
        assert parameter.grad is not None, (
            f"no gradient reaches {name}. Is it used in forward?"
        )

    # Other sizes, and matrices with so few numbers that the output can be worked out by
    # hand. A token (a, b) has the query (2a, 0, 0, 0) and the key (b * log_3, 0, 0, 0).
    # Divided by the root of 4, a score is a * b * log_3, so the first token (a = 1)
    # weighs the four tokens as 1, 3, 3, 1, and the third one as 3, 1, 1, 3.
    log_3 = 1.0986122886681098  # e to this power is 3
    x = torch.tensor([[1, 0], [0, 1], [-1, 1], [0, 0]], dtype=torch.float64)
    module = SelfAttention_v2(2, 4).double()
    with torch.no_grad():
        module.W_query.weight.copy_(torch.tensor([[2, 0], [0, 0], [0, 0], [0, 0]]))
        module.W_key.weight.copy_(torch.tensor([[0, log_3], [0, 0], [0, 0], [0, 0]]))
        module.W_value.weight.copy_(torch.tensor([[8, 0], [0, 8], [16, 0], [0, -8]]))

    expected = torch.tensor(
        [[-2, 6, -4, -6], [0, 4, 0, -4], [2, 2, 4, -2], [0, 4, 0, -4]],
        dtype=torch.float64,
    )
    context = module(x)
    assert context.dtype == torch.float64, (
        f"a float64 module makes float64 vectors, not {context.dtype}"
    )
    assert torch.allclose(context, expected, atol=1e-6), (
        f"the output differs from the one worked out by hand,\n{expected}\n"
        f"and is\n{context}"
    )
    assert module(1000 * x).isfinite().all(), (
        "large tokens give inf or nan: which step overflows?"
    )
    assert x.tolist() == [[1, 0], [0, 1], [-1, 1], [0, 0]], (
        "the call has changed the tokens"
    )
    shape = tuple(module(x[:1]).shape)
    assert shape == (1, 4), f"one token has an output of shape (1, 4), not {shape}"
    assert (module(1e-6 * x[:2]) != 0).any(), "small numbers must not be rounded"
    print("SelfAttention_v2: this check passes")


check_SelfAttention_v2()

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
# Copying the numbers is a good test of whether you know where they are. And there is a catch, which you
# may have seen in the shapes that the two checks asked for:
#
# | | shape of its numbers | how it computes |
# |---|---|---|
# | version 1 | `W_query`: $(d_{in}, d_{out})$ | `x @ W_query` |
# | version 2 | `W_query.weight`: $(d_{out}, d_{in})$ | `x @ W_query.weight.T` |
#
# A linear layer keeps its matrix **transposed**: one row for each *output*. If $d_{in} = d_{out}$,
# forgetting that gives no error, just other numbers. And `reshape` is no way out: it gives the right
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
# Check of copy_weights
def check_copy_weights():
    # Two stand-ins that have the parameters but no forward, so that this check needs
    # none of your classes.
    names = ("W_query", "W_key", "W_value")
    source = nn.ModuleDict({name: nn.Linear(3, 2, bias=False) for name in names})
    target = nn.ParameterDict({name: nn.Parameter(torch.rand(3, 2)) for name in names})
    before = [source[name].weight.detach().clone() for name in names]

    result = copy_weights(source, target)
    assert result is target, "return the target itself"
    x = torch.tensor([[0.4, -1.0, 2.5], [1.5, 0.3, -0.7]])
    for name in names:
        shape = tuple(target[name].shape)
        assert shape == (3, 2), (
            f"{name} of the target must keep its shape (3, 2), but now it has {shape}"
        )
        assert torch.allclose(x @ target[name], source[name](x), atol=1e-5), (
            f"x @ {name} in the target must give "
            f"what the layer {name} of the source gives"
        )
        assert target[name].requires_grad and target[name].is_leaf, (
            f"{name} of the target can no longer be trained"
        )
    for name, old in zip(names, before, strict=True):
        assert torch.equal(source[name].weight, old), (
            f"{name} of the source has changed"
        )
        with torch.no_grad():
            target[name].add_(1)
        assert torch.equal(source[name].weight, old), (
            f"{name} of the source changes when the target is changed"
        )

    # A square matrix turns without an error, so nothing but the numbers shows whether
    # it was transposed.
    source = nn.ModuleDict({name: nn.Linear(2, 2, bias=False) for name in names})
    target = nn.ParameterDict({name: nn.Parameter(torch.rand(2, 2)) for name in names})
    copy_weights(source, target)
    for name in names:
        turned = [
            [source[name].weight[j, i].item() for j in range(2)] for i in range(2)
        ]
        assert target[name].tolist() == turned, (
            f"{name} of the target should be {turned}, not {target[name].tolist()}"
        )
    print("copy_weights: this check passes")


check_copy_weights()

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
# Copy your version 2 and change what is new: the names, no bias, and three places in `forward` that ask the
# two arguments instead of counting. Write out all steps. The three tokens of the example are *write a poem*,
# two numbers each, and on the way you compute each of these tensors:
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

    Any means are right: the formula written out step by step, or what torch offers.

    The class sets no seed; whoever uses it does.
    Every step keeps the dtype of its inputs: float64 stays as precise as it is.

    Source: Vaswani et al. (2017), "Attention Is All You Need", 3.2.1.
    """

    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim
        ### END SOLUTION

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
        ### BEGIN SOLUTION
        q = self.W_q(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        scores = q @ k.transpose(self.row_dim, self.col_dim)
        scaled = scores / k.size(self.col_dim) ** 0.5
        weights = torch.softmax(scaled, dim=self.col_dim)
        return weights @ v
        ### END SOLUTION


# %% check="SelfAttention" points=3
# Check of SelfAttention
def check_SelfAttention():
    torch.manual_seed(42)
    module = SelfAttention(d_model=2, row_dim=0, col_dim=1)

    def compare(name, actual, expected):
        """Compare an intermediate tensor with the one that the course prints."""
        assert actual.shape == expected.shape, f"{name} has shape {tuple(actual.shape)}"
        assert torch.allclose(actual, expected, atol=1e-4, rtol=0), (
            f"{name} should be\n{expected}\nbut with your layers it is\n{actual}"
        )

    names = [name for name, _ in module.named_parameters()]
    assert names == ["W_q.weight", "W_k.weight", "W_v.weight"], (
        "three layers without bias, W_q, W_k and W_v, are made in this order, "
        f"but the parameters are {names}"
    )
    with torch.no_grad():
        # The three matrices, as they act on a row of tokens. If these differ: are
        # exactly three layers made, in the order query, key, value?
        encodings_W_q = torch.tensor([[0.5406, -0.1657], [0.5869, 0.6496]])
        compare("W_q.weight transposed", module.W_q.weight.T, encodings_W_q)
        encodings_W_k = torch.tensor([[-0.1549, -0.3443], [0.1427, 0.4153]])
        compare("W_k.weight transposed", module.W_k.weight.T, encodings_W_k)
        encodings_W_v = torch.tensor([[0.6233, 0.6146], [-0.5188, 0.1323]])
        compare("W_v.weight transposed", module.W_v.weight.T, encodings_W_v)

        # Queries, keys and values.
        q, k, v = module.W_q(encodings), module.W_k(encodings), module.W_v(encodings)
        encodings_q = torch.tensor(
            [[0.7621, -0.0428], [1.1063, 0.7890], [1.1164, -2.1336]]
        )
        compare("q", q, encodings_q)
        encodings_k = torch.tensor(
            [[-0.1469, -0.3038], [0.1057, 0.3685], [-0.9914, -2.4152]]
        )
        compare("k", k, encodings_k)
        encodings_v = torch.tensor(
            [[0.6038, 0.7434], [-0.3502, 0.5303], [3.8695, 2.4246]]
        )
        compare("v", v, encodings_v)

        # The remaining steps with Python's numbers, one by one, from your layers.
        # Compare your own with them.
        scores = torch.tensor(
            [
                [sum(a * b for a, b in zip(x, y, strict=True)) for y in k.tolist()]
                for x in q.tolist()
            ]
        )
        encodings_scores = torch.tensor(
            [
                [-0.0990, 0.0648, -0.6523],
                [-0.4022, 0.4078, -3.0024],
                [0.4842, -0.6683, 4.0461],
            ]
        )
        compare("scores", scores, encodings_scores)
        scaled = scores / 2**0.5
        encodings_scaled_scores = torch.tensor(
            [
                [-0.0700, 0.0458, -0.4612],
                [-0.2844, 0.2883, -2.1230],
                [0.3424, -0.4725, 2.8610],
            ]
        )
        compare("scaled scores", scaled, encodings_scaled_scores)
        powers = [[math.exp(score) for score in row] for row in scaled.tolist()]
        weights = torch.tensor([[power / sum(row) for power in row] for row in powers])
        encodings_weights = torch.tensor(
            [
                [0.3573, 0.4011, 0.2416],
                [0.3410, 0.6047, 0.0542],
                [0.0722, 0.0320, 0.8959],
            ]
        )
        compare("weights", weights, encodings_weights)

    # And what your forward makes of it.
    output = module(encodings)
    assert isinstance(output, torch.Tensor), (
        "forward must return a tensor. Is a return missing?"
    )
    encodings_attention = torch.tensor(
        [[1.0100, 1.0641], [0.2040, 0.7057], [3.4989, 2.2427]]
    )
    compare("the output", output, encodings_attention)

    # Another size, and matrices with so few numbers that the output can be worked out
    # by hand. A token (a, b, 0, 0) has the query (2a, 0, 0, 0) and the key (b * log_3,
    # 0, 0, 0). Divided by the root of 4, a score is a * b * log_3, so the first token
    # (a = 1) weighs the four tokens as 1, 3, 3, 1, and the third one as 3, 1, 1, 3.
    log_3 = 1.0986122886681098  # e to this power is 3
    x = torch.tensor(
        [[1, 0, 0, 0], [0, 1, 0, 0], [-1, 1, 0, 0], [0, 0, 0, 0]], dtype=torch.float64
    )
    module = SelfAttention(d_model=4).double()
    with torch.no_grad():
        for layer in (module.W_q, module.W_k, module.W_v):
            layer.weight.zero_()
        module.W_q.weight[0, 0] = 2
        module.W_k.weight[0, 1] = log_3
        module.W_v.weight[:, :2] = torch.tensor([[8, 0], [0, 8], [16, 0], [0, -8]])

    expected = torch.tensor(
        [[-2, 6, -4, -6], [0, 4, 0, -4], [2, 2, 4, -2], [0, 4, 0, -4]],
        dtype=torch.float64,
    )
    output = module(x)
    assert output.dtype == torch.float64, (
        f"a float64 module makes float64 mixtures, not {output.dtype}"
    )
    assert torch.allclose(output, expected, atol=1e-6), (
        f"the output differs from the one worked out by hand,\n{expected}\n"
        f"and is\n{output}"
    )
    assert x.sum() == 2, "the call has changed the tokens"
    output.sum().backward()
    for name, parameter in module.named_parameters():
        assert parameter.grad is not None, (
            f"no gradient reaches {name}. Is it used in forward?"
        )
    assert module(1000 * x).isfinite().all(), (
        "large tokens give inf or nan: which step overflows?"
    )
    shape = tuple(module(x[:1]).shape)
    assert shape == (1, 4), f"one token has an output of shape (1, 4), not {shape}"
    assert (module(1e-6 * x[:2]) != 0).any(), "small numbers must not be rounded"
    print("SelfAttention: this check passes")


check_SelfAttention()

# %% [markdown]
# ### The way of the numbers
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
row_dim, col_dim = 0, 1  # for a batch, try others

torch.manual_seed(2)
version_1, version_2, third = (
    SelfAttention_v1(3, 3),
    SelfAttention_v2(3, 3),
    SelfAttention(3, row_dim, col_dim),
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
# after each one the optimizer nudges all parameters a little in the direction that makes the error smaller.
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
# (One point for two consequences, one for the reason: registration is bookkeeping, and forward does not
# depend on it.)
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
# (One point for symmetry, one for an example or a sound reason why attention is not symmetric.)
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
