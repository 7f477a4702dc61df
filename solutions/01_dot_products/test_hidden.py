"""Hidden tests of the dot product, scores, weights and context vector of one query.

Most tests look at one property. Tests of values take any shape and dtype. Tests of the form, of gradients or
of unchanged inputs ask only that something is computed, often of square inputs, where a wrong product still
fits. The weights of a question's tests are percentages.
"""

import pytest
import torch

from autograder.testing import (
    draw,
    expect_close,
    expect_computed,
    expect_dtype_kept,
    expect_finite,
    expect_gradcheck,
    expect_gradient,
    expect_inputs_unchanged,
    expect_numbers,
    expect_raises,
    expect_rows_sum_to_one,
    expect_tensor,
    question,
)


def expect_shape(function, shape, *arguments):
    """Expect a tensor of this shape, which depends on the arguments."""
    expect_tensor(expect_computed(function, *arguments), shape)


def expect_additive(function, one, other):
    """Expect of a sum what comes out of its parts, added up."""
    parts = expect_tensor(function(one)) + expect_tensor(function(other))
    expect_numbers(function(one + other), parts, atol=1e-3)


# dot_product


@question("dot_product", weight=10)
@pytest.mark.parametrize("length", [2, 17])
def test_dot_product_of_any_length(student, length):
    """Right for vectors of other lengths."""
    a, b = 2 * torch.randn(length), torch.randn(length) - 1
    expect_numbers(
        student.dot_product(a, b),
        (a * b).sum(),
        atol=1e-4,
        hint="Does every pair of entries count once?",
    )


@question("dot_product", weight=6)
def test_dot_product_of_single_numbers(student):
    """Two vectors of one number each are multiplied."""
    for a, b in ((3.5, 2.0), (-1.5, 4.0)):
        a, b = torch.tensor([a]) + torch.rand(1), torch.tensor([b])
        expect_numbers(
            student.dot_product(a, b), (a * b).sum(), hint="One pair, one product."
        )


@question("dot_product", weight=9)
def test_dot_product_of_opposite_and_crossing_vectors(student):
    """Negative for opposite vectors, zero for crossing ones."""
    a = 2 * torch.randn(4)
    crossing = torch.stack([a[1], -a[0], a[3], -a[2]])
    expect_numbers(
        student.dot_product(a, -2 * a), -2 * (a * a).sum(), hint="Signs count."
    )
    expect_numbers(student.dot_product(a, crossing), torch.tensor(0.0))


@question("dot_product", weight=10)
def test_dot_product_counts_zeros_and_repeats(student):
    """Entries of 0, and numbers that come again, count at their own place, in long vectors too."""
    a, b = torch.randint(0, 3, (2, 40)).float()  # no sum of these cancels another
    a[:4], b[:4] = torch.tensor([[1.0, 0, 2, 2], [2.0, 2, 2, 1]])
    expect_numbers(
        student.dot_product(a, b),
        (a * b).sum(),
        hint="Is each entry found by its place, and do you go to the end?",
    )


@question("dot_product", weight=11)
def test_dot_product_is_one_number(student):
    """The result is a tensor with a single value, without dimensions."""
    expect_shape(student.dot_product, (), *(9 * torch.rand(2, 5)))


@question("dot_product", weight=12)
def test_dot_product_keeps_the_dtype(student):
    """float32 in, float32 out; float64 in, float64 out, to the last digits."""
    expect_dtype_kept(student.dot_product, *torch.randn(2, 7))


@question("dot_product", weight=10)
def test_dot_product_refuses_unequal_lengths(student):
    """Vectors of different lengths raise ValueError, whichever is the longer."""
    expect_computed(student.dot_product, *(9 * torch.rand(2, 5)))
    for lengths in [(3, 5), (5, 3), (1, 4), (4, 1)]:
        vectors = [torch.randn(length) for length in lengths]
        expect_raises(
            "ValueError",
            student.dot_product,
            *vectors,
            because=f"for lengths {lengths}",
        )


@question("dot_product", weight=10)
def test_dot_product_leaves_its_inputs_alone(student):
    """The inputs are unchanged afterwards."""
    a, b = 9 * torch.rand(2, 5)
    expect_inputs_unchanged(student.dot_product, a=a, b=b)


