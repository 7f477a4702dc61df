"""Hidden tests of scaled dot-product attention: other sizes, batches, large scores, number types.

Most tests look at one property. Tests of values take any shape and dtype. Where they are not about the scale,
keys are one number wide, since the root of 1 is 1. Tests of the form, of batches, of gradients or of
unchanged inputs compare a function with itself. The weights of a question's tests are percentages.
"""

import pytest
import torch
from torch.nn import functional

from autograder.testing import (
    expect,
    expect_close,
    expect_computed,
    expect_dtype_kept,
    expect_gradcheck,
    expect_inputs_unchanged,
    expect_numbers,
    expect_numel,
    expect_rows_sum_to_one,
    expect_tensor,
    question,
)

ROLES = ("queries", "keys", "values")
MATRICES = ("W_query", "W_key", "W_value")
MIXED = "Does every sequence of the batch stay by itself?"
DEEP = "Any number of dimensions may stand in front. Do you count them from the end?"

JOINED = """
def joined(project, x, *matrices):
    return torch.cat([part.reshape(-1) for part in project(x, *matrices)])
"""


def expect_three(projected):
    """Expect queries, keys and values, however they are packed, and return them."""
    wanted = "The result must be three tensors: queries, keys and values"
    expect(projected is not None, f"{wanted}, but it is None. Is a return missing?")
    if isinstance(projected, torch.Tensor) and (
        projected.dim() < 2 or len(projected) != 3
    ):
        shape = tuple(projected.shape)
        expect(False, f"{wanted}, but it is a single tensor of shape {shape}.")
    packed = isinstance(projected, tuple | list | torch.Tensor)
    expect(packed, f"{wanted}, but it is neither a tuple nor a list.")
    expect(len(projected) == 3, f"{wanted}, but there are {len(projected)}.")
    return tuple(projected)


def projected(student, x, *matrices):
    """Return queries, keys and values, if they depend on the tokens."""
    joined = student.define(JOINED, "joined")
    expect_three(student.project(x, *matrices))
    expect_computed(lambda x: joined(student.project, x, *matrices), x)
    return expect_three(student.project(x, *matrices))


def expect_apart(function, *arguments):
    """Expect for each sequence of a batch what a batch of it alone gets."""
    together = expect_tensor(expect_computed(function, *arguments))
    for i in range(len(arguments[0])):
        alone = expect_tensor(function(*(one[i : i + 1] for one in arguments)))
        part = together.flatten()[i * alone.numel() : (i + 1) * alone.numel()]
        expect_numbers(part, alone, hint=MIXED, name=f"Sequence {i}")


def expect_deep(function, *arguments):
    """Expect for two dimensions in front what the function makes of one, of the same sequences."""
    deep = expect_computed(function, *arguments)
    flat = function(*(argument.flatten(0, 1) for argument in arguments))
    expect_numbers(deep, expect_tensor(flat), hint=DEEP)


def expect_any_layout(function, *arguments):
    """Expect of transposed tensors what the function makes of the same numbers in order."""
    mixed = [
        one.permute(1, 3, 0, 2).contiguous().permute(2, 0, 3, 1) for one in arguments
    ]
    expect_numbers(
        expect_computed(function, *mixed), expect_tensor(function(*arguments))
    )


# project


@question("project", weight=7)
@pytest.mark.parametrize("role", [0, 1, 2])
def test_project_gives_each_role_its_matrix(student, role):
    """Queries, keys and values come from their own matrices, in this order."""
    x, matrices = 2 * torch.randn(5, 4), torch.randn(3, 4, 3)
    parts = expect_three(student.project(x, *matrices))
    expect_numbers(
        parts[role],
        x @ matrices[role],
        name=f"The tensor of {ROLES[role]}",
        hint="Which matrix makes them?",
    )


