# %% [markdown]
# # 8. Multi-head attention: several looks at once
#
# Read: *the cat saw the dog and it barked*. To understand *barked* you look back for more than one thing. Who
# does it? Look at *it*, and at the nouns. What stands just before? What other verb is there?
#
# One attention layer gives *barked* one row of weights, and the row sums to 1. That is one look. If one
# token gets more weight, all others get less, and the result is a single mixture of all of them.
#
# The solution is simple: look several times, each time with other weights, and put the results side by
# side. Each look is called a **head**. In this lesson you will
#
# 1. put whole attention layers side by side, which is the idea in its simplest form,
# 2. learn to cut one wide tensor into heads and to join it again, without mixing up tokens,
# 3. write multi-head attention as GPT models have it: causal, in batches, with a last layer that joins the
#    heads.
#
# ![Queries, keys and values (B, T, d) are cut into h heads (B, h, T, s) of size s = d / h, each in a
# colour of its own. Each head has its own weights (B, h, T, T), 0 above the diagonal, and its own mixture.
# The mixtures are joined side by side to (B, T, d), and out_proj combines them.](flow.png)
#
# You need nothing from your own earlier answers: what this notebook builds on is given.
#
# **How to work.** Read the description of each question before you write its code. A
# check tests your code on the lesson's example and on one small input of another size.
# Grading tests it on more inputs, and tests gradients, too. So write code that works
# for all inputs. Use any function of Python or torch, unless a question lists it under
# *Not allowed here*. Symbols and names are those of the [table of
# notation](notation.md). Pictures have a line marked `# try` for you to change. Plan
# for 60 to 90 minutes.

# %%
import torch
from torch import Tensor, nn

# %% [markdown]
# Given, from earlier lessons: `Attention` with three inputs, and the causal mask. True means hidden.


# %%
class Attention(nn.Module):
    """Attention whose queries, keys and values may come from three inputs: (n, d), (m,
    d), (m, d).
    """

    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(
        self,
        encodings_for_q: Tensor,
        encodings_for_k: Tensor,
        encodings_for_v: Tensor,
        mask: Tensor | None = None,
    ) -> Tensor:
        q = self.W_q(encodings_for_q)
        k = self.W_k(encodings_for_k)
        v = self.W_v(encodings_for_v)
        scores = (
            q @ k.transpose(self.row_dim, self.col_dim) / k.size(self.col_dim) ** 0.5
        )
        if mask is not None:
            scores = scores.masked_fill(mask, -torch.inf)
        return torch.softmax(scores, dim=self.col_dim) @ v


def causal_mask(length: int) -> Tensor:
    """Return a boolean (length, length) mask, True above the diagonal: no token looks
    at a later one.
    """
    return torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)


# %% [markdown]
# ## A picture first: three heads and one
#
# Here are three heads set by hand. The first looks at the previous word, the second at nouns, the third at
# words of its own kind. The fourth picture is *one* head that is asked to do all three: its scores are the
# sum of theirs.
#
# Run the next two cells and look at the last row, *barked*. Then change `sharpness`, or the sentence. (The
# first cell is given: it defines `show_heads`, a viewer for heads.)

# %% demo
# %load ../show_heads.py

# %% demo
import matplotlib.pyplot as plt

words = ["the", "cat", "saw", "the", "dog", "and", "it", "barked"]
kinds = ["article", "noun", "verb", "article", "noun", "link", "pronoun", "verb"]
sharpness = 4.0  # try 1 and 10


def show_weights(axes, weights, rows, columns, title):
    """Draw attention weights as a heatmap: one row a query, one column a key."""
    axes.imshow(weights, cmap="Blues", vmin=0, vmax=1)
    axes.set_xticks(range(len(columns)), columns, rotation=60, ha="right")
    axes.set_yticks(range(len(rows)), rows)
    axes.set_title(title)


positions = torch.arange(len(words))
wishes = {
    "previous word": positions == positions.unsqueeze(1) - 1,
    "nouns": torch.tensor([kind == "noun" for kind in kinds]).expand(
        len(words), len(words)
    ),
    "same kind": torch.tensor([[other == kind for other in kinds] for kind in kinds]),
}
scores = {name: sharpness * wish.float() for name, wish in wishes.items()}
scores["all three in one head"] = sum(scores.values())

hidden = causal_mask(len(words))
looks = torch.stack(list(scores.values())).masked_fill(hidden, -torch.inf).softmax(-1)
figure, panels = plt.subplots(1, 4, figsize=(15, 4.2), layout="constrained")
for axes, name, weights in zip(panels, scores, looks, strict=True):
    show_weights(axes, weights, words, words, name)
plt.show()

