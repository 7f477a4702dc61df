# %% mistake="cached_attention" name="counts_by_itself"
"""If your function is called twice with the same cache, the second call hides the wrong tokens. Does your
function store the number of tokens between calls? The size of the cache gives this number.
"""

_seen = [0]


def cached_attention(queries, keys, values, cache=None):
    if cache is None:
        _seen[0] = 0
    else:
        keys = torch.cat([cache[0], keys], dim=-2)
        values = torch.cat([cache[1], values], dim=-2)
    n, m = queries.shape[-2], keys.shape[-2]
    begin, _seen[0] = _seen[0], _seen[0] + n
    mask = torch.arange(m) > torch.arange(begin, begin + n)[:, None]
    return attention(queries, keys, values, mask), (keys, values)


# %% mistake="cached_attention" name="limited_cache"
"""The cache has a maximum size, so the oldest tokens of a long text are lost. A new token must see all tokens
so far. Which line of your function drops keys and values?
"""


def cached_attention(queries, keys, values, cache=None):
    if cache is not None:
        keys = torch.cat([cache[0], keys], dim=-2)
        values = torch.cat([cache[1], values], dim=-2)
    keys, values = keys[..., -256:, :], values[..., -256:, :]
    n, m = queries.shape[-2], keys.shape[-2]
    places = torch.arange(m)
    mask = places > places[-1] + 1 - n + torch.arange(n)[:, None]
    return attention(queries, keys, values, mask), (keys, values)


# %% mistake="cached_attention" name="needs_a_cache"
"""At the beginning of a text, there is no cache: it is None. What does your function do then?"""


def cached_attention(queries, keys, values, cache=None):
    keys = torch.cat([cache[0], keys], dim=-2)
    values = torch.cat([cache[1], values], dim=-2)
    n, m = queries.shape[-2], keys.shape[-2]
    mask = torch.ones(n, m, dtype=torch.bool).triu(m - n + 1)
    return attention(queries, keys, values, mask), (keys, values)


# %% mistake="cached_attention" name="remembers_between_texts"
"""A new text sees the tokens of an earlier text. Does your function store keys and values between calls? They
belong in the cache that it returns.
"""


_kept = {}


def cached_attention(queries, keys, values, cache=None):
    front = queries.shape[:-2]
    if front in _kept:
        keys = torch.cat([_kept[front][0], keys], dim=-2)
        values = torch.cat([_kept[front][1], values], dim=-2)
    _kept[front] = keys, values
    n, m = queries.shape[-2], keys.shape[-2]
    mask = torch.ones(n, m, dtype=torch.bool).triu(m - n + 1)
    return attention(queries, keys, values, mask), (keys, values)


# %% exception="cached_attention"
"""There are as many values as keys, so `values.shape` gives the same number of tokens."""
edits = ["K.shape => values.shape"]


# %% mistake="grouped_query_attention" name="needs_a_batch"
"""The result is wrong for a single text, without a batch dimension. Which index does the dimension of the
heads have if you count from the end?
"""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.shape[1], keys.shape[1]
    if h % g != 0:
        raise ValueError("h must be a multiple of g")
    keys = keys.repeat_interleave(h // g, dim=1)
    values = values.repeat_interleave(h // g, dim=1)
    return attention(queries, keys, values, mask)


# %% mistake="grouped_query_attention" name="uneven_groups_accepted"
"""No ValueError is raised if h is not a multiple of g. Which operator gives the remainder of h divided by
g?
"""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.shape[-3], keys.shape[-3]
    keys = keys.repeat_interleave(h // g, dim=-3)
    values = values.repeat_interleave(h // g, dim=-3)
    return attention(queries, keys, values, mask)


# %% exception="grouped_query_attention"
"""Values have as many heads as keys, so `values.shape` gives the same number of heads."""
edits = ["K.shape => values.shape"]


# %% mistake="rotate" name="overwrites_inputs"
"""After the call, the caller's x has changed. Which line writes into it? Create a new tensor instead."""


def rotate(x, positions, base=10_000.0):
    d = x.shape[-1]
    pairs = torch.arange(0, d, 2, dtype=x.dtype)
    angles = positions.to(x.dtype)[:, None] * base ** (-pairs / d)
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., 0::2].clone(), x[..., 1::2].clone()
    with torch.no_grad():
        x[..., 0::2] = a * cos - b * sin
        x[..., 1::2] = a * sin + b * cos
    return x


# %% exception="rotate"
"""The angles come from integer positions and a number, so they have no gradient to detach."""
edits = ["X * Y => (X * Y).detach()"]


# %% exception="rotate"
"""Integer positions times a float tensor give the dtype of this tensor, so the conversion is optional."""
edits = [
    "P.to(X.dtype) => P.to()",
    "P.to(X.dtype) => P",
    "P.to(X.dtype) => P.to(P.dtype)",
]


# %% exception="rotate"
"""`positions` has one dimension, so `unsqueeze(1)` does the same as `unsqueeze(-1)`."""
edits = ["X.unsqueeze(-1) => X.unsqueeze(1)"]


# %% exception="rotate"
"""A slice without a start begins at 0."""
edits = ["X[..., 0::2] => X[..., ::2]"]


# %% mistake="add_block" name="overwrites_inputs"
"""Your function writes into one of its arguments, but the caller may still need this tensor. Create new
tensors instead.
"""


def add_block(state, scores, values):
    maximum, denominator, output = state
    higher = torch.maximum(maximum, scores.amax(dim=-1))
    safe = higher.masked_fill(higher == -math.inf, 0.0)
    factor = torch.exp(maximum - safe)
    parts = torch.exp(scores - safe[..., None])
    with torch.no_grad():
        denominator.mul_(factor)
        output.mul_(factor[..., None])
    denominator = denominator + parts.sum(dim=-1)
    output = output + parts @ values
    return higher, denominator, output


# %% exception="add_block"
"""The maximum cancels out in output / denominator, so its gradient is 0, and it may be detached."""
edits = ["torch.maximum(M, X) => torch.maximum(M, X).detach()"]


# %% exception="add_block"
"""If a query sees no key, any finite number may be subtracted instead of its maximum."""
edits = [
    "H.masked_fill(X, 0.0) => H.masked_fill(X, 1.0)",
    "H.masked_fill(X, 0.0) => H.masked_fill(X, -1.0)",
]
