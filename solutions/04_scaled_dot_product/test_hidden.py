"""Hidden tests of scaled dot-product attention: other sizes, batches, large scores, number types."""

import pytest
import torch
from torch.nn import functional

from autograder.testing import (
    expect,
    expect_close,
    expect_finite,
    expect_gradient,
    expect_rows_sum_to_one,
    expect_tensor,
    expect_unchanged,
    question,
)

# Tolerance in float64 where a root may have been taken in float32, as torch.tensor(d_k).sqrt() is.
ROOT = 1e-6


def expect_three(projected):
    """Expect queries, keys and values, however they are packed, and return them."""
    wanted = "The result must be three tensors: queries, keys and values"
    expect(projected is not None, f"{wanted}, but it is None. Is a return missing?")
    if isinstance(projected, torch.Tensor) and (
        projected.dim() < 2 or len(projected) != 3
    ):
        expect(
            False,
            f"{wanted}, but it is a single tensor of shape {tuple(projected.shape)}.",
        )
    packed = isinstance(projected, tuple | list | torch.Tensor)
    expect(packed, f"{wanted}, but it is neither a tuple nor a list.")
    expect(len(projected) == 3, f"{wanted}, but there are {len(projected)}.")
    return tuple(projected)


def expect_right_projections(projected, right, *, atol=None):
    """Expect the queries, keys and values in `right`."""
    for name, actual, wanted in zip(
        ("queries", "keys", "values"), expect_three(projected), right, strict=True
    ):
        expect_close(
            actual,
            wanted,
            atol=atol,
            name=f"The tensor of {name}",
            hint="Which matrix makes them?",
        )


def expect_projections(student, reference, *arguments, atol=None):
    """Expect the reference's queries, keys and values."""
    expect_right_projections(
        student.project(*arguments), reference.project(*arguments), atol=atol
    )


def expect_right_and_untouched(student, reference, *others, **tensors):
    """Expect the reference's output, and tensors that the call left as they were."""
    seen, right = (
        function.inspect(*tensors.values(), *others)
        for function in (student, reference)
    )
    expect_unchanged(seen, *tensors.values(), names=tuple(tensors))
    expect_close(
        seen.output,
        right.output,
        hint="Nothing was overwritten, but the result must be right too.",
    )


def expect_right_gradients(student, reference, weight, *others, **tensors):
    """Expect the reference's output, and its gradients for the tensors that require them."""
    leaves = [tensor.requires_grad_() for tensor in tensors.values()]
    seen, right = (
        function.inspect(*leaves, *others, weight=weight)
        for function in (student, reference)
    )
    expect_close(seen.output, right.output)
    expect_gradient(seen, right.gradients, names=tuple(tensors))


@question("project", weight=2)
def test_project_gives_each_role_its_matrix(student, reference):
    """Queries, keys and values come from their own matrices, in this order."""
    x = 2 * torch.randn(5, 4)
    expect_projections(
        student, reference, x, torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 3)
    )


@question("project")
def test_project_uses_its_arguments_alone(student, reference):
    """Other tokens and matrices of the lesson's sizes give another result."""
    expect_projections(student, reference, torch.randn(6, 3), *torch.randn(3, 3, 2))


@question("project")
def test_project_allows_wider_values(student, reference):
    """Values may be wider than queries and keys."""
    x = torch.randn(5, 4)
    expect_projections(
        student, reference, x, torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 6)
    )


@question("project")
def test_project_does_not_transpose_square_matrices(student, reference):
    """Square matrices are used as they are, not transposed."""
    x, (W_query, W_key, W_value) = 2 * torch.randn(5, 4), torch.randn(3, 4, 4)
    expect_projections(student, reference, x, W_query, W_key, W_value)


@question("project")
@pytest.mark.parametrize("shape", [(4,), (2, 5, 4), (2, 1, 5, 4)])
def test_project_takes_one_token_or_batches(student, reference, shape):
    """One token, or a batch of sequences, works like a sequence."""
    expect_projections(
        student,
        reference,
        torch.randn(shape),
        torch.randn(4, 3),
        torch.randn(4, 3),
        torch.randn(4, 6),
    )


