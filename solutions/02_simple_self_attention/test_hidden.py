"""Hidden tests of self-attention without trainable weights.

Basic tests compare numbers, in any shape and dtype. Each other test checks one property. Tests with two batch
dimensions and tests of gradients compare results of the student's function with each other. Their inputs are
square, because a wrong product of square matrices raises no error.
"""

import pytest
import torch

from autograder.testing import (
    expect_computed,
    expect_gradcheck,
    expect_inputs_unchanged,
    expect_numbers,
    expect_tensor,
    question,
)

SENTENCES = [(5, 3), (2, 7)]
MIXED = "Does your code mix the sentences of a batch?"
DEEP = "There may be any number of leading dimensions. Do you count dimensions from the end?"
PRECISE = "float64 has 15 digits. Is a step of your code in float32?"


def scores_of(inputs):
    """Return the dot products of all pairs."""
    return torch.einsum("...id,...jd->...ij", inputs, inputs)


def weights_of(scores):
    """Return the softmax of each row."""
    return torch.softmax(scores, dim=-1)


def contexts_of(weights, inputs):
    """Return a weighted sum of the inputs for each row of weights."""
    return torch.einsum("...ij,...jd->...id", weights, inputs)


def attention_of(inputs):
    """Return the output of simple self-attention."""
    return contexts_of(weights_of(scores_of(inputs)), inputs)


def weights_and_inputs(*shape):
    """Return weights whose rows sum to 1, and tokens."""
    weights = torch.softmax(2 * torch.randn(*shape[:-1], shape[-2]), dim=-1)
    return weights, 2 * torch.randn(shape)


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


def expect_deep(function, *arguments):
    """Expect the same results for sentences in a batch of shape (a, b) as in a batch of a * b sentences."""
    deep = expect_computed(function, *arguments)
    flat = function(*(argument.flatten(0, 1) for argument in arguments))
    expect_numbers(deep, expect_tensor(flat), hint=DEEP)


# pairwise_scores_loop


@question("pairwise_scores_loop", basic=True)
@pytest.mark.parametrize("shape", SENTENCES)
def test_loop_scores_of_any_size(student, shape):
    """The result is right for any n and d."""
    inputs = 1.5 * torch.randn(shape)
    expect_numbers(
        student.pairwise_scores_loop(inputs),
        scores_of(inputs),
        hint="The entry in row i, column j is the dot product of token i and token j.",
    )


@question("pairwise_scores_loop")
def test_loop_scores_of_a_single_token(student):
    """A single token has one score: with itself."""
    inputs = 1.5 * torch.randn(1, 4)
    expect_numbers(student.pairwise_scores_loop(inputs), scores_of(inputs))


@question("pairwise_scores_loop")
def test_loop_scores_of_equal_tokens_and_zeros(student):
    """Repeated tokens and tokens of zeros have the right scores."""
    inputs = 1.5 * torch.randn(5, 3)
    inputs[4], inputs[1] = inputs[2], 0
    expect_numbers(
        student.pairwise_scores_loop(inputs),
        scores_of(inputs),
        hint="Do you read each token by its index?",
    )


@question("pairwise_scores_loop", basic=True)
def test_loop_scores_of_as_many_tokens_as_dimensions(student):
    """The result is right for n = d, where a wrong loop raises no error."""
    inputs = 1.5 * torch.randn(4, 4)
    expect_numbers(
        student.pairwise_scores_loop(inputs),
        scores_of(inputs),
        hint="A row is a token, a column is a dimension. Do you multiply rows with rows?",
    )


@question("pairwise_scores_loop", needs_results=True)
def test_loop_scores_have_a_row_and_a_column_for_each_token(student):
    """The table has a row and a column for each token, for a single token too."""
    expect_shape(student.pairwise_scores_loop, (5, 5), torch.randn(5, 3))
    expect_tensor(student.pairwise_scores_loop(torch.randn(1, 3)), (1, 1))


@question("pairwise_scores_loop")
def test_loop_scores_keep_the_dtype(student):
    """The result has the dtype and the precision of the inputs, float32 or float64."""
    expect_precise(student.pairwise_scores_loop, scores_of, torch.randn(4, 4))


