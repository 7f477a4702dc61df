# %% mistake="sees_the_future" name="compared_with_torch"
"""Your probe returns True for modules with other mistakes, too. If you change later tokens, which rows of
the result must stay the same? Compare only these rows.
"""


def sees_the_future(attend):
    queries, keys, values = random_texts()
    right = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return differ(attend(queries, keys, values), right)


# %% mistake="sees_the_future" name="compares_all_rows"
"""A changed token may change its own output and later outputs. Which rows must not change?"""
edit = "A(*B)[..., :2, :] => A(*B)"


# %% mistake="sees_the_future" name="exact"
"""Your probe returns True if only the last digits differ. How much can rounding change a correct result?"""
edit = """
differ(A(*B)[..., :2, :], A(*X)[..., :2, :])
=>
not torch.equal(A(*B)[..., :2, :], A(*X)[..., :2, :])
"""


# %% mistake="sees_the_future" name="first_row_alone"
"""You compare only the first row. Does your probe find a module whose first row is right, but in which later
rows depend on later tokens?
"""
edit = """
differ(A(*B)[..., :2, :], A(*X)[..., :2, :])
=>
differ(A(*B)[..., :1, :], A(*X)[..., :1, :])
"""


# %% mistake="sees_the_future" name="last_token_alone"
"""You change only the last token and compare only the first row. Does your probe find a module in which
each token sees only the next one?
"""


def sees_the_future(attend):
    before = random_texts()
    after = [part.clone() for part in before]
    for part in after:
        part[..., -1, :] += 1.0
    return differ(attend(*before)[..., 0, :], attend(*after)[..., 0, :])


# %% mistake="sees_the_future" name="one_text_one_head"
"""Your probe uses one text and one head. Does it find a module that masks only the first head, or only the
first text?
"""
edit = "random_texts() => random_texts(batch=1, heads=1)"


# %% mistake="sees_the_future" name="opposite"
"""Your probe returns True for correct modules. For which modules should it return True?"""
edit = "differ(X, Y) => not differ(X, Y)"


# %% mistake="sees_the_future" name="values_alone"
"""Your probe changes only the later values. Which other tensors of a later token can change an earlier
output?
"""


def sees_the_future(attend):
    queries, keys, values = random_texts()
    changed = values.clone()
    changed[..., 2:, :] = torch.randn_like(changed[..., 2:, :])
    one, other = attend(queries, keys, values), attend(queries, keys, changed)
    return differ(one[..., :2, :], other[..., :2, :])


# %% exception="sees_the_future"
"""`differ(a, b)` and `differ(b, a)` are equal."""
edits = [
    """
differ(A(*B)[..., :2, :], A(*X)[..., :2, :])
=>
differ(A(*X)[..., :2, :], A(*B)[..., :2, :])
"""
]


# %% mistake="scales_wrongly" name="equal_sizes"
"""In your random texts, several sizes are equal. Which wrong divisors are then right by chance?"""


def scales_wrongly(attend):
    queries, keys, values = random_texts(batch=4, heads=4, tokens=4, head_size=4)
    right = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return differ(attend(queries, keys, values)[..., -1, :], right[..., -1, :])


# %% mistake="scales_wrongly" name="first_row"
"""The first token sees only itself: its weight is 1 for any divisor. Which token sees all tokens?"""


def scales_wrongly(attend):
    queries, keys, values = random_texts()
    return differ(attend(queries, keys, values)[..., 0, :], values[..., 0, :])


# %% mistake="scales_wrongly" name="large_tolerance"
"""Your probe ignores differences up to 0.1. How large can the differences between two right modules be? Does
your probe find a module whose divisor is 5 % too large?
"""


def scales_wrongly(attend):
    queries, keys, values = random_texts(2, 3, 6, 16)
    scores = queries[..., -1:, :] @ keys.mT / math.sqrt(keys.shape[-1])
    last = torch.softmax(scores, dim=-1) @ values
    output = attend(queries, keys, values)[..., -1:, :]
    return not torch.allclose(output, last, atol=0.1)


# %% mistake="scales_wrongly" name="one_head"
"""With one head, heads * head_size equals head_size. Does your probe find a module that divides by the root
of heads * head_size?
"""


def scales_wrongly(attend):
    queries, keys, values = random_texts(heads=1)
    right = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return differ(attend(queries, keys, values)[..., -1, :], right[..., -1, :])


# %% mistake="scales_wrongly" name="whole_output"
"""Your probe also returns True for modules without a mask. In which row does a mask hide nothing?"""


def scales_wrongly(attend):
    queries, keys, values = random_texts()
    right = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return differ(attend(queries, keys, values), right)


# %% mistake="scales_wrongly" name="without_root"
"""Your probe returns False for modules that divide by head_size itself. Which number does the formula
divide by?
"""
edit = "math.sqrt(K.shape[-1]) => K.shape[-1]"


# %% exception="scales_wrongly"
"""`differ(a, b)` and `differ(b, a)` are equal."""
edits = ["differ(A(Q, K, V)[..., -1:, :], L) => differ(L, A(Q, K, V)[..., -1:, :])"]


# %% exception="scales_wrongly"
"""Keys and values have the same shape."""
edits = ["K.shape => values.shape"]
misconceptions = ["scaled_by_values_width"]


# %% exception="scales_wrongly"
"""The random texts of a probe have small scores, so these mistakes have no effect."""
misconceptions = [
    "exp_overflows",
    "one_shift_for_all",
    "shifted_by_the_mean",
    "shifted_before_scaling",
    "scores_clipped",
]


# %% exception="scales_wrongly"
"""A bool has no gradient, so `detach` changes nothing."""
misconceptions = ["weights_detached", "inputs_detached"]


