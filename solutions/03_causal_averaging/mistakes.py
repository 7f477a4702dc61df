# %% mistake="causal_average_loop" name="averages_its_own_output"
"""Your mean also reads averages that were written in earlier rounds. Which rows does the mean of row 2
read, and which line wrote them?
"""


def causal_average_loop(x):
    x = x.clone()
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            x[b, t] = x[b, : t + 1].mean(dim=0)
    return x


# %% mistake="causal_average_loop" name="last_eight"
"""Try a sequence of twenty tokens. Which tokens are in the average of the last row?"""
edit = """
for T in X:
    A[Y] = Z[B, :C].mean(dim=0)
=>
for T in X:
    A[Y] = Z[B, max(0, T - 7):C].mean(dim=0)
"""


# %% mistake="causal_average_loop" name="mixes_the_batch"
"""Your mean runs over the sequences as well as over the tokens. Try a batch of two sequences: each must
get only its own averages.
"""


def causal_average_loop(x):
    averages = torch.zeros_like(x)
    for t in range(x.shape[1]):
        averages[:, t] = x[:, : t + 1].mean(dim=(0, 1))
    return averages


# %% mistake="causal_average_loop" name="overwrites_inputs"
"""After the call, x has changed. Which line writes into x? Write the averages into a new tensor."""


def causal_average_loop(x):
    original = x.clone()
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            x[b, t] = original[b, : t + 1].mean(dim=0)
    return x


