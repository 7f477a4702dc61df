# %% mistake="project" name="matrices_transposed"
"""You transpose matrices that already fit: their shape is (d_in, d_k). A transposed matrix fits only if it
is square, and then the result is wrong.
"""

edit = "X @ W => X @ W.T"


# %% mistake="project" name="projected_twice"
"""Your values are the keys times a matrix. From which tensor should keys and values be computed?"""
edit = """
return X @ W, X @ Y, X @ Z
=>
queries = X @ W
keys = X @ Y
return queries, keys, keys @ Z
"""


# %% mistake="project" name="reads_the_notebook"
"""Call the function with other tokens: does the result change? It reads a variable of the notebook instead
of the argument `x`.
"""
edit = "X @ W => journey @ W"


# %% mistake="project" name="stacked"
"""Values may be wider than keys. Does a step of your code need three tensors of equal width, as
torch.stack does?
"""
edit = "(X @ W, X @ Y, X @ Z) => torch.stack([X @ W, X @ Y, X @ Z])"


# %% mistake="project" name="values_missing"
"""Your function returns two tensors, but the description asks for three. Which tensor is missing?"""
edit = """
return X @ W, X @ Y, X @ Z
=>
queries, keys = X @ W, X @ Y
return queries, keys
"""


# %% mistake="project" name="view_of_the_tokens"
"""`view` fails on a transposed tensor, because its numbers are in another order in memory. A matrix
product works with any number of dimensions in front: do you need `view` at all?
"""
edit = """
(X @ Y, X @ Z, X @ A)
=>
tuple(((X.view(-1, X.shape[-1]) @ W).view(*X.shape[:-1], -1) for W in (Y, Z, A)))
"""


# %% exception="project"
"""The matrices have two dimensions, so dimensions 0 and 1 are the last two."""
misconceptions = ["first_two_dimensions"]


# %% mistake="attention_scores" name="all_dimensions_reversed"
"""In a batch, the wrong dimensions of the keys are swapped. What does `.T` do to a tensor with three
dimensions?
"""
edit = "K.transpose(-2, -1) => K.permute(*range(K.dim() - 1, -1, -1))"


# %% mistake="attention_scores" name="first_two_dimensions"
"""Your code swaps dimensions 0 and 1. In a batch, dimension 0 is the batch dimension. Which dimensions are
the last two, counted from the end?
"""
edit = "K.transpose(-2, -1) => K.transpose(0, 1)"


# %% mistake="attention_scores" name="reads_leftover_keys"
"""Your product reads the variable `keys` of the notebook instead of an argument. If you restart the kernel
or pass other tokens, you see the mistake.
"""


def attention_scores(queries, key):
    return queries @ keys.transpose(-2, -1)


# %% mistake="attention_scores" name="three_dimensions_only"
"""`transpose(1, 2)` swaps the last two dimensions only if there are exactly three. Which dimensions are
the last two, counted from the end?
"""
edit = """
return Q @ K.transpose(-2, -1)
=>
if K.dim() == 2:
    return Q @ K.T
return Q @ K.transpose(1, 2)
"""


# %% exception="attention_scores"
"""If an answer returns a pair, tests of numbers use its first item. Five other tests fail."""
shares = ["returns_weights_too"]


# %% exception="attention_scores"
"""Tests that compare numbers accept a list, but four other tests fail."""
shares = ["list"]


# %% mistake="score_variance" name="overwrites_inputs"
"""After the call, the caller's queries or keys have changed. Which line writes into them?"""


def score_variance(queries, keys, scaled):
    if scaled:
        queries /= queries.shape[-1] ** 0.5
    return (queries @ keys.T).var()


# %% exception="score_variance"
"""The question asks for no gradient of the variance, so `.detach()` is allowed."""
edits = [
    "Q @ X => (Q @ X).detach()",
    "S / X => (S / X).detach()",
    "S.var() => S.var().detach()",
]


# %% exception="score_variance"
"""Queries and keys have the same width, so `keys.shape[-1]` is d_k, too."""
edits = ["Q.shape => keys.shape"]


# %% exception="score_variance"
"""Queries have two dimensions, so index 1 is the last one."""
edits = ["X[-1] => X[1]"]


# %% exception="score_variance"
"""A single value has no dimension that squeeze could remove."""
edits = ["S.var() => S.var().squeeze()"]


