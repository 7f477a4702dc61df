"""Hidden tests of the dot product, scores, weights and context vector of one query."""

import pytest
import torch

from autograder.testing import (
    draw,
    expect_close,
    expect_finite,
    expect_gradient,
    expect_raises,
    expect_unchanged,
    question,
)


def expect_right_and_untouched(function, expected, **arguments):
    """Expect the right output, and arguments that the call left as they were."""
    inspection = function.inspect(*arguments.values())
    expect_unchanged(inspection, *arguments.values(), names=tuple(arguments))
    expect_close(
        inspection.output,
        expected,
        hint="Nothing was overwritten, but the result must be right too.",
    )


def expect_right_gradients(function, formula, **arguments):
    """Expect the output and the gradients of `formula`, where each entry of the output has its own weight."""
    leaves = [argument.clone().requires_grad_() for argument in arguments.values()]
    output = formula(*leaves)
    weight = torch.linspace(1, 2, output.numel()).reshape(output.shape)
    (output * weight).sum().backward()
    inspection = function.inspect(
        *[leaf.detach().requires_grad_() for leaf in leaves], weight=weight
    )
    expect_close(inspection.output, output.detach())
    gradients = {position: leaf.grad for position, leaf in enumerate(leaves)}
    expect_gradient(inspection, gradients, names=tuple(arguments))


# dot_product


@question("dot_product", weight=2)
@pytest.mark.parametrize("length", [1, 2, 17])
def test_dot_product_of_any_length(student, length):
    """Right for vectors of other lengths."""
    a, b = 2 * torch.randn(length), torch.randn(length) - 1
    expect_close(
        student.dot_product(a, b),
        (a * b).sum(),
        atol=1e-4,
        hint="Does every pair of entries count once?",
    )


@question("dot_product")
def test_dot_product_of_opposite_and_crossing_vectors(student):
    """Negative for opposite vectors, zero for crossing ones."""
    a = 2 * torch.randn(4)
    crossing = torch.stack([a[1], -a[0], a[3], -a[2]])
    expect_close(
        student.dot_product(a, -2 * a), -2 * (a * a).sum(), hint="Signs count."
    )
    expect_close(student.dot_product(a, crossing), torch.tensor(0.0))


@question("dot_product")
def test_dot_product_keeps_double_precision(student):
    """float64 in, float64 out, to the last digits."""
    a, b = torch.randn(7, dtype=torch.float64), torch.randn(7, dtype=torch.float64)
    expect_close(
        student.dot_product(a, b),
        (a * b).sum(),
        hint="Is the total as precise as the inputs?",
    )


@question("dot_product")
def test_dot_product_refuses_unequal_lengths(student):
    """Vectors of different lengths raise ValueError, whichever is the longer."""
    a, b = torch.randn(4), torch.randn(4)
    expect_close(student.dot_product(a, b), (a * b).sum())
    for lengths in [(3, 5), (5, 3), (1, 4), (4, 1)]:
        vectors = [torch.randn(length) for length in lengths]
        expect_raises(
            "ValueError",
            student.dot_product,
            *vectors,
            because=f"for lengths {lengths}",
        )


@question("dot_product")
def test_dot_product_leaves_its_inputs_alone(student):
    """The inputs are unchanged afterwards."""
    a, b = torch.randn(5), torch.randn(5)
    expect_right_and_untouched(student.dot_product, (a * b).sum(), a=a, b=b)


@question("dot_product")
def test_gradients_flow_through_dot_product(student):
    """Gradients reach both vectors."""
    a, b = torch.randn(5), torch.randn(5)
    expect_right_gradients(student.dot_product, lambda a, b: (a * b).sum(), a=a, b=b)


@question("dot_product")
def test_dot_product_counts_zeros_and_repeats(student):
    """Entries of 0, and numbers that come again, count at their own place, in long vectors too."""
    a, b = torch.randint(0, 3, (2, 40)).float()
    a[:4], b[:4] = torch.tensor([1, 0, 2, 2]), torch.tensor([2, 2, 1, 2])
    expect_close(
        student.dot_product(a, b),
        (a * b).sum(),
        hint="Is each entry found by its place, and do you go to the end?",
    )


