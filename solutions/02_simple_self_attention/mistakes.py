# %% mistake="pairwise_scores_loop" name="documented_values"
"""Your function always returns the scores of the example. Does its body contain numbers copied
from the example, or the variable `journey`?
"""


def pairwise_scores_loop(inputs):
    return torch.tensor(
        [
            [0.9995, 0.9544, 0.9422, 0.4753, 0.4576, 0.6310],
            [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865],
            [0.9422, 1.4754, 1.4570, 0.8296, 0.7154, 1.0605],
            [0.4753, 0.8434, 0.8296, 0.4937, 0.3474, 0.6565],
            [0.4576, 0.7070, 0.7154, 0.3474, 0.6654, 0.2935],
            [0.6310, 1.0865, 1.0605, 0.6565, 0.2935, 0.9450],
        ]
    )


# %% mistake="pairwise_scores_loop" name="flat_list"
"""All scores are right, but your result is one long row of n * n numbers. The result should have n rows
and n columns: which step makes the rows?
"""


def pairwise_scores_loop(inputs):
    return torch.stack([a @ b for a in inputs for b in inputs])


# %% mistake="pairwise_scores_loop" name="half_of_them"
"""Half of your matrix is still 0. Each token needs a score with every earlier token and with every later
token.
"""


def pairwise_scores_loop(inputs):
    n = inputs.shape[0]
    scores = torch.zeros(n, n, dtype=inputs.dtype)
    for i in range(n):
        for j in range(i, n):
            scores[i, j] = inputs[i] @ inputs[j]
    return scores


# %% mistake="pairwise_scores_loop" name="half_of_them__lower"
"""Half of your matrix is still 0. Each token needs a score with every earlier token and with every later
token.
"""


def pairwise_scores_loop(inputs):
    n = inputs.size(0)
    zero = inputs.new_zeros(())
    rows = []
    for i in range(n):
        rows.append(
            torch.stack([inputs[i] @ inputs[j] if j <= i else zero for j in range(n)])
        )
    return torch.stack(rows)


# %% mistake="pairwise_scores_loop" name="overwrites_inputs"
"""After the call, `inputs` has changed. Which line writes into one of its rows, for example with `*=`?"""


def pairwise_scores_loop(inputs):
    rows = []
    for query in inputs:
        row = []
        for token in inputs:
            token *= query
            row.append(token.sum())
        rows.append(torch.stack(row))
    return torch.stack(rows)


# %% mistake="pairwise_scores_loop" name="returns_in_the_loop"
"""In which round does your function return? A `return` inside the loop ends the function in the first
round.
"""


def pairwise_scores_loop(inputs):
    n = inputs.shape[0]
    scores = torch.zeros(n, n, dtype=inputs.dtype)
    for i in range(n):
        for j in range(n):
            scores[i, j] = inputs[i] @ inputs[j]
        return scores


# %% mistake="pairwise_scores_loop" name="six_tokens"
"""The example has six tokens, but other inputs have more or fewer. Where do your loops get the number of
tokens from?
"""


def pairwise_scores_loop(inputs):
    scores = torch.zeros(6, 6, dtype=inputs.dtype)
    for i in range(6):
        for j in range(6):
            scores[i, j] = inputs[i] @ inputs[j]
    return scores


# %% mistake="pairwise_scores" name="documented_values"
"""Your function always returns the scores of the example. Does its body contain numbers copied
from the example, or the variable `journey`?
"""


def pairwise_scores(inputs):
    return torch.tensor(
        [
            [0.9995, 0.9544, 0.9422, 0.4753, 0.4576, 0.6310],
            [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865],
            [0.9422, 1.4754, 1.4570, 0.8296, 0.7154, 1.0605],
            [0.4753, 0.8434, 0.8296, 0.4937, 0.3474, 0.6565],
            [0.4576, 0.7070, 0.7154, 0.3474, 0.6654, 0.2935],
            [0.6310, 1.0865, 1.0605, 0.6565, 0.2935, 0.9450],
        ]
    )


# %% mistake="pairwise_scores" name="half_the_gradient"
"""Both factors of the product are computed from `inputs`, but the gradient flows through only one factor.
Do you use `.detach()` or `.data`?
"""
edit = "I.transpose(-2, -1) => I.detach().transpose(-2, -1)"


# %% mistake="pairwise_scores" name="mixes_sentences"
"""Your code also computes scores between tokens of different sentences. Do you join all sentences into one
matrix before the product?
"""


def pairwise_scores(inputs):
    flat = inputs.reshape(-1, inputs.shape[-1])
    return flat @ flat.T


# %% mistake="pairwise_scores" name="needs_a_batch"
"""Dimensions 1 and 2 are right only for inputs with three dimensions. A single sentence has no dimension 2.
Count from the end.
"""
edit = "I.transpose(-2, -1) => I.transpose(1, 2)"