@question("dot_product", weight=12)
def test_gradients_flow_through_dot_product(student):
    """Gradients reach both vectors."""
    a, b = torch.randn(2, 5).double()
    expect_gradcheck(student.dot_product, a=a, b=b)


# attention_scores


@question("attention_scores", weight=8)
@pytest.mark.parametrize(("n", "d"), [(4, 7), (9, 2)])
def test_attention_scores_of_any_size(student, n, d):
    """Right for other numbers of tokens and dimensions."""
    inputs, query = 2 * torch.randn(n, d), 2 * torch.randn(d)
    expect_numbers(
        student.attention_scores(inputs, query),
        (inputs * query).sum(dim=1),
        hint="Each row's score is its plain dot product with the given query.",
    )


@question("attention_scores", weight=8)
def test_attention_scores_of_a_query_of_their_own_row(student):
    """The query may be one of the rows, and that row gets a score too."""
    inputs = 2 * torch.randn(5, 3)
    expect_numbers(
        student.attention_scores(inputs, inputs[3]), (inputs * inputs[3]).sum(dim=1)
    )


@question("attention_scores", weight=9)
def test_attention_scores_of_as_many_tokens_as_dimensions(student):
    """Right when there are as many tokens as dimensions, where a wrong product fits too."""
    inputs = torch.randint(-40, 41, (4, 4)).float()
    query = torch.tensor([3.0, -1.0, 7.0, 2.0])[torch.randperm(4)]
    inputs[0] = torch.tensor([9.0, -20.0, 31.0, 8.0])  # not symmetric by chance
    expect_numbers(
        student.attention_scores(inputs, query),
        (inputs * query).sum(dim=1),
        hint="Is the query multiplied with rows or with columns?",
    )


@question("attention_scores", weight=12)
def test_attention_scores_are_linear_in_the_query(student):
    """The scores for a sum of two queries are the sums of their scores."""
    inputs, (one, other) = torch.randn(5, 3), torch.randn(2, 3)
    expect_computed(student.attention_scores, inputs, one)
    expect_additive(lambda query: student.attention_scores(inputs, query), one, other)


@question("attention_scores", weight=15)
def test_attention_scores_have_one_for_each_token(student):
    """There is one score for each token, for a single token too."""
    for n in (4, 1):
        inputs, query = torch.rand(n, 6), torch.rand(6)
        expect_shape(student.attention_scores, (n,), inputs, query)


@question("attention_scores", weight=14)
def test_attention_scores_keep_the_dtype(student):
    """float32 in, float32 out; float64 in, float64 out, to the last digits."""
    expect_dtype_kept(student.attention_scores, torch.randn(4, 4), torch.randn(4))


@question("attention_scores", weight=13)
def test_attention_scores_leave_their_inputs_alone(student):
    """The inputs are unchanged afterwards."""
    expect_inputs_unchanged(
        student.attention_scores, inputs=torch.rand(4, 4), query=torch.rand(4)
    )


@question("attention_scores", weight=13)
def test_gradients_flow_through_attention_scores(student):
    """Gradients reach the inputs and the query."""
    inputs, query = torch.randn(4, 4).double(), torch.randn(4).double()
    expect_gradcheck(student.attention_scores, inputs=inputs, query=query)


# normalize_by_sum


def shares(scores):
    """Return scores divided by their sum."""
    return scores / scores.sum()


@question("normalize_by_sum", weight=7)
@pytest.mark.parametrize("n", [3, 11])
def test_normalize_by_sum_of_any_number(student, n):
    """Right for other numbers of scores."""
    scores = 3 * torch.rand(n) + 0.1
    expect_numbers(student.normalize_by_sum(scores), shares(scores))


@question("normalize_by_sum", weight=6)
def test_normalize_by_sum_of_very_few(student):
    """Two scores share the whole, and a single one gets all of it."""
    for scores in (torch.rand(2) + 0.1, torch.rand(1) + 0.1):
        expect_numbers(student.normalize_by_sum(scores), shares(scores))