# attention_scores


@question("attention_scores", weight=2)
@pytest.mark.parametrize(("n", "d"), [(4, 7), (9, 2), (1, 5)])
def test_attention_scores_of_any_size(student, n, d):
    """Right for other numbers of tokens and dimensions."""
    inputs, query = 2 * torch.randn(n, d), 2 * torch.randn(d)
    expect_close(
        student.attention_scores(inputs, query),
        (inputs * query).sum(dim=1),
        hint="Each row's score is its plain dot product with the given query.",
    )


@question("attention_scores")
def test_attention_scores_of_a_query_of_their_own_row(student):
    """The query may be one of the rows, and that row gets a score too."""
    inputs = 2 * torch.randn(5, 3)
    expect_close(
        student.attention_scores(inputs, inputs[3]), (inputs * inputs[3]).sum(dim=1)
    )


@question("attention_scores")
def test_attention_scores_keep_double_precision(student):
    """float64 in, float64 out, to the last digits."""
    inputs, query = (
        torch.randn(5, 4, dtype=torch.float64),
        torch.randn(4, dtype=torch.float64),
    )
    expect_close(
        student.attention_scores(inputs, query),
        (inputs * query).sum(dim=1),
        hint="Are the scores kept as precisely as the inputs?",
    )


@question("attention_scores")
def test_attention_scores_leave_their_inputs_alone(student):
    """The inputs are unchanged afterwards."""
    inputs, query = torch.randn(5, 4), torch.randn(4)
    expect_right_and_untouched(
        student.attention_scores,
        (inputs * query).sum(dim=1),
        inputs=inputs,
        query=query,
    )


@question("attention_scores")
def test_gradients_flow_through_attention_scores(student):
    """Gradients reach the inputs and the query."""
    inputs, query = torch.randn(5, 3), torch.randn(3)
    expect_right_gradients(
        student.attention_scores,
        lambda inputs, query: inputs @ query,
        inputs=inputs,
        query=query,
    )


@question("attention_scores")
def test_attention_scores_of_as_many_tokens_as_dimensions(student):
    """Right when there are as many tokens as dimensions, where a wrong product fits too."""
    inputs = torch.randint(-40, 41, (4, 4)).float()
    query = torch.tensor([3.0, -1.0, 7.0, 2.0])[torch.randperm(4)]
    inputs[0] = torch.tensor([9.0, -20.0, 31.0, 8.0])  # not symmetric by chance
    expect_close(
        student.attention_scores(inputs, query),
        (inputs * query).sum(dim=1),
        hint="Is the query multiplied with rows or with columns?",
    )


# normalize_by_sum


@question("normalize_by_sum", weight=2)
@pytest.mark.parametrize("n", [3, 11])
def test_normalize_by_sum_of_any_number(student, n):
    """Right for other numbers of scores."""
    scores = 3 * torch.rand(n) + 0.1
    expect_close(student.normalize_by_sum(scores), scores / scores.sum())


@question("normalize_by_sum")
def test_normalize_by_sum_of_very_few(student):
    """Two scores share the whole, and a single one gets all of it."""
    for scores in (torch.rand(2) + 0.1, torch.rand(1) + 0.1):
        expect_close(student.normalize_by_sum(scores), scores / scores.sum())


@question("normalize_by_sum")
def test_normalize_by_sum_of_negative_scores(student):
    """Negative scores are divided like all others, whatever comes of it."""
    scores = torch.tensor([2.0, -3.0, 0.5, 4.5])[torch.randperm(4)] + torch.rand(4)
    right = scores / scores.sum()
    expect_close(
        student.normalize_by_sum(scores),
        right,
        hint="Divide by the plain sum, signs and all.",
    )
    expect_close(student.normalize_by_sum(-scores), right)


