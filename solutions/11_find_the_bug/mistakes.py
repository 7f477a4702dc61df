# %% mistake="sees_the_future" name="compared_with_torch"
"""Your probe finds whatever is wrong. What must hold of the future, even if the rest is wrong?"""


def sees_the_future(attend):
    queries, keys, values = random_texts()
    right = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return differ(attend(queries, keys, values), right)


# %% mistake="sees_the_future" name="compares_all_rows"
"""A changed token may change its own output, and later ones. Which rows must stay as they were?"""
edit = "A(*B)[..., :2, :] => A(*B)"


# %% mistake="sees_the_future" name="exact"
"""Your probe finds a difference in the last digits. How much may two right results differ by rounding?"""
edit = """
differ(A(*B)[..., :2, :], A(*X)[..., :2, :])
=>
not torch.equal(A(*B)[..., :2, :], A(*X)[..., :2, :])
"""


# %% mistake="sees_the_future" name="last_token_alone"
"""You compare the first row alone, after a change of the last token. Who sees only the next token?"""


def sees_the_future(attend):
    before = random_texts()
    after = [part.clone() for part in before]
    for part in after:
        part[..., -1, :] += 1.0
    return differ(attend(*before)[..., 0, :], attend(*after)[..., 0, :])


# %% mistake="sees_the_future" name="one_text_one_head"
"""Your probe looks at one text and one head. In which of them could a mask be missing?"""
edit = "random_texts() => random_texts(batch=1, heads=1)"


# %% mistake="sees_the_future" name="opposite"
"""Your probe says True where all is right. Which answer does the name of the function ask for?"""
edit = "differ(X, Y) => not differ(X, Y)"


# %% mistake="sees_the_future" name="values_alone"
"""Your probe changes the later values alone. What else of a later token can reach an earlier output?"""


def sees_the_future(attend):
    queries, keys, values = random_texts()
    changed = values.clone()
    changed[..., 2:, :] = torch.randn_like(changed[..., 2:, :])
    one, other = attend(queries, keys, values), attend(queries, keys, changed)
    return differ(one[..., :2, :], other[..., :2, :])


# %% exception="sees_the_future"
"""Two tensors differ in either order."""
edits = [
    """
differ(A(*B)[..., :2, :], A(*X)[..., :2, :])
=>
differ(A(*X)[..., :2, :], A(*B)[..., :2, :])
"""
]


# %% mistake="scales_wrongly" name="equal_sizes"
"""Your probe takes as many tokens as features. Which wrong divisors are then right by chance?"""


def scales_wrongly(attend):
    queries, keys, values = random_texts(batch=4, heads=4, tokens=4, head_size=4)
    right = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return differ(attend(queries, keys, values)[..., -1, :], right[..., -1, :])


# %% mistake="scales_wrongly" name="first_row"
"""The first token sees itself alone: its weight is 1 with every scale. Which row sees most tokens?"""


def scales_wrongly(attend):
    queries, keys, values = random_texts()
    return differ(attend(queries, keys, values)[..., 0, :], values[..., 0, :])


# %% mistake="scales_wrongly" name="one_head"
"""With one head, the width of all heads is that of one. Does your probe see who confuses the two?"""


def scales_wrongly(attend):
    queries, keys, values = random_texts(heads=1)
    right = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return differ(attend(queries, keys, values)[..., -1, :], right[..., -1, :])


# %% mistake="scales_wrongly" name="whole_output"
"""Your probe also finds modules without a mask. In which row does a mask change nothing?"""


def scales_wrongly(attend):
    queries, keys, values = random_texts()
    right = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return differ(attend(queries, keys, values), right)


# %% mistake="scales_wrongly" name="without_root"
"""Your probe takes modules for right that divide by head_size itself. What does the formula divide by?"""
edit = "math.sqrt(K.shape[-1]) => K.shape[-1]"


# %% exception="scales_wrongly"
"""Two tensors differ in either order."""
edits = ["differ(A(Q, K, V)[..., -1:, :], L) => differ(L, A(Q, K, V)[..., -1:, :])"]