@question("project", weight=4)
@pytest.mark.parametrize("role", [0, 1, 2])
def test_project_does_not_transpose_square_matrices(student, role):
    """Square matrices are used as they are, not transposed, in whatever order x lies in memory."""
    x, matrices = 2 * torch.randn(4, 5).T, torch.randn(3, 4, 4)
    parts = expect_three(student.project(x, *matrices))
    name = f"The tensor of {ROLES[role]}"
    expect_numbers(parts[role], x @ matrices[role], name=name)


@question("project", weight=10)
def test_project_allows_wider_values(student):
    """Values may be wider than queries and keys."""
    x, matrices = torch.randn(5, 4), [torch.randn(4, size) for size in (3, 3, 6)]
    for name, part, size in zip(
        ROLES, projected(student, x, *matrices), (3, 3, 6), strict=True
    ):
        expect_numel(part, (5, size), f"The tensor of {name}")


@question("project", weight=10)
def test_project_returns_a_row_for_each_token(student):
    """Queries, keys and values have a row for each token."""
    for name, part in zip(
        ROLES, projected(student, torch.randn(5, 4), *torch.randn(3, 4, 2)), strict=True
    ):
        expect_tensor(part, (5, 2), name=f"The tensor of {name}")


@question("project", weight=5)
@pytest.mark.parametrize("shape", [(4,), (2, 5, 4), (2, 1, 5, 4)])
def test_project_takes_one_token_or_batches(student, shape):
    """One token, or a batch of sequences, gives what its tokens give in one sequence."""
    x, matrices = torch.randn(shape), torch.randn(3, 4, 4)
    flat = expect_three(student.project(x.reshape(-1, 4), *matrices))
    for part, right in zip(projected(student, x, *matrices), flat, strict=True):
        expect_close(expect_tensor(part, shape), expect_tensor(right).reshape(shape))


@question("project", weight=5)
def test_project_reads_any_memory_layout(student):
    """Transposed tokens work like any others."""
    x, matrices = torch.randn(2, 4, 4).mT, torch.randn(3, 4, 4)
    ordered = expect_three(student.project(x.contiguous(), *matrices))
    for part, right in zip(projected(student, x, *matrices), ordered, strict=True):
        expect_numbers(part, expect_tensor(right))


@question("project", weight=10)
def test_project_keeps_the_dtype(student):
    """float32 in, float32 out; float64 in, float64 out, to the last digits."""
    joined = student.define(JOINED, "joined")
    x, matrices = torch.randn(4, 4), torch.randn(3, 4, 4)
    expect_dtype_kept(joined, student.project, x, *matrices)


@question("project", weight=7)
def test_project_leaves_its_inputs_alone(student):
    """The tokens and the matrices are not overwritten."""
    joined = student.define(JOINED, "joined")
    matrices = dict(zip(MATRICES, torch.randn(3, 4, 4), strict=True))
    x = torch.randn(4, 4)
    expect_inputs_unchanged(joined, project=student.project, x=x, **matrices)


@question("project", weight=10)
def test_project_lets_gradients_through(student):
    """Gradients reach the tokens and all three matrices."""
    joined = student.define(JOINED, "joined")
    matrices = dict(zip(MATRICES, torch.randn(3, 4, 4).double(), strict=True))
    x = torch.randn(4, 4).double()
    expect_gradcheck(joined, project=student.project, x=x, **matrices)


# attention_scores


@question("attention_scores", weight=9)
@pytest.mark.parametrize("size", [(4, 4), (6, 2)])
def test_scores_are_dot_products(student, size):
    """Row i belongs to query i, column j to key j, and the score is their dot product."""
    queries, keys = 2 * torch.randn(size), 2 * torch.randn(size)
    expect_numbers(
        student.attention_scores(queries, keys),
        queries @ keys.T,
        hint="Row i, column j is query i times key j.",
    )


@question("attention_scores", weight=12)
def test_scores_of_more_or_fewer_keys(student):
    """There may be more keys than queries, or fewer."""
    for n, m in ((3, 7), (6, 2)):
        queries, keys = torch.randn(n, 5), torch.randn(m, 5)
        expect_numbers(student.attention_scores(queries, keys), queries @ keys.T)


