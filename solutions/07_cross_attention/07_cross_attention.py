# %% [markdown]
# # 7. Cross-attention: one sequence asks another
#
# So far a sentence has only looked at itself. A translator does more. While she writes the French word
# *chat*, her eyes are on the English page, on *cat*, although *black* stands where she would look if she
# read word by word: the two languages order their words differently. She asks from one sentence and finds
# her answer in another.
#
# That is cross-attention, and it needs no new formula. The formula stays
#
# $$\text{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V$$
#
# and only the question *where do Q, K and V come from* gets a new answer.
#
# In this lesson you will
#
# 1. write one attention class that takes three inputs, and see that it serves all kinds of attention,
# 2. write a padding mask, so that sentences of different lengths can share a batch,
# 3. write cross-attention for batches, where the two sides may even differ in width.
#
# ![Two sides. The side that asks, x (B, n, d_query), gives the queries (B, n, d_out). The side that
# answers, context (B, m, d_context), gives keys and values (B, m, d_out). Queries and keys give weights
# (B, n, m); a padding mask (B, 1, m) hides the last columns, and each row sums to 1. Weights mix the
# values to an output (B, n, d_out), with n rows, as many as queries.](flow.png)
#
# You need nothing from your own earlier answers: what this notebook builds on is given.
#
# **How to work.** Read the description of each question before you write its code. A
# check tests your code on the lesson's example and on one small input of another size.
# Grading tests it on more inputs, and tests gradients, too. So write code that works
# for all inputs. Use any function of Python or torch, unless a question lists it under
# *Not allowed here*. Symbols and names are those of the [table of
# notation](notation.md). Pictures have a line marked `# try` for you to change. Plan
# for about an hour.

# %%
import torch
from torch import Tensor, nn

# %% [markdown]
# ## A picture first
#
# Below are two sentences that say the same thing. Every word has a small vector, written by hand, with one
# number for each of six meanings. Real models learn such vectors; ours can be read with the naked eye.
# The French sentence has 5 words, the English one 6: *is* and *sleeping* together say *dort*.

# %%
french = ["le", "petit", "chat", "noir", "dort"]
english = ["the", "small", "black", "cat", "is", "sleeping"]

