"""Hidden tests of self-attention without trainable weights."""

import pytest
import torch

from autograder.testing import (
    expect_close,
    expect_gradient,
    expect_rows_sum_to_one,
    expect_unchanged,
    question,
)

SENTENCES = [(5, 3), (2, 7)]
BATCHES = [(2, 5, 3), (2, 1, 4, 6)]
MIXED = "Does every sentence of the batch stay by itself?"


def scores_of(inputs):
    """Return the dot products of all pairs."""
    return torch.einsum("...id,...jd->...ij", inputs, inputs)


def attention_of(inputs):
    """Return the output of simple self-attention."""
    return torch.softmax(scores_of(inputs), dim=-1) @ inputs


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
    expect_gradient(inspection, gradients, atol=1e-4, names=tuple(arguments))


# pairwise_scores_loop


@question("pairwise_scores_loop", weight=2)
@pytest.mark.parametrize("shape", [*SENTENCES, (1, 4)])
def test_loop_scores_of_any_size(student, shape):
    """Right for other numbers of tokens and dimensions."""
    inputs = 1.5 * torch.randn(shape)
    expect_close(
        student.pairwise_scores_loop(inputs),
        scores_of(inputs),
        hint="Row i asks, column j is looked at.",
    )


@question("pairwise_scores_loop")
def test_loop_scores_keep_double_precision(student):
    """float64 in, float64 out, to the last digits."""
    inputs = torch.randn(4, 3, dtype=torch.float64)
    expect_close(
        student.pairwise_scores_loop(inputs),
        scores_of(inputs),
        hint="Are the scores kept as precisely as the inputs?",
    )


@question("pairwise_scores_loop")
def test_loop_scores_leave_their_input_alone(student):
    """The inputs are unchanged afterwards."""
    inputs = torch.randn(4, 3)
    expect_right_and_untouched(
        student.pairwise_scores_loop, scores_of(inputs), inputs=inputs
    )


@question("pairwise_scores_loop")
def test_gradients_flow_through_loop_scores(student):
    """Gradients reach the inputs, as queries and as tokens looked at."""
    expect_right_gradients(
        student.pairwise_scores_loop, scores_of, inputs=torch.randn(4, 3)
    )


# pairwise_scores


@question("pairwise_scores", weight=2)
@pytest.mark.parametrize("shape", [*SENTENCES, (1, 4)])
def test_scores_of_one_sentence(student, shape):
    """Right for one sentence of any size."""
    inputs = 1.5 * torch.randn(shape)
    expect_close(
        student.pairwise_scores(inputs),
        scores_of(inputs),
        hint="The plain dot product of every pair.",
    )


@question("pairwise_scores", weight=2)
@pytest.mark.parametrize("shape", BATCHES)
def test_scores_of_batches(student, shape):
    """Right for batches with one or more leading dimensions."""
    inputs = 1.5 * torch.randn(shape)
    expect_close(student.pairwise_scores(inputs), scores_of(inputs), hint=MIXED)


@question("pairwise_scores")
def test_scores_of_a_batch_of_equal_sizes(student):
    """Right when batch, tokens and dimensions happen to be equally many."""
    inputs = 1.5 * torch.randn(3, 3, 3)
    expect_close(
        student.pairwise_scores(inputs),
        scores_of(inputs),
        hint="Which two dimensions change places?",
    )


@question("pairwise_scores")
def test_scores_keep_double_precision(student):
    """float64 in, float64 out, to the last digits."""
    inputs = torch.randn(2, 4, 3, dtype=torch.float64)
    expect_close(student.pairwise_scores(inputs), scores_of(inputs))


@question("pairwise_scores")
def test_scores_leave_their_input_alone(student):
    """The inputs are unchanged afterwards."""
    inputs = torch.randn(2, 4, 3)
    expect_right_and_untouched(
        student.pairwise_scores, scores_of(inputs), inputs=inputs
    )


@question("pairwise_scores")
def test_gradients_flow_through_scores(student):
    """Gradients reach the inputs, as queries and as tokens looked at."""
    expect_right_gradients(student.pairwise_scores, scores_of, inputs=torch.randn(4, 3))


@question("pairwise_scores")
def test_scores_of_a_batch_of_one_and_of_many_dimensions(student):
    """A batch of one keeps its dimension, and there may be many dimensions in front."""
    for shape in ((1, 4, 3), (2, 1, 3, 4, 2)):
        inputs = torch.randn(shape)
        expect_close(student.pairwise_scores(inputs), scores_of(inputs), hint=MIXED)


# attention_weights


@question("attention_weights", weight=2)
@pytest.mark.parametrize("n", [3, 8])
def test_weights_of_one_sentence(student, n):
    """Right for scores that are not symmetric."""
    scores = 2 * torch.randn(n, n)
    expect_close(
        student.attention_weights(scores),
        torch.softmax(scores, dim=-1),
        hint="Rows or columns?",
    )