@question("project")
def test_project_keeps_float64(student, reference):
    """float64 inputs give float64 results of full precision."""
    x, (W_query, W_key, W_value) = (
        torch.randn(5, 4).double(),
        torch.randn(3, 4, 2).double(),
    )
    expect_projections(student, reference, x, W_query, W_key, W_value)


@question("project")
@pytest.mark.parametrize("role", [0, 1, 2])
def test_project_lets_gradients_through(student, role):
    """Gradients reach the tokens and all three matrices."""
    probe = student.define(
        "def probe(project, role, x, *matrices):\n    return project(x, *matrices)[role]\n",
        "probe",
    )
    x, matrices = (
        torch.randn(5, 4),
        [torch.randn(4, 3, requires_grad=True) for _ in range(3)],
    )
    weight = torch.randn(5, 3)
    expect_three(student.project(x, *matrices))
    x.requires_grad_()
    inspection = probe.inspect(student.project, role, x, *matrices, weight=weight)
    gradients = {2: weight @ matrices[role].T, 3 + role: x.T @ weight}
    for position, right in gradients.items():
        what = "the tokens" if position == 2 else ("W_query", "W_key", "W_value")[role]
        actual = inspection.gradients.get(position)
        expect(
            isinstance(actual, torch.Tensor),
            f"No gradient reaches {what}. What cuts the result off?",
        )
        expect_close(actual, right.detach(), atol=1e-5, name=f"The gradient of {what}")


@question("project")
def test_project_leaves_its_inputs_alone(student, reference):
    """The tokens and the matrices are not overwritten."""
    before = (torch.randn(4, 4), *torch.randn(3, 4, 4))
    inspection = student.project.inspect(*before)
    expect_unchanged(inspection, *before, names=("x", "W_query", "W_key", "W_value"))
    expect_right_projections(inspection.output, reference.project(*before))


@question("project")
def test_project_reads_any_memory_layout(student, reference):
    """A transposed input works like any other."""
    x = torch.randn(2, 4, 5).mT
    expect_projections(
        student,
        reference,
        x,
        torch.randn(3, 4).T,
        torch.randn(3, 4).T,
        torch.randn(6, 4).T,
    )


@question("attention_scores", weight=2)
def test_scores_are_dot_products(student, reference):
    """Row i belongs to query i, column j to key j, and the score is their dot product."""
    queries, keys = 2 * torch.randn(4, 4), 2 * torch.randn(4, 4)
    right = reference.attention_scores(queries, keys)
    expect_close(
        student.attention_scores(queries, keys),
        right,
        hint="Row i, column j is query i times key j.",
    )


@question("attention_scores")
def test_scores_use_their_arguments_alone(student, reference):
    """Other queries and keys of the lesson's sizes give other scores."""
    queries, keys = torch.randn(6, 2), torch.randn(6, 2)
    right = reference.attention_scores(queries, keys)
    expect_close(
        student.attention_scores(queries, keys),
        right,
        hint="Which names do not come from the arguments?",
    )


@question("attention_scores")
def test_scores_of_more_or_fewer_keys(student, reference):
    """There may be more keys than queries, or fewer."""
    for n, m in ((3, 7), (6, 2)):
        queries, keys = torch.randn(n, 5), torch.randn(m, 5)
        expect_close(
            student.attention_scores(queries, keys),
            reference.attention_scores(queries, keys),
        )


@question("attention_scores")
@pytest.mark.parametrize("batch", [(2,), (2, 3)])
def test_scores_of_batches(student, reference, batch):
    """In a batch, each sequence is scored by itself."""
    queries, keys = torch.randn(*batch, 4, 6), torch.randn(*batch, 5, 6)
    expect_close(
        student.attention_scores(queries, keys),
        reference.attention_scores(queries, keys),
        hint="Which two dimensions of the keys change places?",
    )


