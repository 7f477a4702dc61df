"""Hidden tests of causal averaging: other lengths, batches and number types than the checks."""

import pytest
import torch

from autograder.expect import (
    expect,
    expect_close,
    expect_equal,
    expect_gradient,
    expect_no_nan,
    expect_rows_sum_to_one,
    expect_tensor,
    expect_unchanged,
)
from autograder.student import Remote
from autograder.suite import question


def expect_blind_to_the_future(average: Remote) -> None:
    """Expect new tokens from position 4 on to leave the first four averages alone."""
    x = 3 * torch.randn(2, 7, 3)
    changed = torch.cat([x[:, :4], 5 * torch.randn(2, 3, 3)], dim=1)
    before = expect_tensor(average(x), (2, 7, 3))[:, :4]
    after = expect_tensor(average(changed), (2, 7, 3))[:, :4]
    wrong = ~torch.isclose(before, after, atol=1e-6, rtol=0)
    if wrong.any():
        row = wrong.nonzero()[0].tolist()[1]
        expect(
            False,
            f"Only tokens from 4 on were changed, but row {row} changed too. What does it look at?",
        )


def expect_separate_sequences(average: Remote) -> None:
    """Expect a batch to give what its sequences give one by one."""
    batch = 3 * torch.randn(3, 5, 4)
    together = expect_tensor(average(batch), (3, 5, 4))
    for number in range(3):
        alone = expect_tensor(average(batch[number : number + 1]), (1, 5, 4))
        expect(
            torch.allclose(together[number], alone[0], atol=1e-5, rtol=0),
            f"Sequence {number} has other averages in a batch than alone. Does it mix with its neighbours?",
        )


def expect_gradient_of_averages(average: Remote, reference: Remote) -> None:
    """Expect the gradient to reach x, with the right values."""
    x, weight = torch.randn(2, 5, 3, requires_grad=True), torch.randn(2, 5, 3)
    right = reference.inspect(x, weight=weight).gradients[0]
    expect_gradient(average.inspect(x, weight=weight), {0: right})


@question("causal_average_loop", weight=2)
def test_loop_averages_each_row_with_all_before_it(student, reference):
    """Each row is the mean of itself and of all rows before it."""
    x = 3 * torch.randn(3, 5, 4)
    right = reference.causal_average_loop(x)
    expect_close(
        student.causal_average_loop(x), right, hint="Follow rows 0, 1 and 2 of a short sequence by hand."
    )


@question("causal_average_loop")
def test_loop_leaves_its_input_alone(student):
    """x is not overwritten."""
    x = torch.randn(2, 6, 3)
    expect_unchanged(student.causal_average_loop.inspect(x), x)


@question("causal_average_loop")
def test_loop_is_blind_to_the_future(student):
    """A token of the future changes no earlier row."""
    expect_blind_to_the_future(student.causal_average_loop)


@question("causal_average_loop")
def test_loop_keeps_sequences_apart(student):
    """The sequences of a batch do not mix."""
    expect_separate_sequences(student.causal_average_loop)


@question("causal_average_loop")
def test_loop_takes_a_single_token(student):
    """One token is its own average."""
    x = torch.randn(2, 1, 3)
    expect_close(student.causal_average_loop(x), x, hint="With T = 1 there is nothing to mix.")


@question("causal_average_loop")
def test_loop_keeps_float64(student, reference):
    """A float64 input gives a float64 result of full precision."""
    x = torch.randn(2, 4, 3, dtype=torch.float64)
    expect_close(student.causal_average_loop(x), reference.causal_average_loop(x))


@question("causal_average_loop")
def test_loop_lets_gradients_through(student, reference):
    """Gradients flow back to x."""
    expect_gradient_of_averages(student.causal_average_loop, reference.causal_average_loop)


@question("causal_average_loop")
def test_loop_reads_any_memory_layout(student, reference):
    """A transposed input is as good as any."""
    x = torch.randn(2, 3, 6).mT
    expect_close(student.causal_average_loop(x), reference.causal_average_loop(x))


@question("causal_average_weights", weight=2)
@pytest.mark.parametrize("length", [5, 11])
def test_weights_share_evenly(student, reference, length):
    """Row t shares the weight 1 evenly among the tokens 0 to t."""
    right = reference.causal_average_weights(length)
    expect_close(student.causal_average_weights(length), right, hint="How many tokens does row t see?")


@question("causal_average_weights")
def test_weights_sum_to_one(student):
    """Every row sums to 1."""
    expect_rows_sum_to_one(student.causal_average_weights(9))


@question("causal_average_weights")
def test_weights_hide_the_future(student):
    """Every weight above the diagonal is exactly 0."""
    weights = expect_tensor(student.causal_average_weights(6), (6, 6))
    expect(
        bool((weights.triu(1) == 0).all()),
        "A token has a weight for one that comes after it. Which triangle is kept?",
    )


@question("causal_average_weights")
def test_weights_of_a_single_token(student):
    """A single token has the weight 1."""
    expect_equal(student.causal_average_weights(1), torch.ones(1, 1))