@question("normalize_by_sum")
def test_normalize_by_sum_of_large_scores(student):
    """Large scores give the same shares as small ones."""
    scores = torch.rand(3) + 0.1
    expect_close(student.normalize_by_sum(1e4 * scores), scores / scores.sum())


@question("normalize_by_sum")
def test_normalize_by_sum_keeps_double_precision(student):
    """float64 in, float64 out, to the last digits."""
    scores = torch.rand(6, dtype=torch.float64) + 0.1
    expect_close(student.normalize_by_sum(scores), scores / scores.sum())


@question("normalize_by_sum")
def test_normalize_by_sum_leaves_its_input_alone(student):
    """The scores are unchanged afterwards."""
    scores = torch.rand(5) + 0.1
    expect_right_and_untouched(
        student.normalize_by_sum, scores / scores.sum(), scores=scores
    )


@question("normalize_by_sum")
def test_gradients_flow_through_normalize_by_sum(student):
    """Gradients reach the scores, also through their sum."""
    scores = torch.rand(5) + 1
    expect_right_gradients(
        student.normalize_by_sum, lambda scores: scores / scores.sum(), scores=scores
    )


@question("normalize_by_sum")
def test_normalize_by_sum_of_small_scores(student):
    """Small scores give the same shares as large ones."""
    scores = torch.rand(4) + 0.1
    expect_close(
        student.normalize_by_sum(1e-5 * scores),
        scores / scores.sum(),
        hint="Is anything but the sum in the denominator?",
    )


# softmax


@question("softmax", weight=2)
@pytest.mark.parametrize("n", [3, 10])
def test_softmax_of_any_number(student, n):
    """Right for other numbers of scores, positive and negative."""
    scores = 3 * torch.randn(n)
    expect_close(student.softmax(scores), torch.softmax(scores, 0))


@question("softmax")
def test_softmax_of_very_few(student):
    """Two scores share the whole, and a single one gets all of it."""
    for scores in (torch.randn(2), torch.randn(1)):
        expect_close(student.softmax(scores), torch.softmax(scores, 0))


@question("softmax")
def test_softmax_of_negative_scores(student):
    """Right when every score is negative."""
    scores = -4 * torch.rand(4) - 0.1
    expect_close(student.softmax(scores), torch.softmax(scores, 0))


@question("softmax")
def test_softmax_survives_large_scores(student):
    """Scores of 1e4 do not overflow."""
    n, low = draw(3, 9), 2 * torch.rand(3, dtype=torch.float64)
    expect_close(
        student.softmax(torch.full((n,), 1e4)), torch.full((n,), 1 / n), atol=1e-3
    )
    expect_close(student.softmax(1e4 - low), torch.softmax(-low, 0))


@question("softmax")
def test_softmax_survives_very_negative_scores(student):
    """Scores of -1e4 do not all vanish."""
    n, low = draw(3, 9), 2 * torch.rand(3, dtype=torch.float64)
    expect_close(
        student.softmax(torch.full((n,), -1e4)), torch.full((n,), 1 / n), atol=1e-3
    )
    expect_close(student.softmax(-1e4 - low), torch.softmax(-low, 0))


@question("softmax")
def test_softmax_survives_scores_far_apart(student):
    """1e4 and -1e4 side by side give clean ones and zeros."""
    order = torch.randperm(3)
    scores, right = torch.tensor([-1e4, 1e4, 0.0]), torch.tensor([0.0, 1.0, 0.0])
    expect_close(student.softmax(scores[order]), right[order])


@question("softmax")
def test_softmax_ignores_a_shift(student):
    """The same number added to all scores changes nothing."""
    scores = torch.randn(6, dtype=torch.float64)
    for shift in (-300.0, 50.0):
        expect_close(
            student.softmax(scores + shift),
            torch.softmax(scores, 0),
            hint="Only the differences between scores may count.",
        )


