# %% mistake="dot_product" name="adds_entries"
"""A dot product multiplies entries at the same place and adds up the products. Which of these two steps
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
"""You notice unequal lengths, but with another error than the description promises. A caller who waits for
ValueError does not catch an AssertionError.
"""


def dot_product(a, b):
    assert len(a) == len(b), "unequal lengths"
    total = 0
    for x, y in zip(a, b):
        total = total + x * y
    return total


# %% mistake="dot_product" name="counts_first_twice"
"""Try vectors of length 1. With what does your total start, and which entry comes next?"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = a[0] * b[0]
    for i in range(len(a)):
        total = total + a[i] * b[i]
    return total


# %% mistake="dot_product" name="documented_value"
"""This is the example's number. The function must work it out from whatever vectors it is given."""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    return torch.tensor(0.9544)


# %% mistake="dot_product" name="fixed_length"
"""The example has three dimensions, other inputs have more or fewer. Where does your function learn how
long the vectors are?
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = 0
    for i in range(3):
        total = total + a[i] * b[i]
    return total


# %% mistake="dot_product" name="library_call"
"""torch's own call gives the right number. This question asks for the loop behind it."""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    return torch.dot(a, b)


# %% mistake="dot_product" name="one_length_spreads"
"""A vector of a single number is shorter than one of four. What does your code make of the two?"""
edit = """
if len(A) != len(B):
    raise X
=>
if len(A) != len(B) and 1 not in (len(A), len(B)):
    raise X
A, B = torch.broadcast_tensors(A, B)
"""


# %% mistake="dot_product" name="overwrites_inputs"
"""After the call, look at a again: it has changed. Which step writes into it, and where else could its
result go?
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
"""After the call the first entry of a has changed. Is a[0] a copy of it, or a window onto it, and what
does += do to a window?
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
"""Try a vector in which a number comes twice. Does each entry meet the one at its own place?"""


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
"""The first product is all that counts. Is a return indented into the loop? It ends it in the first
round.
"""


def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("unequal lengths")
    total = 0
    for i in range(len(a)):
        total = total + a[i] * b[i]
        return total


# %% exception="dot_product"
"""A sum of float32 and float64 takes the larger of the two, and torch.zeros is no larger than either."""
edits = ["torch.zeros((), dtype=A.dtype) => torch.zeros(())"]


# %% exception="dot_product"
"""a and b have one dtype."""
edits = ["A.dtype => b.dtype"]


# %% exception="dot_product"
"""Other lengths than that of a have been refused."""
edits = ["range(len(A)) => range(len(b))"]


# %% exception="dot_product"
"""A single value has no dimension that could go."""
edits = ["return T => return T.squeeze()"]


# %% mistake="attention_scores" name="documented_values"
"""These are the example's scores. The function must work them out from whatever inputs it is given."""
edit = "I @ Q => torch.tensor([0.9544, 1.495, 1.4754, 0.8434, 0.707, 1.0865])"


# %% mistake="attention_scores" name="ignores_query"
"""Your function asks with row 1 of its inputs, whatever query it is given. Where is the second argument
used?
"""
edit = "I @ Q => I @ I[1]"


# %% mistake="attention_scores" name="overwrites_inputs"
"""After the call, look at inputs again: they have changed. Which step writes into them, as `*=` would?"""
edit = """
return I @ Q
=>
I *= Q
return I.sum(dim=-1)
"""


# %% mistake="attention_scores" name="reads_the_notebook"
"""The function uses the notebook's journey, not the tensor that it is called with. Look at the names in
its body.
"""
edit = "I @ Q => journey @ Q"


# %% mistake="attention_scores" name="six_tokens"
"""The example has six tokens, other inputs have more or fewer. Where does your function learn how many
scores to compute?
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
"""You add up over the tokens and get one number for each dimension. A score belongs to a token: over which
dimension do you sum?
"""
edit = "I @ Q => (I * Q).sum(dim=0)"


# %% mistake="normalize_by_sum" name="absolute"
"""Negative scores keep their sign here, in the sum too. The weights may look strange; the next question
deals with that.
"""
edit = "S.sum() => S.abs().sum()"


# %% mistake="normalize_by_sum" name="absolute__everywhere"
"""Negative scores keep their sign here, in the sum too. The weights may look strange; the next question
deals with that.
"""


def _positive(t):
    return torch.where(t < 0, -t, t)


def normalize_by_sum(scores):
    total = torch.linalg.vector_norm(scores, ord=1)
    return _positive(scores) / total


# %% mistake="normalize_by_sum" name="divides_by_count"
"""Dividing by the number of scores gives shares only by accident. Add up your weights: what do you get?"""
edit = "S.sum() => len(S)"


# %% mistake="normalize_by_sum" name="divides_by_largest"
"""The largest weight comes out as 1. By what must you divide so that all weights together are 1?"""
edit = "S.sum() => S.max()"


# %% mistake="normalize_by_sum" name="documented_values"
"""These are the example's weights. The function must work them out from whatever scores it is given."""
edit = "S / S.sum() => torch.tensor([0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656])"