# %% exception="score_variance"
"""The variance of all scores does not depend on their order."""
misconceptions = ["queries_and_keys_swapped"]


# %% exception="score_variance"
"""Queries and keys have two dimensions, so dimensions 0 and 1 are the last two."""
misconceptions = ["all_dimensions_reversed", "first_two_dimensions"]


# %% exception="score_variance"
"""The question asks for no gradient of the variance, so `.detach()` is allowed."""
misconceptions = ["detached", "inputs_detached"]


# %% mistake="scaled_attention_weights" name="divides_in_place"
"""An in-place operator such as `/=` overwrites numbers that are needed for the gradient. Use an operation
that makes a new tensor.
"""


def scaled_attention_weights(scores, d_k):
    scores = scores / d_k**0.5
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    powers /= powers.sum(dim=-1, keepdim=True)
    return powers


# %% mistake="scaled_attention_weights" name="over_dimension_one"
"""In a batch, dimension 1 of the scores has one entry for each query. Which dimension has one entry for
each key, counted from the end?
"""


def scaled_attention_weights(scores, d_k):
    return torch.softmax(scores / d_k**0.5, dim=1 if scores.dim() > 1 else 0)


# %% mistake="scaled_attention_weights" name="over_the_queries"
"""Print the sums of your weights along a row and along a column. The weights of each query, in a row,
should sum to 1.
"""


def scaled_attention_weights(scores, d_k):
    return torch.softmax(scores / d_k**0.5, dim=-2 if scores.dim() > 1 else 0)


# %% mistake="scaled_attention_weights" name="single_precision__root"
"""The square root of an integer tensor is float32 in torch. If you divide float64 scores by this root,
only about 7 of the 15 digits of the result are right.
"""
edit = "D**0.5 => torch.sqrt(torch.tensor(D))"


# %% mistake="scaled_dot_product_attention" name="all_dimensions_reversed"
"""In a batch, the wrong dimensions of the keys are swapped. What does `.T` do to a tensor with three
dimensions?
"""
edit = "K.transpose(-2, -1) => K.permute(*range(K.dim() - 1, -1, -1))"


# %% mistake="scaled_dot_product_attention" name="first_two_dimensions"
"""Your code swaps dimensions 0 and 1 of the keys. In a batch, dimension 0 is the batch dimension. Which
dimensions are the last two, counted from the end?
"""
edit = "K.transpose(-2, -1) => K.transpose(0, 1)"


# %% mistake="scaled_dot_product_attention" name="library_function"
"""This question asks you to write the steps yourself. Each of them is the answer of an earlier question."""


def scaled_dot_product_attention(queries, keys, values):
    return torch.nn.functional.scaled_dot_product_attention(queries, keys, values)


# %% mistake="scaled_dot_product_attention" name="overwrites_inputs"
"""After the call, the caller's queries, keys or values have changed. Which line writes into them?"""


def scaled_dot_product_attention(queries, keys, values):
    queries /= keys.shape[-1] ** 0.5
    return torch.softmax(queries @ keys.transpose(-2, -1), dim=-1) @ values


# %% mistake="scaled_dot_product_attention" name="scaled_by_dimension_one"
"""For a matrix, `shape[1]` is the width of a key; in a batch it is the number of tokens. Which index does
the width have if you count from the end?
"""
edit = "X[-1] => X[1]"


# %% mistake="scaled_dot_product_attention" name="scaled_by_the_token_s_width"
"""You divide by the root of d_in, the width of the tokens before the projection. A score is a sum over the
numbers of a key: how many numbers does a key have?
"""
edit = "K.shape[-1] => d_in"


# %% mistake="scaled_dot_product_attention" name="three_dimensions_only"
"""Your code is right for up to three dimensions, but not for more. Which step uses a dimension number such as
1 or 2? Which numbers do the last two dimensions have, counted from the end?
"""
edit = "K.transpose(-2, -1) => K.T if K.dim() == 2 else K.transpose(1, 2)"


# %% mistake="scaled_dot_product_attention" name="view_of_the_keys"
"""`view` fails on a transposed tensor, because its numbers are in another order in memory. Do you need
`view` at all?
"""
edit = """
K.transpose(-2, -1)
=>
K.view(-1, *K.shape[-2:]).transpose(1, 2).reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])
"""