@question("causal_average", weight=2)
def test_product_averages_each_row_with_all_before_it(student, reference):
    """Each row is the mean of itself and of all rows before it."""
    x = 3 * torch.randn(3, 5, 4)
    right = reference.causal_average(x)
    expect_close(student.causal_average(x), right, hint="Follow rows 0, 1 and 2 of a short sequence by hand.")


@question("causal_average")
@pytest.mark.parametrize("shape", [(6, 4), (2, 3, 5, 4)])
def test_product_takes_any_number_of_leading_dimensions(student, reference, shape):
    """One sequence, or batches of batches, work like a batch."""
    x = 3 * torch.randn(shape)
    expect_close(
        student.causal_average(x), reference.causal_average(x), hint="T is the last dimension but one."
    )


@question("causal_average")
def test_product_leaves_its_input_alone(student):
    """x is not overwritten."""
    x = torch.randn(2, 6, 3)
    expect_unchanged(student.causal_average.inspect(x), x)


@question("causal_average")
def test_product_is_blind_to_the_future(student):
    """A token of the future changes no earlier row."""
    expect_blind_to_the_future(student.causal_average)


@question("causal_average")
def test_product_keeps_sequences_apart(student):
    """The sequences of a batch do not mix."""
    expect_separate_sequences(student.causal_average)


@question("causal_average")
def test_product_takes_a_single_token(student):
    """One token is its own average."""
    x = torch.randn(2, 1, 3)
    expect_close(student.causal_average(x), x, hint="With T = 1 there is nothing to mix.")


@question("causal_average")
def test_product_keeps_float64(student, reference):
    """A float64 input gives a float64 result."""
    x = torch.randn(2, 4, 3, dtype=torch.float64)
    right = reference.causal_average(x)
    expect_close(student.causal_average(x), right, atol=1e-6)  # weights may have been float32


@question("causal_average")
def test_product_lets_gradients_through(student, reference):
    """Gradients flow back to x."""
    expect_gradient_of_averages(student.causal_average, reference.causal_average)


@question("causal_average")
def test_product_reads_any_memory_layout(student, reference):
    """A transposed input is as good as any."""
    x = torch.randn(3, 6, 2, 4).permute(2, 0, 1, 3)
    expect_close(student.causal_average(x), reference.causal_average(x))


@question("causal_mask_scores", weight=2)
@pytest.mark.parametrize("length", [5, 11])
def test_mask_is_zero_or_minus_infinity(student, reference, length):
    """Scores are 0 on and below the diagonal and -inf above it."""
    right = reference.causal_mask_scores(length)
    expect_equal(student.causal_mask_scores(length), right, hint="Row: who looks. Column: who is looked at.")


@question("causal_mask_scores")
def test_mask_lets_each_token_see_itself(student):
    """Every token may look at itself."""
    scores = expect_no_nan(expect_tensor(student.causal_mask_scores(7), (7, 7)))
    expect(
        bool((scores.diagonal() == 0).all()),
        "The diagonal must be 0. Row 0 would see nothing at all otherwise.",
    )


@question("causal_mask_scores")
def test_mask_hides_whatever_the_scores_are(student):
    """Added to huge scores, it still hides the future completely."""
    mask = expect_no_nan(expect_tensor(student.causal_mask_scores(6), (6, 6)))
    weights = torch.softmax(1e12 * torch.randn(6, 6).abs().cumsum(dim=1) + mask, dim=1)
    expect_rows_sum_to_one(weights, "The softmax of the masked scores")
    expect(bool((weights.triu(1) == 0).all()), "A large score shines through the mask. Is it minus infinity?")


@question("causal_mask_scores")
def test_mask_of_a_single_token(student):
    """A single token has nothing to hide: a score of 0."""
    expect_equal(student.causal_mask_scores(1), torch.zeros(1, 1))


@question("causal_softmax_weights", weight=2)
@pytest.mark.parametrize("length", [5, 11])
def test_softmax_shares_evenly(student, reference, length):
    """Row t shares the weight 1 evenly among the tokens 0 to t."""
    right = reference.causal_softmax_weights(length)
    expect_close(
        student.causal_softmax_weights(length), right, hint="What does a row of the masked scores look like?"
    )


@question("causal_softmax_weights")
def test_softmax_rows_sum_to_one(student):
    """Every row sums to 1."""
    expect_rows_sum_to_one(student.causal_softmax_weights(9))


@question("causal_softmax_weights")
def test_softmax_hides_the_future(student):
    """Every weight above the diagonal is exactly 0."""
    weights = expect_no_nan(expect_tensor(student.causal_softmax_weights(6), (6, 6)))
    expect(
        bool((weights.triu(1) == 0).all()),
        "A hidden token has a weight. What is the exponential of its score?",
    )


@question("causal_softmax_weights")
def test_softmax_of_a_single_token(student):
    """A single token has the weight 1."""
    expect_equal(student.causal_softmax_weights(1), torch.ones(1, 1))
