# %% mistake="causal_average_loop" name="averages_its_own_output"
"""Averages are averaged that were made before, and not the tokens alone. Which numbers does the mean of
row 2 read, and who wrote them?
"""


def causal_average_loop(x):
    x = x.clone()
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            x[b, t] = x[b, : t + 1].mean(dim=0)
    return x


# %% mistake="causal_average_loop" name="last_eight"
"""Try a sequence of twenty tokens. Which of them does the last row still count?"""
edit = """
for T in X:
    A[Y] = Z[B, :C].mean(dim=0)
=>
for T in X:
    A[Y] = Z[B, max(0, T - 7):C].mean(dim=0)
"""


# %% mistake="causal_average_loop" name="mixes_the_batch"
"""Your mean runs over the sequences as well as over the tokens. With a batch of one nobody notices; what
has one sequence to do with another?
"""


def causal_average_loop(x):
    averages = torch.zeros_like(x)
    for t in range(x.shape[1]):
        averages[:, t] = x[:, : t + 1].mean(dim=(0, 1))
    return averages


# %% mistake="causal_average_loop" name="overwrites_inputs"
"""The caller's x has changed. Which line writes into it, and where else could the result go?"""


def causal_average_loop(x):
    original = x.clone()
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            x[b, t] = original[b, : t + 1].mean(dim=0)
    return x


# %% mistake="causal_average_loop" name="overwrites_while_reading"
"""The tensor that is read is written to as well, and it is the caller's; a second name, as in `y = x`,
makes no copy. Follow row 2: which rows does it read, and who wrote to them before?
"""


def causal_average_loop(x):
    y = x
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            y[b, t] = x[b, : t + 1].mean(dim=0)
    return y


# %% exception="causal_average_loop"
"""Every row is overwritten."""
edits = ["torch.zeros_like(X) => torch.ones_like(X)"]


# %% exception="causal_average_loop"
"""averages has the shape of x."""
edits = [
    "X.shape => averages.shape",
    """
for T in range(Z.shape[1]):
    A[X] = Y
=>
for T in range(A.shape[1]):
    A[X] = Y
""",
]


# %% mistake="causal_average_weights" name="made_for_eight_tokens"
"""Your weights fit the check's 8 tokens and shorter sequences. Where does `length` come in when there are
more?
"""


def causal_average_weights(length):
    allowed = torch.tril(torch.ones(8, 8))
    return (allowed / allowed.sum(dim=1, keepdim=True))[:length, :length]


# %% mistake="causal_average_weights" name="softmax_of_the_triangle"
"""Softmax of a 0 is not 0, since exp(0) = 1. Divide by the row sums here; the softmax needs another mask,
which comes later.
"""


def causal_average_weights(length):
    return torch.softmax(torch.tril(torch.ones(length, length)), dim=1)


# %% exception="causal_average_weights"
"""Nothing that asks for a gradient goes in."""
misconceptions = ["detached"]


# %% exception="causal_average_weights"
"""The result is float32 as it is."""
misconceptions = ["single_precision"]


# %% exception="causal_average_weights"
"""No weight is negative."""
misconceptions = ["negatives_cut", "absolute_values"]


# %% mistake="causal_average" name="along_the_channels"
"""You average along the last dimension, over the numbers of one token. Along which dimension do the
tokens follow each other?
"""


def causal_average(x):
    count = torch.arange(1, x.shape[-1] + 1, dtype=x.dtype)
    return x.cumsum(dim=-1) / count


# %% mistake="causal_average" name="last_eight"
"""Try a sequence of twenty tokens. Which of them does the last row still count?"""
edit = "torch.tril(X) => torch.tril(X).triu(-7)"


# %% mistake="causal_average" name="mixes_the_batch"
"""All sequences of your batch get the same kind of mixture: a mean over the sequences has slipped in.
Each sequence has its own averages.
"""


def causal_average(x):
    allowed = torch.tril(torch.ones(x.shape[-2], x.shape[-2], dtype=x.dtype))
    averages = allowed / allowed.sum(dim=1, keepdim=True) @ x
    if x.dim() > 2:
        averages = averages.mean(dim=0, keepdim=True).expand(x.shape)
    return averages


# %% mistake="causal_average" name="overwrites_inputs"
"""x has been overwritten. Methods whose name ends in an underscore do that, and so do assignments to a
part of x.
"""


