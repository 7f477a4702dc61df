"""Hidden tests of scaled dot-product attention: other sizes, batches, large scores, number types.

Basic tests compare numbers, in any shape and dtype. Each other test checks one property. Most of these tests
also pass if only the scale is wrong: they use d_k = 1 or a single key, or they compare results of the
student's function with each other.
"""

import pytest
import torch
from torch.nn import functional

from autograder.testing import (
    expect,
    expect_computed,
    expect_gradcheck,
    expect_inputs_unchanged,
    expect_numbers,
    expect_numel,
    expect_tensor,
    question,
)

ROLES = ("queries", "keys", "values")
MATRICES = ("W_query", "W_key", "W_value")
PRECISE = "float64 has 15 digits. Is a step of your code, such as the root, in float32?"
DEEP = "There may be any number of leading dimensions. Do you count dimensions from the end?"

JOINED = """
def joined(project, x, *matrices):
    return torch.cat([part.reshape(-1) for part in project(x, *matrices)])
"""


def expect_three(projected):
    """Expect queries, keys and values in a tuple or a list, and return them."""
    wanted = "The result must be three tensors: queries, keys and values"
    expect(projected is not None, f"{wanted}, but it is None. Is a return missing?")
    if isinstance(projected, torch.Tensor) and (
        projected.dim() < 2 or len(projected) != 3
    ):
        shape = tuple(projected.shape)
        expect(False, f"{wanted}, but it is a single tensor of shape {shape}.")
    packed = isinstance(projected, tuple | list | torch.Tensor)
    expect(packed, f"{wanted}, but it is neither a tuple nor a list.")
    expect(len(projected) == 3, f"{wanted}, but it contains {len(projected)}.")
    return tuple(projected)


def projected(student, x, *matrices):
    """Return queries, keys and values. Fail unless they depend on the tokens."""
    joined = student.define(JOINED, "joined")
    expect_three(student.project(x, *matrices))
    expect_computed(lambda x: joined(student.project, x, *matrices), x)
    return expect_three(student.project(x, *matrices))


def expect_precise(function, right, *arguments):
    """Expect the dtype of the arguments and its full precision, for float32 and for float64."""
    for dtype in (torch.float32, torch.float64):
        given = [
            one.to(dtype) if isinstance(one, torch.Tensor) else one for one in arguments
        ]
        result = function(*given)
        expect_numbers(result, right(*given), hint=PRECISE)
        if isinstance(result, torch.Tensor):  # other tests check the type
            expect_tensor(result, dtype=dtype)


def expect_deep(function, *arguments):
    """Expect the same results for sequences in a batch of shape (a, b) as in a batch of a * b sequences."""
    deep = expect_computed(function, *arguments)
    flat = function(*(argument.flatten(0, 1) for argument in arguments))
    expect_numbers(deep, expect_tensor(flat), hint=DEEP)


def expect_any_layout(function, *arguments):
    """Expect the same results for transposed tensors as for contiguous tensors with the same numbers."""
    mixed = [
        one.permute(1, 3, 0, 2).contiguous().permute(2, 0, 3, 1) for one in arguments
    ]
    expect_numbers(
        expect_computed(function, *mixed), expect_tensor(function(*arguments))
    )


# project


@question("project", basic=True)
@pytest.mark.parametrize("role", [0, 1, 2])
def test_project_gives_each_role_its_matrix(student, role):
    """Queries, keys and values are computed with their own matrices, in this order; values may be wider."""
    x, matrices = 2 * torch.randn(5, 4), [torch.randn(4, size) for size in (3, 3, 6)]
    parts = expect_three(student.project(x, *matrices))
    expect_numbers(
        parts[role],
        x @ matrices[role],
        name=f"The tensor of {ROLES[role]}",
        hint="Which matrix are the tokens multiplied with?",
    )


@question("project", basic=True)
@pytest.mark.parametrize("role", [0, 1, 2])
def test_project_does_not_transpose_square_matrices(student, role):
    """Square matrices are not transposed, for one sequence and for a batch."""
    for shape in ((5, 4), (2, 5, 4)):
        x, matrices = 2 * torch.randn(shape), torch.randn(3, 4, 4)
        parts = expect_three(student.project(x, *matrices))
        name = f"The tensor of {ROLES[role]}"
        expect_numbers(parts[role], x @ matrices[role], name=name)


