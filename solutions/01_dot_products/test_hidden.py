"""Hidden tests of the dot product, scores, weights and context vector of one query.

Basic tests compare numbers, in any shape and dtype. Each other test checks one property. Many tests use
square inputs, because a wrong product of square matrices raises no error.
"""

import pytest
import torch

from autograder.testing import (
    draw,
    expect_computed,
    expect_gradcheck,
    expect_gradient,
    expect_inputs_unchanged,
    expect_numbers,
    expect_raises,
    expect_tensor,
    question,
)

PRECISE = "float64 has 15 digits. Is a step of your code in float32?"


def expect_shape(function, shape, *arguments):
    """Expect a tensor of shape `shape` that depends on the arguments."""
    expect_tensor(expect_computed(function, *arguments), shape)


def expect_precise(function, right, *arguments):
    """Expect the dtype of the arguments and its full precision, for float32 and for float64."""
    for dtype in (torch.float32, torch.float64):
        given = [one.to(dtype) for one in arguments]
        result = function(*given)
        expect_numbers(result, right(*given), hint=PRECISE)
        if isinstance(result, torch.Tensor):  # other tests check the type
            expect_tensor(result, dtype=dtype)


# dot_product


def product_of(a, b):
    """Return the dot product of two vectors."""
    return (a * b).sum()


@question("dot_product", basic=True)
@pytest.mark.parametrize("length", [2, 5, 17])
def test_dot_product_of_any_length(student, length):
    """The result is right for vectors of any length."""
    a, b = 2 * torch.randn(length), torch.randn(length) - 1
    expect_numbers(
        student.dot_product(a, b),
        product_of(a, b),
        atol=1e-4,
        hint="Is the product of each pair of entries added exactly once?",
    )


@question("dot_product")
def test_dot_product_of_single_numbers(student):
    """Two vectors of one number each are multiplied."""
    for a, b in ((3.5, 2.0), (-1.5, 4.0)):
        a, b = torch.tensor([a]) + torch.rand(1), torch.tensor([b])
        expect_numbers(
            student.dot_product(a, b),
            product_of(a, b),
            hint="One pair of entries gives one product.",
        )


@question("dot_product")
def test_dot_product_counts_zeros_and_repeats(student):
    """Entries that are 0 or occur twice are multiplied like all other entries."""
    a, b = torch.randint(
        0, 3, (2, 40)
    ).float()  # not negative, so that no two products cancel
    a[:4], b[:4] = torch.tensor([[1.0, 0, 2, 2], [2.0, 2, 2, 1]])
    expect_numbers(
        student.dot_product(a, b),
        product_of(a, b),
        hint="Do you read each entry by its index, up to the last one?",
    )


@question("dot_product", needs_results=True)
def test_dot_product_is_one_number(student):
    """The result is a tensor with a single value, without dimensions."""
    expect_shape(student.dot_product, (), *(9 * torch.rand(2, 5)))


@question("dot_product")
def test_dot_product_keeps_the_dtype(student):
    """The result has the dtype and the precision of the inputs, float32 or float64."""
    expect_precise(student.dot_product, product_of, *torch.randn(2, 7))


@question("dot_product")
def test_dot_product_refuses_unequal_lengths(student):
    """Vectors of different lengths raise ValueError, whichever is longer."""
    expect_computed(student.dot_product, *(9 * torch.rand(2, 5)))
    for lengths in [(3, 5), (5, 3), (1, 4), (4, 1)]:
        vectors = [torch.randn(length) for length in lengths]
        expect_raises(
            "ValueError",
            student.dot_product,
            *vectors,
            hint=f"The lengths are {lengths}.",
        )


@question("dot_product", needs_results=True)
def test_dot_product_leaves_its_inputs_alone(student):
    """The inputs are unchanged afterwards."""
    a, b = 9 * torch.rand(2, 5)
    expect_inputs_unchanged(student.dot_product, a=a, b=b)


@question("dot_product")
def test_gradients_flow_through_dot_product(student):
    """Gradients reach both vectors."""
    a, b = torch.randn(2, 5).double()
    expect_gradcheck(student.dot_product, a=a, b=b)