# %% [markdown]
# The same four heads as text. Point at a word in the first line, and each head shows which words it looks
# at, in percent. At which words do the three heads and the single one differ most?

# %% demo
show_heads(looks, words, names=list(scores))

# %% [markdown]
# Three heads bring three separate answers. The single head brings one mixture. It no longer shows which
# part came from the previous word and which from a noun.
#
# ## Whole layers side by side
#
# The simplest multi-head attention is a list of attention layers. All get the same input, each has its own
# weights, and the outputs are set side by side, feature after feature:
#
# | | shape |
# |---|---|
# | one head's output | $(n, d_{model})$ |
# | all heads, side by side | $(n, h \cdot d_{model})$ |
#
# The rows stay tokens. What grows is the number of features.
#
# ### A story about two forgotten arguments
#
# In the document that this class comes from, `forward` takes `encodings_q`, but its body passes something
# else to the heads, a global variable of the notebook with nearly the same name. And the mask? It is an
# argument of `forward`, but the body never passes it on. So the heads looked into the future, and nothing
# complained: the numbers had the right shape, and the printed example used no mask.
#
# An unused argument is a mistake: the caller expects it to have an effect. Here, pass the mask to **every**
# head.
#
# ### Question 1: `MultiHeadAttentionWrapper` (3 points)
#
# About 10 minutes, medium. Source: [Vaswani et al. (2017), 3.2.2](https://arxiv.org/abs/1706.03762);
# [Starmer (2025), *Attention in
# Transformers*](https://www.deeplearning.ai/short-courses/attention-in-transformers-concepts-and-code-in-pytorch/).
#
# Keep the heads in an `nn.ModuleList` named `heads`. A plain Python list would hide them from torch: their
# weights would not be among the module's parameters, so an optimizer would never train them. And create
# each head separately: a list with the same layer three times has one set of weights, not three.
#
# As in `Attention`, the names are those of the source that prints the numbers in the check.


# %% solution="MultiHeadAttentionWrapper"
class MultiHeadAttentionWrapper(nn.Module):
    """Several attention layers over the same inputs, their outputs side by side.

    Arguments:
        d_model: features of a token, for each head.
        row_dim: which dimension of an input counts its rows, the tokens; 0 for an input
            (n, d_model).
        col_dim: which one counts its columns, the features; 1 for an input (n,
            d_model).
        num_heads: how many heads.

    Layers: `heads`, an nn.ModuleList of `num_heads` Attention layers, made one after
        the other and before anything else random. So the parameters are called
        `heads.0.W_q.weight`, `heads.0.W_k.weight`, and so on.

    Set no seed in the class; its caller sets the seed. Every step, the root too, keeps
    the dtype of its inputs: float64 stays precise.

    Source: Vaswani et al. (2017), "Attention Is All You Need", 3.2.2.
    """

    def __init__(
        self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1, num_heads: int = 1
    ) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.heads = nn.ModuleList(
            Attention(d_model, row_dim, col_dim) for _ in range(num_heads)
        )
        self.col_dim = col_dim
        ### END SOLUTION

    def forward(
        self,
        encodings_for_q: Tensor,
        encodings_for_k: Tensor,
        encodings_for_v: Tensor,
        mask: Tensor | None = None,
    ) -> Tensor:
        """Return the outputs of all heads, the first head's features first.

        Arguments:
            encodings_for_q: (n, d_model), the tokens that ask.
            encodings_for_k: (m, d_model), the tokens that the queries are compared
                with.
            encodings_for_v: (m, d_model), the tokens that are mixed.
            mask: boolean (n, m), True where hidden, the same for all heads; None hides
                nothing. At least one key of each row is visible.

        Returns:
            (n, num_heads * d_model), of the inputs' dtype. Batches, with other values
            of row_dim and col_dim, are welcome but not required.

        Inputs and mask are left as they were.
        """
        ### BEGIN SOLUTION
        outputs = [
            head(encodings_for_q, encodings_for_k, encodings_for_v, mask)
            for head in self.heads
        ]
        return torch.cat(outputs, dim=self.col_dim)
        ### END SOLUTION