@question("softmax")
def test_softmax_keeps_double_precision(student):
    """float64 in, float64 out, to the last digits."""
    scores = torch.randn(6, dtype=torch.float64)
    expect_close(student.softmax(scores), torch.softmax(scores, 0))


@question("softmax")
def test_softmax_leaves_its_input_alone(student):
    """The scores are unchanged afterwards."""
    scores = torch.randn(5)
    expect_right_and_untouched(student.softmax, torch.softmax(scores, 0), scores=scores)


@question("softmax")
def test_gradients_flow_through_softmax(student):
    """Gradients reach the scores, through numerator and denominator."""
    scores = torch.randn(5)
    expect_right_gradients(
        student.softmax, lambda scores: torch.softmax(scores, 0), scores=scores
    )


@question("softmax")
def test_gradients_of_large_scores_are_finite(student):
    """Gradients stay finite for scores of 1e4."""
    order = torch.randperm(3)
    scores = torch.tensor([1e4, -1e4, 1e4])[order].requires_grad_()
    inspection = student.softmax.inspect(
        scores, weight=torch.tensor([1.0, 2.0, 3.0])[order]
    )
    expect_close(inspection.output, torch.tensor([0.5, 0.0, 0.5])[order], atol=1e-3)
    expect_gradient(
        inspection,
        {0: torch.tensor([-0.5, 0.0, 0.5])[order]},
        atol=1e-2,
        names=("scores",),
    )
    expect_finite(inspection.gradients[0], "The gradient")


# context_vector


@question("context_vector", weight=2)
@pytest.mark.parametrize(("n", "d"), [(4, 7), (9, 2)])
def test_context_vector_of_any_size(student, n, d):
    """Right for other numbers of tokens and dimensions."""
    for width in (d, 1):
        weights, inputs = (
            torch.softmax(2 * torch.randn(n), 0),
            2 * torch.randn(n, width),
        )
        expect_close(student.context_vector(weights, inputs), weights @ inputs)


@question("context_vector")
def test_context_vector_takes_weights_as_they_are(student):
    """Weights that do not sum to 1, or are negative, are used as given."""
    for weights in (torch.tensor([2.0, -1.0, 0.0, 3.5]), torch.tensor([0.5])):
        inputs = torch.randn(len(weights), 3)
        expect_close(
            student.context_vector(weights, inputs),
            weights @ inputs,
            hint="Are the weights changed first?",
        )


@question("context_vector")
def test_context_vector_keeps_double_precision(student):
    """float64 in, float64 out, to the last digits."""
    weights, inputs = (
        torch.rand(5, dtype=torch.float64),
        torch.randn(5, 4, dtype=torch.float64),
    )
    expect_close(
        student.context_vector(weights, inputs),
        weights @ inputs,
        hint="Is the sum as precise as the inputs?",
    )


@question("context_vector")
def test_context_vector_leaves_its_inputs_alone(student):
    """The weights and the inputs are unchanged afterwards."""
    weights, inputs = torch.rand(5), torch.randn(5, 4)
    expect_right_and_untouched(
        student.context_vector, weights @ inputs, weights=weights, inputs=inputs
    )


@question("context_vector")
def test_gradients_flow_through_context_vector(student):
    """Gradients reach the weights and the inputs."""
    weights, inputs = torch.rand(5), torch.randn(5, 3)
    expect_right_gradients(
        student.context_vector,
        lambda weights, inputs: weights @ inputs,
        weights=weights,
        inputs=inputs,
    )


@question("context_vector")
def test_context_vector_of_as_many_tokens_as_dimensions(student):
    """Right when there are as many tokens as dimensions, where a wrong product fits too."""
    weights, inputs = torch.rand(4), torch.randn(4, 4)
    inputs[0] = torch.tensor([3.0, -5.0, 2.0, 4.0])  # not symmetric by chance
    expect_close(
        student.context_vector(weights, inputs),
        (weights.unsqueeze(1) * inputs).sum(dim=0),
        hint="Does a weight go with a row or with a column?",
    )
