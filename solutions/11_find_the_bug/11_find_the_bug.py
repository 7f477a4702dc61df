# %% [markdown]
# # 11. Find the bug
#
# Attention hides its mistakes well. If you forget the mask, the shapes are right, nothing raises an error,
# the loss falls, and it even falls faster. If you divide by the wrong size, the model trains, only worse.
# Nobody sees such a bug by looking at the output. You need a test that asks the right question.
#
# In this notebook you write no attention. You get attention that others have written, and you find out what
# is wrong with it:
#
# 1. Three **probes**, functions that tell whether a module has a certain bug. (about 35 minutes)
# 2. Three **repairs**: broken modules from earlier notebooks, in each of which one line is wrong. (15
#    minutes)
# 3. One **written question**: which experiment of this course would have shown a bug? (8 minutes)
#
# ![Two calls of the same module side by side. On the left it gets five tokens. On the right it gets the same
# first two tokens and three other ones behind them, drawn in another colour. The first two rows of both
# outputs are compared: if they differ, the module has seen the future.](flow.png)
#
# **How to work.** Read the description of each question before you write its code. A check tries your probe
# on the eight modules below. Grading tries it on right and wrong modules that you have not seen, in other
# styles. There, a probe can call a module and differentiate it, but it cannot read the module's code. Use any
# function of Python or torch. Each question is graded by itself. Symbols and names are those of the [table of
# notation](notation.md). Plan for about an hour.

# %%
import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

Attend = Callable[[Tensor, Tensor, Tensor], Tensor]

# %% [markdown]
# ## What the modules promise
#
# Every module in this notebook is called as `attend(queries, keys, values)`. All three arguments, and the
# result, have the shape `(batch, heads, tokens, head_size)`. Of a **right** module we know:
#
# - **It is causal.** A token sees itself and the tokens before it.
# - **It is scaled.** The scores are divided by the square root of `head_size`.
# - **It keeps texts apart.** What it computes for one text of the batch does not depend on the others.
# - It is deterministic. Its inputs stay as they were, and any sizes are welcome.
# - It is exact up to rounding, if its inputs are ordinary numbers such as `torch.randn` gives. Two right
#   modules may differ by 0.00001 or so.
#
# Here are eight modules. Four are right, in four different styles. Four have one mistake each, and each of
# these mistakes has been found in real code. Read them, and guess first: **which four are right?**