@question("attention_scores", weight=4)
def test_scores_of_a_single_pair(student):
    """One query and one key make one score."""
    queries, keys = torch.randn(1, 3), torch.randn(1, 3)
    expect_numbers(student.attention_scores(queries, keys), queries @ keys.T)


@question("attention_scores", weight=6)
def test_scores_of_batches(student):
    """In a batch, each sequence is scored by itself, also where all sizes are equal."""
    for n, m, d in ((4, 5, 6), (3, 3, 3)):
        queries, keys = torch.randn(3, n, d), torch.randn(3, m, d)
        hint = "Which two dimensions of the keys change places?"
        scores = student.attention_scores(queries, keys)
        expect_numbers(scores, queries @ keys.mT, hint=hint)


@question("attention_scores", weight=6)
def test_scores_keep_sequences_apart(student):
    """Each sequence of a batch gets the scores that it gets alone."""
    expect_apart(student.attention_scores, *torch.randn(2, 3, 3, 3))


@question("attention_scores", weight=8)
def test_scores_of_many_dimensions(student):
    """A batch of batches is scored like one batch of all its sequences."""
    expect_deep(student.attention_scores, *torch.randn(2, 2, 3, 4, 4))


@question("attention_scores", weight=3)
def test_scores_read_any_memory_layout(student):
    """Transposed inputs work like any others."""
    expect_any_layout(student.attention_scores, *torch.randn(2, 3, 2, 4, 4))


@question("attention_scores", weight=13)
def test_scores_have_a_row_for_each_query_and_a_column_for_each_key(student):
    """The scores are a table for each sequence; a batch of one stays a batch."""
    queries, keys = torch.randn(5, 4), torch.randn(5, 4)
    expect_tensor(expect_computed(student.attention_scores, queries, keys), (5, 5))
    one = student.attention_scores(torch.randn(2, 1, 1, 3), torch.randn(2, 1, 1, 3))
    expect_tensor(one, (2, 1, 1, 1))


@question("attention_scores", weight=10)
def test_scores_keep_the_dtype(student):
    """float32 in, float32 out; float64 in, float64 out, to the last digits."""
    expect_dtype_kept(student.attention_scores, *torch.randn(2, 4, 4))


@question("attention_scores", weight=10)
def test_scores_leave_their_inputs_alone(student):
    """Queries and keys are not overwritten."""
    queries, keys = torch.randn(2, 4, 4)
    expect_inputs_unchanged(student.attention_scores, queries=queries, keys=keys)


@question("attention_scores", weight=10)
def test_scores_let_gradients_through(student):
    """Gradients reach the queries and the keys."""
    queries, keys = torch.randn(2, 4, 4).double()
    expect_gradcheck(student.attention_scores, queries=queries, keys=keys)


# score_variance


@question("score_variance", weight=12)
def test_variance_without_scaling(student):
    """Without scaling, the result is the variance of the plain scores, to a hundredth."""
    queries, keys = torch.randn(20, 6), torch.randn(25, 6)
    right = (queries @ keys.T).var()
    expect_numbers(
        student.score_variance(queries, keys, False),
        right,
        atol=0.01 * right.item(),
        hint="Of how many scores is it the variance?",
    )


@question("score_variance", weight=12)
def test_variance_of_few_scores(student):
    """For few scores, too, the result is the unbiased variance."""
    queries, keys = 2 * torch.randn(1, 3), 2 * torch.randn(2, 3)
    right = (queries @ keys.T).var()
    expect_numbers(
        student.score_variance(queries, keys, False),
        right,
        atol=1e-3 * right.item() + 1e-4,
        hint="By what do you divide: the count, or less?",
    )