@question("attention_weights")
def test_weights_of_very_few_tokens(student):
    """Two tokens share each row, and a single one gives itself the whole weight."""
    for n in (2, 1):
        scores = 2 * torch.randn(n, n)
        expect_close(
            student.attention_weights(scores),
            torch.softmax(scores, dim=-1),
            hint="Rows or columns?",
        )


@question("attention_weights", weight=2)
@pytest.mark.parametrize("shape", [(3, 5, 5), (2, 1, 4, 4)])
def test_weights_of_batches(student, shape):
    """Right for batches with one or more leading dimensions."""
    scores = 2 * torch.randn(shape)
    expect_close(
        student.attention_weights(scores),
        torch.softmax(scores, dim=-1),
        hint="Which dimension holds the scores of one token that asks?",
    )


@question("attention_weights")
def test_rows_of_weights_sum_to_one(student):
    """Every row sums to 1 in every sentence, and no weight is negative."""
    scores = 3 * torch.randn(2, 3, 5, 5)
    weights = student.attention_weights(scores)
    expect_rows_sum_to_one(weights)
    expect_close(weights, torch.softmax(scores, dim=-1))


@question("attention_weights")
def test_weights_survive_large_scores(student):
    """Scores of 1e4 and -1e4 neither overflow nor vanish, row by row."""
    small = -3 * torch.rand(3, 3, dtype=torch.float64)
    shift = torch.tensor([[1e4], [-1e4], [0.0]], dtype=torch.float64)[torch.randperm(3)]
    expect_close(student.attention_weights(small + shift), torch.softmax(small, dim=-1))
    far = torch.tensor([[1e4, -1e4], [-1e4, -1e4]])
    expect_close(
        student.attention_weights(far),
        torch.tensor([[1.0, 0.0], [0.5, 0.5]]),
        atol=1e-3,
    )


@question("attention_weights")
def test_weights_keep_double_precision(student):
    """float64 in, float64 out, to the last digits."""
    scores = torch.randn(4, 4, dtype=torch.float64)
    expect_close(student.attention_weights(scores), torch.softmax(scores, dim=-1))


@question("attention_weights")
def test_weights_leave_their_input_alone(student):
    """The scores are unchanged afterwards."""
    scores = torch.randn(2, 4, 4)
    expect_right_and_untouched(
        student.attention_weights, torch.softmax(scores, dim=-1), scores=scores
    )


@question("attention_weights")
def test_gradients_flow_through_weights(student):
    """Gradients reach the scores."""
    scores = torch.randn(4, 4)
    expect_right_gradients(
        student.attention_weights,
        lambda scores: torch.softmax(scores, dim=-1),
        scores=scores,
    )


@question("attention_weights")
def test_weights_of_a_batch_of_one_and_of_many_dimensions(student):
    """A batch of one keeps its dimension, and there may be many dimensions in front."""
    for shape in ((1, 4, 4), (2, 1, 3, 4, 4)):
        scores = 2 * torch.randn(shape)
        expect_close(
            student.attention_weights(scores),
            torch.softmax(scores, dim=-1),
            hint="Count the dimensions from the end.",
        )


# context_vectors


@question("context_vectors", weight=2)
@pytest.mark.parametrize("shape", SENTENCES)
def test_contexts_of_one_sentence(student, shape):
    """Right for weights that are not symmetric."""
    weights, inputs = (
        torch.softmax(2 * torch.randn(shape[0], shape[0]), dim=-1),
        2 * torch.randn(shape),
    )
    expect_close(
        student.context_vectors(weights, inputs),
        weights @ inputs,
        hint="Row i of the weights belongs to output i.",
    )


@question("context_vectors", weight=2)
@pytest.mark.parametrize("shape", BATCHES)
def test_contexts_of_batches(student, shape):
    """Right for batches with one or more leading dimensions."""
    n = shape[-2]
    weights, inputs = (
        torch.softmax(2 * torch.randn(*shape[:-1], n), dim=-1),
        2 * torch.randn(shape),
    )
    expect_close(student.context_vectors(weights, inputs), weights @ inputs, hint=MIXED)


@question("context_vectors")
def test_contexts_of_a_batch_of_equal_sizes(student):
    """Right when batch, tokens and dimensions happen to be equally many."""
    weights, inputs = (
        torch.softmax(2 * torch.randn(3, 3, 3), dim=-1),
        2 * torch.randn(3, 3, 3),
    )
    expect_close(
        student.context_vectors(weights, inputs),
        weights @ inputs,
        hint="Which factor stands on the left?",
    )


@question("context_vectors")
def test_contexts_take_weights_as_they_are(student):
    """Weights that do not sum to 1, or are negative, are used as given."""
    rows = torch.tensor([[2.0, -1.0, 0.5], [0.0, 3.0, 1.0], [-1.0, 0.0, 0.0]])
    for weights in (rows, torch.tensor([[0.5]])):
        inputs = torch.randn(len(weights), 4)
        expect_close(
            student.context_vectors(weights, inputs),
            weights @ inputs,
            hint="Are the weights changed first?",
        )