#             article, size, colour, animal, action, time
meanings = {
    "le":       [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    "petit":    [0.0, 1.0, 0.0, 0.2, 0.0, 0.0],
    "chat":     [0.0, 0.2, 0.0, 1.0, 0.0, 0.0],
    "noir":     [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    "dort":     [0.0, 0.0, 0.0, 0.0, 1.0, 0.6],
    "the":      [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    "small":    [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    "black":    [0.0, 0.0, 1.0, 0.1, 0.0, 0.0],
    "cat":      [0.0, 0.1, 0.0, 1.0, 0.0, 0.0],
    "is":       [0.0, 0.0, 0.0, 0.0, 0.3, 1.0],
    "sleeping": [0.0, 0.0, 0.0, 0.0, 1.0, 0.3],
    "<pad>":    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}  # fmt: skip


def embed(words: list[str]) -> Tensor:
    """Return the vectors of `words`, one row a word: (len(words), 6)."""
    return torch.tensor([meanings[word] for word in words])


# %% [markdown]
# Each French word is a query. Its scores are its dot products with all English words, and a softmax over the
# English words turns them into weights. Run the cell, then play: set `sharpness` to 1, 5 and 20, or write
# another French sentence from the words above.

# %% demo
import matplotlib.pyplot as plt


def show_weights(axes, weights, rows, columns, title):
    """Draw attention weights as a heatmap: one row a query, one column a key."""
    axes.imshow(weights, cmap="Blues", vmin=0, vmax=1)
    axes.set_xticks(range(len(columns)), columns, rotation=45, ha="right")
    axes.set_yticks(range(len(rows)), rows)
    axes.set_title(title)
    for row in range(len(rows)):
        for column in range(len(columns)):
            weight = float(weights[row][column])
            colour = "white" if weight > 0.5 else "black"
            axes.text(
                column,
                row,
                f"{weight:.2f}",
                ha="center",
                va="center",
                color=colour,
                fontsize=8,
            )


sharpness = 5.0  # try 1, 5, 20
alignment = torch.softmax(sharpness * embed(french) @ embed(english).T, dim=-1)

figure, axes = plt.subplots(figsize=(6, 4.5), layout="constrained")
show_weights(axes, alignment, french, english, "Who looks where? Each row sums to 1")
axes.set_xlabel("keys: the sentence that is read")
axes.set_ylabel("queries: the sentence that is written")
plt.show()

# %% [markdown]
# Three things to see:
#
# - The picture is not square: 5 queries, 6 keys. The formula does not ask for equal numbers of queries and
#   keys.
# - *chat* and *noir* cross: the third French word looks at the fourth English one, and the fourth at the
#   third. Order does not matter, meaning does.
# - *dort* looks at both *is* and *sleeping*. The weights of each row sum to 1.
#
# ## One class, three inputs
#
# A query asks *what am I looking for?*, a key says *this is what I am*, a value says *this is what I hand
# over*. In self-attention all three are made from the same tokens. That is a special case. In
# general, the class has three inputs:
#
# | you call | what it is |
# |---|---|
# | `attention(x, x, x)` | self-attention: a sentence asks itself |
# | `attention(x, x, x, mask)` | masked self-attention: it may not look at some tokens |
# | `attention(x, y, y)` | cross-attention: `x` asks, `y` answers |
#
# Follow the shapes, with $n$ tokens that ask and $m$ tokens that answer:
#
# | step | shape |
# |---|---|
# | queries `W_q(encodings_for_q)` | $(n, d)$ |
# | keys `W_k(encodings_for_k)`, values `W_v(encodings_for_v)` | $(m, d)$ |
# | scores, scaled scores, weights | $(n, m)$ |
# | weights times values | $(n, d)$ |
#
# The output has a row for each **query**, and each row is a mixture of **values**. Keys only decide the
# mixture.
#
# ### A story about one letter
#
# The document that this class comes from writes it almost like this:
#
#     def forward(self, encodings_for_Q, encodings_for_k, encodings_for_v, mask=None):
#         q = self.W_q(encodings_for_q)
#
# Look at the letter Q. The parameter is `encodings_for_Q`, but the body reads `encodings_for_q`. It ran all
# the same and printed the right numbers, because the notebook happened to have a global variable
# `encodings_for_q`. The class did not use its argument; it used a variable of the notebook. With any other
# input it would have returned the result for the old one, without an error.
#
# Here the argument is called `encodings_for_q` everywhere, and our tests call your class with three different
# inputs. In your own work, *Kernel → Restart and run all* finds such slips.
#
# ### Question 1: `Attention` (4 points)
#
# About 5 minutes, easy. Source: [Vaswani et al. (2017), 3.2.1](https://arxiv.org/abs/1706.03762);
# [Starmer (2025), *Attention in
# Transformers*](https://www.deeplearning.ai/short-courses/attention-in-transformers-concepts-and-code-in-pytorch/).
#
# **What changes:** your `MaskedSelfAttention` made queries, keys and values of one input. Now each has an
# input of its own. All other lines are there: `row_dim` and `col_dim` say which dimension of the input
# counts tokens and which counts features, for $(n, d)$ 0 and 1, and in the mask **True means hidden**, as
# in the last notebook.
#
# The names of the layers and arguments are those of the source that prints the numbers in the check.


# %% solution="Attention"
class Attention(nn.Module):
    """Attention whose queries, keys and values may come from three different inputs.

    Arguments:
        d_model: number of features of a token, in and out.
        row_dim: which dimension of an input counts its rows, the tokens; 0 for an input
            (n, d_model).
        col_dim: which one counts its columns, the features; 1 for an input (n,
            d_model).

    Layers: `W_q`, `W_k`, `W_v`, each nn.Linear(d_model, d_model) without bias, made in
        that order and before anything else random.

    Write the formula step by step, or use any function of torch.

    Set no seed in the class; its caller sets the seed. Every step, the root too, keeps
    the dtype of its inputs: float64 stays precise.

    Source: Vaswani et al. (2017), "Attention Is All You Need", 3.2.1.
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
        """Return one mixture of values for each query.

        Arguments:
            encodings_for_q: (n, d_model), the tokens that ask.
            encodings_for_k: (m, d_model), the tokens that the queries are compared
                with.
            encodings_for_v: (m, d_model), the tokens that are mixed.
            mask: boolean (n, m), True where a query must not look at a key; None hides
                nothing. At least one key of each row is visible. Where something is
                hidden, the scaled scores of a row are less than 50 apart.

        Returns:
            (n, d_model), of the inputs' dtype. Batches, with other values of row_dim
            and col_dim, are welcome but not required.

        Inputs and mask are left as they were.
        """
        # New: q, k and v, each computed from its own input.
        ### BEGIN SOLUTION
        q = self.W_q(encodings_for_q)
        k = self.W_k(encodings_for_k)
        v = self.W_v(encodings_for_v)
        ### END SOLUTION
        scores = (
            q @ k.transpose(self.row_dim, self.col_dim) / k.size(self.col_dim) ** 0.5
        )
        if mask is not None:
            scores = scores.masked_fill(mask, -torch.inf)
        return torch.softmax(scores, dim=self.col_dim) @ v


# %% check="Attention" points=4
@check("Attention")
def check_Attention():
    """The lesson's three words with a seed; then three different inputs, by hand."""
    x = torch.tensor([[1.16, 0.23], [0.57, 1.36], [4.41, -2.16]])
    torch.manual_seed(42)
    attention = Attention(d_model=2, row_dim=0, col_dim=1)
    expect_shape(attention(x, x, x), (3, 2), "Each query gets a mixture of values.")
    expect_parameters(attention, "W_q.weight W_k.weight W_v.weight", x, x, x)
    expected = torch.tensor([[1.0100, 1.0641], [0.2040, 0.7057], [3.4989, 2.2427]])
    why = "Create just three layers, in the order W_q, W_k, W_v; scale the scores."
    expect_close(attention(x, x, x), expected, why)
    y = torch.tensor([[0.3, -1.2], [2.0, 0.7], [-0.5, 0.4], [1.1, 1.9]])
    expect_shape(attention(x, y, y), (3, 2), "Three queries give three rows.")
    expect_shape(attention(y, x, x), (4, 2), "Four queries give four rows.")
    mask = torch.tensor([[False, True, True, True]] * 3)
    first, why = attention.W_v(y[:1]).expand(3, 2), "All but the first key is hidden."
    expect_close(attention(x, y, y, mask), first, why, 1e-5)

    # A token (a, 0, 0, 0) of x has the query (2a, 0, 0, 0), a token (b, 0, 0, 0) of y
    # the key (b * log_3, 0, 0, 0). Divided by the root of 4, a score is a * b * log_3:
    # the first query (a = 1) weighs the four values as 1, 3, 3, 1.
    log_3 = 1.0986122886681098  # e to this power is 3
    attention = Attention(d_model=4).double()
    set_weights(attention, W_q=[[2]], W_k=[[log_3]], W_v=8 * torch.eye(4))
    x = torch.tensor([[1, 0, 0, 0], [-1, 0, 0, 0]]).double()
    y = torch.tensor([[0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]).double()
    z = torch.tensor([[1, 0, 2, 0], [0, 1, 0, 0], [0, 0, 1, -1], [3, 0, 0, 1]]).double()
    expected = z.new_tensor([[4, 3, 5, -2], [12, 1, 7, 2]])
    given = {"encodings_for_q": x, "encodings_for_k": y, "encodings_for_v": z}
    why = "The first input gives the queries, the second the keys, the last the values."
    expect_close(attention(**given), expected, why)
    mask = torch.tensor([[False, False, True, True], [True, False, True, False]])
    expected = z.new_tensor([[2, 6, 4, 0], [18, 2, 0, 6]])
    why = "Hidden keys have the weight 0, and each row of weights sums to 1."
    expect_close(attention(x, y, z, mask), expected, why)
    mask = torch.tensor([[False, True, True, True]] * 2)
    expect_unchanged(attention, x, y, z, mask)
    expected = z.new_tensor([[8, 0, 16, 0]] * 2)
    why = "Only the first key is visible, however high the hidden scores are."
    expect_close(attention(5 * x, 5 * y, z, mask), expected, why)


# %% [markdown]
# ### Look inside: a trick to see the weights
#
# The class returns mixtures, not weights. But it takes three inputs, so *you* may choose what is mixed.
# Give it the identity matrix as values: the mixture of rows $(1,0,0,\dots)$, $(0,1,0,\dots)$, … with
# weights $w_1, w_2, \dots$ is $(w_1, w_2, \dots)$. Out come the weights themselves.
#
# The cell sets the layers by hand and then hides *cat* from everybody. Where does *chat* look now? Change
# `hidden_word` and guess before you run.

# %% demo
hidden_word = "cat"  # try "black" or "sleeping"

attention = Attention(d_model=6)
with torch.no_grad():
    attention.W_q.weight.copy_(10 * torch.eye(6))
    attention.W_k.weight.copy_(torch.eye(6))
    attention.W_v.weight.copy_(torch.eye(6))
    hidden = torch.tensor([word == hidden_word for word in english]).expand(
        len(french), len(english)
    )
    free = attention(embed(french), embed(english), torch.eye(6))
    masked = attention(embed(french), embed(english), torch.eye(6), hidden)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
show_weights(left, free, french, english, "Everything visible")
show_weights(
    right, masked, french, english, f'"{hidden_word}" hidden: rows still sum to 1'
)
plt.show()

# %% [markdown]
# A hidden key gets no weight, and the other keys share the whole 1. That is why the mask has to act *before*
# the softmax.
#
# ## Sentences of different lengths: the padding mask
#
# A batch is one tensor, so all its sentences must have the same length. Shorter ones are filled up with a
# token that means nothing, `<pad>`:
#
#     the  small  black  cat  is     sleeping      length 6
#     the  cat    is     sleeping  <pad>  <pad>    length 4
#     the  cat    <pad>  <pad>  <pad>  <pad>       length 2
#
# No token may look at padding. From the lengths alone we can tell where it stands: position $j$ of a
# sentence with length $l$ is padding when $j \ge l$. Positions count from 0, so a sentence of length 4 has
# its words at 0, 1, 2, 3, and the first padding is at 4. `torch.arange(max_length)` holds all positions.
#
# ### Question 2: `padding_mask` (2 points)
#
# About 10 minutes, medium.


# %% solution="padding_mask"
def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    """Return a mask that hides what follows the last word of each sentence.

    Arguments:
        lengths: (B,) int64, whole numbers from 1 to max_length, the number of words in
            each sentence, in any order.
        max_length: the length to which all sentences are filled up; it may exceed the
            longest of them.

    Returns:
        boolean (B, max_length), True where padded.

    `lengths` is left as it was.
    """
    ### BEGIN SOLUTION
    return torch.arange(max_length, device=lengths.device) >= lengths.unsqueeze(1)
    ### END SOLUTION


# %% check="padding_mask" points=2
@check("padding_mask")
def check_padding_mask():
    """Three sentences; then a full sentence, a wider mask, and a long sentence."""
    expected = torch.tensor(
        [
            [False, False, False, True, True],
            [False, True, True, True, True],
            [False, False, False, False, True],
        ]
    )
    why = "Words are visible, and each position after the last word is hidden."
    expect_close(padding_mask(torch.tensor([3, 1, 4]), 5), expected, why)
    lengths = torch.tensor([4, 2])
    full = [[False] * 4, [False, False, True, True]]
    expect_close(padding_mask(lengths, 4), full, "A full sentence has no padding.")
    why = "The mask has max_length columns, even if all sentences are shorter."
    expect_shape(padding_mask(lengths, 6), (2, 6), why)
    hidden = padding_mask(torch.tensor([300]), 302).sum()
    expect_close(hidden, 2, "Of 302 positions, 300 are words.")
    expect_unchanged(padding_mask, lengths, 6)


# %% [markdown]
# Draw it. Dark cells are hidden. Try your own lengths, and a `max_length` above the longest of them.

# %% demo
lengths = torch.tensor([6, 4, 2, 5])  # try your own
max_length = 7  # try 6 and 10

figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
axes.imshow(padding_mask(lengths, max_length), cmap="Greys", vmin=0, vmax=1.4)
axes.set_xticks(range(max_length))
axes.set_yticks(
    range(len(lengths)), [f"length {length}" for length in lengths.tolist()]
)
axes.set_xlabel("position")
axes.set_title("Padding mask: dark is padding, hidden from everybody")
plt.show()

# %% [markdown]
# ## Cross-attention for batches
#
# In a translation model the two sides are different networks, and their vectors may differ in width: say
# `d_query` for the sentence that is written, `d_context` for the one that is read. Scores are dot products,
# so queries and keys must agree in size. The layers see to that: all three map to `d_out`.
#
# | | shape |
# |---|---|
# | `x`, the side that asks | $(B, n, d_{query})$ |
# | `context`, the side that answers | $(B, m, d_{context})$ |
# | `W_query(x)` | $(B, n, d_{out})$ |
# | `W_key(context)`, `W_value(context)` | $(B, m, d_{out})$ |
# | scores, weights | $(B, n, m)$ |
# | output | $(B, n, d_{out})$ |
#
# For batches you know two lines from `Head`: the keys swap their last two dimensions, and the softmax runs
# over the *last* one, since in $(B, n, m)$ dimension 1 counts queries. A third thing is new.
#
# **A mask for the batch.** `padding_mask` gives $(B, m)$: one row a sentence, the same for each of its
# queries. The scores are $(B, n, m)$. Broadcasting lines shapes up from the right, so $(B, m)$ would be
# aligned with the last two dimensions $(n, m)$, and the sentences would be taken for queries. If B and n
# happen to be equal, there is not even an error. Put a dimension of size 1 where the queries are:
#
#     scores  B  n  m
#     mask    B  1  m
#
# Sometimes each query has its own mask. Then it is $(B, n, m)$ already and fits as it is. Your class takes
# both.
#
# ### Question 3: `CrossAttention` (4 points)
#
# About 15 minutes, hard. Source: [Vaswani et al. (2017), 3.2.3](https://arxiv.org/abs/1706.03762).
#
# **What changes:** your `Head` without its causal mask. Queries and keys come from inputs of different
# widths, so each layer has to be made for its own side, and the mask is an argument of `forward`.
#
# This class follows no source, so its layers have the course's own names, `W_query`, `W_key` and `W_value`.


# %% solution="CrossAttention"
class CrossAttention(nn.Module):
    """Attention in which one batch of sequences asks and another one answers.

    Arguments:
        d_query: features of a token that asks.
        d_context: features of a token that answers.
        d_out: size of queries, keys and values, and so of the output.
        qkv_bias: whether the three layers have a bias.

    Layers: `W_query` from d_query to d_out; `W_key` and `W_value` from d_context to
        d_out; each an nn.Linear, made in any order.

    Write the formula step by step, or use any function of torch.

    Set no seed in the class; its caller sets the seed. Every step, the root too, keeps
    the dtype of its inputs: float64 stays precise.

    Source: Vaswani et al. (2017), 3.2.3, "encoder-decoder attention".
    """

    def __init__(
        self, d_query: int, d_context: int, d_out: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        # New: three layers, each with the width of its own input.
        ### BEGIN SOLUTION
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)
        ### END SOLUTION

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        """Return, for each token of `x`, a mixture of the values of its own context.

        Arguments:
            x: (B, n, d_query).
            context: (B, m, d_context).
            mask: boolean, True where hidden; (B, m) hides a context token from all
                queries of its sequence, (B, n, m) from single ones; None hides nothing.
                Each query sees at least one token. Where something is hidden, the
                scaled scores of a row are less than 50 apart.

        Returns:
            (B, n, d_out), of the inputs' dtype.

        Inputs and mask are left as they were.
        """
        # New: queries, keys and values, each of the right side.
        ### BEGIN SOLUTION
        queries = self.W_query(x)
        keys = self.W_key(context)
        values = self.W_value(context)
        ### END SOLUTION
        scores = queries @ keys.transpose(1, 2) / keys.size(-1) ** 0.5
        if mask is not None:
            # New: a mask (B, m) or (B, n, m), for scores (B, n, m).
            ### BEGIN SOLUTION
            hidden = mask.unsqueeze(1) if mask.dim() == 2 else mask
            scores = scores.masked_fill(hidden, -torch.inf)
            ### END SOLUTION
        return torch.softmax(scores, dim=-1) @ values


# %% check="CrossAttention" points=4
@check("CrossAttention")
def check_CrossAttention():
    """Random batches, with masks; then sequences whose results are known by hand."""
    torch.manual_seed(0)
    x, context = torch.randn(2, 6, 3), torch.randn(2, 7, 5)
    why = "Each of the three layers has a weight, and with qkv_bias also a bias."
    for qkv_bias, number in ((True, 6), (False, 3)):
        cross = CrossAttention(3, 5, 4, qkv_bias)
        expect_shape(cross(x, context), (2, 6, 4), "The output is (B, n, d_out).")
        names = " ".join(dict(cross.named_parameters()))
        expect_close(len(names.split()), number, why)
        expect_parameters(cross, names, x, context)
    expect_shape(cross(x[:, :1], context), (2, 1, 4), "One query gives one row.")
    why, own = "A single token has the weight 1.", cross.W_value(context[:, :1])
    expect_close(cross(x, context[:, :1]), own.expand(2, 6, 4), why, 1e-5)
    mask = torch.tensor([[False] * 4 + [True] * 3, [False] * 2 + [True] * 5])
    expect_unchanged(cross, x, context, mask)
    alone = torch.cat([cross(x[:1], context[:1, :4]), cross(x[1:], context[1:, :2])])
    why = "Hiding tokens has the same effect as leaving them out, in each sequence."
    expect_close(cross(x, context, mask), alone, why, 1e-5)
    each = torch.stack([mask & False, *[mask] * 5], dim=1)  # the first query sees all
    expect_unchanged(cross, x, context, each)
    expected = torch.cat([cross(x, context)[:, :1], alone[:, 1:]], dim=1)
    why = "In a mask (B, n, m), each query has a row of its own."
    expect_close(cross(x, context, each), expected, why, 1e-5)

    # A token (a, 0) has the query (root of 12 * a, 0, ...), a context token (b, c, d) the
    # key (b * log_3, 0, ...). Divided by the root of 12, a score is a * b * log_3.
    log_3 = 1.0986122886681098  # e to this power is 3
    cross = CrossAttention(2, 3, 12).double()
    rows = [[0, 8, 0], [0, 0, 8], [8, 0, 0], [0, 8, 8]]
    set_weights(cross, W_query=[[12**0.5]], W_key=[[log_3]], W_value=rows)
    x = torch.tensor([[[1, 0], [-1, 0]], [[0, 0], [1, 0]]]).double()
    first = [[0, 1, 0], [1, 0, 3], [1, 2, 1], [0, 0, 1]]
    second = [[-1, 0, 1], [0, 1, -1], [0, 1, 0], [1, 2, 2]]
    context = x.new_tensor([first, second])
    expected = [[[7, 13, 6, 20], [5, 7, 2, 12]], [[8, 4, 0, 12], [12, 8, 4, 20]]]
    why = "Scores are divided by the root of d_out, and each row of weights sums to 1."
    expect_close(cross(x, context)[..., :4], x.new_tensor(expected), why)


# %% [markdown]
# ### What padding does if nobody hides it
#
# Two English sentences, one of them filled up to six words. Our `<pad>` is a vector of zeros, which looks
# harmless. Compare the two pictures below, and look at the two columns of `<pad>`.
#
# (To see weights we use the trick from above: each English vector gets its position appended as six more
# numbers; `W_key` reads only the meaning and `W_value` only the position.)

# %% demo
written = ["le", "chat", "dort"]
read = [
    ["the", "small", "black", "cat", "is", "sleeping"],
    ["the", "cat", "is", "sleeping", "<pad>", "<pad>"],
]
sharpness = 4.0  # try 1 and 20

x = embed(written).expand(2, 3, 6)
context = torch.stack(
    [torch.cat([embed(words), torch.eye(6)], dim=1) for words in read]
)
cross = CrossAttention(d_query=6, d_context=12, d_out=6)
with torch.no_grad():
    cross.W_query.weight.copy_(sharpness * torch.eye(6))
    cross.W_key.weight.copy_(torch.cat([torch.eye(6), torch.zeros(6, 6)], dim=1))
    cross.W_value.weight.copy_(torch.cat([torch.zeros(6, 6), torch.eye(6)], dim=1))
    hidden = torch.tensor([[word == "<pad>" for word in words] for words in read])
    open_eyed, masked = cross(x, context), cross(x, context, hidden)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained")
show_weights(
    left, open_eyed[1], written, read[1], "Without a mask: padding takes weight"
)
show_weights(right, masked[1], written, read[1], "With the padding mask: none")
plt.show()

# %% [markdown]
# ### Question 4: in your own words (2 points)
#
# About 5 minutes, medium.
#
# A fellow student says: *I need no padding mask. I set the vectors of padded tokens to zero, so they add
# nothing to the mixture.* The layers have no bias. What are the score and the weight of such a token, and
# what happens to the weights of the real words? Why does a mask of -inf before the softmax do better? Four
# or five sentences are enough.

# %% [markdown] manual="zero_padding" points=2
# ### BEGIN SOLUTION
# A zero vector has a zero key, so its score is 0 with every query. That is an ordinary score, not a low
# one: the softmax gives it weight exp(0) = 1 over the row's sum, which is more than a real word with a
# negative score gets. Its value is zero, so it adds nothing to the mixture, but its weight is missing from
# the real words, whose weights now sum to less than 1. The output shrinks towards zero, the more so the
# more padding there is, so the same sentence gives different outputs in different batches. A score of -inf
# gives weight exp(-inf) = 0 exactly, and the real words share the whole 1. (With a bias even the key and
# the value would not be zero.)
#
# (the score of a padded token, and the weight that the softmax makes of it: 1 point; what happens to
# the weights of the real words, and so to the output: 0.5 points; what a score of -inf changes in that:
# 0.5 points.)
# ### END SOLUTION

# %% [markdown]
# ### Question 5: who asks? (2 points)
#
# About 5 minutes, medium.
#
# A model translates English into French, and in one cross-attention layer 5 French tokens attend to 8
# English ones. Which side gives the queries, which the keys and the values? What shape do the weights and
# the output have? If you shuffle the English tokens, together with their vectors, how does the output
# change, and how does it change if you shuffle the French ones? Say why.

# %% [markdown] manual="who_asks" points=2
# ### BEGIN SOLUTION
# The French side asks, because it is being written: it gives the queries. The English side gives keys and
# values. The weights are (5, 8), a row for each French token and a column for each English one; the output
# is (5, d_out), one mixture of English values for each French token. Shuffling the English tokens changes
# nothing: each key moves together with its value, and a weighted sum has no order. Shuffling the French
# tokens shuffles the output rows in the same way, because a row depends on its own query and on no other.
#
# (who gives queries, who gives keys and values, and the two shapes: 1 point; the effect of each of the
# two shuffles: 0.5 points; a reason for each: 0.5 points.)
# ### END SOLUTION

# %% [markdown]
# ## What you can now explain
#
# - Self-attention and cross-attention are one formula. They differ in where queries, keys and values come
#   from.
# - The queries decide how many rows come out, the values decide what they are made of, the keys decide how
#   much of each. So $n \ne m$ is the normal case.
# - An output row depends on its own query and on no other query.
# - A padding mask is boolean, True where hidden, made from lengths; it needs a dimension of size 1 for the
#   queries before it is applied to a batch of scores.
# - A mask acts before the softmax, so that hidden tokens get weight 0 and the others still sum to 1. A vector
#   of zeros is not a mask.
# - A class reads its own parameters and arguments. One that reads a global variable is right only by luck.
#
# Next: one softmax row has a budget of 1, and a word may have to look for several things at once. The next
# lesson gives it several heads.

# %% [markdown]
# ## Challenge (not graded)
#
# Words can ask a picture, too: that is how a model finds in a photograph what you have named. Below is a
# picture of 8 by 12 patches, and a patch is a token of three numbers: how red, how green and how blue it is.
# Your `CrossAttention` lets four words look at it.
#
# Find for each word three numbers, its query, with which it looks at the right place. The ball is red. So ask
# for red, and see which patches get the weight; a negative number in a query asks for *less* of a colour.
# Each word should give at least half of its attention to its own patches. The bird is hard: it is white, so
# all colours are in it.

# %% demo
asks = {  # change these: how much red, green and blue each word wants
    "sky": [0.0, 0.0, 0.0],
    "ball": [0.0, 0.0, 0.0],
    "sun": [0.0, 0.0, 0.0],
    "bird": [0.0, 0.0, 0.0],
}

sky, red, yellow = [0.3, 0.6, 0.9], [0.9, 0.1, 0.1], [1.0, 0.9, 0.2]
white, green = [0.9, 0.9, 0.9], [0.2, 0.6, 0.2]
colours = torch.tensor([sky, red, yellow, white, green])
place = torch.zeros(8, 12, dtype=torch.long)  # which colour: at first all is sky
place[5:] = 4  # grass
place[5:7, 3:5] = 1  # the ball
place[0:2, 9:12] = 2  # the sun
place[2, 4] = 3  # the bird, one patch
patches = colours[place].view(96, 3)

cross = CrossAttention(d_query=3, d_context=99, d_out=96)
with torch.no_grad():  # keys are the colours; values are the places, to see weights
    for weight in cross.parameters():
        weight.zero_()
    cross.W_query.weight[:3] = 96**0.5 * torch.eye(3)
    cross.W_key.weight[:3, :3] = torch.eye(3)
    cross.W_value.weight[:, 3:] = torch.eye(96)
    context = torch.cat([patches, torch.eye(96)], dim=1)
    looks = cross(torch.tensor([list(asks.values())]), context[None])[0]

figure, panels = plt.subplots(1, 5, figsize=(14, 2.6), layout="constrained")
panels[0].imshow(patches.view(8, 12, 3))
panels[0].set_title("the picture")
for number, (word, look) in enumerate(zip(asks, looks, strict=True)):
    share = look[place.flatten() == number].sum()
    panels[number + 1].imshow(look.view(8, 12), cmap="Blues", vmin=0)
    panels[number + 1].set_title(f"{word}: {share:.0%} on its own patches")
for axes in panels:
    axes.set(xticks=[], yticks=[])
plt.show()