@question("attention_scores")
def test_scores_of_a_single_pair(student, reference):
    """One query and one key make one score, in a (1, 1) matrix."""
    queries, keys = torch.randn(1, 3), torch.randn(1, 3)
    expect_close(
        student.attention_scores(queries, keys),
        reference.attention_scores(queries, keys),
    )


@question("attention_scores")
def test_scores_keep_float64(student, reference):
    """float64 inputs give float64 scores of full precision."""
    queries, keys = torch.randn(3, 4).double(), torch.randn(5, 4).double()
    expect_close(
        student.attention_scores(queries, keys),
        reference.attention_scores(queries, keys),
    )


@question("attention_scores")
def test_scores_leave_their_inputs_alone(student, reference):
    """Queries and keys are not overwritten."""
    queries, keys = torch.randn(4, 3), torch.randn(5, 3)
    expect_right_and_untouched(
        student.attention_scores, reference.attention_scores, queries=queries, keys=keys
    )


@question("attention_scores")
def test_scores_let_gradients_through(student, reference):
    """Gradients reach the queries and the keys."""
    queries, keys, weight = torch.randn(3, 4), torch.randn(5, 4), torch.randn(3, 5)
    expect_right_gradients(
        student.attention_scores,
        reference.attention_scores,
        weight,
        queries=queries,
        keys=keys,
    )


@question("attention_scores")
def test_scores_read_any_memory_layout(student, reference):
    """Transposed inputs work like any others."""
    queries, keys = torch.randn(2, 4, 3).mT, torch.randn(2, 4, 5).mT
    expect_close(
        student.attention_scores(queries, keys),
        reference.attention_scores(queries, keys),
    )


@question("attention_scores")
def test_scores_of_equal_sizes_and_of_many_dimensions(student, reference):
    """Sizes that happen to be equal, sizes of 1, and many dimensions in front make no difference."""
    for front, n, m, d in (
        ((3,), 3, 3, 3),
        ((1,), 4, 2, 3),
        ((2,), 2, 3, 1),
        ((2, 1, 2), 3, 2, 4),
    ):
        queries, keys = torch.randn(*front, n, d), torch.randn(*front, m, d)
        expect_close(
            student.attention_scores(queries, keys),
            reference.attention_scores(queries, keys),
            hint="Count the dimensions from the end.",
        )


@question("score_variance", weight=2)
def test_variance_without_scaling(student, reference):
    """Without scaling, the result is the variance of the plain scores."""
    queries, keys = torch.randn(4, 6), torch.randn(5, 6)
    right = reference.score_variance(queries, keys, False)
    expect_close(
        student.score_variance(queries, keys, False),
        right,
        hint="Of how many scores is it the variance?",
    )


@question("score_variance", weight=2)
def test_variance_with_scaling(student, reference):
    """With scaling, it is the variance of the scores divided by the root of d_k."""
    queries, keys = torch.randn(4, 6), torch.randn(5, 6)
    right = reference.score_variance(queries, keys, True)
    expect_close(
        student.score_variance(queries, keys, True),
        right,
        hint="What is divided, and by what?",
    )


@question("score_variance")
def test_variance_of_few_scores(student, reference):
    """For few scores, too, the result is the unbiased variance."""
    queries, keys = 2 * torch.randn(1, 3), 2 * torch.randn(2, 3)
    right = reference.score_variance(queries, keys, False)
    expect_close(
        student.score_variance(queries, keys, False),
        right,
        atol=1e-4,
        rtol=1e-4,
        hint="By what do you divide: the count, or less?",
    )


@question("score_variance")
def test_variance_is_one_number(student, reference):
    """The result is a tensor with a single value, without dimensions."""
    queries = torch.randn(4, 6) + torch.arange(0, 12, 3).unsqueeze(1)
    keys = torch.randn(5, 6) + 2  # rows of scores lie far apart
    variance = expect_tensor(
        student.score_variance(queries, keys, True), (), torch.float32
    )
    right = reference.score_variance(queries, keys, True)
    expect_close(
        variance, right, rtol=0.1, hint="What is divided, and by what?"
    )  # a biased one is near enough