@question("normalize_by_sum", weight=10)
def test_normalize_by_sum_of_negative_scores(student):
    """Negative scores are divided like all others, whatever comes of it."""
    scores = torch.tensor([2.0, -3.0, 0.5, 4.5])[torch.randperm(4)] + torch.rand(4)
    for signed in (scores, -scores):
        expect_numbers(
            student.normalize_by_sum(signed),
            shares(scores),
            hint="Divide by the plain sum, signs and all.",
        )


@question("normalize_by_sum", weight=10)
def test_normalize_by_sum_of_large_and_small_scores(student):
    """Large and small scores give the same shares."""
    scores = torch.rand(4) + 0.1
    for size in (1e4, 1e-5):
        expect_numbers(
            student.normalize_by_sum(size * scores),
            shares(scores),
            hint="Is anything but the sum in the denominator?",
        )


@question("normalize_by_sum", weight=10)
def test_normalize_by_sum_gives_shares_of_one(student):
    """The weights sum to 1, to the last digits."""
    scores = torch.rand(5).double() + 0.1
    expect_rows_sum_to_one(expect_computed(student.normalize_by_sum, scores))


@question("normalize_by_sum", weight=14)
def test_normalize_by_sum_keeps_the_shape(student):
    """There is one weight for each score, for a single score too."""
    expect_shape(student.normalize_by_sum, (5,), torch.rand(5) + 0.1)
    expect_tensor(student.normalize_by_sum(torch.rand(1) + 0.1), (1,))


@question("normalize_by_sum", weight=12)
def test_normalize_by_sum_keeps_the_dtype(student):
    """float32 in, float32 out; float64 in, float64 out, to the last digits."""
    expect_dtype_kept(student.normalize_by_sum, torch.rand(6) + 0.1)


@question("normalize_by_sum", weight=12)
def test_normalize_by_sum_leaves_its_input_alone(student):
    """The scores are unchanged afterwards."""
    expect_inputs_unchanged(student.normalize_by_sum, scores=torch.rand(5) + 0.1)


@question("normalize_by_sum", weight=12)
def test_gradients_flow_through_normalize_by_sum(student):
    """Gradients reach the scores, also through their sum."""
    scores = torch.rand(5).double() + 1
    expect_gradcheck(student.normalize_by_sum, scores=scores)


# softmax


@question("softmax", weight=7)
@pytest.mark.parametrize("n", [3, 10])
def test_softmax_of_any_number(student, n):
    """Right for other numbers of scores, positive and negative."""
    scores = 3 * torch.randn(n)
    expect_numbers(student.softmax(scores), torch.softmax(scores, 0))


@question("softmax", weight=5)
def test_softmax_of_very_few(student):
    """Two scores share the whole, and a single one gets all of it."""
    for scores in (torch.randn(2), torch.randn(1)):
        expect_numbers(student.softmax(scores), torch.softmax(scores, 0))


@question("softmax", weight=5)
def test_softmax_of_negative_scores(student):
    """Right when every score is negative."""
    scores = -4 * torch.rand(4) - 0.1
    expect_numbers(student.softmax(scores), torch.softmax(scores, 0))


@question("softmax", weight=6)
@pytest.mark.parametrize("size", [1e4, -1e4])
def test_softmax_survives_large_and_very_negative_scores(student, size):
    """Scores of 1e4 do not overflow, and scores of -1e4 do not all vanish."""
    n, low = draw(3, 9), 2 * torch.rand(3, dtype=torch.float64)
    expect_numbers(
        student.softmax(torch.full((n,), size)), torch.full((n,), 1 / n), atol=1e-3
    )
    expect_numbers(student.softmax(size - low), torch.softmax(-low, 0), atol=1e-3)


@question("softmax", weight=7)
def test_softmax_survives_scores_far_apart(student):
    """1e4 and -1e4 side by side give clean ones and zeros."""
    order = torch.randperm(3)
    scores, right = torch.tensor([-1e4, 1e4, 0.0]), torch.tensor([0.0, 1.0, 0.0])
    expect_numbers(student.softmax(scores[order]), right[order])


