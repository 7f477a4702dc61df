# %% mistake="dot_product" name="adds_entries"
"""A dot product multiplies entries with the same index and adds up the products. Which of these two steps
is missing?
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = 0
    for i in range(len(a)):
        total = total + a[i] + b[i]
    return total


# %% mistake="dot_product" name="asserts_lengths"
"""Unequal lengths raise an AssertionError in your code, but the description names a ValueError. A caller
who catches ValueErrors does not catch an AssertionError.
"""


def dot_product(a, b):
    assert len(a) == len(b), "unequal lengths"
    total = 0
    for x, y in zip(a, b):
        total = total + x * y
    return total


# %% mistake="dot_product" name="counts_first_twice"
"""Try vectors with one entry. Which value does your total have before the loop, and what does the first round
add?
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = a[0] * b[0]
    for i in range(len(a)):
        total = total + a[i] * b[i]
    return total


# %% mistake="dot_product" name="documented_value"
"""Your function always returns the number of the example. It must compute the result from its arguments."""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    return torch.tensor(0.9544)


# %% mistake="dot_product" name="fixed_length"
"""The vectors of the example have length 3, but others are longer or shorter. Where does your function get
the length from?
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = 0
    for i in range(3):
        total = total + a[i] * b[i]
    return total


# %% mistake="dot_product" name="library_call"
"""The function of torch gives the right number, but this question asks you to write the loop."""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    return torch.dot(a, b)


# %% mistake="dot_product" name="one_length_spreads"
"""A vector of one number is broadcast to the length of the other vector. What should your function do with
vectors of length 1 and 4?
"""
edit = """
if len(A) != len(B):
    raise X
=>
if len(A) != len(B) and 1 not in (len(A), len(B)):
    raise X
A, B = torch.broadcast_tensors(A, B)
"""


# %% mistake="dot_product" name="overwrites_inputs"
"""After the call, `a` has changed. Which line writes into `a`? Store the result of this step in a new
variable.
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    a *= b
    total = 0
    for product in a:
        total = total + product
    return total


# %% mistake="dot_product" name="overwrites_inputs__first_entry"
"""After the call, the first entry of `a` has changed. a[0] is a view of `a`, not a copy. Which of
your operators writes into this view?
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = a[0]
    total *= b[0]
    for i in range(1, len(a)):
        total += a[i] * b[i]
    return total


# %% mistake="dot_product" name="place_of_an_equal_number"
"""Try a vector in which a number occurs twice. Is each entry of `a` multiplied by the entry of `b` with
the same index?
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = torch.zeros((), dtype=a.dtype)
    numbers = a.tolist()
    for number in numbers:
        i = numbers.index(number)
        total = total + a[i] * b[i]
    return total


# %% mistake="dot_product" name="returns_after_first"
"""Your function returns after the first product. Is the `return` inside the loop?"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = 0
    for i in range(len(a)):
        total = total + a[i] * b[i]
        return total


# %% exception="dot_product"
"""float32 plus float64 is float64, so a float32 zero at the start does not change the dtype of the total."""
edits = ["torch.zeros((), dtype=A.dtype) => torch.zeros(())"]


# %% exception="dot_product"
"""`a` and `b` have the same dtype."""
edits = ["A.dtype => b.dtype"]


# %% exception="dot_product"
"""If `b` is longer or shorter than `a`, the function has raised an error before this line."""
edits = ["range(len(A)) => range(len(b))"]


# %% exception="dot_product"
"""A single value has no dimension that squeeze could remove."""
edits = ["return T => return T.squeeze()"]


# %% mistake="attention_scores" name="documented_values"
"""Your function always returns the scores of the example. It must compute the scores from its arguments."""
edit = "I @ Q => torch.tensor([0.9544, 1.495, 1.4754, 0.8434, 0.707, 1.0865])"


# %% mistake="attention_scores" name="ignores_query"
"""Your function takes row 1 of `inputs` as the query. Where does it use the argument `query`?"""
edit = "I @ Q => I @ I[1]"


# %% mistake="attention_scores" name="overwrites_inputs"
"""After the call, `inputs` has changed. Which step writes into `inputs`, for example with `*=`?"""
edit = """
return I @ Q
=>
I *= Q
return I.sum(dim=-1)
"""


# %% mistake="attention_scores" name="reads_the_notebook"
"""Your function uses the variable `journey` of the notebook instead of the argument `inputs`."""
edit = "I @ Q => journey @ Q"


# %% mistake="attention_scores" name="six_tokens"
"""The example has six tokens, but other inputs have more or fewer. Where does your function get the number
of scores from?
"""
edit = """
return I @ Q
=>
scores = torch.zeros(6, dtype=I.dtype)
for i in range(6):
    scores[i] = I[i] @ Q