# %% mistake="causal_average_loop" name="overwrites_while_reading"
"""Your loop writes into x while it reads from it; `y = x` does not make a copy. Look at t = 2: which
rows of x does the loop read, and what has it already written into these rows?
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
"""`averages` has the shape of x, so both have the same sizes."""
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
"""Your weights are right only for 8 tokens or fewer. Where does your function use 8 instead of `length`?"""


def causal_average_weights(length):
    allowed = torch.tril(torch.ones(8, 8))
    return (allowed / allowed.sum(dim=1, keepdim=True))[:length, :length]


# %% mistake="causal_average_weights" name="softmax_of_the_triangle"
"""The softmax gives a weight to the zeros of the triangle, too, because exp(0) = 1. Divide each row by its
sum instead. A later question uses a softmax.
"""


def causal_average_weights(length):
    return torch.softmax(torch.tril(torch.ones(length, length)), dim=1)


# %% exception="causal_average_weights"
"""The only argument is an int, so no gradient is lost."""
misconceptions = ["detached"]


# %% exception="causal_average_weights"
"""The result should be float32, so a conversion to float32 is right."""
misconceptions = ["single_precision"]


# %% exception="causal_average_weights"
"""No weight is negative, so setting negative weights to 0 or taking absolute values changes nothing."""
misconceptions = ["negatives_cut", "absolute_values"]


# %% mistake="causal_average" name="along_the_channels"
"""You average along the last dimension, over the numbers of one token. Which dimension of x has one entry
for each token?
"""


def causal_average(x):
    count = torch.arange(1, x.shape[-1] + 1, dtype=x.dtype)
    return x.cumsum(dim=-1) / count


# %% mistake="causal_average" name="last_eight"
"""Try a sequence of twenty tokens. Which tokens are in the average of the last row?"""
edit = "torch.tril(X) => torch.tril(X).triu(-7)"


# %% mistake="causal_average" name="mixes_the_batch"
"""All sequences of your batch get the same averages: your code takes a mean over the sequences. Which line
does this?
"""


def causal_average(x):
    allowed = torch.tril(torch.ones(x.shape[-2], x.shape[-2], dtype=x.dtype))
    averages = allowed / allowed.sum(dim=1, keepdim=True) @ x
    if x.dim() > 2:
        averages = averages.mean(dim=0, keepdim=True).expand(x.shape)
    return averages


# %% mistake="causal_average" name="overwrites_inputs"
"""After the call, x has changed. Do you use a method whose name ends in an underscore, or assign to a part
of x?
"""


def causal_average(x):
    count = torch.arange(1, x.shape[-2] + 1, dtype=x.dtype).unsqueeze(1)
    return x.cumsum_(dim=-2) / count


# %% mistake="causal_average" name="three_dimensions_only"
"""`B, T, C = x.shape` works only for three dimensions. Does a step of your code need exactly three? Which
index does T have if you count from the end?
"""


def causal_average(x):
    B, T, C = x.shape
    allowed = torch.tril(torch.ones(T, T, dtype=x.dtype))
    return allowed / allowed.sum(dim=1, keepdim=True) @ x


# %% mistake="causal_average" name="view_of_the_input"
"""`view` fails on a transposed tensor, because its numbers are in another order in memory. Do you need to
change the shape at all? Which function copies the numbers if necessary?
"""


def causal_average(x):
    batch = x.view(-1, *x.shape[-2:])
    allowed = torch.tril(torch.ones(x.shape[-2], x.shape[-2], dtype=x.dtype))
    return (allowed / allowed.sum(dim=1, keepdim=True) @ batch).view(x.shape)


# %% mistake="causal_average" name="weights_always_float32"
"""Two tensors of different dtypes cannot be multiplied. Are your weights always float32? Which argument
gives them the dtype of x?
"""


def causal_average(x):
    allowed = torch.tril(torch.ones(x.shape[-2], x.shape[-2]))
    return allowed / allowed.sum(dim=1, keepdim=True) @ x


# %% mistake="causal_mask_scores" name="ones_left"
"""Your function masks the later tokens, but the visible tokens still have the score 1 from the triangle.
Which score should a visible token have?
"""
edit = "torch.zeros(L, L) => allowed"


# %% exception="causal_mask_scores"
"""torch.zeros(L) is broadcast to the shape of the mask, so the result is the same."""
edits = ["torch.zeros(L, L) => torch.zeros(L)"]


# %% exception="causal_mask_scores"
"""The last row hides no token, so a loop over the rows may leave it out."""
misconceptions = ["misses_the_last"]


# %% exception="causal_mask_scores"
"""The only argument is an int, so no gradient is lost."""
misconceptions = ["detached"]


# %% exception="causal_mask_scores"
"""The result should be float32, so a conversion to float32 is right."""
misconceptions = ["single_precision"]


# %% mistake="causal_softmax_weights" name="masked_after_softmax"
"""If hidden weights are set to 0 after the softmax, the rows no longer sum to 1. Mask the scores before
the softmax.
"""


def causal_softmax_weights(length):
    weights = torch.softmax(torch.zeros(length, length), dim=1)
    return weights * torch.tril(torch.ones(length, length))


# %% mistake="causal_softmax_weights" name="zero_for_minus_infinity"
"""Hidden tokens get a weight, too: their scores are only 1 lower than the visible scores. Which score
gives a weight of exactly 0?
"""


def causal_softmax_weights(length):
    return torch.softmax(torch.tril(torch.ones(length, length)), dim=1)


# %% exception="causal_softmax_weights"
"""torch.zeros(L) is broadcast to the shape of the mask, so the result is the same."""
edits = ["torch.zeros(L, L) => torch.zeros(L)"]


# %% exception="causal_softmax_weights"
"""All visible scores are equal. The softmax of equal scores does not depend on their value."""
edits = ["torch.zeros(L, L) => torch.ones(L, L)"]


# %% exception="causal_softmax_weights"
"""The scores have two dimensions, so dimension 1 is the last one."""
misconceptions = ["softmax_over_dim_1"]


# %% exception="causal_softmax_weights"
"""All scores are 0 or -inf, so no exponential overflows, and the maximum of each row is 0."""
misconceptions = ["exp_overflows", "one_shift_for_all"]


# %% exception="causal_softmax_weights"
"""The only argument is an int, so no gradient is lost."""
misconceptions = ["weights_detached", "detached"]


# %% exception="causal_softmax_weights"
"""The result should be float32, so a conversion to float32 is right."""
misconceptions = ["single_precision"]


# %% exception="causal_softmax_weights"
"""The only argument is an int, so the function overwrites only tensors that it created."""
misconceptions = ["overwrites_inputs"]


# %% exception="causal_softmax_weights"
"""The question asks for a causal mask, so hiding later tokens again changes nothing."""
misconceptions = ["causal_by_default"]


# %% exception="causal_softmax_weights"
"""All visible scores are 0, so dividing the scores changes nothing."""
misconceptions = ["scaled_where_it_should_not_be"]


# %% exception="causal_average_weights"
"""A tiny number added to the denominator changes the weights by less than the tests' tolerance."""
misconceptions = ["added_to_the_sum"]


# %% exception="causal_mask_scores"
"""Rounding changes neither 0 nor -inf."""
misconceptions = ["rounded"]


# %% exception="causal_softmax_weights"
"""All visible scores are 0, so a score of -1e9 hides a token. Scores have two dimensions, so softmax without
`dim` runs over dimension 1. One accepted answer masks the weights again after the softmax and divides them by
their sums, so its weights are right even if some later tokens were visible in the softmax.
"""
misconceptions = [
    "merely_low",
    "softmax_without_dim",
    "next_hidden_only",
    "added_to_the_sum",
]