# %% mistake="pairwise_scores" name="transposed_input_in_place"
"""After the call, the shape of `inputs` has changed. Do you use a method whose name ends in `_`? Such
methods change the caller's tensor.
"""
edit = "I @ I.transpose(-2, -1) => I.clone() @ I.transpose_(-2, -1)"


# %% exception="pairwise_scores"
"""Tests that compare numbers accept the first item of a pair, but four other tests fail."""
shares = ["returns_weights_too"]


# %% mistake="attention_weights" name="divides_in_place"
"""An in-place operator such as `/=` overwrites numbers that are needed for the gradient. Use an operation
that makes a new tensor.
"""


def attention_weights(scores):
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    powers /= powers.sum(dim=-1, keepdim=True)
    return powers


# %% mistake="attention_weights" name="documented_values"
"""Your function always returns the weights of the example. It must compute the weights from its argument."""


def attention_weights(scores):
    return torch.tensor(
        [
            [0.2098, 0.2006, 0.1981, 0.1242, 0.1220, 0.1452],
            [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581],
            [0.1390, 0.2369, 0.2326, 0.1242, 0.1108, 0.1565],
            [0.1435, 0.2074, 0.2046, 0.1462, 0.1263, 0.1720],
            [0.1526, 0.1958, 0.1975, 0.1367, 0.1879, 0.1295],
            [0.1385, 0.2184, 0.2128, 0.1420, 0.0988, 0.1896],
        ]
    )


# %% mistake="context_vectors" name="documented_values"
"""Your function always returns the context vectors of the example. It must compute the result from its
arguments.
"""


def context_vectors(weights, inputs):
    return torch.tensor(
        [
            [0.4421, 0.5931, 0.5790],
            [0.4419, 0.6515, 0.5683],
            [0.4431, 0.6496, 0.5671],
            [0.4304, 0.6298, 0.5510],
            [0.4671, 0.5910, 0.5266],
            [0.4177, 0.6503, 0.5645],
        ]
    )


# %% mistake="context_vectors" name="no_batches"
"""Your code fails for a batch. Does your einsum formula name exactly two dimensions of each tensor? In a
formula, `...` stands for any number of dimensions in front. `@` needs no formula.
"""
edit = "W @ I => torch.einsum('ij,jd->id', W, I)"


# %% mistake="context_vectors" name="overwrites_inputs"
"""After the call, `inputs` has changed. Which line writes into `inputs`?"""
edit = """
return W @ I
=>
I[...] = W @ I
return I
"""


# %% mistake="context_vectors" name="plain_mean"
"""Your result is the plain mean of all tokens. Where does your function use the weights?"""
edit = "W @ I => I.mean(dim=-2, keepdim=True).expand_as(I).clone()"


# %% mistake="context_vectors" name="reads_the_notebook"
"""Your function uses the variable `journey` of the notebook instead of the argument `inputs`."""
edit = "W @ I => W @ journey"


# %% mistake="context_vectors" name="wrong_order"
"""The order of the factors of a matrix product matters. Which factor has one row for each row of the
result?
"""
edit = "W @ I => I @ W"


# %% exception="context_vectors"
"""Tests that compare numbers accept the first item of a pair, but four other tests fail."""
shares = ["returns_weights_too"]


# %% mistake="simple_self_attention" name="divides_in_place"
"""An in-place operator such as `/=` overwrites numbers that are needed for the gradient. Use an operation
that makes a new tensor.
"""
edit = """
W = torch.softmax(S, dim=-1)
return W @ I
=>
powers = torch.exp(S - S.amax(dim=-1, keepdim=True))
powers /= powers.sum(dim=-1, keepdim=True)
return powers @ I
"""


# %% mistake="simple_self_attention" name="documented_values"
"""Your function always returns the context vectors of the example. It must compute the result from its
argument.
"""


def simple_self_attention(inputs):
    return torch.tensor(
        [
            [0.4421, 0.5931, 0.5790],
            [0.4419, 0.6515, 0.5683],
            [0.4431, 0.6496, 0.5671],
            [0.4304, 0.6298, 0.5510],
            [0.4671, 0.5910, 0.5266],
            [0.4177, 0.6503, 0.5645],
        ]
    )


# %% mistake="simple_self_attention" name="mixes_sentences"
"""Every token also attends to the tokens of other sentences. Do you join all sentences into one matrix?"""


def simple_self_attention(inputs):
    flat = inputs.reshape(-1, inputs.shape[-1])
    return (torch.softmax(flat @ flat.T, dim=-1) @ flat).reshape(inputs.shape)


# %% mistake="simple_self_attention" name="overwrites_inputs"
"""After the call, `inputs` has changed. Which line writes into `inputs`?"""


def simple_self_attention(inputs):
    weights = torch.softmax(inputs @ inputs.transpose(-2, -1), dim=-1)
    inputs[...] = weights @ inputs
    return inputs


# %% mistake="simple_self_attention" name="reads_the_notebook"
"""One of the three steps uses the variable `journey` of the notebook instead of the argument `inputs`."""
edit = "return X @ I => return X @ journey"