@question("softmax", weight=10)
def test_softmax_sums_to_one(student):
    """The weights sum to 1, to the last digits, and none is negative."""
    weights = expect_computed(student.softmax, torch.randn(6).double())
    expect_rows_sum_to_one(weights)


@question("softmax", weight=10)
def test_softmax_keeps_the_shape(student):
    """There is one weight for each score, for a single score too."""
    expect_shape(student.softmax, (5,), torch.randn(5))
    expect_tensor(student.softmax(torch.randn(1)), (1,))


@question("softmax", weight=11)
def test_softmax_keeps_the_dtype(student):
    """float32 in, float32 out; float64 in, float64 out, to the last digits."""
    expect_dtype_kept(student.softmax, torch.randn(6))


@question("softmax", weight=11)
def test_softmax_leaves_its_input_alone(student):
    """The scores are unchanged afterwards."""
    expect_inputs_unchanged(student.softmax, scores=torch.randn(5))


@question("softmax", weight=10)
def test_gradients_flow_through_softmax(student):
    """Gradients reach the scores, through numerator and denominator."""
    expect_gradcheck(student.softmax, scores=torch.randn(5).double())


@question("softmax", weight=5)
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


@question("context_vector", weight=8)
@pytest.mark.parametrize(("n", "d"), [(4, 7), (9, 2)])
def test_context_vector_of_any_size(student, n, d):
    """Right for other numbers of tokens and dimensions."""
    weights, inputs = torch.softmax(2 * torch.randn(n), 0), 2 * torch.randn(n, d)
    expect_numbers(student.context_vector(weights, inputs), weights @ inputs)


@question("context_vector", weight=8)
def test_context_vector_takes_weights_as_they_are(student):
    """Weights that do not sum to 1, or are negative, are used as given."""
    for weights in (torch.tensor([2.0, -1.0, 0.0, 3.5]), torch.tensor([0.5])):
        inputs = torch.randn(len(weights), 3)
        expect_numbers(
            student.context_vector(weights, inputs),
            weights @ inputs,
            hint="Are the weights changed first?",
        )


@question("context_vector", weight=9)
def test_context_vector_of_as_many_tokens_as_dimensions(student):
    """Right when there are as many tokens as dimensions, where a wrong product fits too."""
    weights, inputs = torch.softmax(torch.randn(4), 0), torch.randn(4, 4)
    inputs[0] = torch.tensor([3.0, -5.0, 2.0, 4.0])  # not symmetric by chance
    expect_numbers(
        student.context_vector(weights, inputs),
        (weights.unsqueeze(1) * inputs).sum(dim=0),
        hint="Does a weight go with a row or with a column?",
    )


@question("context_vector", weight=12)
def test_context_vector_is_linear_in_the_weights(student):
    """The vector for a sum of two rows of weights is the sum of their vectors."""
    (one, other), inputs = torch.randn(2, 4), torch.randn(4, 4)
    expect_computed(student.context_vector, one, inputs)
    expect_additive(lambda weights: student.context_vector(weights, inputs), one, other)


@question("context_vector", weight=15)
def test_context_vector_is_as_long_as_a_token(student):
    """The result is a vector as long as a token, for tokens of one number too."""
    for d in (4, 1):
        expect_shape(student.context_vector, (d,), torch.rand(5), torch.rand(5, d))


@question("context_vector", weight=14)
def test_context_vector_keeps_the_dtype(student):
    """float32 in, float32 out; float64 in, float64 out, to the last digits."""
    expect_dtype_kept(student.context_vector, torch.rand(4), torch.randn(4, 4))


@question("context_vector", weight=13)
def test_context_vector_leaves_its_inputs_alone(student):
    """The weights and the inputs are unchanged afterwards."""
    expect_inputs_unchanged(
        student.context_vector, weights=torch.rand(4), inputs=torch.rand(4, 4)
    )


@question("context_vector", weight=13)
def test_gradients_flow_through_context_vector(student):
    """Gradients reach the weights and the inputs."""
    weights, inputs = torch.rand(4).double(), torch.randn(4, 4).double()
    expect_gradcheck(student.context_vector, weights=weights, inputs=inputs)
