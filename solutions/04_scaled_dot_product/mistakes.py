# %% mistake="project" name="matrices_transposed"
"""Matrices of shape (d_in, d_k) fit as they are. Transposed, they fit only when they are square, and then
the result is wrong.
"""

edit = "X @ W => X @ W.T"


# %% mistake="project" name="projected_twice"
"""The values are made from the keys, so a token passes through two matrices. From what are all three made?"""
edit = """
return X @ W, X @ Y, X @ Z
=>
queries = X @ W
keys = X @ Y
return queries, keys, keys @ Z
"""


# %% mistake="project" name="reads_the_notebook"
"""Call the function with other tokens: does the result change? It reads a name that belongs to the
notebook and not to its arguments.
"""
edit = "X @ W => journey @ W"


# %% mistake="project" name="stacked"
"""Values may be wider than keys. Does a step need all three to be equally wide, as packing them into one
tensor does?
"""
edit = "(X @ W, X @ Y, X @ Z) => torch.stack([X @ W, X @ Y, X @ Z])"


# %% mistake="project" name="values_missing"
"""Two tensors come back where three are asked for. Which role has no vector?"""
edit = """
return X @ W, X @ Y, X @ Z
=>
queries, keys = X @ W, X @ Y
return queries, keys
"""


# %% mistake="project" name="view_of_the_tokens"
"""`view` needs a tensor that lies in memory in order; a transposed one does not. A matrix product takes any
number of leading dimensions: is the reshaping needed at all?
"""
edit = """
(X @ Y, X @ Z, X @ A)
=>
tuple(((X.view(-1, X.shape[-1]) @ W).view(*X.shape[:-1], -1) for W in (Y, Z, A)))
"""


# %% exception="project"
"""The matrices have two dimensions."""
misconceptions = ["first_two_dimensions"]


# %% mistake="attention_scores" name="all_dimensions_reversed"
"""In a batch, other dimensions of the keys change places than the last two. What does `.T` do to three
dimensions?
"""
edit = "K.transpose(-2, -1) => K.permute(*range(K.dim() - 1, -1, -1))"


# %% mistake="attention_scores" name="first_two_dimensions"
"""Dimensions 0 and 1 are the last two of a matrix, but in a batch 0 counts the sequences. How do you count
from the end?
"""
edit = "K.transpose(-2, -1) => K.transpose(0, 1)"


# %% mistake="attention_scores" name="reads_leftover_keys"
"""The product reads the `keys` of the notebook, left over from an earlier cell, and not your argument.
Restart the kernel, or try other tokens, and it shows.
"""


def attention_scores(queries, key):
    return queries @ keys.transpose(-2, -1)


# %% mistake="attention_scores" name="three_dimensions_only"
"""`transpose(1, 2)` means the last two dimensions only when there are exactly three. How do you count
from the end?
"""
edit = """
return Q @ K.transpose(-2, -1)
=>
if K.dim() == 2:
    return Q @ K.T
return Q @ K.transpose(1, 2)
"""


# %% exception="attention_scores"
"""A pair in place of a tensor has another form in every test, and its first part is right."""
shares = ["returns_weights_too"]


# %% exception="attention_scores"
"""A list in place of a tensor has another form in every test, and its numbers are right."""
shares = ["list"]


# %% mistake="score_variance" name="overwrites_inputs"
"""Look at what the caller's queries and keys hold after the call. Which line writes into them?"""


def score_variance(queries, keys, scaled):
    if scaled:
        queries /= queries.shape[-1] ** 0.5
    return (queries @ keys.T).var()


# %% exception="score_variance"
"""A variance is only looked at, and no gradient of it is promised."""
edits = [
    "Q @ X => (Q @ X).detach()",
    "S / X => (S / X).detach()",
    "S.var() => S.var().detach()",
]


# %% exception="score_variance"
"""Queries and keys have one width."""
edits = ["Q.shape => keys.shape"]


# %% exception="score_variance"
"""Queries have two dimensions."""
edits = ["X[-1] => X[1]"]


# %% exception="score_variance"
"""A single value has no dimension that could go."""
edits = ["S.var() => S.var().squeeze()"]