@question("context_vectors")
def test_contexts_keep_double_precision(student):
    """float64 in, float64 out, to the last digits."""
    weights, inputs = (
        torch.rand(4, 4, dtype=torch.float64),
        torch.randn(4, 3, dtype=torch.float64),
    )
    expect_close(student.context_vectors(weights, inputs), weights @ inputs)


@question("context_vectors")
def test_contexts_leave_their_inputs_alone(student):
    """The weights and the inputs are unchanged afterwards."""
    weights, inputs = torch.rand(4, 4), torch.randn(4, 3)
    expect_right_and_untouched(
        student.context_vectors, weights @ inputs, weights=weights, inputs=inputs
    )


@question("context_vectors")
def test_gradients_flow_through_contexts(student):
    """Gradients reach the weights and the inputs."""
    weights, inputs = torch.rand(4, 4), torch.randn(4, 3)
    expect_right_gradients(
        student.context_vectors,
        lambda weights, inputs: weights @ inputs,
        weights=weights,
        inputs=inputs,
    )


@question("context_vectors")
def test_contexts_of_a_batch_of_one_and_of_many_dimensions(student):
    """A batch of one keeps its dimension, and there may be many dimensions in front."""
    for front in ((1,), (2, 1, 3)):
        weights, inputs = torch.rand(*front, 4, 4), torch.randn(*front, 4, 2)
        expect_close(
            student.context_vectors(weights, inputs), weights @ inputs, hint=MIXED
        )


# simple_self_attention


@question("simple_self_attention", weight=2)
@pytest.mark.parametrize("shape", SENTENCES)
def test_attention_of_one_sentence(student, shape):
    """Right for one sentence of any size."""
    inputs = 0.8 * torch.randn(shape)
    expect_close(
        student.simple_self_attention(inputs),
        attention_of(inputs),
        hint="Row i is the sum of all inputs, weighted by the softmax of row i of their plain scores.",
    )


@question("simple_self_attention", weight=2)
@pytest.mark.parametrize("shape", BATCHES)
def test_attention_of_batches(student, shape):
    """Right for batches with one or more leading dimensions."""
    inputs = 0.8 * torch.randn(shape)
    expect_close(
        student.simple_self_attention(inputs),
        attention_of(inputs),
        hint="Do both steps that name a dimension count it from the end?",
    )


@question("simple_self_attention")
def test_attention_of_a_batch_of_equal_sizes(student):
    """Right when batch, tokens and dimensions happen to be equally many."""
    inputs = 0.8 * torch.randn(3, 3, 3)
    expect_close(
        student.simple_self_attention(inputs), attention_of(inputs), hint=MIXED
    )


@question("simple_self_attention")
def test_attention_follows_a_permutation(student):
    """Shuffling the tokens shuffles the context vectors and changes none."""
    inputs, order = torch.randn(5, 3), [3, 0, 4, 1, 2]
    plain = student.simple_self_attention(inputs)
    expect_close(plain, attention_of(inputs))
    expect_close(student.simple_self_attention(inputs[order]), plain[order])


@question("simple_self_attention")
def test_attention_of_very_few_tokens(student):
    """Two tokens share their attention, and a single one keeps all of its own."""
    for n in (2, 1):
        inputs = 0.8 * torch.randn(n, 4)
        expect_close(student.simple_self_attention(inputs), attention_of(inputs))


@question("simple_self_attention")
def test_attention_survives_large_inputs(student):
    """Scores of 1e4 and -1e4 do not overflow."""
    inputs = 100 * torch.tensor(
        [[1.0, 0.0], [-1.0, 0.2], [0.1, -1.0], [0.3, 0.1]], dtype=torch.float64
    )
    expect_close(student.simple_self_attention(inputs), attention_of(inputs))


@question("simple_self_attention")
def test_attention_keeps_double_precision(student):
    """float64 in, float64 out, to the last digits."""
    inputs = torch.randn(2, 4, 3, dtype=torch.float64)
    expect_close(student.simple_self_attention(inputs), attention_of(inputs))


@question("simple_self_attention")
def test_attention_leaves_its_input_alone(student):
    """The inputs are unchanged afterwards."""
    inputs = torch.randn(2, 4, 3)
    expect_right_and_untouched(
        student.simple_self_attention, attention_of(inputs), inputs=inputs
    )


@question("simple_self_attention")
def test_gradients_flow_through_attention(student):
    """Gradients reach the inputs through scores, weights and mix."""
    expect_right_gradients(
        student.simple_self_attention, attention_of, inputs=torch.randn(4, 3)
    )


@question("simple_self_attention")
def test_attention_of_a_batch_of_one_and_of_many_dimensions(student):
    """A batch of one keeps its dimension, and there may be many dimensions in front."""
    for shape in ((1, 4, 3), (2, 1, 3, 4, 2)):
        inputs = 0.8 * torch.randn(shape)
        expect_close(
            student.simple_self_attention(inputs), attention_of(inputs), hint=MIXED
        )