@question("pairwise_scores_loop", needs_results=True)
def test_loop_scores_leave_their_input_alone(student):
    """The inputs are unchanged afterwards."""
    expect_inputs_unchanged(student.pairwise_scores_loop, inputs=torch.randn(4, 4))


@question("pairwise_scores_loop")
def test_gradients_flow_through_loop_scores(student):
    """Gradients reach the inputs through both factors of each score."""
    inputs = torch.randn(4, 4).double()
    expect_gradcheck(student.pairwise_scores_loop, inputs=inputs)


# pairwise_scores


@question("pairwise_scores", basic=True)
@pytest.mark.parametrize("shape", SENTENCES)
def test_scores_of_one_sentence(student, shape):
    """The result is right for one sentence, for any n and d."""
    inputs = 1.5 * torch.randn(shape)
    expect_numbers(
        student.pairwise_scores(inputs),
        scores_of(inputs),
        hint="Each score is the dot product of two tokens: do you change the scores afterwards?",
    )


@question("pairwise_scores", basic=True)
@pytest.mark.parametrize("shape", [(2, 5, 3), (3, 3, 3)])
def test_scores_of_batches(student, shape):
    """The result is right for batches, even if batch size, n and d are equal."""
    inputs = 1.5 * torch.randn(shape)
    expect_numbers(student.pairwise_scores(inputs), scores_of(inputs), hint=MIXED)


@question("pairwise_scores")
def test_scores_of_a_single_token(student):
    """A single token has one score: with itself. This holds in a batch, too."""
    for shape in ((1, 4), (3, 1, 4), (1, 1)):
        inputs = 1.5 * torch.randn(shape)
        expect_numbers(student.pairwise_scores(inputs), scores_of(inputs))


@question("pairwise_scores")
def test_scores_of_many_dimensions(student):
    """With two batch dimensions, each sentence has the same scores as with one batch dimension."""
    expect_deep(student.pairwise_scores, torch.randn(2, 3, 4, 4))


@question("pairwise_scores", needs_results=True)
def test_scores_have_a_row_and_a_column_for_each_token(student):
    """Each sentence has a row and a column for each token; a batch dimension of size 1 is kept."""
    expect_shape(student.pairwise_scores, (5, 5), torch.randn(5, 3))
    expect_shape(student.pairwise_scores, (1, 4, 4), torch.randn(1, 4, 3))
    expect_tensor(student.pairwise_scores(torch.randn(2, 1, 1, 3)), (2, 1, 1, 1))


@question("pairwise_scores")
def test_scores_keep_the_dtype(student):
    """The result has the dtype and the precision of the inputs, float32 or float64."""
    expect_precise(student.pairwise_scores, scores_of, torch.randn(2, 4, 4))


@question("pairwise_scores", needs_results=True)
def test_scores_leave_their_input_alone(student):
    """The inputs are unchanged afterwards."""
    expect_inputs_unchanged(student.pairwise_scores, inputs=torch.randn(4, 4))


@question("pairwise_scores")
def test_gradients_flow_through_scores(student):
    """Gradients reach the inputs through both factors of each score."""
    inputs = torch.randn(4, 4).double()
    expect_gradcheck(student.pairwise_scores, inputs=inputs)


# attention_weights


@question("attention_weights", basic=True)
@pytest.mark.parametrize("n", [3, 8])
def test_weights_of_one_sentence(student, n):
    """The result is right for scores that are not symmetric."""
    scores = 2 * torch.randn(n, n)
    expect_numbers(
        student.attention_weights(scores),
        weights_of(scores),
        hint="Do the rows of your weights sum to 1, or the columns?",
    )


@question("attention_weights")
def test_weights_of_very_few_tokens(student):
    """With two tokens, each row of the weights sums to 1. With one token, the only weight is 1."""
    for n in (2, 1):
        scores = 2 * torch.randn(n, n)
        expect_numbers(
            student.attention_weights(scores),
            weights_of(scores),
            hint="Do the rows of your weights sum to 1, or the columns?",
        )


@question("attention_weights", basic=True)
def test_weights_of_batches(student):
    """The result is right for a batch of sentences."""
    scores = 2 * torch.randn(3, 5, 5)
    expect_numbers(
        student.attention_weights(scores),
        weights_of(scores),
        hint="Along which dimension must the weights of one token sum to 1?",
    )