# %% exception="scales_wrongly"
"""Keys and values have one shape."""
edits = ["K.shape => values.shape"]
misconceptions = ["scaled_by_values_width"]


# %% exception="scales_wrongly"
"""The random texts of a probe have small scores."""
misconceptions = [
    "exp_overflows",
    "one_shift_for_all",
    "shifted_by_the_mean",
    "shifted_before_scaling",
    "scores_clipped",
]


# %% exception="scales_wrongly"
"""Nobody asks for the gradient of a truth value."""
misconceptions = ["weights_detached", "inputs_detached"]


# %% mistake="mixes_the_batch" name="compared_with_torch"
"""Your probe finds whatever is wrong. In which two calls of one module must a text be the same?"""


def mixes_the_batch(attend):
    queries, keys, values = random_texts()
    right = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return differ(attend(queries, keys, values), right)


# %% mistake="mixes_the_batch" name="equal_texts"
"""All texts of your batch are equal. What does one see if equal texts are mixed?"""


def mixes_the_batch(attend):
    texts = random_texts(batch=1)
    together = attend(*(part.expand(3, -1, -1, -1) for part in texts))
    return differ(together, attend(*texts).expand(3, -1, -1, -1))


# %% mistake="mixes_the_batch" name="first_text_alone"
"""Your probe compares the first text alone. What if all others are made of it, and it is right itself?"""


def mixes_the_batch(attend):
    texts = random_texts()
    alone = attend(*(part[:1] for part in texts))
    return differ(attend(*texts)[:1], alone)


# %% mistake="mixes_the_batch" name="one_head"
"""With one head, texts and heads cannot be confused. Which numbers of heads let your probe see it?"""
edit = """
random_texts() => random_texts(heads=1)
len(T) => 2
"""


# %% exception="mixes_the_batch"
"""Two tensors differ in either order."""
edits = ["differ(T, torch.cat(A)) => differ(torch.cat(A), T)"]


# %% mistake="RepairedHead" name="as_it_was"
"""The result of `masked_fill` is still thrown away. Which line should keep it?"""
edit = "S = S.masked_fill(X, -math.inf) => S.masked_fill(X, -math.inf)"


# %% exception="RepairedHead"
"""The head is causal anyway."""
misconceptions = ["causal_by_default"]


# %% exception="RepairedHead"
"""x always has three dimensions, and keys are made of it."""
misconceptions = ["three_dimensions_only", "as_many_keys_as_queries"]


# %% mistake="RepairedMultiHead" name="as_it_was"
"""The heads are still merged as they lie in memory. Which dimension must stand beside the features first?"""
edit = "M.transpose(1, 2).reshape(X, Y, D) => M.reshape(X, Y, D)"


# %% mistake="RepairedMultiHead" name="never_transposed"
"""The heads are not split any more: tokens and heads have changed places. Was it the split that was wrong?"""


class RepairedMultiHead(BrokenMultiHead):
    def forward(self, x):
        B, T, d_model = x.shape
        queries = self.W_query(x).view(B, T, self.num_heads, -1)
        keys = self.W_key(x).view(B, T, self.num_heads, -1)
        values = self.W_value(x).view(B, T, self.num_heads, -1)
        mixed = attend_h(queries, keys, values)
        merged = mixed.reshape(B, T, d_model)
        return self.out_proj(merged)


# %% mistake="RepairedDropout" name="as_it_was"
"""Dropout still acts in evaluation. How does a function of torch's know in which mode your module is?"""
edit = (
    "F.dropout(W, self.dropout, training=self.training) => F.dropout(W, self.dropout)"
)


# %% mistake="RepairedDropout" name="never"
"""Now nothing is dropped in training either. What should decide whether dropout acts?"""
edit = "self.training => False"


# %% exception="RepairedDropout"
"""Keys and values have one shape."""
edits = ["K.shape => values.shape"]
misconceptions = ["scaled_by_values_width"]


# %% exception="RepairedDropout"
"""The module is causal anyway."""
misconceptions = ["always_causal", "causal_by_default"]


# %% exception="RepairedDropout"
"""x always has three dimensions, and keys are made of it."""
misconceptions = ["three_dimensions_only", "as_many_keys_as_queries"]