@question("project", needs_results=True)
def test_project_returns_a_row_for_each_token(student):
    """Queries, keys and values have a row for each token, in a batch too."""
    for front in ((5,), (1, 5), (2, 1, 5)):
        x, matrices = torch.randn(*front, 4), torch.randn(3, 4, 2)
        parts = expect_three(student.project(x, *matrices))
        for name, part in zip(ROLES, parts, strict=True):
            expect_tensor(part, (*front, 2), name=f"The tensor of {name}")


@question("project")
def test_project_of_a_single_token(student):
    """A single token has a query, a key and a value, for x of shape (d_in,) and (1, d_in)."""
    matrices = torch.randn(3, 4, 4)
    for shape in ((4,), (1, 4)):
        x = torch.randn(shape)
        parts = expect_three(student.project(x, *matrices))
        for part, matrix in zip(parts, matrices, strict=True):
            expect_numbers(part, x @ matrix)


@question("project")
def test_project_of_many_dimensions(student):
    """With two batch dimensions, the results are the same as for all tokens in a single sequence."""
    x, matrices = torch.randn(2, 1, 5, 4), torch.randn(3, 4, 4)
    flat = expect_three(student.project(x.reshape(-1, 4), *matrices))
    for part, right in zip(projected(student, x, *matrices), flat, strict=True):
        expect_numbers(part, expect_tensor(right), hint=DEEP)


@question("project")
def test_project_reads_any_memory_layout(student):
    """Transposed tokens give the same results as contiguous tensors."""
    x, matrices = torch.randn(2, 4, 4).mT, torch.randn(3, 4, 4)
    ordered = expect_three(student.project(x.contiguous(), *matrices))
    for part, right in zip(projected(student, x, *matrices), ordered, strict=True):
        expect_numbers(part, expect_tensor(right))


@question("project")
def test_project_keeps_the_dtype(student):
    """The result has the dtype and the precision of the inputs, float32 or float64."""
    for dtype in (torch.float32, torch.float64):
        x, *matrices = torch.randn(4, 4, 4, dtype=dtype)
        parts = expect_three(student.project(x, *matrices))
        for part, matrix in zip(parts, matrices, strict=True):
            expect_numbers(part, x @ matrix, hint=PRECISE)
            expect_tensor(part, dtype=dtype)


@question("project", needs_results=True)
def test_project_leaves_its_inputs_alone(student):
    """The tokens and the matrices are not overwritten."""
    joined = student.define(JOINED, "joined")
    matrices = dict(zip(MATRICES, torch.randn(3, 4, 4), strict=True))
    x = torch.randn(4, 4)
    expect_inputs_unchanged(joined, project=student.project, x=x, **matrices)


@question("project")
def test_project_lets_gradients_through(student):
    """Gradients reach the tokens and all three matrices."""
    joined = student.define(JOINED, "joined")
    matrices = dict(zip(MATRICES, torch.randn(3, 4, 4).double(), strict=True))
    x = torch.randn(4, 4).double()
    expect_gradcheck(joined, project=student.project, x=x, **matrices)


# attention_scores


def scores_of(queries, keys):
    """Return the dot product of each query with each key."""
    return queries @ keys.mT


@question("attention_scores", basic=True)
@pytest.mark.parametrize("size", [(4, 4), (6, 2)])
def test_scores_are_dot_products(student, size):
    """Row i belongs to query i, column j to key j, and the score is their dot product."""
    queries, keys = 2 * torch.randn(size), 2 * torch.randn(size)
    expect_numbers(
        student.attention_scores(queries, keys),
        scores_of(queries, keys),
        hint="Row i, column j is query i times key j.",
    )


@question("attention_scores", basic=True)
def test_scores_of_more_or_fewer_keys(student):
    """There may be more keys than queries, or fewer."""
    for n, m in ((3, 7), (6, 2)):
        queries, keys = torch.randn(n, 5), torch.randn(m, 5)
        expect_numbers(
            student.attention_scores(queries, keys), scores_of(queries, keys)
        )


@question("attention_scores")
def test_scores_of_a_single_pair(student):
    """One query and one key give one score."""
    queries, keys = torch.randn(2, 1, 3)
    expect_numbers(student.attention_scores(queries, keys), scores_of(queries, keys))