@question("attention_weights")
def test_weights_survive_large_scores(student):
    """Rows of scores near 1e4 and rows of scores near -1e4 give finite and correct weights."""
    small = -3 * torch.rand(3, 3, dtype=torch.float64)
    shift = torch.tensor([[1e4], [-1e4], [0.0]], dtype=torch.float64)[torch.randperm(3)]
    right = torch.softmax(small, dim=-1)
    expect_numbers(student.attention_weights(small + shift), right, atol=1e-3)
    far = torch.tensor([[1e4, -1e4], [-1e4, -1e4]])
    right = torch.tensor([[1.0, 0.0], [0.5, 0.5]])
    expect_numbers(student.attention_weights(far), right, atol=1e-3)


@question("attention_weights")
def test_weights_of_many_dimensions(student):
    """With two batch dimensions, each sentence has the same result as with one batch dimension."""
    expect_deep(student.attention_weights, torch.randn(2, 3, 4, 4))


@question("attention_weights", needs_results=True)
def test_weights_keep_the_shape(student):
    """There is a weight for each score; a batch dimension of size 1 is kept."""
    expect_shape(student.attention_weights, (4, 4), torch.randn(4, 4))
    for shape in ((1, 4, 4), (2, 1, 4, 4)):
        expect_tensor(student.attention_weights(torch.randn(shape)), shape)


@question("attention_weights")
def test_weights_keep_the_dtype(student):
    """The result has the dtype and the precision of the inputs, float32 or float64."""
    expect_precise(student.attention_weights, weights_of, torch.randn(4, 4))


@question("attention_weights", needs_results=True)
def test_weights_leave_their_input_alone(student):
    """The scores are unchanged afterwards."""
    expect_inputs_unchanged(student.attention_weights, scores=torch.randn(2, 4, 4))


@question("attention_weights")
def test_gradients_flow_through_weights(student):
    """Gradients reach the scores."""
    scores = torch.randn(4, 4).double()
    expect_gradcheck(student.attention_weights, scores=scores)


# context_vectors


@question("context_vectors", basic=True)
@pytest.mark.parametrize("shape", SENTENCES)
def test_contexts_of_one_sentence(student, shape):
    """The result is right for weights that are not symmetric."""
    weights, inputs = weights_and_inputs(*shape)
    expect_numbers(
        student.context_vectors(weights, inputs),
        contexts_of(weights, inputs),
        hint="Row i of the result is computed with row i of the weights.",
    )


@question("context_vectors", basic=True)
def test_contexts_take_weights_as_they_are(student):
    """The weights are used unchanged, even if they are negative or do not sum to 1."""
    weights = torch.tensor([[2.0, -1.0, 0.5], [0.0, 3.0, 1.0], [-1.0, 0.0, 0.0]])
    inputs = torch.randn(3, 4)
    expect_numbers(
        student.context_vectors(weights, inputs),
        contexts_of(weights, inputs),
        hint="Does your code change the weights first?",
    )


@question("context_vectors", basic=True)
@pytest.mark.parametrize("shape", [(2, 5, 3), (3, 3, 3)])
def test_contexts_of_batches(student, shape):
    """The result is right for batches, even if batch size, n and d are equal."""
    weights, inputs = weights_and_inputs(*shape)
    expect_numbers(
        student.context_vectors(weights, inputs),
        contexts_of(weights, inputs),
        hint=MIXED,
    )


@question("context_vectors")
def test_contexts_of_a_single_token(student):
    """A single token is multiplied by its weight, in a batch too."""
    for front in ((), (3,)):
        weights, inputs = torch.rand(*front, 1, 1), 2 * torch.randn(*front, 1, 4)
        expect_numbers(
            student.context_vectors(weights, inputs), contexts_of(weights, inputs)
        )


@question("context_vectors")
def test_contexts_of_many_dimensions(student):
    """With two batch dimensions, each sentence has the same result as with one batch dimension."""
    expect_deep(student.context_vectors, *weights_and_inputs(2, 3, 4, 4))