# attention_scores


def scores_of(inputs, query):
    """Return the dot product of each row with the query."""
    return (inputs * query).sum(dim=1)


@question("attention_scores", basic=True)
@pytest.mark.parametrize(("n", "d"), [(4, 7), (9, 2)])
def test_attention_scores_of_any_size(student, n, d):
    """The result is right for any n and d."""
    inputs, query = 2 * torch.randn(n, d), 2 * torch.randn(d)
    expect_numbers(
        student.attention_scores(inputs, query),
        scores_of(inputs, query),
        hint="The score of a row is its dot product with the argument `query`, unchanged.",
    )


@question("attention_scores", basic=True)
def test_attention_scores_of_as_many_tokens_as_dimensions(student):
    """The result is right for n = d, where a wrong product raises no error."""
    inputs = torch.randint(-40, 41, (4, 4)).float()
    query = torch.tensor([3.0, -1.0, 7.0, 2.0])[torch.randperm(4)]
    inputs[0] = torch.tensor([9.0, -20.0, 31.0, 8.0])  # not symmetric by chance
    expect_numbers(
        student.attention_scores(inputs, query),
        scores_of(inputs, query),
        hint="Is the query multiplied with the rows or with the columns of the inputs?",
    )


@question("attention_scores")
def test_attention_scores_of_a_single_token(student):
    """A single token has one score, whether it has many numbers or one."""
    for d in (5, 1):
        inputs, query = 2 * torch.randn(1, d), 2 * torch.randn(d)
        expect_numbers(
            student.attention_scores(inputs, query), scores_of(inputs, query)
        )


@question("attention_scores")
def test_attention_scores_of_equal_tokens_and_zeros(student):
    """Rows of zeros, repeated rows and rows that equal the query have the right scores."""
    inputs = 2 * torch.randn(6, 3)
    inputs[4], inputs[1] = inputs[3], 0
    expect_numbers(
        student.attention_scores(inputs, inputs[3]),
        scores_of(inputs, inputs[3]),
        hint="Do you read each row by its index?",
    )


@question("attention_scores", needs_results=True)
def test_attention_scores_have_one_for_each_token(student):
    """There is one score for each token, for a single token too."""
    for n in (4, 1):
        inputs, query = torch.rand(n, 6), torch.rand(6)
        expect_shape(student.attention_scores, (n,), inputs, query)


@question("attention_scores")
def test_attention_scores_keep_the_dtype(student):
    """The result has the dtype and the precision of the inputs, float32 or float64."""
    inputs, query = torch.randn(4, 4), torch.randn(4)
    expect_precise(student.attention_scores, scores_of, inputs, query)


@question("attention_scores", needs_results=True)
def test_attention_scores_leave_their_inputs_alone(student):
    """The inputs are unchanged afterwards."""
    expect_inputs_unchanged(
        student.attention_scores, inputs=torch.rand(4, 4), query=torch.rand(4)
    )


@question("attention_scores")
def test_gradients_flow_through_attention_scores(student):
    """Gradients reach the inputs and the query."""
    inputs, query = torch.randn(4, 4).double(), torch.randn(4).double()
    expect_gradcheck(student.attention_scores, inputs=inputs, query=query)


# normalize_by_sum


def shares(scores):
    """Return scores divided by their sum."""
    return scores / scores.sum()


@question("normalize_by_sum", basic=True)
@pytest.mark.parametrize("n", [3, 11])
def test_normalize_by_sum_of_any_number(student, n):
    """The result is right for any number of scores."""
    scores = 3 * torch.rand(n) + 0.1
    expect_numbers(student.normalize_by_sum(scores), shares(scores))


@question("normalize_by_sum", basic=True)
def test_normalize_by_sum_of_negative_scores(student):
    """Negative scores are divided like all others."""
    scores = torch.tensor([2.0, -3.0, 0.5, 4.5])[torch.randperm(4)] + torch.rand(4)
    for signed in (scores, -scores):
        expect_numbers(
            student.normalize_by_sum(signed),
            shares(scores),
            hint="Divide each score, with its sign, by the sum of all scores.",
        )


