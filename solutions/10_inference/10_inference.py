# %% [markdown]
# # 10. Inference: how models really run attention
#
# Your tiny GPT gives right results, but it wastes time and memory. For each new token,
# it computes all earlier tokens again. Each of its heads has keys and values of its
# own. It has no vectors for places beyond those that it was trained with. And its table
# of scores grows with the square of the text's length.
#
# Models in use today change this in four ways, and you will write each of them:
#
# 1. `cached_attention`: keep the keys and values of the past. (about 20 minutes)
# 2. `grouped_query_attention`: let several query heads share one head of keys and values. (15 minutes)
# 3. `rotate`: turn queries and keys by their place, so that only distances count. (15 minutes)
# 4. `add_block`: take the softmax block by block, and never hold all scores. (25 minutes)
#
# ![On the left one new token and the cache: kept keys and values keep their rows, and one new row each is
# added, so that they have m rows; the one new query (1, d_k) meets all keys and gives weights (1, m),
# which mix the values to one output (1, d_v). On the right six query heads share two heads of keys and
# values, three neighbours each, so the cache keeps 2 heads and not 6.](flow.png)
#
# A written question comes at the end, and before it a race between your own attention and torch's.
#
# **How to work.** Read the description of each question before you write its code. A
# check tests your code on the lesson's example and on one small input of another size.
# Grading tests it on more inputs, and tests gradients, too. So write code that works
# for all inputs. Use any function of Python or torch, unless a question lists it under
# *Not allowed here*. Each question is graded by itself. Symbols and names are those of
# the [table of notation](notation.md). Pictures have a line marked `# try` for you to
# change. Plan for 75 to 90 minutes.

# %%
import math
import time

import torch
from torch import Tensor
from torch.nn import functional as F

# %% [markdown]
# Given, from earlier lessons: scaled dot-product attention with a mask. True means hidden. The dimensions in
# front, `...`, are texts and heads: `(B, h)`, or `(h,)`, or none.


# %%
def attention(
    queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
) -> Tensor:
    """(..., n, d_k), (..., m, d_k), (..., m, d_v) -> (..., n, d_v); mask (n, m) is True
    where hidden.
    """
    scores = queries @ keys.transpose(-2, -1) / math.sqrt(keys.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask, -math.inf)
    return torch.softmax(scores, dim=-1) @ values


# %% [markdown]
# ## Keep what you know: the cache
#
# A model that writes appends one token, and then asks for the next. Look at what changes inside a causal
# head when one token is appended:
#
# | | for the old tokens | for the new token |
# |---|---|---|
# | queries | the same as before; not needed again | one new row |
# | keys, values | the same as before, and the new token looks at them | one new row each |
#
# No old token can see the new one. So all old keys and values stay what they were, and it is enough to
# compute *one* row of attention. All you need is to keep the keys and values: the **KV cache**.
#
# There are two moments in a cache's life. At first the whole prompt goes in at once (*prefill*): many
# queries, and no cache yet. Then one token at a time (*decoding*): one query, and a long cache. Long prompts
# also come in pieces: a few queries, and a cache. One function serves all three:
#
# ```
#                       keys:   kept | new
#                               0  1  2 | 3  4
#                 query 3       x  x  x | x  .        x  may look
#                 query 4       x  x  x | x  x        .  hidden: the future
# ```
#
# ### A story about a corner
#
# Where does the triangle of the mask belong when there are more keys than queries?
# Torch's `scaled_dot_product_attention(..., is_causal=True)` puts it into the top left
# corner: of 2 new queries and 5 keys, the first query then sees key 0 alone, although
# it stands at place 3. Before version 2.1, FlashAttention did the same. Since then, it
# puts the triangle at the bottom right, where a cache needs it. Both choices give the
# right shape, and without a cache both give the same result. In several projects, users
# have reported the difference as a bug ([torch
# 108108](https://github.com/pytorch/pytorch/issues/108108), [flash-attention
# 282](https://github.com/Dao-AILab/flash-attention/issues/282)). The mask depends on
# the place of a token in the text, not on its row in the tensor.
#
# ### Question 1: `cached_attention` (3 points)
#
# About 20 minutes, medium. Source: [Shazeer (2019), 2](https://arxiv.org/abs/1911.02150).