# %% exception="score_variance"
"""The variance of all scores does not depend on their places."""
misconceptions = ["queries_and_keys_swapped"]


# %% exception="score_variance"
"""Queries and keys have two dimensions."""
misconceptions = ["all_dimensions_reversed", "first_two_dimensions"]


# %% exception="score_variance"
"""A number for a table, and no gradient is asked for."""
misconceptions = ["detached", "inputs_detached"]


# %% mistake="scaled_attention_weights" name="divides_in_place"
"""A step in place, such as `/=`, overwrites numbers that the gradient needs on its way back. Let it make
a new tensor.
"""


def scaled_attention_weights(scores, d_k):
    scores = scores / d_k**0.5
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    powers /= powers.sum(dim=-1, keepdim=True)
    return powers


# %% mistake="scaled_attention_weights" name="over_dimension_one"
"""In a batch, dimension 1 holds the queries, so they compete for each key. Which dimension counts the
keys, in any shape?
"""


def scaled_attention_weights(scores, d_k):
    return torch.softmax(scores / d_k**0.5, dim=1 if scores.dim() > 1 else 0)


# %% mistake="scaled_attention_weights" name="over_the_queries"
"""Sum your weights along a row and along a column. Each query shares out a weight of 1 among the keys."""


def scaled_attention_weights(scores, d_k):
    return torch.softmax(scores / d_k**0.5, dim=-2 if scores.dim() > 1 else 0)


# %% mistake="scaled_attention_weights" name="single_precision__root"
"""The root that torch takes of an integer is float32. Float64 scores lose 8 digits if you divide by it."""
edit = "D**0.5 => torch.sqrt(torch.tensor(D))"


# %% mistake="scaled_dot_product_attention" name="all_dimensions_reversed"
"""In a batch, other dimensions of the keys change places than the last two. What does `.T` do to three
dimensions?
"""
edit = "K.transpose(-2, -1) => K.permute(*range(K.dim() - 1, -1, -1))"


# %% mistake="scaled_dot_product_attention" name="first_two_dimensions"
"""Dimensions 0 and 1 of the keys are the last two of a matrix, but in a batch 0 counts the sequences. How do
you count from the end?
"""
edit = "K.transpose(-2, -1) => K.transpose(0, 1)"


# %% mistake="scaled_dot_product_attention" name="library_function"
"""Here the point is to write these lines yourself. Everything that the library's function does, you have
done above.
"""


def scaled_dot_product_attention(queries, keys, values):
    return torch.nn.functional.scaled_dot_product_attention(queries, keys, values)


# %% mistake="scaled_dot_product_attention" name="overwrites_inputs"
"""Look at what the caller's queries, keys and values hold after the call. Which line writes into them?"""


def scaled_dot_product_attention(queries, keys, values):
    queries /= keys.shape[-1] ** 0.5
    return torch.softmax(queries @ keys.transpose(-2, -1), dim=-1) @ values


# %% mistake="scaled_dot_product_attention" name="scaled_by_dimension_one"
"""`shape[1]` is the width for a matrix; in a batch it is the number of tokens. Count from the end."""
edit = "X[-1] => X[1]"


# %% mistake="scaled_dot_product_attention" name="scaled_by_the_token_s_width"
"""You scale by the width that the lesson's tokens had before they were projected. Scores are made
afterwards: over which width do they sum?
"""
edit = "K.shape[-1] => d_in"


# %% mistake="scaled_dot_product_attention" name="three_dimensions_only"
"""With another number of dimensions than three it goes wrong. Does a step count dimensions from the
front? How do you count from the end?
"""
edit = "K.transpose(-2, -1) => K.T if K.dim() == 2 else K.transpose(1, 2)"


# %% mistake="scaled_dot_product_attention" name="view_of_the_keys"
"""`view` needs a tensor that lies in memory in order; a transposed one does not. Is the reshaping needed at
all?
"""
edit = """
K.transpose(-2, -1)
=>
K.view(-1, *K.shape[-2:]).transpose(1, 2).reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])
"""