# %%
def attend_a(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    output = torch.zeros_like(values)
    for i in range(queries.shape[-2]):
        scores = (keys[:, :, : i + 1] * queries[:, :, i : i + 1]).sum(dim=-1)
        weights = torch.softmax(scores / math.sqrt(queries.shape[-1]), dim=-1)
        output[:, :, i] = (weights.unsqueeze(-1) * values[:, :, : i + 1]).sum(dim=-2)
    return output


def attend_b(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    tokens, head_size = queries.shape[-2:]
    scores = queries @ keys.transpose(-2, -1) / head_size**0.5
    mask = torch.triu(torch.ones(tokens, tokens, dtype=torch.bool), diagonal=1)
    scores.masked_fill(mask, float("-inf"))
    return scores.softmax(dim=-1) @ values


def attend_c(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    future = torch.full((queries.shape[-2], keys.shape[-2]), -1e9).triu(1)
    scores = torch.einsum("bhqd,bhkd->bhqk", queries * queries.shape[-1] ** -0.5, keys)
    return torch.einsum("bhqk,bhkd->bhqd", (scores + future).softmax(-1), values)


def attend_d(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    batch, heads, tokens, head_size = queries.shape
    width = heads * head_size
    scores = queries @ keys.mT / width**0.5
    visible = torch.ones(tokens, tokens, dtype=torch.bool).tril()
    return scores.where(visible, -torch.inf).softmax(dim=-1) @ values


def attend_e(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    tokens, head_size = queries.shape[-2:]
    weights = torch.softmax(queries @ keys.mT / math.sqrt(head_size), dim=-1)
    weights = weights * torch.ones(tokens, tokens).tril()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ values


def attend_f(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    batch, heads, tokens, head_size = queries.shape
    queries, keys = queries.flatten(0, 1), keys.flatten(0, 1)
    values = values.transpose(0, 1).flatten(0, 1)
    scores = torch.bmm(queries, keys.mT) * head_size**-0.5
    scores = scores + torch.full((tokens, tokens), -torch.inf).triu(diagonal=1)
    output = torch.bmm(scores.softmax(dim=-1), values)
    return output.view(batch, heads, tokens, head_size)


def attend_g(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    scores = queries @ keys.mT / math.sqrt(keys.size(-1))
    weights = scores.softmax(dim=-1).tril()
    return weights @ values


def attend_h(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(queries, keys, values, is_causal=True)


modules: dict[str, Attend] = {
    "a": attend_a,
    "b": attend_b,
    "c": attend_c,
    "d": attend_d,
    "e": attend_e,
    "f": attend_f,
    "g": attend_g,
    "h": attend_h,
}

# %% [markdown]
# All eight run, and all eight give the same shape. The first token's output is even right in five of them. So
# what do you test?
#
# ## Test what must hold
#
# The usual test compares a result with the right one. But then you have to know the right result. For new
# code it is unknown, and a copy of the formula in the test has the same mistake as the code. There are two
# ways out, and both ask for a **property**:
#
# - **A property test** chooses inputs for which one knows something of the result. If all values are 1, every
#   mixture of them is 1, whatever the weights are.
# - **A metamorphic test** calls the code twice, changes the input in between, and knows how the output must
#   change, or that it must *not* change. Nobody has to know the right output. If the last token changes, the
#   first output stays what it was.
#
# Random inputs and several sizes do the rest. The first kind became known by
# [QuickCheck](https://dl.acm.org/doi/10.1145/351240.351266), and in Python by
# [Hypothesis](https://hypothesis.readthedocs.io); the second is older than today's neural networks ([Chen,
# Cheung and Yiu, 1998](https://arxiv.org/abs/2002.12543)) and fits them well, since for them nobody has a
# list of right answers. The grader of this course works in the same way.
#
# Given are two tools, and a first probe as an example: it tells whether a module **loses weight**, that is,
# whether the weights of some row do not sum to 1.


# %%
def random_texts(
    batch: int = 2, heads: int = 4, tokens: int = 5, head_size: int = 3
) -> tuple[Tensor, Tensor, Tensor]:
    """Random queries, keys and values, (batch, heads, tokens, head_size) each."""
    queries, keys, values = torch.randn(3, batch, heads, tokens, head_size)
    return queries, keys, values


def differ(one: Tensor, other: Tensor) -> bool:
    """Whether two tensors of one shape differ by more than rounding explains."""
    return not torch.allclose(one, other, rtol=1e-3, atol=1e-4)


def loses_weight(attend: Attend) -> bool:
    """Whether some row of weights does not sum to 1: it turns ones to other numbers."""
    queries, keys, values = random_texts()
    ones = torch.ones_like(values)
    return differ(attend(queries, keys, ones), ones)


# %% demo
for name, attend in modules.items():
    print(f"attend_{name} loses weight: {loses_weight(attend)}")

# %% [markdown]
# The probe has found one of the eight, and you know what it does wrong before you have found the line. Look
# at how the probe is made:
#
# - **It isolates one property.** In a module that is scaled wrongly, or has no mask, rows still sum to 1.
#   This probe says `False` for both, so a `True` means something.
# - **Its sizes are all different**, and none of them is 1. With two tokens and two heads, code that confuses
#   tokens and heads looks right. With one head, the heads cannot be confused.
# - **It compares with a tolerance.** Another order of the same sums gives other last digits.
#
# ## Who sees the future?
#
# ### Question 1: `sees_the_future` (3 points)
#
# About 15 minutes, medium. Source: [Chen, Cheung and Yiu (1998)](https://arxiv.org/abs/2002.12543).
#
# The figure at the top shows the idea. A future can leak in many ways: through keys, values or queries, from
# the next token alone, in one head or one text only. Your probe must notice all of them.


# %% solution="sees_the_future"
def sees_the_future(attend: Attend) -> bool:
    """Tell whether the output of some token depends on a later token.

    Arguments:
        attend: a module, called as attend(queries, keys, values). Arguments and result
            are (batch, heads, tokens, head_size), of any sizes that you choose

    Returns: a bool. True if a query, key or value of a later token changes an earlier
        output, in any text or head. False for every right module, and for a module that
        has another bug: that is scaled wrongly, perhaps by the number of tokens, or
        mixes the texts of the batch without looking ahead.

    A right module may round differently from call to call, by 1e-5 or so.

    Source: Chen, Cheung and Yiu (1998), "Metamorphic testing", arXiv:2002.12543.
    """
    ### BEGIN SOLUTION
    before = random_texts()
    after = [part.clone() for part in before]
    for part in after:
        part[..., 2:, :] = torch.randn_like(part[..., 2:, :])
    return differ(attend(*before)[..., :2, :], attend(*after)[..., :2, :])
    ### END SOLUTION


# %% check="sees_the_future" points=3
@check("sees_the_future")
def check_sees_the_future():
    """The lesson's eight modules; then one in which each token sees the next one."""
    torch.manual_seed(0)
    for name in modules:
        why = "Return True or False; bool(...) turns a tensor into one."
        expect(isinstance(sees_the_future(modules[name]), bool), why)
        sees = name in "bg"
        why = f"attend_{name} {'sees' if sees else 'does not see'} the future."
        expect_close(sees_the_future(modules[name]), sees, why)

    def next_token(queries, keys, values):
        scores = queries @ keys.mT / math.sqrt(keys.size(-1))
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(diagonal=2)
        return scores.masked_fill(future, -math.inf).softmax(dim=-1) @ values

    why = "Each token sees the next one, too."
    expect_close(sees_the_future(next_token), True, why)

    def scaled_by_tokens(queries, keys, values):
        return attend_h(queries / queries.size(-2) ** 0.5, keys, values)

    why = "The scale depends on the number of tokens, but no token sees a later one."
    expect_close(sees_the_future(scaled_by_tokens), False, why)


# %% [markdown]
# ### How far they see
#
# A picture says more than `True`. Below, each row is an output and each column a token: how much does the
# output change if the token does? Torch's gradients know. Guess first: how will the picture of `e`, which
# masks after the softmax and is right all the same, differ from that of `g`?

# %% demo
import matplotlib.pyplot as plt

torch.manual_seed(1)
tokens = 8  # try 12


def influence(attend):
    """How strongly each token's input (column) moves each token's output (row)."""
    parts = [part.requires_grad_() for part in random_texts(tokens=tokens)]
    rows = []
    for i in range(tokens):
        gradients = torch.autograd.grad(attend(*parts)[..., i, :].pow(2).sum(), parts)
        squares = sum(gradient.pow(2).sum(dim=(0, 1, 3)) for gradient in gradients)
        rows.append(squares.sqrt())
    return torch.stack(rows)


figure, axes = plt.subplots(1, 4, figsize=(11, 3), layout="constrained")
for axis, name in zip(axes, "begh", strict=True):
    moved = influence(modules[name])
    seen = torch.where(moved > 1e-5, moved.log10(), torch.nan)
    image = axis.imshow(seen, vmin=-3, vmax=1.5, cmap="viridis")
    axis.set(title=f"attend_{name}", xlabel="token that changes", ylabel="output")
figure.colorbar(image, label="influence, powers of 10")
plt.show()

# %% [markdown]
# White means no influence. `e` and `h` have the triangle of a causal module. `b` has none. `g` has none
# either, but what it shows above the diagonal is weak. Hidden tokens have no weight, but they took part in
# the softmax, and have made the weights of the others smaller. A test of the values alone does not see this
# leak.
#
# ## Divided by what?
#
# ### Question 2: `scales_wrongly` (3 points)
#
# About 12 minutes, medium. Source: [Vaswani et al. (2017), 3.2.1](https://arxiv.org/abs/1706.03762).
#
# A wrong scale leaves every row a softmax, only a sharper or a flatter one. So here you need to know a right
# result. Choose a place where it is easy to know, and where no other mistake can interfere: which token sees
# all others, with a mask and without?


# %% solution="scales_wrongly"
def scales_wrongly(attend: Attend) -> bool:
    """Tell whether the scores are divided by anything but the root of head_size.

    Arguments:
        attend: a module, called as attend(queries, keys, values). Arguments and result
            are (batch, heads, tokens, head_size), of any sizes that you choose

    Returns: a bool. True if the scores are not scaled, are divided by another number
        than sqrt(head_size), or if the weights are scaled in place of the scores. False
        for every right module, and for a module that forgets the mask or masks after
        the softmax, but scales rightly.

    For a module that mixes the texts of the batch, any answer is right.

    Source: Vaswani et al. (2017), "Attention Is All You Need", 3.2.1.
    """
    ### BEGIN SOLUTION
    queries, keys, values = random_texts()
    scores = queries[..., -1:, :] @ keys.mT / math.sqrt(keys.shape[-1])
    last = torch.softmax(scores, dim=-1) @ values
    return differ(attend(queries, keys, values)[..., -1:, :], last)
    ### END SOLUTION


# %% check="scales_wrongly" points=3
@check("scales_wrongly")
def check_scales_wrongly():
    """The lesson's modules except attend_f, which mixes texts; then other divisors."""
    torch.manual_seed(0)
    for name in "abcdegh":
        why = "Return True or False; bool(...) turns a tensor into one."
        expect(isinstance(scales_wrongly(modules[name]), bool), why)
        why = f"attend_{name} scales {'wrongly' if name == 'd' else 'rightly'}."
        expect_close(scales_wrongly(modules[name]), name == "d", why)

    def divided_by(words):
        def attend(queries, keys, values):
            batch, heads, tokens, size = queries.shape
            others = {"1": 1, "head_size": size, "sqrt(tokens)": math.sqrt(tokens)}
            scores = queries @ keys.mT / others[words]
            future = torch.ones(tokens, tokens, dtype=torch.bool).triu(diagonal=1)
            return scores.masked_fill(future, -math.inf).softmax(dim=-1) @ values

        return attend

    for words in ("1", "head_size", "sqrt(tokens)"):
        why = f"The module divides scores by {words}."
        expect_close(scales_wrongly(divided_by(words)), True, why)


# %% [markdown]
# ## Keep the texts apart
#
# A batch is a matter of speed. A text's result must not depend on the other texts. Code that confuses
# dimensions breaks this rule: a softmax over `dim=0`, `view` where `transpose` was meant, or an index
# that takes the first text's keys for all.
#
# ### Question 3: `mixes_the_batch` (2 points)
#
# About 8 minutes, easy.
#
# Here again you need not know the right result. In which two calls must it be the same?


# %% solution="mixes_the_batch"
def mixes_the_batch(attend: Attend) -> bool:
    """Tell whether the result for some text depends on the other texts of its batch.

    Arguments:
        attend: a module, called as attend(queries, keys, values). Arguments and result
            are (batch, heads, tokens, head_size), of any sizes that you choose

    Returns: a bool. True if the result for any text of a batch depends on another one,
        in any head, or on how many there are. False for every right module, and for a
        module that sees the future of its own text or is scaled wrongly.

    A right module may round differently from call to call, by 1e-5 or so.
    """
    ### BEGIN SOLUTION
    texts = random_texts()
    together = attend(*texts)
    alone = [attend(*(part[i : i + 1] for part in texts)) for i in range(len(together))]
    return differ(together, torch.cat(alone))
    ### END SOLUTION


# %% check="mixes_the_batch" points=2
@check("mixes_the_batch")
def check_mixes_the_batch():
    """The eight modules of the lesson; then two that share keys."""
    torch.manual_seed(0)
    for name in modules:
        why = "Return True or False; bool(...) turns a tensor into one."
        expect(isinstance(mixes_the_batch(modules[name]), bool), why)
        what = "mixes the batch" if name == "f" else "keeps texts apart"
        mixes, why = name == "f", f"attend_{name} {what}."
        expect_close(mixes_the_batch(modules[name]), mixes, why)

    def first_keys(queries, keys, values):
        return attend_h(queries, keys[:1].expand_as(keys), values)

    why = "The keys of the first text are used for all texts."
    expect_close(mixes_the_batch(first_keys), True, why)

    def mean_keys(queries, keys, values):
        mean = keys.mean(dim=0, keepdim=True)
        return attend_h(queries, mean.expand_as(keys), values)

    why = "The mean of all texts' keys is used for each text."
    expect_close(mixes_the_batch(mean_keys), True, why)

    def scaled_by_texts(queries, keys, values):
        return attend_h(queries / queries.size(0) ** 0.5, keys, values)

    why = "The scale depends on how many texts there are."
    expect_close(mixes_the_batch(scaled_by_texts), True, why)


# %% [markdown]
# ### The verdict
#
# All probes on all modules, with other random numbers each time. Were your guesses right?

# %% demo
rounds = 20  # try 1
probes = {
    "loses weight": loses_weight,
    "sees the future": sees_the_future,
    "scales wrongly": scales_wrongly,
    "mixes the batch": mixes_the_batch,
}
found = torch.tensor(
    [
        [
            sum(probe(attend) for _ in range(rounds)) / rounds
            for probe in probes.values()
        ]
        for attend in modules.values()
    ]
)
figure, axis = plt.subplots(figsize=(6, 4), layout="constrained")
axis.imshow(found.T, cmap="Reds", vmin=0, vmax=1)
axis.set(title="How often each probe says True")
axis.set_xticks(
    range(len(modules)), [f"attend_{name}" for name in modules], rotation=45
)
axis.set_yticks(range(len(probes)), probes)
for row, column in (found.T > 0).nonzero().tolist():
    share = f"{100 * found[column, row]:.0f} %"
    axis.text(column, row, share, ha="center", va="center", color="white")
plt.show()

# %% [markdown]
# An empty column does not prove that a module is right: it shows that four properties hold for these
# inputs. Tests show bugs, never their absence. But each property that holds excludes a whole family of
# bugs, also those that nobody has thought of.
#
# In `f`, "scales wrongly" may say `True` as well. A module that mixes texts has no row of which one knows the
# right result, so there this `True` means nothing. Begin a repair with the most basic probe that fails.
#
# ## Repair them
#
# Three modules of colleagues, made like those of notebooks 6 and 8. In each of them **one line** is wrong.
# All three run without an error.


# %%
class BrokenHead(nn.Module):
    """One causal head: (B, T, n_embd) -> (B, T, head_size) for T up to block_size."""

    def __init__(self, n_embd: int, head_size: int, block_size: int):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        scores = self.query(x) @ self.key(x).transpose(-2, -1)
        scores = scores / math.sqrt(self.key.out_features)
        scores.masked_fill(self.tril[:T, :T] == 0, -math.inf)
        return torch.softmax(scores, dim=-1) @ self.value(x)


class BrokenMultiHead(nn.Module):
    """Causal attention with several heads: (B, T, d_model) -> (B, T, d_model)."""

    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_model, d_model, bias=False)
        self.W_key = nn.Linear(d_model, d_model, bias=False)
        self.W_value = nn.Linear(d_model, d_model, bias=False)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor) -> Tensor:
        B, T, d_model = x.shape
        queries = self.W_query(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        keys = self.W_key(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        values = self.W_value(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        mixed = attend_h(queries, keys, values)
        merged = mixed.reshape(B, T, d_model)
        return self.out_proj(merged)


class BrokenDropout(nn.Module):
    """Causal attention, dropout on its weights: (B, T, d_in) -> (B, T, d_out)."""

    def __init__(self, d_in: int, d_out: int, dropout: float):
        super().__init__()
        self.dropout = dropout
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(diagonal=1)
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(keys.shape[-1])
        weights = torch.softmax(scores.masked_fill(mask, -math.inf), dim=-1)
        weights = F.dropout(weights, self.dropout)
        return weights @ values


# %% [markdown]
# These modules take `x` and make queries, keys and values themselves, so your probes cannot call them. But
# you can test the same properties of them:

# %% demo
torch.manual_seed(2)
suspects = {
    "BrokenHead(6, 4, 8)": BrokenHead(6, 4, 8),
    "BrokenMultiHead(6, 3)": BrokenMultiHead(6, 3),
    "BrokenDropout(6, 4, 0.5)": BrokenDropout(6, 4, 0.5),
}
text = torch.randn(2, 5, 6)
longer = torch.cat([text, torch.randn(2, 1, 6)], dim=1)
for name, module in suspects.items():
    module.eval()
    twice = differ(module(text), module(text))
    ahead = differ(module(longer)[:, :-1], module(text))
    print(
        f"{name}: two calls differ: {twice}, one more token changes old ones: {ahead}"
    )

# %% [markdown]
# Two calls of the last one differ, so its other answer means nothing yet. The first two see the future, but
# perhaps for different reasons. In each answer below, copy `forward` of the broken class, and change one
# line. The layers come from the broken class, by inheritance.
#
# ### Question 4: `RepairedHead` (2 points)
#
# About 5 minutes, easy.


# %% solution="RepairedHead"
class RepairedHead(BrokenHead):
    """BrokenHead with one line of `forward` changed.

    RepairedHead(n_embd, head_size, block_size): (B, T, n_embd) -> (B, T, head_size),
        for T up to block_size. A token sees itself and those before it. The layers are
        those of BrokenHead.
    """

    def forward(self, x: Tensor) -> Tensor:
        ### BEGIN SOLUTION
        T = x.shape[1]
        scores = self.query(x) @ self.key(x).transpose(-2, -1)
        scores = scores / math.sqrt(self.key.out_features)
        scores = scores.masked_fill(self.tril[:T, :T] == 0, -math.inf)
        return torch.softmax(scores, dim=-1) @ self.value(x)
        ### END SOLUTION


# %% check="RepairedHead" points=2
@check("RepairedHead")
def check_RepairedHead():
    """The lesson's sizes; then large tokens in float64, and texts of other lengths."""
    torch.manual_seed(0)
    head, text = RepairedHead(6, 4, 8), torch.randn(2, 5, 6)
    expect_shape(head(text), (2, 5, 4))
    own = head.value(text[:, :1])
    expect_close(head(text)[:, :1], own, "The first token sees only itself.")
    longer = torch.cat([text, torch.randn(2, 1, 6)], dim=1)
    why = "One more token at the end changes no earlier output."
    expect_close(head(longer)[:, :-1], head(text), why)
    expect_parameters(head, "key.weight query.weight value.weight", text)

    head = RepairedHead(6, 3, 8).double()
    for shape in ((2, 5, 6), (1, 8, 6), (3, 1, 6)):
        x = 5 * torch.randn(shape).double()
        layers = (head.query, head.key, head.value)
        q, k, v = (layer(x).unsqueeze(1) for layer in layers)
        why = "The expected result is that of a right module with these layers."
        expect_close(head(x), attend_h(q, k, v).squeeze(1), why)
    expect_unchanged(head, x)


# %% [markdown]
# ### Question 5: `RepairedMultiHead` (2 points)
#
# About 5 minutes, medium.
#
# Its heads are computed by `attend_h`, which is right. So what happens before, or afterwards?


# %% solution="RepairedMultiHead"
class RepairedMultiHead(BrokenMultiHead):
    """BrokenMultiHead with one line of `forward` changed.

    RepairedMultiHead(d_model, num_heads): (B, T, d_model) -> (B, T, d_model). Head i
        works on the features from i * d_model / num_heads on, as in notebook 8, and its
        result has the same positions in the input of `out_proj`. The layers are those
        of BrokenMultiHead.
    """

    def forward(self, x: Tensor) -> Tensor:
        ### BEGIN SOLUTION
        B, T, d_model = x.shape
        queries = self.W_query(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        keys = self.W_key(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        values = self.W_value(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        mixed = attend_h(queries, keys, values)
        merged = mixed.transpose(1, 2).reshape(B, T, d_model)
        return self.out_proj(merged)
        ### END SOLUTION


# %% check="RepairedMultiHead" points=2
@check("RepairedMultiHead")
def check_RepairedMultiHead():
    """The lesson's sizes; then large tokens in float64, head by head."""
    torch.manual_seed(0)
    module, text = RepairedMultiHead(6, 3), torch.randn(2, 5, 6)
    expect_shape(module(text), (2, 5, 6))
    own = module.out_proj(module.W_value(text[:, :1]))
    expect_close(module(text)[:, :1], own, "The first token sees only itself.")
    longer = torch.cat([text, torch.randn(2, 1, 6)], dim=1)
    why = "One more token at the end changes no earlier output."
    expect_close(module(longer)[:, :-1], module(text), why)
    names = "W_query.weight W_key.weight W_value.weight out_proj.weight out_proj.bias"
    expect_parameters(module, names, text)

    for heads, shape in ((3, (2, 5, 6)), (2, (1, 2, 6))):
        module = RepairedMultiHead(6, heads).double()
        x = 5 * torch.randn(shape).double()
        layers = (module.W_query, module.W_key, module.W_value)
        parts = (layer(x).split(6 // heads, dim=-1) for layer in layers)
        each = zip(*parts, strict=True)
        found = [attend_h(*(part.unsqueeze(1) for part in head)) for head in each]
        right = module.out_proj(torch.cat(found, dim=-1).squeeze(1))
        expect_close(module(x), right, "Each head works on features of its own.")
    expect_unchanged(module, x)


# %% [markdown]
# ### Question 6: `RepairedDropout` (2 points)
#
# About 5 minutes, easy.


# %% solution="RepairedDropout"
class RepairedDropout(BrokenDropout):
    """BrokenDropout with one line of `forward` changed.

    RepairedDropout(d_in, d_out, dropout): (B, T, d_in) -> (B, T, d_out). In training
        each weight, independently, becomes 0 with the probability `dropout`, and the
        others grow by 1 / (1 - dropout). In evaluation nothing is dropped. The layers
        are those of BrokenDropout.
    """

    def forward(self, x: Tensor) -> Tensor:
        ### BEGIN SOLUTION
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(diagonal=1)
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(keys.shape[-1])
        weights = torch.softmax(scores.masked_fill(mask, -math.inf), dim=-1)
        weights = F.dropout(weights, self.dropout, training=self.training)
        return weights @ values
        ### END SOLUTION


# %% check="RepairedDropout" points=2
@check("RepairedDropout")
def check_RepairedDropout():
    """The lesson's sizes; then float64, and another rate. Training comes last."""
    torch.manual_seed(0)
    for module in (RepairedDropout(6, 4, 0.5), RepairedDropout(6, 3, 0.25).double()):
        kind, rate = module.W_key.weight.dtype, module.dropout
        x = 5 * torch.randn(2, 5, 6, dtype=kind)
        layers = (module.W_query, module.W_key, module.W_value)
        q, k, v = (layer(x).unsqueeze(1) for layer in layers)
        module.eval()
        right = attend_h(q, k, v).squeeze(1)
        expect_close(module(x), right, "In evaluation nothing is dropped.")
        names = "W_query.weight W_key.weight W_value.weight"
        expect_parameters(module, names, x)
        expect_unchanged(module, x)

        module.train()
        one = x[:1, :1].repeat(300, 1, 1)  # its only weight is dropped, or not
        expect((module(one) == 0).any(), "In training weights are dropped.")
        output = module(one)
        gone = (output == 0).all(dim=-1)
        share = gone.double().mean().item()
        expect(abs(share - rate) < 0.12, "Weights are dropped at the given rate.")
        grown = v[:1, 0, :1].expand_as(output)[~gone] / (1 - rate)
        why = "The remaining weights grow by the factor 1 / (1 - dropout)."
        expect_close(output[~gone], grown, why)


# %% [markdown]
# ### A bug that hides in the sizes
#
# Below is one more module. It was tested against torch's own on ten random batches, and agreed to the last
# digit. Your probe says something else.


# %% demo
def attend_i(queries, keys, values):
    tokens = queries.shape[-2]
    scores = queries @ keys.mT / math.sqrt(tokens)
    future = torch.ones(tokens, tokens, dtype=torch.bool).triu(diagonal=1)
    return scores.masked_fill(future, -math.inf).softmax(dim=-1) @ values


for tokens, head_size in ((4, 4), (16, 16), (5, 4), (64, 4), (4, 64)):
    batches = [random_texts(tokens=tokens, head_size=head_size) for _ in range(10)]
    apart = max((attend_i(*b) - attend_h(*b)).abs().max().item() for b in batches)
    print(f"{tokens} tokens, head size {head_size}: {apart:.6f} apart")

# %% [markdown]
# ### Question 7: which experiment? (2 points)
#
# About 8 minutes, medium.
#
# `attend_i` divides by the root of the number of tokens. Which experiment or picture of notebooks 1 to 10
# would have shown this, if it had been made with `attend_i`'s scale? What would one have seen there, and
# why? And why did ten random batches not show it? Answer in four or five sentences.

# %% [markdown] manual="which_experiment" points=2
# ### BEGIN SOLUTION
# The experiment of notebook 4 that plots the variance of the scores against the head size would have shown
# it. With the right scale the curve stays near 1, because a score of d_k independent products has variance
# d_k, and dividing by its root makes that 1. Divided by the root of the number of tokens, which the
# experiment keeps the same, the variance would still grow in proportion to the head size. The ten batches
# had as many tokens as features in a head, so both roots were the same number. More random numbers do not
# help; other sizes do.
#
# (an experiment of an earlier notebook, and which number changes in it while another one stays: 0.5
# points; what one would have seen there, and why: 0.5 points; what the ten batches had in common: 1
# point.)
# ### END SOLUTION

# %% [markdown]
# ## What you can now explain
#
# - Why a right shape and a falling loss say little about attention.
# - A property test knows something about the result; a metamorphic test knows how two results are related.
# - A probe isolates one property, has sizes that are all different, and compares with a tolerance.
# - A mask after the softmax lets the future in through the sum, unless the rows are divided by what is left.
# - Why a batch of one, a single head, or equal sizes make bugs invisible.
#
# This was the last notebook. When you write attention of your own, write its probes first.

# %% [markdown]
# ## Challenge (not graded)
#
# Change sides. Write attention with a bug that escapes all four probes: `loses_weight` and the three that you
# have written. There are two levels.
#
# 1. **It escapes.** No probe says `True` in 50 rounds, but for some sizes the module is wrong.
# 2. **It escapes in plain sight.** It is wrong for inputs of `random_texts()`, the very sizes that the probes
#    use.
#
# Then change sides once more, and write the probe that finds it. What do your probes never look at?


# %% demo
def attend_mine(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return attend_h(queries, keys, values)  # put a bug in


def play(attend: Attend) -> None:
    """Print whether a module escapes the four probes, and where it is wrong."""
    torch.manual_seed(11)
    for words, probe in probes.items():
        if any(probe(attend) for _ in range(50)):
            print(f'Caught: "{words}" says True.')
            return
    usual = random_texts()
    others = [random_texts(*sizes) for sizes in ((1, 1, 2, 4), (3, 2, 40, 8))]
    if differ(attend(*usual), attend_h(*usual)):
        print("Level 2: it is wrong in plain sight, and no probe says so!")
    elif any(differ(attend(*texts), attend_h(*texts)) for texts in others):
        print("Level 1: it is wrong for some sizes, and no probe says so.")
    else:
        print("No probe says True, but the module seems to be right.")


play(attend_mine)