@question("attention_scores", basic=True)
def test_scores_of_batches(student):
    """In a batch, each sequence has its own scores, even if all sizes are equal."""
    for n, m, d in ((4, 5, 6), (3, 3, 3)):
        queries, keys = torch.randn(3, n, d), torch.randn(3, m, d)
        hint = "Which two dimensions of the keys do you swap?"
        scores = student.attention_scores(queries, keys)
        expect_numbers(scores, scores_of(queries, keys), hint=hint)


@question("attention_scores")
def test_scores_of_many_dimensions(student):
    """With two batch dimensions, each sequence has the same scores as with one batch dimension."""
    expect_deep(student.attention_scores, *torch.randn(2, 2, 3, 4, 4))


@question("attention_scores")
def test_scores_read_any_memory_layout(student):
    """Transposed inputs give the same results as contiguous tensors."""
    expect_any_layout(student.attention_scores, *torch.randn(2, 3, 2, 4, 4))


@question("attention_scores", needs_results=True)
def test_scores_have_a_row_for_each_query_and_a_column_for_each_key(student):
    """Each sequence has a matrix of scores; a batch dimension of size 1 is kept."""
    for front in ((), (1,), (2, 1)):
        for n, m in ((4, 5), (1, 1)):
            queries, keys = torch.randn(*front, n, 3), torch.randn(*front, m, 3)
            expect_tensor(student.attention_scores(queries, keys), (*front, n, m))


@question("attention_scores")
def test_scores_keep_the_dtype(student):
    """The result has the dtype and the precision of the inputs, float32 or float64."""
    expect_precise(student.attention_scores, scores_of, *torch.randn(2, 4, 4))


@question("attention_scores", needs_results=True)
def test_scores_leave_their_inputs_alone(student):
    """Queries and keys are not overwritten."""
    queries, keys = torch.randn(2, 4, 4)
    expect_inputs_unchanged(student.attention_scores, queries=queries, keys=keys)


@question("attention_scores")
def test_scores_let_gradients_through(student):
    """Gradients reach the queries and the keys."""
    queries, keys = torch.randn(2, 4, 4).double()
    expect_gradcheck(student.attention_scores, queries=queries, keys=keys)


# score_variance


def variance_of(queries, keys, scaled):
    """Return the variance of the scores. If `scaled`, divide the scores by the root of d_k first."""
    scores = scores_of(queries, keys)
    return (scores / queries.shape[-1] ** 0.5 if scaled else scores).var()


@question("score_variance", basic=True)
@pytest.mark.parametrize("scaled", [False, True])
def test_variance_of_the_scores(student, scaled):
    """The result is the unbiased variance of all scores together, scaled or not."""
    for n, m, head_size in ((4, 5, 6), (8, 3, 3), (4, 4, 4)):
        queries, keys = torch.randn(n, head_size), torch.randn(m, head_size)
        right = variance_of(queries, keys, scaled)
        expect_numbers(
            student.score_variance(queries, keys, scaled),
            right,
            atol=1e-5 * (1 + right.item()),
            hint="Do you take one variance of all scores? If `scaled` is true, what are they divided by?",
        )


@question("score_variance")
def test_variance_of_few_scores(student):
    """The result is the unbiased variance for two scores, too."""
    queries, keys = 2 * torch.randn(1, 3), 2 * torch.randn(2, 3)
    right = variance_of(queries, keys, False)
    expect_numbers(
        student.score_variance(queries, keys, False),
        right,
        atol=1e-3 * right.item() + 1e-4,
        hint="Does your variance divide by the number of scores, or by this number minus 1?",
    )


@question("score_variance")
def test_scaled_variance_is_near_one(student):
    """For random queries and keys, the variance with scaling is near 1 for any d_k."""
    for head_size in (16, 128):
        queries, keys = torch.randn(150, head_size), torch.randn(250, head_size)
        variance = student.score_variance(queries, keys, True)
        scaled = expect_numel(variance, ()).item()
        message = f"With scaling the variance should be near 1 for head size {head_size}, not {scaled:.4g}."
        expect(0.8 < scaled < 1.2, message)


@question("score_variance")
def test_variance_is_quadratic_in_the_queries(student):
    """If the queries are twice as long, the variance of the scores is four times as large."""
    queries, keys = torch.randn(4, 6), torch.randn(5, 6)
    plain = expect_numel(
        expect_computed(student.score_variance, queries, keys, False), ()
    )
    longer = student.score_variance(2 * queries, keys, False)
    hint = "Do you return the variance or the standard deviation?"
    expect_numbers(longer, 4 * plain, atol=1e-3, hint=hint)