@question("score_variance")
def test_variance_shows_why_one_scales(student):
    """Scaling brings the variance near 1, whatever d_k is."""
    for head_size in (16, 128):
        queries, keys = torch.randn(150, head_size), torch.randn(250, head_size)
        plain = expect_tensor(student.score_variance(queries, keys, False), ()).item()
        scaled = expect_tensor(student.score_variance(queries, keys, True), ()).item()
        expect(
            0.8 < plain / head_size < 1.2,
            f"Without scaling the variance should be near the head size, {head_size}, not {plain:.4g}.",
        )
        expect(
            0.8 < scaled < 1.2,
            f"With scaling the variance should be near 1 for head size {head_size}, not {scaled:.4g}.",
        )


@question("score_variance")
def test_variance_keeps_float64(student, reference):
    """float64 inputs give a float64 result."""
    queries, keys = torch.randn(4, 6).double(), torch.randn(5, 6).double()
    right = reference.score_variance(queries, keys, True)
    expect_close(student.score_variance(queries, keys, True), right, atol=ROOT)


@question("score_variance")
def test_variance_leaves_its_inputs_alone(student, reference):
    """Queries and keys are not overwritten."""
    queries, keys = torch.randn(4, 6), torch.randn(5, 6)
    expect_right_and_untouched(
        student.score_variance,
        reference.score_variance,
        True,
        queries=queries,
        keys=keys,
    )


@question("scaled_attention_weights", weight=2)
def test_weights_are_the_softmax_of_scaled_scores(student, reference):
    """Weights are the softmax of the scores divided by the root of d_k."""
    scores = 4 * torch.randn(5, 5)
    right = reference.scaled_attention_weights(scores, 5)
    expect_close(
        student.scaled_attention_weights(scores, 5),
        right,
        hint="A row is the softmax of its scores over the root of d_k.",
    )


@question("scaled_attention_weights")
def test_weights_scale_by_the_width_of_a_key(student, reference):
    """Scores are scaled by the key's width, not by the number of tokens."""
    for d_k in (64, 3):
        scores = 2 * d_k**0.5 * torch.randn(4, 7)
        right = reference.scaled_attention_weights(scores, d_k)
        weights = student.scaled_attention_weights(scores, d_k)
        expect_close(
            weights, right, hint="Scores are divided by the root of the given d_k."
        )


@question("scaled_attention_weights")
@pytest.mark.parametrize("shape", [(3, 7), (2, 1, 4, 5)])
def test_weights_sum_to_one_over_the_keys(student, reference, shape):
    """Each query's weights sum to 1, in batches too."""
    scores = 3 * torch.randn(shape)
    weights = expect_tensor(student.scaled_attention_weights(scores, 4), shape)
    expect_rows_sum_to_one(weights)
    expect_close(
        weights,
        reference.scaled_attention_weights(scores, 4),
        hint="Softmax gets the scores over their root of d_k.",
    )


@question("scaled_attention_weights")
def test_weights_of_batches(student, reference):
    """In a batch, the softmax still runs over the keys."""
    scores = 4 * torch.randn(3, 5, 6)
    right = reference.scaled_attention_weights(scores, 4)
    expect_close(
        student.scaled_attention_weights(scores, 4),
        right,
        hint="Which dimension counts the keys, in any shape?",
    )


@question("scaled_attention_weights")
def test_weights_of_a_single_query(student, reference):
    """The scores of a single query, shape (m,), work too."""
    scores = 3 * torch.randn(6)
    expect_close(
        student.scaled_attention_weights(scores, 9),
        reference.scaled_attention_weights(scores, 9),
    )


@question("scaled_attention_weights")
def test_weights_survive_large_scores(student, reference):
    """Scores of ±10000 do not overflow."""
    scores = torch.tensor([[1e4, -1e4, 1e4], [-1e4, -1e4, -1e4]]) - 4 * torch.rand(2, 3)
    right = reference.scaled_attention_weights(scores, 4)
    expect_close(student.scaled_attention_weights(scores, 4), right, atol=1e-3)