# %% check="MultiHeadAttentionWrapper" points=3
@check("MultiHeadAttentionWrapper")
def check_MultiHeadAttentionWrapper():
    """The lesson's numbers for one head and for three; then two heads by hand."""
    x = torch.tensor([[1.16, 0.23], [0.57, 1.36], [4.41, -2.16]])
    torch.manual_seed(42)
    wrapper = MultiHeadAttentionWrapper(d_model=2, row_dim=0, col_dim=1, num_heads=1)
    expected = torch.tensor([[1.0100, 1.0641], [0.2040, 0.7057], [3.4989, 2.2427]])
    why = "With one head, the result is that of plain attention."
    expect_close(wrapper(x, x, x), expected, why)
    torch.manual_seed(42)
    wrapper = MultiHeadAttentionWrapper(d_model=2, row_dim=0, col_dim=1, num_heads=3)
    names = " ".join(f"heads.{n}.W_{one}.weight" for n in range(3) for one in "qkv")
    expect_parameters(wrapper, names, x, x, x)
    expected = torch.tensor(
        [
            [1.0100, 1.0641, -0.7081, -0.8268, 0.6226, 0.1312],
            [0.2040, 0.7057, -0.7417, -0.9193, 0.5522, 0.2499],
            [3.4989, 2.2427, -0.7190, -0.8447, 0.5669, 0.2324],
        ]
    )
    why = "Each row is a token, and all features of the first head come first."
    expect_close(wrapper(x, x, x), expected, why)
    own = torch.cat([head.W_v(x[0]) for head in wrapper.heads])
    why = "In each head the first token sees only itself."
    expect_close(wrapper(x, x, x, causal_mask(3))[0], own, why, 1e-5)

    # In the first head, the first query weighs the four values as 1, 3, 3, 1 and the
    # second one as 3, 1, 1, 3. In the second head all weights are equal.
    log_3 = 1.0986122886681098  # e to this power is 3
    wrapper = MultiHeadAttentionWrapper(d_model=4, num_heads=2).double()
    sizes = (2, log_3, 8, 0, 0, 4)
    with torch.no_grad():
        for weight, size in zip(wrapper.parameters(), sizes, strict=True):
            weight.copy_(size * torch.eye(4).double())
    x = torch.tensor([[1, 0, 0, 0], [-1, 0, 0, 0]]).double()
    y = torch.tensor([[0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]).double()
    z = torch.tensor([[1, 0, 2, 0], [0, 1, 0, 0], [0, 0, 1, -1], [3, 0, 0, 1]]).double()
    mask = torch.tensor([[False, False, True, True], [True, False, False, True]])
    expect_unchanged(wrapper, x, y, z, mask)
    rows = [[4, 3, 5, -2, 4, 1, 3, 0], [12, 1, 7, 2, 4, 1, 3, 0]]
    why = "Each head gets the three inputs in the order of the signature."
    expect_close(wrapper(x, y, z), z.new_tensor(rows), why)
    rows = [[2, 6, 4, 0, 2, 2, 4, 0], [0, 4, 4, -4, 0, 2, 2, -2]]
    why = "Each head gets the mask as its fourth input."
    expect_close(wrapper(x, y, z, mask), z.new_tensor(rows), why)


# %% [markdown]
# ### The price, and a better way
#
# Three heads of full width cost three times as much. Real models do it differently: they keep the total
# width $d$ and give each of the $h$ heads a share of it, the **head size** $d / h$. One wide layer makes
# the queries of all heads in one product, and likewise for keys and values. Then the result is cut into
# heads, each head attends for itself, and the pieces are joined again.
#
# A wide layer of 12 outputs *is* three layers of 4 outputs, stacked. Features 0 to 3 belong to the first
# head, 4 to 7 to the second, 8 to 11 to the third. So everything depends on cutting in the right place.
#
# ## Cutting: $(B, T, d)$ to $(B, h, T, d/h)$
#
# It takes two steps. First cut each token's features into $h$ pieces: `view(B, T, h, d // h)`. The memory
# does not change, only the way we count. Then swap the dimensions of tokens and heads, because each head is
# to attend over tokens: `transpose(1, 2)`.
#
# It is tempting to ask for the final shape at once: `view(B, h, T, d // h)`. It runs, and the shape is
# right. But `view` deals out the numbers in the order in which they lie in memory, token after token. So
# the first head gets *all* features of the first few tokens, instead of the first few features of all
# tokens. You will see it in the picture below the question.
#
# ### Question 2: `split_heads` (2 points)
#
# About 5 minutes, medium. Source: [Vaswani et al. (2017), 3.2.2](https://arxiv.org/abs/1706.03762).


# %% solution="split_heads"
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """Cut the features of each token into heads.

    Arguments:
        x: (B, T, d), contiguous in memory, with d a multiple of num_heads.
        num_heads: how many heads, h.

    Returns:
        (B, h, T, d / h), of x's dtype: head i holds features i * d / h up to (i + 1) *
        d / h of each token, in their order.

    x is left as it was.

    Source: Vaswani et al. (2017), 3.2.2.
    """
    ### BEGIN SOLUTION
    batch, length, size = x.shape
    return x.view(batch, length, num_heads, size // num_heads).transpose(1, 2)
    ### END SOLUTION


# %% check="split_heads" points=2
@check("split_heads")
def check_split_heads():
    """Two tokens, where 12 is feature 2 of token 1; then other sizes."""
    x = torch.tensor([[[0.0, 1.0, 2.0, 3.0], [10.0, 11.0, 12.0, 13.0]]])
    heads = torch.tensor([[[[0.0, 1.0], [10.0, 11.0]], [[2.0, 3.0], [12.0, 13.0]]]])
    why = "Head 0 holds features 0 and 1 of each token, head 1 features 2 and 3."
    expect_close(split_heads(x, 2), heads, why)
    wide = torch.zeros(2, 5, 12)
    expect_shape(split_heads(wide, 3), (2, 3, 5, 4), "The shape is (B, h, T, d / h).")
    texts = torch.cat([x, 100 + x, 200 + x]).double()
    expected = torch.cat([heads, 100 + heads, 200 + heads]).double()
    why = "In a batch, each text has the same heads as alone."
    expect_close(split_heads(texts, 2), expected, why)
    small = torch.full((1, 1, 2), -1e-6)
    why = "Numbers are only moved, never changed."
    expect_close(split_heads(small, 2), small.view(1, 2, 1, 1), why, 1e-12)


# %% [markdown]
# ### See it in colour
#
# On the left is a sequence of 4 tokens with 6 features. Each colour is a head, each cell says which token
# and which feature it is. In the middle is what your `split_heads` makes of it, on the right what a single
# `view` would make. In a good cut each block has one colour and one row for each token.

# %% demo
num_tokens, num_features, num_heads = 4, 6, 3  # try 3, 8, 2
colours = ["#9ecae1", "#fdae6b", "#a1d99b", "#dadaeb", "#fcbba1", "#d9d9d9"]


def show_cells(axes, numbers, title):
    """Draw a table of cell numbers, coloured by the head that each feature belongs
    to.
    """
    size = num_features // num_heads
    for row, line in enumerate(numbers.long().tolist()):
        for column, number in enumerate(line):
            token, feature = divmod(number, num_features)
            axes.add_patch(
                plt.Rectangle(
                    (column, row),
                    1,
                    1,
                    facecolor=colours[feature // size],
                    edgecolor="white",
                )
            )
            axes.text(
                column + 0.5,
                row + 0.5,
                f"t{token}\nf{feature}",
                ha="center",
                va="center",
                fontsize=8,
            )
    axes.set(
        xlim=(0, len(numbers[0])), ylim=(len(numbers), 0), aspect="equal", title=title
    )
    axes.axis("off")


numbers = torch.arange(num_tokens * num_features, dtype=torch.float32).view(
    1, num_tokens, num_features
)
cut = split_heads(numbers, num_heads)[0]
one_view = numbers.view(num_heads, num_tokens, num_features // num_heads)

widths = [num_features] + [num_features // num_heads] * (2 * num_heads)
figure, panels = plt.subplots(
    1, len(widths), width_ratios=widths, figsize=(14, 3.6), layout="constrained"
)
show_cells(panels[0], numbers[0], "tokens down,\nfeatures across")
for head in range(num_heads):
    show_cells(panels[1 + head], cut[head], f"split_heads\nhead {head}")
    show_cells(panels[1 + num_heads + head], one_view[head], f"only view\nhead {head}")
plt.show()

# %% [markdown]
# ## Joining: $(B, h, T, s)$ to $(B, T, h \cdot s)$
#
# Joining takes the same steps in reverse: first swap heads and tokens, then join the pieces. There is one
# obstacle. After `transpose` the numbers lie in memory in another order than the shape suggests, and
# `view` refuses to join them. `contiguous()` puts them in order, or `reshape` does both.
#
# And the temptation is the same too: a `reshape` *without* swapping gives the right shape and wrong tokens.
#
# ### Question 3: `merge_heads` (2 points)
#
# About 5 minutes, medium. Source: [Vaswani et al. (2017), 3.2.2](https://arxiv.org/abs/1706.03762).


# %% solution="merge_heads"
def merge_heads(x: Tensor) -> Tensor:
    """Join the heads' features, token by token: the inverse of split_heads.

    Arguments:
        x: (B, h, T, s), h heads of size s; it may lie in memory in any order.

    Returns:
        (B, T, h * s), of x's dtype: for each token the features of head 0, then of head
        1, and so on.

    x is left as it was.

    Source: Vaswani et al. (2017), 3.2.2, "Concat".
    """
    ### BEGIN SOLUTION
    batch, num_heads, length, size = x.shape
    return x.transpose(1, 2).reshape(batch, length, num_heads * size)
    ### END SOLUTION


# %% check="merge_heads" points=2
@check("merge_heads")
def check_merge_heads():
    """Two heads of two tokens, where 12 is feature 2 of token 1; then other sizes."""
    heads = torch.tensor([[[[0.0, 1.0], [10.0, 11.0]], [[2.0, 3.0], [12.0, 13.0]]]])
    x = torch.tensor([[[0.0, 1.0, 2.0, 3.0], [10.0, 11.0, 12.0, 13.0]]])
    why = "Each row is one token: all of head 0, then all of head 1."
    expect_close(merge_heads(heads), x, why)
    wide = torch.zeros(2, 3, 5, 4)
    expect_shape(merge_heads(wide), (2, 5, 12), "The shape is (B, T, h * s).")
    texts = torch.cat([heads, 100 + heads, 200 + heads]).double()
    expected = torch.cat([x, 100 + x, 200 + x]).double()
    why = "In a batch, each text has the same result as alone."
    expect_close(merge_heads(texts), expected, why)
    small = torch.full((1, 2, 1, 1), -1e-6)
    why = "Numbers are only moved, never changed."
    expect_close(merge_heads(small), small.view(1, 1, 2), why, 1e-12)


# %% [markdown]
# There and back again: cut, join, and compare with joining without the swap.

# %% demo
figure, panels = plt.subplots(1, 3, figsize=(13, 3.2), layout="constrained")
show_cells(panels[0], numbers[0], "before")
show_cells(panels[1], merge_heads(cut.unsqueeze(0))[0], "cut and joined")
show_cells(
    panels[2], cut.reshape(num_tokens, num_features), "cut, and joined without the swap"
)
plt.show()

# %% [markdown]
# ## Multi-head attention as models have it
#
# Now all of it together. Follow the shapes, with $h$ heads of size $s = d_{out} / h$:
#
# | step | shape |
# |---|---|
# | `x` | $(B, T, d_{in})$ |
# | `W_query(x)`, `W_key(x)`, `W_value(x)` | $(B, T, d_{out})$ |
# | each cut into heads | $(B, h, T, s)$ |
# | scores, scaled, masked; weights, dropout | $(B, h, T, T)$ |
# | weights times values | $(B, h, T, s)$ |
# | joined | $(B, T, d_{out})$ |
# | `out_proj` | $(B, T, d_{out})$ |
#
# Matrix products with `@` act on the last two dimensions and treat all others as a batch. So the heads come
# for free: $(B, h, T, s)$ times $(B, h, s, T)$ is $B \cdot h$ products at once, and no head affects
# another.
#
# Three places where it often goes wrong:
#
# - **Scale by the head's size.** A score is a sum of $s$ products, not of $d_{out}$ or $d_{in}$. So divide by
#   $\sqrt{s}$. With the wrong number everything still runs, and the weights come out too flat.
# - **Cut and join in two steps.** A shape alone proves nothing: swap heads and tokens on the way in, and on
#   the way back.
# - **Apply the last layer.** Up to there the heads do not affect each other; `out_proj` combines them. It
#   has a bias, whatever `qkv_bias` says.
#
# The mask, cut to the sequence, the softmax over the last dimension and dropout on the weights are as in one
# head: in four dimensions, all of them fit as they are.
#
# And one more: 10 features cannot be shared among 4 heads. Raise an error when the module is made, instead
# of a strange one later on.
#
# ### Question 4: `MultiHeadAttention` (6 points)
#
# About 25 minutes, hard. Source: [Vaswani et al. (2017), 3.2.2](https://arxiv.org/abs/1706.03762).
#
# **What changes:** your `CausalAttention` with heads. Its layers, its dropout and its mask are there; new
# are the sizes, the cutting, the scale, the joining and the last layer. Write the cutting and joining out,
# or call your two functions: should one of them be wrong, this answer is graded with a right one. The
# layers have the course's own names again, `W_query`, `W_key` and `W_value`.


# %% solution="MultiHeadAttention"
class MultiHeadAttention(nn.Module):
    """Causal self-attention with several heads that share the output's width.

    Arguments:
        d_in: features of a token of the input.
        d_out: features of a token of the output, shared by the heads: each has d_out /
            num_heads.
        context_length: the length of the longest sequence; no sequence is longer.
        dropout: the share of attention weights that is set to zero in training; nothing
            else is dropped.
        num_heads: how many heads.
        qkv_bias: whether queries, keys and values have a bias.

    Layers: `W_query`, `W_key`, `W_value` from d_in to d_out, the first head's weights
        in their first rows; `out_proj` from d_out to d_out, with a bias; each an
        nn.Linear, made in any order, and no other parameters.

    Raises:
        ValueError (or AssertionError): if d_out is not divisible by num_heads.

    Write the formula step by step, or use any function of torch.

    Set no seed in the class; its caller sets the seed. Every step, the root too, keeps
    the dtype of its inputs: float64 stays precise.

    Source: Vaswani et al. (2017), 3.2.2.
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", causal_mask(context_length))
        # New: an error if d_out is not divisible, sizes to store, and the last layer.
        ### BEGIN SOLUTION
        if d_out % num_heads != 0:
            raise ValueError(
                f"d_out = {d_out} is not divisible by num_heads = {num_heads}"
            )
        self.num_heads = num_heads
        self.head_size = d_out // num_heads
        self.out_proj = nn.Linear(d_out, d_out)
        ### END SOLUTION

    def forward(self, x: Tensor) -> Tensor:
        """Return, for each token, the joined outputs of the heads, after out_proj. Each
        head mixes the values of this token and of the tokens before it.

        Arguments:
            x: (B, T, d_in), with T from 1 to context_length. The scaled scores of one
                row are less than 50 apart.

        Returns:
            (B, T, d_out), of x's dtype.

        x is left as it was.
        """
        batch, length, _ = x.shape
        # New: queries, keys and values, cut into heads, and their scores, scaled.
        ### BEGIN SOLUTION
        queries, keys, values = (
            layer(x).view(batch, length, self.num_heads, self.head_size).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        scores = queries @ keys.transpose(2, 3) / self.head_size**0.5
        ### END SOLUTION
        scores = scores.masked_fill(self.mask[:length, :length], -torch.inf)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        # New: mix the values, join the heads, and apply the last layer.
        ### BEGIN SOLUTION
        joined = (weights @ values).transpose(1, 2).reshape(batch, length, -1)
        return self.out_proj(joined)
        ### END SOLUTION


# %% check="MultiHeadAttention" points=6
@check("MultiHeadAttention")
def check_MultiHeadAttention():
    """Parameters, and the beginning of a text; two texts by hand; then dropout."""
    torch.manual_seed(0)
    x = torch.randn(2, 6, 5) * 2
    for qkv_bias, number in ((True, 8), (False, 5)):
        attention = MultiHeadAttention(5, 12, 7, 0.0, 3, qkv_bias)
        expect_shape(attention(x), (2, 6, 12), "The output is (B, T, d_out).")
        names = " ".join(dict(attention.named_parameters()))
        expect_close(len(names.split()), number, f"Your parameters are {names}.")
        expect_parameters(attention, names, x)
    expect_close(attention(x), attention(x), "With dropout 0 nothing is dropped.")
    why = "The beginning of a text alone has the same outputs as in the whole text."
    expect_close(attention(x[:, :4]), attention(x)[:, :4], why, 1e-5)
    errors = ("ValueError", "AssertionError")
    expect_raises(errors, MultiHeadAttention, 5, 10, 7, 0.0, 4)
    # In head 0 a token (a, b) has the query (2a, 0, 0, 0) and the key (b * log_3, 0, 0,
    # 0): divided by the root of 4, a score is a * b * log_3. In head 1 queries are 0.
    log_3 = 1.0986122886681098  # e to this power is 3
    attention = MultiHeadAttention(2, 8, 12, 0.75, 2).double().eval()
    for name, one in vars(attention).items():
        why = f"self.{name} stays behind when the module moves."
        expect(not isinstance(one, torch.Tensor), why)
    rows = [[4, 0], [0, 20], [0, 40], [-8, 0], [6, 0], [0, 6], [6, -6], [6, 6]]
    with torch.no_grad():
        for weight in attention.parameters():
            weight.zero_()
        attention.W_query.weight[0, 0], attention.W_key.weight[0, 1] = 2, log_3
        attention.W_value.weight.copy_(torch.tensor(rows))
        attention.out_proj.weight.copy_(2 * torch.eye(8))
    x = torch.tensor([[[5, 0], [1, 1], [1, 0]], [[0, 1], [-1, 0], [-1, 1]]]).double()
    expect_close(attention(x), attention(x), "In evaluation nothing is dropped.")
    first = [[20, 0, 0, -40], [8, 15, 30, -16], [7.2, 12, 24, -14.4]]
    second = [[0, 20, 40, 0], [-3, 5, 10, 6], [-3.2, 8, 16, 6.4]]
    means = [[[30, 0, 30, 30], [18, 3, 15, 21], [14, 2, 12, 16]]]
    means += [[[0, 6, -6, 6], [-3, 3, -6, 0], [-4, 4, -8, 0]]]
    expected = torch.cat([x.new_tensor([first, second]), x.new_tensor(means)], dim=-1)
    why = "First four numbers of head 0, with scores divided by 2, then four of head 1."
    expect_close(attention(x) / 2, expected, why)
    expect_close(attention(x.repeat_interleave(4, 1))[:, -1] / 2, expected[:, -1], why)
    expect((attention(1e-7 * x) != 0).any(), "Small numbers are not rounded.")
    expect_close(attention(2 * x)[:, 0] / 4, expected[:, 0], "High scores stay hidden.")
    narrow = MultiHeadAttention(2, 6, 3, 0.0, 2).double()
    with torch.no_grad():
        for weight in narrow.parameters():
            weight.zero_()
        narrow.W_query.weight[0, 0], narrow.W_key.weight[0, 1] = 3**0.5, log_3
        narrow.W_value.weight.copy_(torch.tensor(rows[:6]))
        narrow.out_proj.weight.copy_(torch.eye(6))
    why = "In heads of three features, scores are divided by the root of 3."
    expect_close(narrow(x)[0, 1, :3], [8, 15, 30], why)
    x = torch.randn(64, 1, 2).double()
    rows = (attention.train()(x) / 2 / attention.W_value(x)).round().reshape(128, 4)
    why = "Dropout 0.75 acts after the softmax: each weight becomes 0 or 4 times as large."
    expect_close(rows.unique(dim=0).tolist(), [[0] * 4, [4] * 4], why)
    # Several tokens, whose values are such that the output is the weights of each head.
    whole, tokens = MultiHeadAttention(4, 8, 4, 0.75, 2), torch.eye(4).expand(64, 4, 4)
    with torch.no_grad():
        whole.W_value.weight.copy_(torch.eye(4).repeat(2, 1))
        whole.out_proj.weight.copy_(torch.eye(8))
        whole.out_proj.bias.zero_()
    dropped, weights = whole(tokens), whole.eval()(tokens)
    expect_close(dropped, torch.where(dropped == 0, dropped, 4 * weights), why, 1e-5)


# %% [markdown]
# ### Do heads help? Try it
#
# Each token below carries four random signs. The task: at each place, give the signs of the **first** token
# and those of the **previous** one, both. For this, a token must look at two tokens at
# once.
#
# We train your layer three times, with 1, 2 and 4 heads. All three have exactly the same number of
# parameters. It takes a few seconds. Guess first: which curve stays up?

# %% demo
length, content = 8, 4
steps = 200  # try 600: does patience help the single head?


def make_task(batch):
    """Return tokens of signs and positions, and the signs of the first and the previous
    token.
    """
    signs = torch.randint(0, 2, (batch, length, content)).float() * 2 - 1
    places = torch.eye(length).expand(batch, length, length)
    previous = torch.cat([signs[:, :1], signs[:, :-1]], dim=1)
    first = signs[:, :1].expand(batch, length, content)
    return torch.cat([signs, places], dim=-1), torch.cat([first, previous], dim=-1)


figure, axes = plt.subplots(figsize=(6.5, 4), layout="constrained")
for num_heads in (1, 2, 4):
    torch.manual_seed(0)
    layer = MultiHeadAttention(content + length, 2 * content, length, 0.0, num_heads)
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.02)
    losses = []
    for _ in range(steps):
        tokens, wanted = make_task(32)
        loss = nn.functional.mse_loss(layer(tokens), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    axes.plot(losses, label=f"{num_heads} head{'s' if num_heads > 1 else ''}")
    if num_heads == 2:
        pair = layer
axes.set(
    xlabel="step", ylabel="mean squared error", title="Two looks at once need two heads"
)
axes.legend()
plt.show()

# %% [markdown]
# Did the two heads share the work, one look each? Here is what they have learnt. Point at the last token:
# which head looks at the first token, and which at the previous one? (Try more `steps` if it is not clear.)

# %% demo
tokens, _ = make_task(1)
with torch.no_grad():
    queries = split_heads(pair.W_query(tokens), 2)
    keys = split_heads(pair.W_key(tokens), 2)
scores = torch.einsum("bhis, bhjs -> bhij", queries, keys) / keys.size(-1) ** 0.5
weights = scores.masked_fill(causal_mask(length), -torch.inf).softmax(dim=-1)[0]
show_heads(weights, [f"token {place}" for place in range(length)])

# %% [markdown]
# ### Question 5: why more than one head? (2 points)
#
# About 5 minutes, medium.
#
# Explain the picture. How must the single head divide its row of weights between the two tokens? Why can
# no later layer separate the two parts of the result again? Why does more training not help? Four or
# five sentences are enough.

# %% [markdown] manual="why_many_heads" points=2
# ### BEGIN SOLUTION
# A head has one row of weights for each token, and the row sums to 1. To serve both wishes the single head
# has to divide this budget: say half for the first token and half for the previous one. What comes out is
# one mixture, half of one value plus half of the other. The same sum arises from different pairs of signs
# (+ and -, or - and +), so no later layer can find again what is lost, and more training does not help: no
# weights of a single head can do it. Two heads make two rows, each with a budget of its own, and their
# results stand side by side, so that out_proj can use each by itself.
#
# (what the two wishes have to share in a single head, and what comes out of it: 1 point; why later
# layers and more training cannot help: 1 point.)
# ### END SOLUTION

# %% [markdown]
# ### Question 6: which size? (2 points)
#
# About 5 minutes, medium.
#
# A model has d_in = 768, d_out = 768 and 12 heads. By which number are the scores divided, and why not by
# $\sqrt{768}$? How would the weights differ if it were $\sqrt{768}$? And why would a test with d_out = 2
# and two heads not notice that scaling is missing altogether?

# %% [markdown] manual="which_size" points=2
# ### BEGIN SOLUTION
# By 8, the root of the head size 768 / 12 = 64. A score is a sum of 64 products, one for each feature of
# the head, so its spread grows with the root of 64, and dividing by 8 brings it back to about 1. The root
# of 768 is about 27.7: the scores would come out about 3.5 times too small, and the weights too even, close
# to a plain mean. With d_out = 2 and two heads the head size is 1, and the root of 1 is 1: dividing by it,
# multiplying by it or leaving it out gives the same numbers.
#
# (the number, and the sum from whose length it comes: 1 point; what the other number does to the scores
# and to the weights: 0.5 points; which head size the test has, and what every scale makes of it: 0.5
# points.)
# ### END SOLUTION

# %% [markdown]
# ## What you can now explain
#
# - One row of weights is one look. Several heads look several times, each with weights of its own, and their
#   results stand side by side.
# - A mask belongs to every head. An argument that is taken must be used.
# - Cutting into heads is `view`, then `transpose`; joining is `transpose`, then `reshape`. The right shape
#   alone proves nothing: tokens and features must stay what they were.
# - One wide layer is several narrow ones stacked, so many heads cost no more than one.
# - Scores are scaled by the root of the *head's* size.
# - Until `out_proj` the heads do not affect each other; it combines what they found.
# - `d_out` must be divisible by the number of heads, and a good constructor checks that at once.
#
# Next: multi-head attention, a small network after it, and both of them several times over: a tiny GPT.

# %% [markdown]
# ## Challenge (not graded)
#
# Which heads does a model need? Researchers find out by surgery: they silence a head and measure how much
# worse the model becomes. Below, a layer of four heads learns the task with two wishes, and then your
# `silence` is used on each head in turn.
#
# Write `silence`. It changes a layer so that one head adds nothing to the output and all others work as
# before. Which numbers of `out_proj` read this head? If you find them, it takes one line. Then look at the
# heads in the viewer: can you say beforehand what the layer forgets without each of them, the first token's
# signs or those of the previous one?

# %% demo
import copy


def silence(layer, head):
    """Silence a head of `layer`, which has layer.out_proj.in_features / 4 features."""
    # change this


def errors(layer):
    torch.manual_seed(1)
    tokens, wanted = make_task(500)
    with torch.no_grad():
        squares = (layer(tokens) - wanted).pow(2).mean(dim=(0, 1))
    first, previous = squares[:content].mean(), squares[content:].mean()
    return f"first token {first:.2f}, previous token {previous:.2f}"


torch.manual_seed(0)
layer = MultiHeadAttention(content + length, 2 * content, length, 0.0, 4)
optimizer = torch.optim.Adam(layer.parameters(), lr=0.02)
for _ in range(400):
    tokens, wanted = make_task(32)
    optimizer.zero_grad()
    nn.functional.mse_loss(layer(tokens), wanted).backward()
    optimizer.step()

print(f"errors with all heads:   {errors(layer)}")
empty = copy.deepcopy(layer)
for head in range(4):
    one_less = copy.deepcopy(layer)
    with torch.no_grad():
        silence(one_less, head)
        silence(empty, head)
    print(f"errors without head {head}: {errors(one_less)}")
with torch.no_grad():
    silent = torch.allclose(empty(tokens), empty.out_proj.bias.expand_as(wanted))
    queries = split_heads(layer.W_query(tokens[:1]), 4)
    keys = split_heads(layer.W_key(tokens[:1]), 4)
print("Without all four, only the bias is left:", "right!" if silent else "not yet.")
scores = torch.einsum("bhis, bhjs -> bhij", queries, keys) / keys.size(-1) ** 0.5
weights = scores.masked_fill(causal_mask(length), -torch.inf).softmax(dim=-1)[0]
show_heads(weights, [f"token {place}" for place in range(length)])