@question("score_variance", needs_results=True)
def test_variance_is_one_number(student):
    """The result is a tensor with a single value, without dimensions."""
    queries, keys = torch.randn(4, 4), torch.randn(4, 4)
    expect_tensor(student.score_variance(queries, keys, True), ())


@question("score_variance")
def test_variance_keeps_the_dtype(student):
    """The result has the dtype and the precision of the inputs, float32 or float64."""
    for scaled in (True, False):
        queries, keys = torch.randn(2, 4, 3)
        expect_precise(student.score_variance, variance_of, queries, keys, scaled)


@question("score_variance", needs_results=True)
def test_variance_leaves_its_inputs_alone(student):
    """Queries and keys are not overwritten."""
    queries, keys = torch.randn(2, 4, 4)
    expect_inputs_unchanged(
        student.score_variance, queries=queries, keys=keys, scaled=True
    )


# scaled_attention_weights


def weights_of(scores, d_k):
    """Return the softmax over the keys of the scaled scores."""
    return torch.softmax(scores / d_k**0.5, dim=-1)


@question("scaled_attention_weights", basic=True)
@pytest.mark.parametrize("shape", [(4, 7), (5, 5), (3, 5, 6)])
def test_weights_are_the_softmax_of_the_scaled_scores(student, shape):
    """Scores are divided by the root of d_k, and the softmax runs over the keys, in batches too."""
    for d_k in (3, 64):
        scores = 2 * d_k**0.5 * torch.randn(shape)
        expect_numbers(
            student.scaled_attention_weights(scores, d_k),
            weights_of(scores, d_k),
            hint="Over which dimension does your softmax run? Do you divide by the root of the argument d_k?",
        )


@question("scaled_attention_weights")
def test_weights_for_d_k_of_one(student):
    """If d_k is 1, the weights are the softmax of the scores themselves."""
    scores = 2 * torch.randn(5, 6)
    expect_numbers(student.scaled_attention_weights(scores, 1), weights_of(scores, 1))


@question("scaled_attention_weights")
def test_weights_survive_large_scores(student):
    """Scores of ±10000 do not overflow."""
    scores = torch.tensor([[1e4, -1e4, 1e4], [-1e4, -1e4, -1e4]]) - 4 * torch.rand(2, 3)
    right = weights_of(scores, 1)
    expect_numbers(student.scaled_attention_weights(scores, 1), right, atol=1e-3)


@question("scaled_attention_weights")
def test_weights_of_a_single_query(student):
    """Scores of a single query, of shape (m,), are accepted; the weight of a single key is 1."""
    for m in (6, 1):
        scores = 3 * torch.randn(m)
        weights = student.scaled_attention_weights(scores, 1)
        expect_numbers(weights, weights_of(scores, 1))


@question("scaled_attention_weights")
def test_weights_of_many_dimensions(student):
    """With two batch dimensions, each sequence has the same weights as with one batch dimension."""
    scores = torch.randn(2, 3, 4, 4)
    expect_deep(lambda scores: student.scaled_attention_weights(scores, 4), scores)


@question("scaled_attention_weights", needs_results=True)
def test_weights_keep_the_shape(student):
    """There is a weight for each score; a batch dimension of size 1 is kept."""
    for shape in ((4, 4), (1, 4, 4), (2, 1, 4, 4), (3,)):
        weights = student.scaled_attention_weights(torch.randn(shape), 4)
        expect_tensor(weights, shape)


@question("scaled_attention_weights")
def test_weights_keep_the_dtype(student):
    """The result has the dtype and the precision of the inputs, float32 or float64."""
    scores = torch.randn(4, 4)
    for d_k in (3, 4):
        expect_precise(student.scaled_attention_weights, weights_of, scores, d_k)


@question("scaled_attention_weights", needs_results=True)
def test_weights_leave_the_scores_alone(student):
    """The scores are not overwritten."""
    scores = torch.randn(4, 4)
    expect_inputs_unchanged(student.scaled_attention_weights, scores=scores, d_k=4)


@question("scaled_attention_weights")
def test_weights_let_gradients_through(student):
    """Gradients reach the scores."""
    scores = torch.randn(4, 4).double()
    expect_gradcheck(student.scaled_attention_weights, scores=scores, d_k=4)


# scaled_dot_product_attention