@question("scaled_attention_weights")
def test_weights_keep_float64(student, reference):
    """float64 scores give float64 weights."""
    scores = 3 * torch.randn(4, 5).double()
    right = reference.scaled_attention_weights(scores, 3)
    expect_close(student.scaled_attention_weights(scores, 3), right, atol=ROOT)


@question("scaled_attention_weights")
def test_weights_leave_the_scores_alone(student, reference):
    """The scores are not overwritten."""
    weigh, right = student.scaled_attention_weights, reference.scaled_attention_weights
    expect_right_and_untouched(weigh, right, 4, scores=torch.randn(4, 5))


@question("scaled_attention_weights")
def test_weights_let_gradients_through(student, reference):
    """Gradients reach the scores."""
    weigh, right = student.scaled_attention_weights, reference.scaled_attention_weights
    expect_right_gradients(weigh, right, torch.randn(4, 5), 3, scores=torch.randn(4, 5))


@question("scaled_attention_weights")
def test_weights_of_very_narrow_and_very_wide_keys(student, reference):
    """A key may have a single number, or hundreds."""
    for d_k in (1, 300):
        scores = 2 * d_k**0.5 * torch.randn(3, 4)
        expect_close(
            student.scaled_attention_weights(scores, d_k),
            reference.scaled_attention_weights(scores, d_k),
            hint="Scores are divided by the root of the given d_k, whatever it is.",
        )


def _inputs(n=5, m=5, d_k=6, d_v=6, batch=(), dtype=torch.float32):
    """Return queries, keys and values large enough for scaling to show."""
    sizes = [(n, d_k), (m, d_k), (m, d_v)]
    return tuple(1.5 * torch.randn(*batch, *size).to(dtype) for size in sizes)


@question("scaled_dot_product_attention", weight=3)
def test_attention_agrees_with_the_library(student):
    """The result agrees with the library's own function."""
    inputs = _inputs()
    right = functional.scaled_dot_product_attention(*inputs)
    expect_close(
        student.scaled_dot_product_attention(*inputs),
        right,
        hint="Row i is the sum of the values by the softmax of query i's scores over the root of d_k.",
    )


@question("scaled_dot_product_attention")
def test_attention_to_more_or_fewer_keys(student):
    """There may be more keys than queries, or fewer."""
    for n, m in ((3, 7), (7, 2)):
        inputs = _inputs(n, m)
        right = functional.scaled_dot_product_attention(*inputs)
        expect_close(student.scaled_dot_product_attention(*inputs), right)


@question("scaled_dot_product_attention")
def test_attention_to_values_of_another_width(student):
    """Values may be narrower or wider than keys, and their width changes no weight."""
    for d_v in (2, 11):
        inputs = _inputs(d_v=d_v)
        right = functional.scaled_dot_product_attention(*inputs)
        context = student.scaled_dot_product_attention(*inputs)
        expect_close(context, right, hint="Whose width scales the scores?")


@question("scaled_dot_product_attention")
def test_attention_scales_by_the_size_of_the_head(student):
    """Scores are scaled by the key's width, whatever it is."""
    for head_size in (64, 2):
        inputs = _inputs(4, 5, head_size, 3)
        right = functional.scaled_dot_product_attention(*inputs)
        context = student.scaled_dot_product_attention(*inputs)
        expect_close(context, right, hint="Which size do you take the root of?")


@question("scaled_dot_product_attention")
@pytest.mark.parametrize("batch", [(3,), (2, 3)])
def test_attention_in_batches(student, batch):
    """In a batch, each sequence attends to itself alone, and the softmax runs over the keys."""
    inputs = _inputs(4, 5, 6, 7, batch)
    right = functional.scaled_dot_product_attention(*inputs)
    expect_close(
        student.scaled_dot_product_attention(*inputs),
        right,
        hint="Count the dimensions from the end.",
    )