@question("score_variance", weight=14)
def test_variance_is_divided_by_the_width(student):
    """Scores divided by the root of d_k have a variance divided by d_k."""
    for head_size in (6, 3):
        queries, keys = torch.randn(4, head_size), torch.randn(5, head_size)
        plain = expect_computed(student.score_variance, queries, keys, False)
        scaled = student.score_variance(queries, keys, True)
        right = expect_tensor(plain) / head_size
        hint = "What is divided, and by what?"
        expect_numbers(scaled, right, atol=1e-4, hint=hint)


@question("score_variance", weight=8)
def test_variance_shows_why_one_scales(student):
    """Scaling brings the variance near 1, whatever d_k is."""
    for head_size in (16, 128):
        queries, keys = torch.randn(150, head_size), torch.randn(250, head_size)
        variance = student.score_variance(queries, keys, True)
        scaled = expect_numel(variance, ()).item()
        message = f"With scaling the variance should be near 1 for head size {head_size}, not {scaled:.4g}."
        expect(0.8 < scaled < 1.2, message)


@question("score_variance", weight=12)
def test_variance_grows_with_the_square(student):
    """Queries twice as long have scores of four times the variance."""
    queries, keys = torch.randn(4, 6), torch.randn(5, 6)
    plain = expect_computed(student.score_variance, queries, keys, False)
    longer = student.score_variance(2 * queries, keys, False)
    right = 4 * expect_tensor(plain)
    expect_numbers(longer, right, atol=1e-3, hint="Is it the variance that you return?")


@question("score_variance", weight=15)
def test_variance_is_one_number(student):
    """The result is a tensor with a single value, without dimensions."""
    queries, keys = torch.randn(4, 4), torch.randn(4, 4)
    expect_tensor(expect_computed(student.score_variance, queries, keys, True), ())


@question("score_variance", weight=15)
def test_variance_keeps_the_dtype(student):
    """float32 in, float32 out; float64 in, float64 out, to the last digits."""
    expect_dtype_kept(student.score_variance, *torch.randn(2, 4, 4), True)


@question("score_variance", weight=12)
def test_variance_leaves_its_inputs_alone(student):
    """Queries and keys are not overwritten."""
    queries, keys = torch.randn(2, 4, 4)
    expect_inputs_unchanged(
        student.score_variance, queries=queries, keys=keys, scaled=True
    )


# scaled_attention_weights


@question("scaled_attention_weights", weight=5)
@pytest.mark.parametrize("shape", [(5, 5), (3, 5, 6)])
def test_weights_are_the_softmax_of_the_scores(student, shape):
    """Where a key is one number wide, the weights are the softmax of the scores themselves."""
    scores = 2 * torch.randn(shape)
    expect_numbers(
        student.scaled_attention_weights(scores, 1),
        torch.softmax(scores, dim=-1),
        hint="Which dimension counts the keys, in any shape?",
    )


@question("scaled_attention_weights", weight=4)
@pytest.mark.parametrize("d_k", [3, 64, 300])
def test_weights_scale_by_the_width_of_a_key(student, d_k):
    """Scores are divided by the root of the key's width, not of the number of tokens."""
    scores = 2 * torch.randn(4, 7)
    expect_numbers(
        student.scaled_attention_weights(d_k**0.5 * scores, d_k),
        torch.softmax(scores, dim=-1),
        hint="Scores are divided by the root of the given d_k, whatever it is.",
    )


@question("scaled_attention_weights", weight=10)
def test_weights_sum_to_one_over_the_keys(student):
    """Each query's weights sum to 1, to the last digits, in batches too."""
    for shape in ((3, 7), (2, 1, 4, 5)):
        scores = 3 * torch.randn(shape).double()
        weights = expect_computed(student.scaled_attention_weights, scores, 4)
        expect_rows_sum_to_one(expect_numel(weights, shape))


@question("scaled_attention_weights", weight=10)
def test_weights_survive_large_scores(student):
    """Scores of ±10000 do not overflow."""
    scores = torch.tensor([[1e4, -1e4, 1e4], [-1e4, -1e4, -1e4]]) - 4 * torch.rand(2, 3)
    right = torch.softmax(scores / 2, dim=-1)
    expect_numbers(student.scaled_attention_weights(scores, 4), right, atol=1e-3)