# %% solution="cached_attention"
def cached_attention(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    cache: tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """Causal attention of n new tokens, which come after those in the cache.

    Arguments:
        queries: (..., n, d_k), of the new tokens; n is 1 or more
        keys: (..., n, d_k), of the new tokens
        values: (..., n, d_v), of the new tokens
        cache: None at the beginning of a text, else the cache that the call before
            returned

    Returns: (output, cache)
        output: (..., n, d_v); a new token sees all tokens in the cache, the new ones
            before it, and itself
        cache: the pair (keys, values), a tuple or a list, of all tokens so far, (...,
            m, d_k) and (..., m, d_v), oldest first

    Whatever pieces a text comes in, its outputs are those of causal attention over the
    whole text. All arguments are left as they were: the same cache may be continued
    twice. Everything that the function remembers is in the cache. Gradients flow to the
    new queries, keys and values; none need flow through the cache.

    Every step, the root too, keeps the dtype of its inputs: float64 stays precise.

    Source: Shazeer (2019), "Fast Transformer Decoding", arXiv:1911.02150, 2
        ("Incremental").
    """
    ### BEGIN SOLUTION
    if cache is not None:
        keys = torch.cat([cache[0], keys], dim=-2)
        values = torch.cat([cache[1], values], dim=-2)
    n, m = queries.shape[-2], keys.shape[-2]
    mask = torch.ones(n, m, dtype=torch.bool, device=queries.device).triu(
        diagonal=m - n + 1
    )
    return attention(queries, keys, values, mask), (keys, values)
    ### END SOLUTION


# %% check="cached_attention" points=3
@check("cached_attention")
def check_cached_attention():
    """Three tokens with results by hand; then two texts in several pieces."""
    # Scores are the first numbers of the keys, since 2 / sqrt(4) is 1, or minus these
    # for token 2. So token 1 weighs the values as 1 : 3, and token 2 as 3 : 1 : 3.
    q = torch.tensor([[2.0, 0, 0, 0], [2.0, 0, 0, 0], [-2.0, 0, 0, 0]])
    k = torch.tensor([[0.0, 1, 0, 0], [math.log(3), 0, 1, 0], [0.0, 0, 0, 1]])
    v = torch.tensor([[4.0, 0], [8.0, 4], [5.0, -6]])
    why = "Return the pair (output, cache)."
    expect(len(cached_attention(q[:1], k[:1], v[:1])) == 2, why)
    why = "The first token of a text sees only itself."
    for n in (slice(0, 1), slice(1, 2)):
        expect_close(cached_attention(q[n], k[n], v[n])[0], v[n], why)
    cache = cached_attention(q[:1], k[:1], v[:1])[1]
    expected = torch.tensor([[7.0, 3.0], [5.0, -2.0]])
    why = "Tokens 1 and 2 see the cache, too."
    expect_close(cached_attention(q[1:], k[1:], v[1:], cache)[0], expected, why)
    why = "A cache may be continued twice."
    expect_close(cached_attention(q[1:], k[1:], v[1:], cache)[0], expected, why)
    why = "The cache holds the keys and the values of all tokens, oldest first."
    for n, part in enumerate((k, v)):
        expect_close(cached_attention(q[1:], k[1:], v[1:], cache)[1][n], part, why)
    expect_unchanged(cached_attention, q[1:], k[1:], v[1:], cache)

    torch.manual_seed(1)
    q, k, v = torch.randn(3, 2, 3, 7, 4).double().requires_grad_()
    v = torch.cat([v, v[..., :1]], dim=-1)
    whole = cached_attention(q, k, v)[0]
    means = v.cumsum(dim=-2) / torch.arange(1, 8).unsqueeze(-1)
    why = "If all keys are zeros, a token gets the mean of the values up to its own."
    expect_close(cached_attention(q, 0 * k, v)[0], means, why)

    def in_pieces(sizes):
        outputs, cache = [], None
        for piece in zip(*(x.split(sizes, -2) for x in (q, k, v)), strict=True):
            output, cache = cached_attention(*piece, cache)
            outputs.append(output)
        return torch.cat(outputs, dim=-2)

    why = "In pieces, a text has the same outputs as in a single call."
    for sizes in ((3, 1, 2, 1), (1,) * 7, (2, 5)):
        expect_close(in_pieces(sizes), whole, why)
    for part in (q, k, v):
        expect_gradient(whole, part)


# %% [markdown]
# ### Same text, other speed
#
# Below, a small decoder with random weights writes 300 tokens, once with your cache and
# once by computing the whole text again for each token. It writes nonsense, but both
# must write *the same* nonsense, to the last token.
#
# Guess first: at token 300, how many times faster is the cache? And what do the two curves look like, level,
# straight, or bent?

# %% demo
import matplotlib.pyplot as plt

torch.set_num_threads(1)  # so small a model is fastest on one core
count = 300  # try 600
width, heads, layers, vocabulary = 128, 4, 3, 50

torch.manual_seed(2)
token_vectors = torch.randn(vocabulary, width)
place_vectors = 0.2 * torch.randn(2000, width)
matrices = torch.randn(layers, 4, width, width) / math.sqrt(width)
head = torch.randn(vocabulary, width)


def decode(tokens, first_place, caches):
    """Logits after each of these new tokens (n, vocabulary), and all layers' caches."""
    x, kept = (
        token_vectors[tokens] + place_vectors[first_place : first_place + len(tokens)],
        [],
    )
    for (w_query, w_key, w_value, w_out), cache in zip(matrices, caches, strict=True):
        x = F.layer_norm(x, (width,))
        q, k, v = (
            (x @ w).unflatten(-1, (heads, -1)).transpose(0, 1)
            for w in (w_query, w_key, w_value)
        )
        mixed, cache = cached_attention(q, k, v, cache)
        x = x + mixed.transpose(0, 1).flatten(-2) @ w_out
        kept.append(cache)
    return F.layer_norm(x, (width,)) @ head.T, kept


def write(prompt, use_cache):
    """Write `count` tokens, and take the time at which each is there."""
    text, caches, begin, moments = (
        list(prompt),
        [None] * layers,
        time.perf_counter(),
        [],
    )
    for step in range(count):
        if use_cache:
            new = text if step == 0 else text[-1:]
            logits, caches = decode(torch.tensor(new), len(text) - len(new), caches)
        else:
            logits, _ = decode(torch.tensor(text), 0, [None] * layers)
        text.append(int(logits[-1].argmax()))
        moments.append(time.perf_counter() - begin)
    return text, moments


figure, axis = plt.subplots(figsize=(7, 3), layout="constrained")
texts = []
for use_cache, label in ((False, "everything again"), (True, "with the cache")):
    text, moments = write([1, 2, 3], use_cache)
    texts.append(text)
    axis.plot(range(1, count + 1), moments, label=label)
    last = 50 / (moments[-1] - moments[-51])
    print(
        f"{label}: {count / moments[-1]:.0f} tokens a second, the last 50 at {last:.0f}"
    )
axis.set(
    xlabel="tokens written",
    ylabel="seconds since the start",
    title="Writing with and without a cache",
)
axis.legend()
plt.show()
same = sum(one == other for one, other in zip(*texts, strict=True))
print(f"{same} of {len(texts[0])} tokens are the same; the last 20: {text[-20:]}")

# %% [markdown]
# With the cache, every token costs about the same, and the curve is nearly straight.
# Without it each token costs more than the one before, and the curve bends upwards. The
# longer the text, the larger the difference.
#
# ## The price: memory
#
# A cache takes memory, and for every new token the whole cache is read once. One token
# takes
#
# $$2 \cdot \mathrm{layers} \cdot \mathrm{heads} \cdot \mathrm{head\ size} \cdot \mathrm{bytes\ a\ number}$$
#
# where 2 stands for keys and values. Count it for a model with 80 layers, 64 heads of size 128 and 2 bytes a
# number: 2.6 MB *a token*. A text of 4,096 tokens takes more than 10 GB, and each further user as much again.
#
# In 2019 Noam Shazeer asked: must every head have keys and values of its own? In
# [multi-query attention](https://arxiv.org/abs/1911.02150) all query heads share a single head of keys and
# values. Four years later [grouped-query attention](https://arxiv.org/abs/2305.13245) found the middle: a few
# heads of keys and values, each shared by a group of neighbouring query heads. The model above is Llama 2
# with 70 billion parameters, which has 64 query heads and 8 heads of keys and values.
#
# Guess first: which share of the memory is left with 8 heads, and which with 1?

# %% demo
model_layers, head_size, number_bytes = 80, 128, 2
length = 4096  # try 32_768
kept_heads = (64, 8, 1)
gigabytes = [
    2 * model_layers * h * head_size * number_bytes * length / 1e9 for h in kept_heads
]
figure, axis = plt.subplots(figsize=(7, 2.2), layout="constrained")
bars = axis.barh(
    [f"{h} key/value head{'s' if h > 1 else ''}" for h in kept_heads], gigabytes
)
axis.bar_label(bars, [f" {size:.2f} GB" for size in gigabytes])
axis.set(
    title=f"Cache of one text of {length:,} tokens",
    xlabel="GB",
    xlim=(0, 1.15 * max(gigabytes)),
)
axis.invert_yaxis()
plt.show()

# %% [markdown]
# ### Which heads share
#
# With $h$ query heads and $g$ heads of keys and values, each group has $h / g$ **neighbouring** query heads.
# For 6 query heads and 2 heads of keys and values:
#
# | query head | 0 | 1 | 2 | 3 | 4 | 5 |
# |---|---|---|---|---|---|---|
# | looks at key/value head | 0 | 0 | 0 | 1 | 1 | 1 |
#
# The other order, 0 1 0 1 0 1, works as well for a model that is trained with it. But
# if weights are trained with one order and used with the other, the results are
# nonsense of the right shape. In torch, `repeat_interleave` and `repeat` give these two
# orders.
#
# ### Question 2: `grouped_query_attention` (2 points)
#
# About 15 minutes, medium. Source: [Ainslie et al. (2023), 2.2](https://arxiv.org/abs/2305.13245).


# %% solution="grouped_query_attention"
def grouped_query_attention(
    queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
) -> Tensor:
    """Attention of h query heads that share g heads of keys and values.

    Arguments:
        queries: (..., h, n, d_k)
        keys: (..., g, m, d_k)
        values: (..., g, m, d_v)
        mask: boolean (n, m), True where hidden, the same for all heads; None hides
            nothing

    Returns: (..., h, n, d_v). Of the query heads, the first h / g look at head 0 of
        keys and values, the next h / g at head 1, and so on.

    Raises ValueError if h is not a multiple of g. The inputs are left as they were.
    `...` may be a batch, (B,), or nothing.

    Every step, the root too, keeps the dtype of its inputs: float64 stays precise.

    Source: Ainslie et al. (2023), "GQA", arXiv:2305.13245, 2.2.
    """
    ### BEGIN SOLUTION
    h, g = queries.shape[-3], keys.shape[-3]
    if h % g:
        raise ValueError(
            f"{h} query heads cannot share {g} heads of keys and values evenly"
        )
    grouped = queries.unflatten(-3, (g, h // g))  # (..., g, h / g, n, d_k)
    output = attention(grouped, keys.unsqueeze(-3), values.unsqueeze(-3), mask)
    return output.flatten(-4, -3)
    ### END SOLUTION


# %% check="grouped_query_attention" points=2
@check("grouped_query_attention")
def check_grouped_query_attention():
    """One token: each head gets its value; then several tokens, with results by hand."""
    torch.manual_seed(2)
    q, k = torch.randn(4, 1, 2), torch.randn(2, 1, 2)
    v = torch.tensor([[[1.0, 2, 3]], [[4.0, 5, 6]]])
    why = "Query heads 0 and 1 share the first head of values, 2 and 3 the second."
    expect_close(grouped_query_attention(q, k, v), v[[0, 0, 1, 1]], why)

    # Two texts, six query heads. The first three heads weigh the two tokens as 1 : 3,
    # 3 : 1 and 1 : 1; the others, with the second head of keys, as 3 : 1, 1 : 3, 1 : 1.
    queries = torch.zeros(2, 6, 1, 4).double()
    queries[..., 0] = torch.tensor([2.0, -2, 0, 2, -2, 0]).unsqueeze(-1)
    keys = torch.zeros(2, 2, 2, 4).double()
    keys[:, 0, 1, 0] = keys[:, 1, 0, 0] = math.log(3)
    values = torch.tensor([[[4.0], [8.0]], [[40.0], [-80.0]]]).double()
    values = torch.stack([values, values / 3])
    expect_shape(grouped_query_attention(queries, keys, values), (2, 6, 1, 1))
    right = torch.tensor([7.0, 5, 6, 10, -50, -20]).double()
    right = torch.stack([right, right / 3])
    why = "A query head has its own queries; it shares keys and values with neighbours."
    expect_close(grouped_query_attention(queries, keys, values).flatten(1), right, why)
    hide = torch.tensor([[True, False]])
    right = values[:, [0, 0, 0, 1, 1, 1], 1:]
    why = "With the first token hidden, all heads get the value of the second."
    expect_close(grouped_query_attention(queries, keys, values, hide), right, why)
    expect_unchanged(grouped_query_attention, queries, keys, values, hide)

    q, k, v = torch.randn(4, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 2)
    mask = torch.zeros(3, 5, dtype=torch.bool)
    mask[1, 1:] = True
    why = "Query 1 sees only token 0, in each head."
    alone = v[[0, 0, 1, 1], 0]
    expect_close(grouped_query_attention(q, k, v, mask)[:, 1], alone, why)
    expect_gradient(grouped_query_attention, q, k, v)
    five, why = torch.randn(5, 3, 4), "5 query heads cannot share 2 heads evenly."
    expect_raises("ValueError", grouped_query_attention, five, k, v, hint=why)


# %% [markdown]
# If your function repeats keys and values for all query heads, it uses, for a short
# time, the memory that the smaller cache saves. Here, that is a right answer. To avoid
# these copies, reshape the queries into groups instead, so that broadcasting pairs each
# group with its shared head.
#
# ## Turning instead of adding: rotary positions
#
# The tiny GPT *adds* to each token a vector for its place. So a query contains its
# place, such as 7, but no distances. The model has to learn that places 7 and 5 are as
# far apart as places 107 and 105.
#
# **Rotary positions** ([Su et al.](https://arxiv.org/abs/2104.09864)) leave the tokens alone and turn queries
# and keys. Take a query's features in pairs,
# (0, 1), (2, 3), and so on, and read each pair as an arrow in the plane. At place $p$ the pair number $i$
# is turned by the angle $p \cdot \theta_i$:
#
# $$\theta_i = \mathrm{base}^{-2i/d} \qquad
# \begin{pmatrix} a' \\ b' \end{pmatrix} =
# \begin{pmatrix} \cos p\theta_i & -\sin p\theta_i \\ \sin p\theta_i & \cos p\theta_i \end{pmatrix}
# \begin{pmatrix} a \\ b \end{pmatrix}$$
#
# The first pair turns by one radian a place, like the second hand of a clock; the last ones hardly move, like
# the hour hand. Why is that useful? A product of two arrows depends on their lengths and on the angle
# *between* them. Turn one by $p\theta$ and the other by $r\theta$, and the angle between them changes by
# $(p - r)\theta$: **only the distance counts.** Values are not turned: what a token says does not depend on
# its place.
#
# ### Two stories about turning
#
# **Which features are a pair?** The paper takes neighbours, (0, 1), (2, 3); other code
# takes the first and the second half, $(0, d/2), (1, d/2 + 1)$. Each is fine with
# weights trained for it. Meta's Llama was trained with neighbours; the library that
# most people run it with uses halves. So its conversion script reorders the rows of two
# weight matrices. Code for one of the two orders gives wrong results with weights in
# the other order, and nothing raises an error ([a thread about
# it](https://github.com/huggingface/transformers/issues/25199)). Here: neighbours.
#
# **How exact is a place?** To save memory, models run in bfloat16. For a while, their
# table of angles was in bfloat16, too. A number of this dtype has 8 significant bits:
# after 256 the next whole number is 258. So tokens 256 and 257 get the same place, and
# in longer texts more tokens share one. This error was found in Llama and Gemma ([the
# fix](https://github.com/huggingface/transformers/pull/29285)) and in
# [Mistral](https://github.com/huggingface/transformers/issues/29496). Compute angles at
# least as exactly as `x`: for float64 that means in float64, and
# `torch.arange(...) / d` alone is float32.
#
# ### Question 3: `rotate` (2 points)
#
# About 15 minutes, medium. Source: [Su et al. (2021), 3.2 and 3.4.2](https://arxiv.org/abs/2104.09864).


# %% solution="rotate"
def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """Turn queries or keys by their places.

    Arguments:
        x: (..., n, d), with an even d, in float32 or float64
        positions: (n,) int64, the place of each token, 0 or more, in any order; some
            may be equal
        base: decides how fast the pairs turn

    Returns: (..., n, d), of x's dtype. For i = 0, 1, ..., d / 2 - 1 the features 2i and
        2i + 1 of the token at place p, (a, b), become

        (a * cos(t) - b * sin(t), a * sin(t) + b * cos(t))

    with the angle t = p * base ** (-2 * i / d). The angles are computed in x's dtype,
    or in float64. x is left as it was; gradients flow back to it.

    Source: Su et al. (2021), "RoFormer", arXiv:2104.09864, 3.2 and 3.4.2.
    """
    ### BEGIN SOLUTION
    d = x.shape[-1]
    pairs = torch.arange(0, d, 2, dtype=x.dtype, device=x.device)  # 2i
    angles = positions.to(x.dtype).unsqueeze(-1) * base ** (-pairs / d)  # (n, d / 2)
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
    ### END SOLUTION


# %% check="rotate" points=2
@check("rotate")
def check_rotate():
    """One pair, rotated by p radians at position p; then two texts and three pairs."""
    x = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    places = torch.tensor([0, 2, 2])
    expect_unchanged(rotate, x, places)
    expected = torch.tensor([[1.0, 0.0], [-0.4161, 0.9093], [-0.9093, -0.4161]])
    why = "At position p, (1, 0) becomes (cos p, sin p), and (0, 1) (-sin p, cos p)."
    expect_close(rotate(x, places), expected, why)
    far, expected = torch.tensor([5000]), torch.tensor([[0.1547, -0.9880]])
    expect_close(rotate(x[:1], far), expected, "Each position has its own angle.")
    second, place = torch.tensor([[[0.0, 0.0, 1.0, 0.0]]]), torch.tensor([100])
    expected = torch.tensor([[[0.0, 0.0, 0.5403, 0.8415]]])
    why = "Of two pairs, the second one is rotated by 1 radian in 100 positions."
    expect_close(rotate(second, place), expected, why)

    # With base 1000, the angles of three pairs are 1, 0.1 and 0.01 times the position.
    x = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).double().repeat(2, 2, 2, 1)
    x[1] *= -10
    places = torch.tensor([10, 100_000])
    right = [
        [0.248971, -2.222164, -1.744977, 4.685622, 4.376020, 6.469192],
        [-1.070858, -1.962973, -1.634009, -4.725465, -2.149382, 7.508672],
    ]
    right = torch.tensor(right).double()
    right = torch.stack([right, right, -10 * right, -10 * right]).view(2, 2, 2, 6)
    why = "Pairs are neighbours; base 1000 gives the angles p, 0.1 * p and 0.01 * p."
    expect_close(rotate(x, places, 1000.0), right, why, 5e-2)
    why = "Angles in float32 are not exact enough for float64."
    expect_close(rotate(x, places, 1000.0), right, why, 2e-6)
    expect_gradient(rotate, x, places)


# %% [markdown]
# ### See the distance
#
# One and the same query stands at all places from 0 to 23, and so does one and the same key. On the left a
# vector for each place is *added* to both, as in your tiny GPT (the vectors are random here, as before
# training). On the right both are *turned*. Each picture shows all scores.
#
# Guess first: in which picture does each diagonal have a single colour, and why?

# %% demo
torch.manual_seed(5)
places, head_size = torch.arange(24), 16
shift = 0  # try 1000: what changes in the picture on the right?
query, key = torch.randn(2, 1, head_size).expand(2, 24, head_size)
added = 0.7 * torch.randn(24, head_size)
turned_scores = rotate(query, places + shift) @ rotate(key, places + shift).T
figure, panels = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for axis, scores, title in (
    (panels[0], (query + added) @ (key + added).T, "places added"),
    (panels[1], turned_scores, "places turned"),
):
    axis.imshow(
        scores, cmap="coolwarm", vmin=-scores.abs().max(), vmax=scores.abs().max()
    )
    axis.set(title=title, xlabel="place of the key", ylabel="place of the query")
plt.show()
diagonal = turned_scores.diagonal(offset=-3)
print(
    "turned, 3 places apart: the scores differ by at most "
    f"{(diagonal.max() - diagonal.min()).item():.6f}"
)

# %% [markdown]
# Turned scores are equal along every diagonal, for example for query 5 and key 2, and
# for query 20 and key 17. If you move the whole text by 1,000 places, the picture stays
# the same. Turning also works with your cache: each key is turned once, by its own
# place, and the cache keeps the turned key.
#
# ## Never hold all scores: the online softmax
#
# For a text of 32,768 tokens, each head has a billion scores. They are needed only to be exponentiated,
# summed, and multiplied with values; then they are thrown away. Writing them to memory and reading them
# back takes far longer than computing them. [FlashAttention](https://arxiv.org/abs/2205.14135) therefore
# goes over the keys in blocks and never stores the table of scores. But how can it take a softmax before it
# has seen all scores?
#
# Write the output of one query with the largest score $M$ subtracted, as you did in exercise 1:
#
# $$\mathrm{output} = \frac{\sum_j e^{s_j - M} \, v_j}{\sum_j e^{s_j - M}}$$
#
# The numerator and the denominator are sums, and you can add up a sum in pieces. The
# only problem is $M$, which you know only at the end. So keep three things for each
# query, over all blocks so far:
#
# - the **maximum** $M$ of the scores so far,
# - the **denominator** $\sum_j e^{s_j - M}$,
# - the **output** $\sum_j e^{s_j - M} \, v_j$, not yet divided.
#
# When a block has a higher maximum $M'$, both sums so far were computed with the old
# maximum $M$. One factor corrects them: $e^{s_j - M'} = e^{s_j - M} \cdot e^{M - M'}$.
#
# This is the *online softmax* of [Milakov and Gimelshein](https://arxiv.org/abs/1805.02867); with the
# output as a third sum it is the heart of FlashAttention. An example with one query, scores 1, 3, then 5,
# and values 10, 20, 30:
#
# | after | maximum | denominator | output |
# |---|---|---|---|
# | nothing | $-\infty$ | 0 | 0 |
# | block (1, 3) | 3 | $e^{-2} + 1 = 1.135$ | $10 e^{-2} + 20 = 21.353$ |
# | block (5) | 5 | $1.135 \cdot e^{-2} + 1 = 1.154$ | $21.353 \cdot e^{-2} + 30 = 32.890$ |
#
# And 32.890 / 1.154 = 28.51 is what the plain softmax gives. That is all there is to it: the answer is
# not an approximation.
#
# ### A story about a block with nothing in it
#
# Texts of different lengths are often filled up *in front*, so that all end at the same
# place. Then the first block of a short text is padding, all of it hidden: every score
# is $-\infty$, and so is the maximum. Now $-\infty - (-\infty)$ is not 0 but NaN, and
# once a sum is NaN, it stays NaN. The whole row is lost, although most of its keys are
# visible. In torch's own attention, a safe softmax avoids such NaNs
# ([131060](https://github.com/pytorch/pytorch/pull/131060)). As long as a query has
# seen no key, subtract a finite number instead of the maximum.
#
# ### Question 4: `add_block` (3 points)
#
# About 25 minutes, hard. Source: [Milakov and Gimelshein (2018), 3](https://arxiv.org/abs/1805.02867);
# [Dao et al. (2022), 3.1](https://arxiv.org/abs/2205.14135).


# %% solution="add_block"
def add_block(
    state: tuple[Tensor, Tensor, Tensor], scores: Tensor, values: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Add one more block of b keys to a softmax that is computed block by block.

    Arguments:
        state: (maximum, denominator, output) over all blocks so far, of shapes (...,
            n), (..., n) and (..., n, d_v); before the first block they are -inf, 0 and
            0
        scores: (..., n, b), the block's scores, scaled already; -inf where a key is
            hidden
        values: (..., b, d_v), the block's values

    Returns the new state, a tuple of the same three shapes, over all blocks so far and
    this one:
        maximum: the largest score of each query
        denominator: the sum over keys of exp(score - maximum)
        output: the sum over keys of exp(score - maximum) * value; it is not divided by
            the denominator

    For a query that has not seen any key yet, the state stays -inf, 0, 0. No state ever
    holds NaN or overflows, however large the scores are. If each
    query sees a key of every block, gradients flow to the block's scores and values,
    and through the state to those of earlier blocks. All arguments are left as they
    were.

    Every step, the root too, keeps the dtype of its inputs: float64 stays precise.

    Source: Milakov and Gimelshein (2018), arXiv:1805.02867, 3; Dao et al. (2022),
        "FlashAttention", arXiv:2205.14135, 3.1.
    """
    ### BEGIN SOLUTION
    maximum, denominator, output = state
    higher = torch.maximum(maximum, scores.amax(dim=-1))
    reference = higher.masked_fill(higher == -math.inf, 0.0)
    factor = torch.exp(maximum - reference)
    parts = torch.exp(scores - reference.unsqueeze(-1))
    denominator = denominator * factor + parts.sum(dim=-1)
    output = output * factor.unsqueeze(-1) + parts @ values
    return higher, denominator, output
    ### END SOLUTION


# %% check="add_block" points=3
@check("add_block")
def check_add_block():
    """The table's example, then lower scores; then hidden keys and huge scores."""
    inf = math.inf

    def fresh(*shape, d_v=1):
        return torch.full(shape, -inf), torch.zeros(shape), torch.zeros(*shape, d_v)

    state = fresh(1)
    for scores, values, expected in (
        ([[1.0, 3.0]], [[10.0], [20.0]], [[3.0], [1.1353], [[21.3534]]]),
        ([[5.0]], [[30.0]], [[5.0], [1.1537], [[32.8899]]]),
        ([[1.0]], [[-100.0]], [[5.0], [1.1720], [[31.0583]]]),
    ):
        s, v = torch.tensor(scores), torch.tensor(values)
        why = "Both sums use the largest score so far, and neither is divided."
        expect_close(add_block(state, s, v), expected, why)
        state = expect_unchanged(add_block, state, s, v)

    some, v = torch.tensor([[-inf], [0.0]]), torch.tensor([[5.0]])
    expected = [[-inf, 0.0], [0.0, 1.0], [[0.0], [5.0]]]
    why = "Query 0 has seen no key yet, and query 1 has."
    expect_close(add_block(fresh(2), some, v), expected, why)
    values = [[[1.0, 0], [-7, 7], [3, 2]], [[6.0, 0], [0, 2], [3, 1]]]
    v, hidden = torch.tensor(values), torch.full((2, 2, 3), -inf)
    state, five = add_block(fresh(2, 2, d_v=2), hidden, v), torch.full((2, 1, 2), 5.0)
    half = torch.tensor([[[0.0, -inf, 0], [9e3] * 3], [[-9e3, -9e3, -inf], [1] * 3]])
    last = torch.tensor([[[-9e3], [9e3]], [[9e3], [-inf]]])
    state = add_block(add_block(state, half, v), hidden, v)
    sums = [[[4.0, 2], [2, 14]], [[5, 5], [9, 3]]]
    expected = [[[0.0, 9e3], [9e3, 1]], [[2.0, 4], [1, 3]], sums]
    expect_close(add_block(state, last, five), expected, "Scores are huge, or hidden.")

    torch.manual_seed(3)  # two blocks in float64 make a softmax, with its gradients
    s, v = torch.randn(2, 2, 3, 3).double().requires_grad_()
    state = [part.double() for part in fresh(2, 3, d_v=3)]
    for some in (slice(0, 1), slice(1, 3)):
        state = add_block(state, s[..., some], v[:, some])
    found, right = state[2] / state[1].unsqueeze(-1), torch.softmax(s, dim=-1) @ v
    expect_close(found, right, "Output / denominator is the same as with a softmax.")
    for part in (s, v):
        (slope,) = torch.autograd.grad(right.sum(), [part], retain_graph=True)
        expect_gradient(
            found, part, expected={0: slope}, hint="No part of a block is detached."
        )


# %% [markdown]
# ### The loop around it
#
# Given: attention that calls your `add_block` for one block of keys after the other. It never has more than
# `block_size` scores for a query, and divides once, at the end.


# %%
def blockwise_attention(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int
) -> Tensor:
    """(..., n, d_k), (..., m, d_k), (..., m, d_v) -> (..., n, d_v), the same as
    attention(...).
    """
    rows = queries.shape[:-1]
    state = (
        queries.new_full(rows, -math.inf),
        queries.new_zeros(rows),
        queries.new_zeros(*rows, values.shape[-1]),
    )
    for some_keys, some_values in zip(
        keys.split(block_size, -2), values.split(block_size, -2), strict=True
    ):
        scores = queries @ some_keys.transpose(-2, -1) / math.sqrt(keys.shape[-1])
        state = add_block(state, scores, some_values)
    _, denominator, output = state
    return output / denominator.unsqueeze(-1)


# %% [markdown]
# Watch the state of one query while 512 keys come in blocks of 16. Guess first: the denominator is a sum of
# positive numbers. Can it ever fall?

# %% demo
torch.manual_seed(3)
score_row, value_column = 3 * torch.randn(1, 512), torch.randn(512, 1)
state = torch.tensor([-math.inf]), torch.zeros(1), torch.zeros(1, 1)
history = []
for block, block_values in zip(
    score_row.split(16, -1), value_column.split(16), strict=True
):
    state = add_block(state, block, block_values)
    history.append([state[0].item(), state[1].item(), (state[2] / state[1]).item()])
plain = (torch.softmax(score_row, dim=-1) @ value_column).item()
figure, panels = plt.subplots(1, 3, figsize=(11, 2.8), layout="constrained")
for axis, numbers, title in zip(
    panels,
    zip(*history, strict=True),
    ("maximum", "denominator", "output / denominator"),
    strict=True,
):
    axis.plot(range(1, 33), numbers, marker=".")
    axis.set(title=title, xlabel="block")
panels[2].axhline(plain, color="grey", linestyle="--", label="plain softmax")
panels[2].legend()
plt.show()

# %% [markdown]
# It can fall when the maximum rises, because the old terms are then divided by a larger
# exponential. The quotient changes with each block. After the last block, it is on the
# dashed line.
#
# ### The race
#
# The cell below times three versions: your own attention in blocks, plain attention
# with all scores, and torch's `scaled_dot_product_attention`, which on most machines
# runs the same algorithm as yours in one compiled function. Guess first: which is
# fastest, and by how much? And how much memory does each need for scores?

# %% demo
block_size = 128  # try 16 and 1024
lengths = (256, 512, 1024, 2048)
runners = {
    "yours, in blocks": lambda q, k, v: blockwise_attention(q, k, v, block_size),
    "plain, all scores": attention,
    "torch's own": F.scaled_dot_product_attention,
}
milliseconds = {name: [] for name in runners}
for length in lengths:
    q, k, v = torch.randn(3, 1, 4, length, 64)
    for name, run in runners.items():
        times = []
        for _ in range(4):
            begin = time.perf_counter()
            result = run(q, k, v)
            times.append(time.perf_counter() - begin)
        milliseconds[name].append(1000 * min(times))
        farthest = (result - attention(q, k, v)).abs().max().item()
        if length == lengths[-1]:
            held = {"yours, in blocks": block_size, "plain, all scores": length}.get(
                name
            )
            memory = (
                ""
                if held is None
                else f", {4 * 4 * length * held / 1e6:.0f} MB of scores at once"
            )
            print(f"{name}: {min(times) * 1000:.0f} ms, off by {farthest:.0e}{memory}")
figure, axis = plt.subplots(figsize=(7, 3), layout="constrained")
for name, values_of_name in milliseconds.items():
    axis.plot(lengths, values_of_name, marker="o", label=name)
axis.set(
    xlabel="tokens",
    ylabel="milliseconds",
    title="Four heads of size 64",
    xscale="log",
    yscale="log",
)
axis.set_xticks(lengths, lengths)
axis.minorticks_off()
axis.legend()
plt.show()

# %% [markdown]
# All three give the same results. Your version holds only a small part of the scores at
# a time. But it takes several calls of torch for each block, and each call writes its
# results to memory. A fused kernel computes the same formula in one call, and keeps
# intermediate results in registers and caches. For short texts, plain attention may be
# faster than yours, too: it has few scores and makes fewer calls.
#
# ### Question 5: count a cache (2 points)
#
# About 10 minutes, medium.
#
# A model has 32 layers, 32 query heads, 8 heads of keys and values, head size 128, and 2 bytes a number. How
# many bytes does one token take in the cache, and about how much do 10 users with 8,000 tokens each take
# together? What would it be with 32 heads of keys and values? And why does nobody cache queries? Give your
# calculation, in four or five sentences.

# %% [markdown] manual="count_a_cache" points=2
# ### BEGIN SOLUTION
# One token takes 2 (keys and values) * 32 layers * 8 heads * 128 * 2 bytes = 131,072 bytes. Ten users with
# 8,000 tokens have 80,000 tokens, which is about 10.5 GB. With 32 heads of keys and values it would be four
# times as much, about 42 GB; the number of query heads does not matter. A query is used once, in the step
# in which its token is new: no later token looks at it, and old outputs do not change. Keys and values are
# looked at by every later token.
#
# (the bytes of one token, of all users, and with 32 heads of keys and values, each with its calculation
# (a slip costs nothing): 1 point; which later tokens need a query, and which need keys and values: 1
# point.)
# ### END SOLUTION

# %% [markdown]
# ## What you can now explain
#
# - In causal attention nothing old changes when a token is appended; so keys and values are kept, and each
#   new token costs one row.
# - With a cache, the mask depends on the place of a token in the text instead of its
#   row in the tensor.
# - The cache's size is decided by the heads of keys and values; query heads may share them, in groups of
#   neighbours.
# - Turned queries and keys give scores that depend on distances only, if angles are computed exactly enough.
# - A softmax can be taken block by block, with a running maximum, denominator and output, exactly.
# - Why a fused kernel is faster than the same formula in several calls.
#
# From a product of two vectors you have come to what runs inside the models of today; whatever you read about
# them next, you have built its parts. In the last notebook you build nothing. You find out what is wrong with
# attention that others have written.

# %% [markdown]
# ## Challenge (not graded)
#
# A step with the cache takes about as long for five new tokens as for one: most of the time goes into reading
# the weights and the cache. So **read ahead**: guess the next few tokens cheaply, hand all of them to the
# model in *one* call, and look whether it would have written the same. The tokens up to the first wrong guess
# are right, and the model's own token in the place of the wrong guess comes for free. The text stays the same
# to the last token, and takes fewer calls. Servers do this with a small model that guesses
# ([speculative decoding](https://arxiv.org/abs/2211.17192)), or without any model: look where the last two
# tokens stood before in the text, and guess what came after them.
#
# The nonsense above repeats itself often enough. Change `write_ahead` so that it writes the same text in at
# most 100 calls instead of 300. One trap waits: keys and values of wrong guesses must leave the caches.


# %% demo
def write_ahead(prompt, count, decode):
    """Write `count` tokens after a prompt, each the likeliest one.

    decode(tokens, first_place, caches) -> (logits, caches), as above.
    """
    text, caches, new = list(prompt), [None] * layers, list(prompt)
    while len(text) < len(prompt) + count:
        logits, caches = decode(torch.tensor(new), len(text) - len(new), caches)
        new = [int(logits[-1].argmax())]  # one token for each call: guess more
        text += new
    return text


def race():
    """Compare write_ahead with the text that is written token by token."""
    calls, begin = [], time.perf_counter()

    def counted(tokens, first_place, caches):
        calls.append(len(tokens))
        return decode(tokens, first_place, caches)

    text = write_ahead([1, 2, 3], count, counted)
    seconds = time.perf_counter() - begin
    same = "the same" if text == texts[1] else "another"
    print(f"{same} text, {len(calls)} calls for {count} tokens, {seconds:.2f} seconds")
    reached = text == texts[1] and len(calls) <= count / 3
    print("You have reached the goal!" if reached else "The goal is not reached yet.")


race()