def inputs_of(n=4, m=4, d_k=4, d_v=4, batch=(), dtype=torch.float32):
    """Return queries, keys and values that are so large that a missing scale changes the result."""
    sizes = [(n, d_k), (m, d_k), (m, d_v)]
    return tuple(1.5 * torch.randn(*batch, *size).to(dtype) for size in sizes)


def expect_attention(student, inputs, *, atol=None, hint=""):
    """Expect the result of torch's own function."""
    right = functional.scaled_dot_product_attention(*inputs)
    seen = student.scaled_dot_product_attention(*inputs)
    expect_numbers(seen, right, atol=atol, hint=hint)


@question("scaled_dot_product_attention", basic=True)
@pytest.mark.parametrize("head_size", [6, 64, 2])
def test_attention_agrees_with_the_library(student, head_size):
    """The result equals that of torch's own function, for any widths of keys and values."""
    hint = "Row i is a weighted sum of the values. Its weights are softmax(scores of query i / sqrt(d_k))."
    for d_v in (head_size, 3):
        expect_attention(student, inputs_of(5, 5, head_size, d_v), hint=hint)


@question("scaled_dot_product_attention", basic=True)
def test_attention_to_more_or_fewer_keys(student):
    """There may be more or fewer keys than queries, and values may have another width."""
    for n, m, d_v in ((3, 7, 2), (7, 2, 11)):
        expect_attention(student, inputs_of(n, m, 4, d_v))


@question("scaled_dot_product_attention", basic=True)
def test_attention_in_batches(student):
    """In a batch, each sequence attends only to itself, and the softmax runs over the keys."""
    for n, m, d_k, d_v in ((4, 5, 6, 7), (3, 3, 3, 3)):
        hint = "Count the dimensions from the end."
        expect_attention(student, inputs_of(n, m, d_k, d_v, (3,)), hint=hint)


@question("scaled_dot_product_attention")
def test_attention_survives_large_inputs(student):
    """Scores of ±10000 do not overflow."""
    queries = 100 * torch.tensor([[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 1, 0]]).double()
    keys = 100 + 0.02 * torch.randn(5, 4).double()
    keys[0, 0] = -100
    values = torch.randn(5, 3).double()
    expect_attention(student, (queries, keys, values), atol=1e-3)


@question("scaled_dot_product_attention")
def test_attention_to_a_single_token(student):
    """A single key has the weight 1, so each query gets the value of this key."""
    for n in (3, 1):
        queries, keys, values = inputs_of(n, 1, 3, 4, (2,))
        seen = student.scaled_dot_product_attention(queries, keys, values)
        expect_numbers(seen, values.expand(2, n, 4))


@question("scaled_dot_product_attention")
def test_attention_of_many_dimensions(student):
    """With two batch dimensions, each sequence has the same result as with one batch dimension."""
    expect_deep(student.scaled_dot_product_attention, *inputs_of(batch=(2, 3)))


@question("scaled_dot_product_attention")
def test_attention_reads_any_memory_layout(student):
    """Transposed inputs give the same results as contiguous tensors."""
    expect_any_layout(student.scaled_dot_product_attention, *inputs_of(batch=(3, 2)))


@question("scaled_dot_product_attention", needs_results=True)
def test_attention_gives_each_query_a_vector_like_a_value(student):
    """There is a row for each query, as wide as the values; a batch dimension of size 1 is kept."""
    for front in ((), (1,), (2, 1)):
        for n in (4, 1):
            inputs = inputs_of(n, 5, 2, 3, front)
            attended = student.scaled_dot_product_attention(*inputs)
            expect_tensor(attended, (*front, n, 3))


@question("scaled_dot_product_attention")
def test_attention_keeps_the_dtype(student):
    """The result has the dtype and the precision of the inputs, float32 or float64."""
    right = functional.scaled_dot_product_attention
    for d_k in (3, 4):
        inputs = inputs_of(d_k=d_k)
        expect_precise(student.scaled_dot_product_attention, right, *inputs)


@question("scaled_dot_product_attention", needs_results=True)
def test_attention_leaves_its_inputs_alone(student):
    """Queries, keys and values are not overwritten."""
    given = dict(zip(ROLES, inputs_of(), strict=True))
    expect_inputs_unchanged(student.scaled_dot_product_attention, **given)


@question("scaled_dot_product_attention")
def test_attention_lets_gradients_through(student):
    """Gradients reach queries, keys and values."""
    given = dict(zip(ROLES, inputs_of(dtype=torch.float64), strict=True))
    expect_gradcheck(student.scaled_dot_product_attention, **given)