@question("scaled_attention_weights", weight=4)
def test_weights_of_a_single_query(student):
    """The scores of a single query, shape (m,), give what they give as the only row."""
    scores = 3 * torch.randn(6)
    row = expect_computed(student.scaled_attention_weights, scores, 9)
    expect_numbers(
        row, expect_tensor(student.scaled_attention_weights(scores[None], 9))
    )


@question("scaled_attention_weights", weight=5)
def test_weights_keep_sequences_apart(student):
    """Each sequence of a batch gets the weights that it gets alone."""
    scores = torch.randn(3, 4, 4)
    expect_apart(lambda scores: student.scaled_attention_weights(scores, 4), scores)


@question("scaled_attention_weights", weight=9)
def test_weights_of_many_dimensions(student):
    """A batch of batches is weighted like one batch of all its sequences."""
    scores = torch.randn(2, 3, 4, 4)
    expect_deep(lambda scores: student.scaled_attention_weights(scores, 4), scores)


@question("scaled_attention_weights", weight=11)
def test_weights_keep_the_shape(student):
    """There is a weight for each score; a batch of one stays a batch."""
    weigh, scores = student.scaled_attention_weights, torch.randn(4, 4)
    expect_tensor(expect_computed(weigh, scores, 4), (4, 4))
    for shape in ((1, 4, 4), (2, 1, 4, 4)):
        expect_tensor(weigh(torch.randn(shape), 4), shape)


@question("scaled_attention_weights", weight=10)
def test_weights_keep_the_dtype(student):
    """float32 in, float32 out; float64 in, float64 out, to the last digits."""
    expect_dtype_kept(student.scaled_attention_weights, torch.randn(4, 4), 4)


@question("scaled_attention_weights", weight=9)
def test_weights_leave_the_scores_alone(student):
    """The scores are not overwritten."""
    scores = torch.randn(4, 4)
    expect_inputs_unchanged(student.scaled_attention_weights, scores=scores, d_k=4)


@question("scaled_attention_weights", weight=10)
def test_weights_let_gradients_through(student):
    """Gradients reach the scores."""
    scores = torch.randn(4, 4).double()
    expect_gradcheck(student.scaled_attention_weights, scores=scores, d_k=4)


# scaled_dot_product_attention


def inputs_of(n=4, m=4, d_k=4, d_v=4, batch=(), dtype=torch.float32):
    """Return queries, keys and values large enough for scaling to show."""
    sizes = [(n, d_k), (m, d_k), (m, d_v)]
    return tuple(1.5 * torch.randn(*batch, *size).to(dtype) for size in sizes)


def expect_attention(student, inputs, *, atol=None, hint=""):
    """Expect what the library's own function gives."""
    right = functional.scaled_dot_product_attention(*inputs)
    seen = student.scaled_dot_product_attention(*inputs)
    expect_numbers(seen, right, atol=atol, hint=hint)


@question("scaled_dot_product_attention", weight=8)
def test_attention_agrees_with_the_library(student):
    """The result agrees with the library's own function."""
    hint = "Row i is the sum of the values by the softmax of query i's scores over the root of d_k."
    expect_attention(student, inputs_of(5, 5, 6, 6), hint=hint)


@question("scaled_dot_product_attention", weight=5)
@pytest.mark.parametrize("head_size", [64, 2])
def test_attention_scales_by_the_size_of_the_head(student, head_size):
    """Scores are scaled by the key's width, whatever that of the values is."""
    hint = "Which size do you take the root of?"
    expect_attention(student, inputs_of(4, 5, head_size, 3), hint=hint)


@question("scaled_dot_product_attention", weight=6)
def test_attention_to_more_or_fewer_keys(student):
    """There may be more keys than queries, or fewer, and values of another width."""
    for n, m, d_v in ((3, 7, 2), (7, 2, 11)):
        expect_attention(student, inputs_of(n, m, 1, d_v))