@question("context_vectors", needs_results=True)
def test_contexts_have_the_shape_of_the_tokens(student):
    """There is a vector for each token; a batch dimension of size 1 is kept."""
    for shape in ((5, 3), (1, 4, 2), (2, 1, 4, 2)):
        expect_shape(student.context_vectors, shape, *weights_and_inputs(*shape))


@question("context_vectors")
def test_contexts_keep_the_dtype(student):
    """The result has the dtype and the precision of the inputs, float32 or float64."""
    expect_precise(student.context_vectors, contexts_of, *weights_and_inputs(2, 4, 4))


@question("context_vectors", needs_results=True)
def test_contexts_leave_their_inputs_alone(student):
    """The weights and the inputs are unchanged afterwards."""
    weights, inputs = weights_and_inputs(4, 4)
    expect_inputs_unchanged(student.context_vectors, weights=weights, inputs=inputs)


@question("context_vectors")
def test_gradients_flow_through_contexts(student):
    """Gradients reach the weights and the inputs."""
    weights, inputs = (one.double() for one in weights_and_inputs(4, 4))
    expect_gradcheck(student.context_vectors, weights=weights, inputs=inputs)


# simple_self_attention


@question("simple_self_attention", basic=True)
@pytest.mark.parametrize("shape", SENTENCES)
def test_attention_of_one_sentence(student, shape):
    """The result is right for one sentence, for any n and d."""
    inputs = 0.8 * torch.randn(shape)
    expect_numbers(
        student.simple_self_attention(inputs),
        attention_of(inputs),
        hint="Row i is a weighted sum of the inputs. Its weights are the softmax of row i of the scores.",
    )


@question("simple_self_attention", basic=True)
@pytest.mark.parametrize("shape", [(2, 5, 3), (3, 3, 3)])
def test_attention_of_batches(student, shape):
    """The result is right for batches, even if batch size, n and d are equal."""
    inputs = 0.8 * torch.randn(shape)
    expect_numbers(
        student.simple_self_attention(inputs),
        attention_of(inputs),
        hint="In transpose and in softmax, do you count the dimensions from the end?",
    )


@question("simple_self_attention")
def test_attention_of_very_few_tokens(student):
    """Two tokens attend to each other and to themselves; a single token attends only to itself."""
    for n in (2, 1):
        inputs = 0.8 * torch.randn(n, 4)
        expect_numbers(student.simple_self_attention(inputs), attention_of(inputs))


@question("simple_self_attention")
def test_attention_survives_large_inputs(student):
    """Scores of 1e4 and -1e4 do not overflow."""
    inputs = 100 * torch.tensor(
        [[1.0, 0.0], [-1.0, 0.2], [0.1, -1.0], [0.3, 0.1]], dtype=torch.float64
    )
    right = attention_of(inputs)
    expect_numbers(student.simple_self_attention(inputs), right, atol=1e-3)


@question("simple_self_attention")
def test_attention_of_many_dimensions(student):
    """With two batch dimensions, each sentence has the same result as with one batch dimension."""
    expect_deep(student.simple_self_attention, torch.randn(2, 3, 4, 4))


@question("simple_self_attention", needs_results=True)
def test_attention_keeps_the_shape(student):
    """There is a vector for each token; a batch dimension of size 1 is kept."""
    expect_shape(student.simple_self_attention, (5, 3), torch.randn(5, 3))
    for shape in ((1, 4, 2), (2, 1, 4, 2)):
        expect_tensor(student.simple_self_attention(torch.randn(shape)), shape)


@question("simple_self_attention")
def test_attention_keeps_the_dtype(student):
    """The result has the dtype and the precision of the inputs, float32 or float64."""
    expect_precise(student.simple_self_attention, attention_of, torch.randn(2, 4, 4))


@question("simple_self_attention", needs_results=True)
def test_attention_leaves_its_input_alone(student):
    """The inputs are unchanged afterwards."""
    expect_inputs_unchanged(student.simple_self_attention, inputs=torch.randn(2, 4, 4))


@question("simple_self_attention")
def test_gradients_flow_through_attention(student):
    """Gradients reach the inputs through the scores, the weights and the weighted sum."""
    inputs = torch.randn(4, 4).double()
    expect_gradcheck(student.simple_self_attention, inputs=inputs)