@question("normalize_by_sum")
def test_normalize_by_sum_of_very_few(student):
    """The weights of two scores sum to 1, and the weight of a single score is 1."""
    for scores in (torch.rand(2) + 0.1, torch.rand(1) + 0.1):
        expect_numbers(student.normalize_by_sum(scores), shares(scores))


@question("normalize_by_sum")
def test_normalize_by_sum_of_large_and_small_scores(student):
    """Multiplying all scores by a large or small number does not change the weights."""
    scores = torch.rand(4) + 0.1
    for size in (1e4, 1e-5):
        expect_numbers(
            student.normalize_by_sum(size * scores),
            shares(scores),
            hint="Is there anything in the denominator besides the sum?",
        )


@question("normalize_by_sum", needs_results=True)
def test_normalize_by_sum_keeps_the_shape(student):
    """There is one weight for each score, for a single score too."""
    expect_shape(student.normalize_by_sum, (5,), torch.rand(5) + 0.1)
    expect_tensor(student.normalize_by_sum(torch.rand(1) + 0.1), (1,))


@question("normalize_by_sum")
def test_normalize_by_sum_keeps_the_dtype(student):
    """The result has the dtype and the precision of the inputs, float32 or float64."""
    expect_precise(student.normalize_by_sum, shares, torch.rand(6) + 0.1)


@question("normalize_by_sum", needs_results=True)
def test_normalize_by_sum_leaves_its_input_alone(student):
    """The scores are unchanged afterwards."""
    expect_inputs_unchanged(student.normalize_by_sum, scores=torch.rand(5) + 0.1)


@question("normalize_by_sum")
def test_gradients_flow_through_normalize_by_sum(student):
    """Gradients reach the scores, also through their sum."""
    scores = torch.rand(5).double() + 1
    expect_gradcheck(student.normalize_by_sum, scores=scores)


# softmax


def softmax_of(scores):
    """Return the softmax of scores."""
    return torch.softmax(scores, 0)


@question("softmax", basic=True)
@pytest.mark.parametrize("n", [3, 10])
def test_softmax_of_any_number(student, n):
    """The result is right for any number of scores, positive and negative."""
    scores = 3 * torch.randn(n)
    expect_numbers(student.softmax(scores), softmax_of(scores))


@question("softmax", basic=True)
def test_softmax_of_negative_scores(student):
    """The result is right if every score is negative."""
    scores = -4 * torch.rand(4) - 0.1
    expect_numbers(student.softmax(scores), softmax_of(scores))


@question("softmax")
def test_softmax_of_very_few(student):
    """The weights of two scores sum to 1, and the weight of a single score is 1."""
    for scores in (torch.randn(2), torch.randn(1)):
        expect_numbers(student.softmax(scores), softmax_of(scores))


@question("softmax")
def test_softmax_survives_large_and_very_negative_scores(student):
    """Scores near 1e4 and scores near -1e4 give finite and correct weights."""
    n, low = draw(3, 9), 2 * torch.rand(3, dtype=torch.float64)
    far = torch.tensor([1e4, -1e4, 0.0])[torch.randperm(3)]
    expect_numbers(student.softmax(far), (far == 1e4).float())
    for size in (1e4, -1e4):
        equal = torch.full((n,), size)
        expect_numbers(student.softmax(equal), torch.full((n,), 1 / n), atol=1e-3)
        expect_numbers(student.softmax(size - low), softmax_of(-low), atol=1e-3)


@question("softmax", needs_results=True)
def test_softmax_keeps_the_shape(student):
    """There is one weight for each score, for a single score too."""
    expect_shape(student.softmax, (5,), torch.randn(5))
    expect_tensor(student.softmax(torch.randn(1)), (1,))


@question("softmax")
def test_softmax_keeps_the_dtype(student):
    """The result has the dtype and the precision of the inputs, float32 or float64."""
    expect_precise(student.softmax, softmax_of, torch.randn(6))


@question("softmax", needs_results=True)
def test_softmax_leaves_its_input_alone(student):
    """The scores are unchanged afterwards."""
    expect_inputs_unchanged(student.softmax, scores=torch.randn(5))