# %% mistake="normalize_by_sum" name="softmax_already"
"""You are one question ahead: no exponential here. Divide the scores as they are by their sum."""
edit = "S / S.sum() => torch.softmax(S, dim=0)"


# %% mistake="normalize_by_sum" name="softmax_already__by_hand"
"""You are one question ahead: no exponential here. Divide the scores as they are by their sum."""
edit = """
return S / S.sum()
=>
e = S.exp()
return torch.div(e, e.sum(dim=0))
"""


# %% mistake="normalize_by_sum" name="sum_as_number"
"""The gradient misses a part: the sum depends on the scores as well. Does .item() or .detach() hide
that?
"""
edit = "S.sum() => S.sum().item()"


# %% mistake="softmax" name="by_sum"
"""Dividing the scores by their sum was the question before. The step that makes every score positive is
missing.
"""


def softmax(scores):
    return scores / scores.sum()


# %% mistake="softmax" name="denominator_as_number"
"""The gradient misses a part: the denominator depends on the scores as well. Does .item() or .detach()
hide that?
"""
edit = "P.sum() => P.sum().item()"


# %% mistake="softmax" name="divides_in_place"
"""A step in place, such as `/=`, overwrites numbers that the gradient needs on its way back. Let it make
a new tensor.
"""
edit = """
return P / P.sum()
=>
P /= P.sum()
return P
"""


# %% mistake="softmax" name="documented_values"
"""These are the example's weights. The function must work them out from whatever scores it is given."""


def softmax(scores):
    return torch.tensor([0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581])


# %% mistake="softmax" name="library_softmax"
"""The library's softmax gives the right weights. This question wants you to write the formula yourself."""


def softmax(scores):
    return torch.softmax(scores, dim=0)


# %% mistake="softmax" name="overflows_and_divides_in_place"
"""Two things to look at. What does torch.exp make of 1e4, and of -1e4? And what does the gradient of exp find
on its way back, after /= has overwritten the exponentials?
"""


def softmax(scores):
    powers = torch.exp(scores)
    powers /= powers.sum()
    return powers


# %% mistake="softmax" name="shift_is_not_the_maximum"
"""Try scores that are all -1e4. What do you subtract from them? It must be the largest score itself, with
its sign: anything larger can be far from every score.
"""
edit = "S.max() => S.abs().max()"


# %% mistake="softmax" name="shifts_by_smallest"
"""Which exponents are left after you subtract the smallest score? The largest of them can overflow."""
edit = "S.max() => S.min()"


# %% mistake="softmax" name="shifts_numerator_only"
"""Subtract the maximum in the numerator and in the denominator, or the factor does not cancel. What do
your weights sum to?
"""


def softmax(scores):
    return torch.exp(scores - scores.max()) / torch.exp(scores).sum()


# %% mistake="context_vector" name="documented_values"
"""This is the example's context vector. The function must work it out from whatever it is given."""
edit = "W @ I => torch.tensor([0.4419, 0.6515, 0.5683])"


# %% mistake="context_vector" name="overwrites_inputs"
"""After the call, look at inputs again: they have changed. Which step writes into them, as `*=` would?"""
edit = """
return W @ I
=>
I *= W[:, None]
return I.sum(dim=0)
"""


# %% mistake="context_vector" name="plain_mean"
"""Every token counts the same in your result. Where do the weights come in?"""
edit = "W @ I => I.mean(dim=0)"


# %% mistake="context_vector" name="reads_the_notebook"
"""The function uses the notebook's journey, not the tensor that it is called with. Look at the names in
its body.
"""
edit = "W @ I => W @ journey"


# %% mistake="context_vector" name="rows_not_added"
"""Each row has its weight, but the rows are still apart. The context vector is one vector of shape (d,)."""
edit = "W @ I => W[:, None] * I"


# %% mistake="context_vector" name="sums_over_dimensions"
"""You add up inside each token and get one number for each token. The sum should run over the tokens and
keep the dimensions apart.
"""
edit = "W @ I => (W[:, None] * I).sum(dim=1)"


# %% mistake="context_vector" name="three_dimensions"
"""The example has three dimensions, other inputs have more or fewer. Where does your function learn how
long a token's vector is?
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
"""The example has three dimensions, other inputs have more or fewer. Where does your function learn how
long a token's vector is?
"""
edit = "W @ I => torch.stack([(W * I[:, c]).sum() for c in (0, 1, 2)])"


# %% exception="context_vector"
"""Inputs have two dimensions."""
misconceptions = ["first_two_dimensions"]