def causal_average(x):
    count = torch.arange(1, x.shape[-2] + 1, dtype=x.dtype).unsqueeze(1)
    return x.cumsum_(dim=-2) / count


# %% mistake="causal_average" name="three_dimensions_only"
"""`B, T, C = x.shape` works for exactly three dimensions. Does a step of yours need three? Count from
the end: where is T in any shape?
"""


def causal_average(x):
    B, T, C = x.shape
    allowed = torch.tril(torch.ones(T, T, dtype=x.dtype))
    return allowed / allowed.sum(dim=1, keepdim=True) @ x


# %% mistake="causal_average" name="view_of_the_input"
"""`view` needs a tensor that lies in memory in order; a transposed one does not. Is the reshaping needed
at all, and which call copies when it must?
"""


def causal_average(x):
    batch = x.view(-1, *x.shape[-2:])
    allowed = torch.tril(torch.ones(x.shape[-2], x.shape[-2], dtype=x.dtype))
    return (allowed / allowed.sum(dim=1, keepdim=True) @ batch).view(x.shape)


# %% mistake="causal_average" name="weights_always_float32"
"""A product of two number types is an error. Are your weights float32, whatever x is? Which argument
makes them follow x?
"""


def causal_average(x):
    allowed = torch.tril(torch.ones(x.shape[-2], x.shape[-2]))
    return allowed / allowed.sum(dim=1, keepdim=True) @ x


# %% mistake="causal_mask_scores" name="ones_left"
"""The future is masked, but the triangle of ones has stayed. Which score should a visible token have here?"""
edit = "torch.zeros(L, L) => allowed"


# %% exception="causal_mask_scores"
"""One row of zeros is repeated for each row of the mask."""
edits = ["torch.zeros(L, L) => torch.zeros(L)"]


# %% exception="causal_mask_scores"
"""The last row hides nothing."""
misconceptions = ["misses_the_last"]


# %% exception="causal_mask_scores"
"""Nothing that asks for a gradient goes in."""
misconceptions = ["detached"]


# %% exception="causal_mask_scores"
"""The result is float32 as it is."""
misconceptions = ["single_precision"]


# %% exception="causal_mask_scores"
"""Only scores above the diagonal are set."""
misconceptions = ["diagonal_left_out"]


# %% mistake="causal_softmax_weights" name="masked_after_softmax"
"""If hidden tokens are struck out after the softmax, their share of the whole is lost, and the rows no
longer sum to 1. Mask first.
"""


def causal_softmax_weights(length):
    weights = torch.softmax(torch.zeros(length, length), dim=1)
    return weights * torch.tril(torch.ones(length, length))


# %% mistake="causal_softmax_weights" name="zero_for_minus_infinity"
"""Hidden tokens get a weight, too: their scores are only 1 below the others. What must stand in their place,
so that nothing is left for them?
"""


def causal_softmax_weights(length):
    return torch.softmax(torch.tril(torch.ones(length, length)), dim=1)


# %% exception="causal_softmax_weights"
"""One row of zeros is repeated for each row of the mask."""
edits = ["torch.zeros(L, L) => torch.zeros(L)"]


# %% exception="causal_softmax_weights"
"""Scores that are all alike have one softmax."""
edits = ["torch.zeros(L, L) => torch.ones(L, L)"]


# %% exception="causal_softmax_weights"
"""The scores have two dimensions."""
misconceptions = ["softmax_over_dim_1"]


# %% exception="causal_softmax_weights"
"""All scores are 0 or -inf."""
misconceptions = ["exp_overflows", "one_shift_for_all"]


# %% exception="causal_softmax_weights"
"""Nothing that asks for a gradient goes in."""
misconceptions = ["weights_detached", "detached"]


# %% exception="causal_softmax_weights"
"""The result is float32 as it is."""
misconceptions = ["single_precision"]


# %% exception="causal_softmax_weights"
"""A number goes in, and the scores are its own."""
misconceptions = ["overwrites_inputs"]


# %% exception="causal_softmax_weights"
"""The future is hidden as it is."""
misconceptions = ["causal_by_default"]


# %% exception="causal_softmax_weights"
"""All scores that are seen are 0."""
misconceptions = ["scaled_where_it_should_not_be", "powers_of_two"]


# %% exception="causal_softmax_weights"
"""The rows sum to 1 as they are."""
misconceptions = ["normalises_again"]