@question("softmax")
def test_gradients_flow_through_softmax(student):
    """Gradients reach the scores, through numerator and denominator, and are finite for scores of 1e4."""
    expect_gradcheck(student.softmax, scores=torch.randn(5).double())
    order = torch.randperm(3)
    scores = torch.tensor([1e4, -1e4, 1e4])[order].requires_grad_()
    weight = torch.tensor([1.0, 2.0, 3.0])[order]
    inspection = student.softmax.inspect(scores, weight=weight)
    right = {0: torch.tensor([-0.5, 0.0, 0.5])[order]}
    expect_gradient(inspection, expected=right, atol=1e-2, names=("scores",))


# context_vector


def context_of(weights, inputs):
    """Return the sum of the rows, each times its weight."""
    return (weights.unsqueeze(1) * inputs).sum(dim=0)


@question("context_vector", basic=True)
@pytest.mark.parametrize(("n", "d"), [(4, 7), (9, 2)])
def test_context_vector_of_any_size(student, n, d):
    """The result is right for any n and d."""
    weights, inputs = torch.softmax(2 * torch.randn(n), 0), 2 * torch.randn(n, d)
    expect_numbers(student.context_vector(weights, inputs), context_of(weights, inputs))


@question("context_vector", basic=True)
def test_context_vector_takes_weights_as_they_are(student):
    """The weights are used unchanged, even if they are negative or do not sum to 1."""
    weights, inputs = torch.tensor([2.0, -1.0, 0.0, 3.5]), torch.randn(4, 3)
    expect_numbers(
        student.context_vector(weights, inputs),
        context_of(weights, inputs),
        hint="Does your code change the weights first?",
    )


@question("context_vector", basic=True)
def test_context_vector_of_as_many_tokens_as_dimensions(student):
    """The result is right for n = d, where a wrong product raises no error."""
    weights, inputs = torch.softmax(torch.randn(4), 0), torch.randn(4, 4)
    inputs[0] = torch.tensor([3.0, -5.0, 2.0, 4.0])  # not symmetric by chance
    expect_numbers(
        student.context_vector(weights, inputs),
        context_of(weights, inputs),
        hint="Is each weight multiplied with a row or with a column of the inputs?",
    )


@question("context_vector")
def test_context_vector_of_a_single_token(student):
    """A single token is multiplied by its weight, whether it has many numbers or one."""
    for d in (5, 1):
        weights, inputs = torch.tensor([0.5]), 2 * torch.randn(1, d)
        expect_numbers(
            student.context_vector(weights, inputs), context_of(weights, inputs)
        )


@question("context_vector")
def test_context_vector_of_equal_tokens_and_weights(student):
    """Each row is multiplied by the weight with the same index, even if weights or rows occur twice."""
    weights, inputs = torch.tensor([0.25, 0.5, 0.0, 0.25, 0.5]), torch.randn(5, 3)
    inputs[4] = inputs[0]
    expect_numbers(
        student.context_vector(weights, inputs),
        context_of(weights, inputs),
        hint="Do you read each row by its index?",
    )


@question("context_vector", needs_results=True)
def test_context_vector_is_as_long_as_a_token(student):
    """The result is a vector as long as a token, for tokens of one number too."""
    for d in (4, 1):
        expect_shape(student.context_vector, (d,), torch.rand(5), torch.rand(5, d))


@question("context_vector")
def test_context_vector_keeps_the_dtype(student):
    """The result has the dtype and the precision of the inputs, float32 or float64."""
    weights, inputs = torch.rand(4), torch.randn(4, 4)
    expect_precise(student.context_vector, context_of, weights, inputs)


@question("context_vector", needs_results=True)
def test_context_vector_leaves_its_inputs_alone(student):
    """The weights and the inputs are unchanged afterwards."""
    expect_inputs_unchanged(
        student.context_vector, weights=torch.rand(4), inputs=torch.rand(4, 4)
    )


@question("context_vector")
def test_gradients_flow_through_context_vector(student):
    """Gradients reach the weights and the inputs."""
    weights, inputs = torch.rand(4).double(), torch.randn(4, 4).double()
    expect_gradcheck(student.context_vector, weights=weights, inputs=inputs)