# %% mistake="mixes_the_batch" name="compared_with_torch"
"""Your probe returns True for modules with other mistakes, too. Call one module twice. What can you change in
the second call so that the result for a text must stay the same?
"""


def mixes_the_batch(attend):
    queries, keys, values = random_texts()
    right = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return differ(attend(queries, keys, values), right)


# %% mistake="mixes_the_batch" name="equal_texts"
"""All texts of your batch are equal. If a module mixes equal texts, does its result change?"""


def mixes_the_batch(attend):
    texts = random_texts(batch=1)
    together = attend(*(part.expand(3, -1, -1, -1) for part in texts))
    return differ(together, attend(*texts).expand(3, -1, -1, -1))


# %% mistake="mixes_the_batch" name="exact"
"""Your probe returns True if only the last digits differ. How much can rounding change a correct result?"""
edit = "differ(T, torch.cat(A)) => not torch.equal(T, torch.cat(A))"


# %% mistake="mixes_the_batch" name="first_text_alone"
"""Your probe compares only the first text. Does it find a module that gives the right result for the
first text, but uses the keys of the first text for all others?
"""


def mixes_the_batch(attend):
    texts = random_texts()
    alone = attend(*(part[:1] for part in texts))
    return differ(attend(*texts)[:1], alone)


# %% mistake="mixes_the_batch" name="last_text_alone"
"""Your probe compares only the last text. Does it find a module that gives the right result for the last
text, but uses the keys of the last text for all others?
"""


def mixes_the_batch(attend):
    texts = random_texts()
    last = attend(*(part[-1:] for part in texts))
    return differ(attend(*texts)[-1:], last)


# %% mistake="mixes_the_batch" name="mean_of_outputs"
"""You compare only the means over all texts. If a module returns the output of each text for the next text,
does this mean change?
"""
edit = "differ(T, torch.cat(A)) => differ(T.mean(dim=0), torch.cat(A).mean(dim=0))"


# %% mistake="mixes_the_batch" name="one_head"
"""With one head, a module cannot confuse texts and heads. With how many heads would your probe find such a
module?
"""
edit = """
random_texts() => random_texts(heads=1)
len(T) => 2
"""


# %% exception="mixes_the_batch"
"""`differ(a, b)` and `differ(b, a)` are equal."""
edits = ["differ(T, torch.cat(A)) => differ(torch.cat(A), T)"]


# %% mistake="RepairedHead" name="as_it_was"
"""The result of `masked_fill` is still not used. Which variable should it be assigned to?"""
edit = "S = S.masked_fill(X, -math.inf) => S.masked_fill(X, -math.inf)"


# %% exception="RepairedHead"
"""The head is causal already."""
misconceptions = ["causal_by_default"]


# %% exception="RepairedHead"
"""x always has three dimensions, and the keys are computed from x."""
misconceptions = ["three_dimensions_only", "as_many_keys_as_queries"]


# %% mistake="RepairedMultiHead" name="as_it_was"
"""The heads are still merged in the wrong order: all tokens of the first head come first. Which dimension
must come directly before the features of a head?
"""
edit = "M.transpose(1, 2).reshape(X, Y, D) => M.reshape(X, Y, D)"


# %% mistake="RepairedMultiHead" name="never_transposed"
"""You removed the swap of tokens and heads, so the heads are no longer split. Was the mistake in the
split, or in the merging?
"""


class RepairedMultiHead(BrokenMultiHead):
    def forward(self, x):
        B, T, d_model = x.shape
        queries = self.W_query(x).view(B, T, self.num_heads, -1)
        keys = self.W_key(x).view(B, T, self.num_heads, -1)
        values = self.W_value(x).view(B, T, self.num_heads, -1)
        mixed = attend_h(queries, keys, values)
        merged = mixed.reshape(B, T, d_model)
        return self.out_proj(merged)


# %% mistake="RepairedMultiHead" name="split_by_view"
"""Your `view` splits without a swap of tokens and heads, so each head gets only a few of the tokens. In
BrokenMultiHead, each head gets some features of every token. Was the mistake in the split, or in the merging?
"""


class RepairedMultiHead(BrokenMultiHead):
    def forward(self, x):
        B, T, d_model = x.shape
        queries = self.W_query(x).view(B, self.num_heads, T, -1)
        keys = self.W_key(x).view(B, self.num_heads, T, -1)
        values = self.W_value(x).view(B, self.num_heads, T, -1)
        mixed = attend_h(queries, keys, values)
        return self.out_proj(mixed.reshape(B, T, d_model))


# %% mistake="RepairedDropout" name="as_it_was"
"""Dropout still acts in evaluation. Which argument tells a function of torch in which mode your module is?"""
edit = (
    "F.dropout(W, self.dropout, training=self.training) => F.dropout(W, self.dropout)"
)


# %% mistake="RepairedDropout" name="never"
"""Now nothing is dropped in training, either. Which attribute of the module should decide whether dropout
acts?
"""
edit = "self.training => False"


# %% mistake="RepairedDropout" name="one_draw_for_each_key"
"""One random number decides about all weights of a key, so all queries lose this key together. Which shape
should the random numbers have so that each weight is dropped independently?
"""
edit = """
F.dropout(W, self.dropout, training=self.training)
=>
W * F.dropout(torch.ones_like(W[:, :1]), self.dropout, training=self.training)
"""


# %% exception="RepairedDropout"
"""Keys and values have the same shape."""
edits = ["K.shape => values.shape"]
misconceptions = ["scaled_by_values_width"]


# %% exception="RepairedDropout"
"""The module is causal already."""
misconceptions = ["causal_by_default"]


# %% exception="RepairedDropout"
"""x always has three dimensions, and the keys are computed from x."""
misconceptions = ["three_dimensions_only", "as_many_keys_as_queries"]