@question("scaled_dot_product_attention")
def test_attention_does_not_care_about_the_order_of_keys(student):
    """Keys and values shuffled together give the same result."""
    queries, keys, values = _inputs(4, 6, 3, 5)
    order = torch.tensor([3, 0, 5, 1, 4, 2])
    straight = expect_finite(
        expect_tensor(
            student.scaled_dot_product_attention(queries, keys, values), (4, 5)
        )
    )
    shuffled = expect_tensor(
        student.scaled_dot_product_attention(queries, keys[order], values[order]),
        (4, 5),
    )
    expect(
        torch.allclose(straight, shuffled, atol=1e-5, rtol=0),
        "Shuffling keys and values together changed the result. Does each value keep its own weight?",
    )
    expect_close(
        straight, functional.scaled_dot_product_attention(queries, keys, values)
    )


@question("scaled_dot_product_attention")
def test_attention_to_a_single_token(student):
    """A single key gets all the attention, so each query gets back its value."""
    for n in (3, 1):
        queries, keys, values = _inputs(n, 1, 3, 4, (2,))
        expect_close(
            student.scaled_dot_product_attention(queries, keys, values),
            values.expand(2, n, 4),
        )


@question("scaled_dot_product_attention")
def test_attention_survives_large_inputs(student):
    """Scores in the hundreds do not overflow."""
    queries, keys, values = _inputs(4, 5, 6, 3)
    right = functional.scaled_dot_product_attention(15 * queries, 15 * keys, values)
    expect_close(
        student.scaled_dot_product_attention(15 * queries, 15 * keys, values),
        right,
        atol=1e-3,
    )


@question("scaled_dot_product_attention")
def test_attention_keeps_float64(student):
    """float64 inputs give a float64 result."""
    inputs = _inputs(4, 5, 6, 3, dtype=torch.float64)
    right = functional.scaled_dot_product_attention(*inputs)
    expect_close(student.scaled_dot_product_attention(*inputs), right, atol=ROOT)


@question("scaled_dot_product_attention")
def test_attention_leaves_its_inputs_alone(student, reference):
    """Queries, keys and values are not overwritten."""
    attend, right = (
        student.scaled_dot_product_attention,
        reference.scaled_dot_product_attention,
    )
    queries, keys, values = _inputs()
    expect_right_and_untouched(attend, right, queries=queries, keys=keys, values=values)


@question("scaled_dot_product_attention")
def test_attention_lets_gradients_through(student, reference):
    """Gradients reach queries, keys and values."""
    attend, right = (
        student.scaled_dot_product_attention,
        reference.scaled_dot_product_attention,
    )
    queries, keys, values = _inputs(4, 5, 6, 3)
    expect_right_gradients(
        attend, right, torch.randn(4, 3), queries=queries, keys=keys, values=values
    )


@question("scaled_dot_product_attention")
def test_attention_reads_any_memory_layout(student):
    """Transposed inputs work like any others."""
    inputs = (
        x.permute(1, 3, 0, 2).contiguous().permute(2, 0, 3, 1)
        for x in _inputs(4, 5, 6, 3, (3, 2))
    )
    queries, keys, values = inputs
    right = functional.scaled_dot_product_attention(queries, keys, values)
    expect_close(student.scaled_dot_product_attention(queries, keys, values), right)


@question("scaled_dot_product_attention")
def test_attention_of_equal_sizes_and_of_many_dimensions(student):
    """Sizes that happen to be equal, sizes of 1, and many dimensions in front make no difference."""
    for n, m, d_k, d_v, front in (
        (3, 3, 3, 3, (3,)),
        (4, 4, 4, 4, ()),
        (1, 3, 1, 2, (1,)),
        (2, 3, 4, 3, (2, 1, 2)),
    ):
        inputs = _inputs(n, m, d_k, d_v, front)
        right = functional.scaled_dot_product_attention(*inputs)
        expect_close(
            student.scaled_dot_product_attention(*inputs),
            right,
            hint="Count the dimensions from the end.",
        )