return scores
"""


# %% mistake="attention_scores" name="sums_over_tokens"
"""You add up over the tokens and get d numbers, one for each column. Each token needs one score: over which
dimension should you sum?
"""
edit = "I @ Q => (I * Q).sum(dim=0)"


# %% mistake="normalize_by_sum" name="absolute"
"""Negative scores should keep their sign, in the sum too. Some weights may then be negative. The softmax of
the next question has no negative weights.
"""
edit = "S.sum() => S.abs().sum()"


# %% mistake="normalize_by_sum" name="absolute__everywhere"
"""Negative scores should keep their sign, in the sum too. Some weights may then be negative. The softmax of
the next question has no negative weights.
"""


def _positive(t):
    return torch.where(t < 0, -t, t)


def normalize_by_sum(scores):
    total = torch.linalg.vector_norm(scores, ord=1)
    return _positive(scores) / total


# %% mistake="normalize_by_sum" name="divides_by_count"
"""You divide by the number of scores. What do your weights sum to, and what should they sum to?"""
edit = "S.sum() => len(S)"


# %% mistake="normalize_by_sum" name="divides_by_largest"
"""You divide by the largest score, so the largest weight is 1. Which number must you divide by so that all
weights together sum to 1?
"""
edit = "S.sum() => S.max()"


# %% mistake="normalize_by_sum" name="documented_values"
"""Your function always returns the weights of the example. It must compute the weights from its argument."""
edit = "S / S.sum() => torch.tensor([0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656])"


# %% mistake="normalize_by_sum" name="softmax_already"
"""You apply the softmax of the next question. This question needs no exponential: divide the scores by
their sum.
"""
edit = "S / S.sum() => torch.softmax(S, dim=0)"


# %% mistake="normalize_by_sum" name="softmax_already__by_hand"
"""You apply the softmax of the next question. This question needs no exponential: divide the scores by
their sum.
"""
edit = """
return S / S.sum()
=>
e = S.exp()
return torch.div(e, e.sum(dim=0))
"""


# %% mistake="normalize_by_sum" name="sum_as_number"
"""A part of the gradient is missing: the sum depends on the scores, too. Do you use `.item()` or
`.detach()` on the sum?
"""
edit = "S.sum() => S.sum().item()"


# %% mistake="softmax" name="by_sum"
"""You divide the scores by their sum, as in the question before. The step that makes every score positive
is missing.
"""


def softmax(scores):
    return scores / scores.sum()


# %% mistake="softmax" name="denominator_as_number"
"""A part of the gradient is missing: the denominator depends on the scores, too. Do you use `.item()` or
`.detach()` on it?
"""
edit = "P.sum() => P.sum().item()"


# %% mistake="softmax" name="divides_in_place"
"""An in-place operator such as `/=` overwrites numbers that are needed for the gradient. Use an operation
that makes a new tensor.
"""
edit = """
return P / P.sum()
=>
P /= P.sum()
return P
"""


# %% mistake="softmax" name="documented_values"
"""Your function always returns the weights of the example. It must compute the weights from its argument."""


def softmax(scores):
    return torch.tensor([0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581])


# %% mistake="softmax" name="library_softmax"
"""The softmax of torch gives the right weights, but this question asks you to write the formula."""


def softmax(scores):
    return torch.softmax(scores, dim=0)


# %% mistake="softmax" name="overflows_and_divides_in_place"
"""There are two mistakes. First: what does torch.exp return for 1e4, and for -1e4? Second: `/=` overwrites
the result of torch.exp, which is needed for the gradient. Use a division that makes a new tensor.
"""


def softmax(scores):
    powers = torch.exp(scores)
    powers /= powers.sum()
    return powers


# %% mistake="softmax" name="shift_is_not_the_maximum"
"""Try scores that are all -1e4. Which number do you subtract from them? It must be the largest score
itself, with its sign.
"""
edit = "S.max() => S.abs().max()"


# %% mistake="softmax" name="shifts_by_smallest"
"""After you subtract the smallest score, large scores can still overflow in torch.exp. Which score must you
subtract instead?
"""
edit = "S.max() => S.min()"


# %% mistake="softmax" name="shifts_numerator_only"
"""You subtract the maximum only in the numerator. What do your weights sum to? Which exponentials should
your denominator add up?
"""


def softmax(scores):
    return torch.exp(scores - scores.max()) / torch.exp(scores).sum()


# %% mistake="context_vector" name="documented_values"
"""Your function always returns the context vector of the example. It must compute the result from its
arguments.
"""
edit = "W @ I => torch.tensor([0.4419, 0.6515, 0.5683])"


# %% mistake="context_vector" name="overwrites_inputs"
"""After the call, `inputs` has changed. Which step writes into `inputs`, for example with `*=`?"""
edit = """
return W @ I
=>
I *= W[:, None]
return I.sum(dim=0)
"""


# %% mistake="context_vector" name="plain_mean"
"""Your result is the plain mean of all tokens. Where does your function use the weights?"""
edit = "W @ I => I.mean(dim=0)"


# %% mistake="context_vector" name="reads_the_notebook"
"""Your function uses the variable `journey` of the notebook instead of the argument `inputs`."""
edit = "W @ I => W @ journey"


# %% mistake="context_vector" name="rows_not_added"
"""You multiply each row by its weight, but you do not add up the rows. The context vector is one vector of
shape (d,).
"""
edit = "W @ I => W[:, None] * I"


# %% mistake="context_vector" name="sums_over_dimensions"
"""You add up the numbers of each token and get one number for each token. Over which dimension should the
sum run, so that d numbers remain?
"""
edit = "W @ I => (W[:, None] * I).sum(dim=1)"


# %% mistake="context_vector" name="three_dimensions"
"""The tokens of the example have three numbers, but others have more or fewer. Where does your function
get the length of a token from?
"""
edit = """
return W @ I
=>
context = torch.zeros(3, dtype=I.dtype)
for weight, row in zip(W, I):
    context = context + weight * row
return context
"""


# %% mistake="context_vector" name="three_dimensions__stacked"
"""The tokens of the example have three numbers, but others have more or fewer. Where does your function
get the length of a token from?
"""
edit = "W @ I => torch.stack([(W * I[:, c]).sum() for c in (0, 1, 2)])"


# %% exception="context_vector"
"""Inputs have two dimensions, so dimensions 0 and 1 are the last two."""
misconceptions = ["first_two_dimensions"]