@question("scaled_dot_product_attention", weight=6)
def test_attention_in_batches(student):
    """In a batch, each sequence attends to itself alone, and the softmax runs over the keys."""
    for n, m, d_v in ((4, 5, 7), (3, 3, 3)):
        hint = "Count the dimensions from the end."
        expect_attention(student, inputs_of(n, m, 1, d_v, (3,)), hint=hint)


@question("scaled_dot_product_attention", weight=10)
def test_attention_survives_large_inputs(student):
    """Scores of ±10000 do not overflow."""
    queries = 100 * torch.tensor([[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 1, 0]]).double()
    keys = 100 + 0.02 * torch.randn(5, 4).double()
    keys[0, 0] = -100
    values = torch.randn(5, 3).double()
    expect_attention(student, (queries, keys, values), atol=1e-3)


@question("scaled_dot_product_attention", weight=4)
def test_attention_to_a_single_token(student):
    """A single key gets all the attention, so each query gets back its value."""
    for n in (3, 1):
        queries, keys, values = inputs_of(n, 1, 3, 4, (2,))
        seen = student.scaled_dot_product_attention(queries, keys, values)
        expect_numbers(seen, values.expand(2, n, 4))


@question("scaled_dot_product_attention", weight=4)
def test_attention_does_not_care_about_the_order_of_keys(student):
    """Keys and values shuffled together give the same result."""
    attend, order = student.scaled_dot_product_attention, torch.tensor([3, 0, 1, 2])
    queries, keys, values = inputs_of()
    straight = expect_computed(attend, queries, keys, values)
    shuffled = attend(queries, keys[order], values[order])
    hint = "Does each value keep its own weight?"
    expect_numbers(shuffled, expect_tensor(straight), hint=hint)


@question("scaled_dot_product_attention", weight=5)
def test_attention_keeps_sequences_apart(student):
    """Each sequence of a batch gets the vectors that it gets alone."""
    inputs = inputs_of(3, 3, 3, 3, (3,))
    expect_apart(student.scaled_dot_product_attention, *inputs)


@question("scaled_dot_product_attention", weight=6)
def test_attention_of_many_dimensions(student):
    """A batch of batches is treated like one batch of all its sequences."""
    expect_deep(student.scaled_dot_product_attention, *inputs_of(batch=(2, 3)))


@question("scaled_dot_product_attention", weight=3)
def test_attention_reads_any_memory_layout(student):
    """Transposed inputs work like any others."""
    expect_any_layout(student.scaled_dot_product_attention, *inputs_of(batch=(3, 2)))


@question("scaled_dot_product_attention", weight=10)
def test_attention_gives_each_query_a_vector_like_a_value(student):
    """There is a row for each query, as wide as a value; a batch of one stays a batch."""
    attend = student.scaled_dot_product_attention
    expect_tensor(expect_computed(attend, *inputs_of()), (4, 4))
    expect_tensor(attend(*inputs_of(2, 2, 2, 3, (2, 1))), (2, 1, 2, 3))


@question("scaled_dot_product_attention", weight=10)
def test_attention_keeps_the_dtype(student):
    """float32 in, float32 out; float64 in, float64 out, to the last digits."""
    expect_dtype_kept(student.scaled_dot_product_attention, *inputs_of())


@question("scaled_dot_product_attention", weight=8)
def test_attention_leaves_its_inputs_alone(student):
    """Queries, keys and values are not overwritten."""
    given = dict(zip(ROLES, inputs_of(), strict=True))
    expect_inputs_unchanged(student.scaled_dot_product_attention, **given)


@question("scaled_dot_product_attention", weight=10)
def test_attention_lets_gradients_through(student):
    """Gradients reach queries, keys and values."""
    given = dict(zip(ROLES, inputs_of(dtype=torch.float64), strict=True))
    expect_gradcheck(student.scaled_dot_product_attention, **given)
