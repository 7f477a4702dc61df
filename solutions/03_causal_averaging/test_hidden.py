"""Hidden tests of causal averaging: other lengths, batches and number types than the checks."""

import pytest
import torch

from autograder.testing import (
    Remote,
    Student,
    draw,
    expect,
    expect_close,
    expect_equal,
    expect_gradient,
    expect_no_nan,
    expect_rows_sum_to_one,
    expect_tensor,
    expect_unchanged,
    question,
)

SCORES = "Row: who looks. Column: who is looked at. What is the score of a token that may be seen?"
MASKED = "What does a row of the masked scores look like?"
EVENLY = "How many tokens does row t see?"
SIZES = "Which dimension counts sequences, which one tokens, and which one numbers?"
AVERAGES = "Row t is the mean of the rows from 0 to t, row t among them."

OVERWRITE = """
def overwrite(average, x):
    averages = average(x)
    kept = averages.clone()
    with torch.no_grad():
        averages.fill_(7)
    return kept, x
"""


def expect_blind_to_the_future(average: Remote, reference: Remote) -> None:
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
    expect_close(
        before,
        reference(x)[:, :4],
        hint=f"The future does not show, but these are not the averages. {AVERAGES}",
    )


def expect_separate_sequences(average: Remote, reference: Remote) -> None:
    """Expect a batch to give what its sequences give one by one."""
    batch = 3 * torch.randn(2, 5, 4)
    together = expect_tensor(average(batch), (2, 5, 4))
    for number in range(2):
        alone = expect_tensor(average(batch[number : number + 1]), (1, 5, 4))
        expect(
            torch.allclose(together[number], alone[0], atol=1e-5, rtol=0),
            f"Sequence {number} has other averages in a batch than alone. Does it mix with its neighbours?",
        )
    expect_close(
        together,
        reference(batch),
        hint=f"Nothing mixes, but these are not the averages. {AVERAGES}",
    )


def expect_short_sequences(average: Remote, reference: Remote) -> None:
    """Expect one token to be its own average, and a second to be averaged with it."""
    for length in (2, 1):
        x = torch.randn(2, length, 3)
        expect_close(
            average(x), reference(x), hint=f"What is row {length - 1} the mean of?"
        )


def expect_right_and_untouched(average: Remote, reference: Remote) -> None:
    """Expect the right averages, and an x that the call left as it was."""
    x = torch.randn(2, 6, 3)
    inspection = average.inspect(x)
    expect_unchanged(inspection, x, names=("x",))
    expect_close(
        inspection.output,
        reference(x),
        hint="Nothing was overwritten, but the result must be right too.",
    )


def expect_gradient_of_averages(average: Remote, reference: Remote) -> None:
    """Expect the averages, and the gradient to reach x with the right values."""
    x, weight = torch.randn(2, 5, 3, requires_grad=True), torch.randn(2, 5, 3)
    right, seen = reference.inspect(x, weight=weight), average.inspect(x, weight=weight)
    expect_close(seen.output, right.output, hint=AVERAGES)
    expect_gradient(seen, {0: right.gradients[0]}, names=("x",))


def expect_own_memory(student: Student, average: Remote, reference: Remote) -> None:
    """Expect averages that can be overwritten while x stays, for a single token too."""
    overwrite = student.define(OVERWRITE, "overwrite")
    for length in (1, 4):
        x = torch.randn(2, length, 3)
        right = reference.causal_average(x)
        averages, after = overwrite(average, x)
        expect_close(averages, right, hint=AVERAGES)
        same = torch.equal(expect_tensor(after, x.shape, x.dtype, "x"), x)
        message = "The averages were overwritten, and x changed with them."
        expect(same, f"{message} Is the result a tensor of its own?")


def expect_hidden_future(weights: torch.Tensor, message: str) -> None:
    """Expect every weight above the diagonal to be exactly 0."""
    expect(bool((weights.triu(1) == 0).all()), message)


@question("causal_average_loop", weight=2)
def test_loop_averages_each_row_with_all_before_it(student, reference):
    """Each row is the mean of itself and of all rows before it."""
    x = 3 * torch.randn(3, 5, 4)
    right = reference.causal_average_loop(x)
    expect_close(student.causal_average_loop(x), right, hint=AVERAGES)


@question("causal_average_loop")
def test_loop_leaves_its_input_alone(student, reference):
    """x is not overwritten."""
    expect_right_and_untouched(
        student.causal_average_loop, reference.causal_average_loop
    )


@question("causal_average_loop")
def test_loop_is_blind_to_the_future(student, reference):
    """A token of the future changes no earlier row."""
    expect_blind_to_the_future(
        student.causal_average_loop, reference.causal_average_loop
    )


@question("causal_average_loop")
def test_loop_keeps_sequences_apart(student, reference):
    """The sequences of a batch do not mix."""
    expect_separate_sequences(
        student.causal_average_loop, reference.causal_average_loop
    )


@question("causal_average_loop")
def test_loop_takes_very_few_tokens(student, reference):
    """A second token is averaged with the first, and a single token is its own average."""
    expect_short_sequences(student.causal_average_loop, reference.causal_average_loop)


@question("causal_average_loop")
def test_loop_keeps_float64(student, reference):
    """A float64 input gives a float64 result of full precision."""
    x = torch.randn(2, 4, 3, dtype=torch.float64)
    expect_close(student.causal_average_loop(x), reference.causal_average_loop(x))


@question("causal_average_loop")
def test_loop_lets_gradients_through(student, reference):
    """Gradients flow back to x."""
    expect_gradient_of_averages(
        student.causal_average_loop, reference.causal_average_loop
    )


@question("causal_average_loop")
def test_loop_reads_any_memory_layout(student, reference):
    """A transposed input of many tokens works like any other."""
    x = torch.randn(2, 3, 18).mT
    expect_close(student.causal_average_loop(x), reference.causal_average_loop(x))


@question("causal_average_loop")
def test_loop_takes_sizes_of_one_and_equal_sizes(student, reference):
    """Sizes of 1, and sizes that happen to be equal, make no difference."""
    for shape in ((1, 1, 1), (3, 4, 1), (1, 3, 3), (3, 3, 3), (2, 2, 4)):
        x = torch.randn(shape)
        expect_close(
            student.causal_average_loop(x), reference.causal_average_loop(x), hint=SIZES
        )


@question("causal_average_loop")
def test_loop_returns_a_new_tensor(student, reference):
    """The averages are a new tensor: whoever overwrites them does not overwrite x."""
    expect_own_memory(student, student.causal_average_loop, reference)


@question("causal_average_loop")
def test_loop_takes_long_sequences(student, reference):
    """A long sequence is averaged from its first token on, to the end."""
    x = torch.randn(1, draw(45, 60), 2)
    right = reference.causal_average_loop(x)
    expect_close(student.causal_average_loop(x), right, hint=AVERAGES)


@question("causal_average_weights", weight=2)
@pytest.mark.parametrize(("low", "high"), [(3, 7), (17, 24)])
def test_weights_share_evenly(student, reference, low, high):
    """Row t shares the weight 1 evenly among the tokens 0 to t."""
    length = draw(low, high)
    right = reference.causal_average_weights(length)
    expect_close(student.causal_average_weights(length), right, hint=EVENLY)


@question("causal_average_weights")
def test_weights_sum_to_one(student, reference):
    """Every row sums to 1."""
    length = draw(9, 12)
    weights = student.causal_average_weights(length)
    expect_rows_sum_to_one(weights)
    expect_close(weights, reference.causal_average_weights(length), hint=EVENLY)


@question("causal_average_weights")
def test_weights_hide_the_future(student, reference):
    """Every weight above the diagonal is exactly 0."""
    length = draw(5, 8)
    weights = expect_tensor(student.causal_average_weights(length), (length, length))
    expect_hidden_future(
        weights,
        "A token has a weight for one that comes after it. Which triangle is kept?",
    )
    expect_close(weights, reference.causal_average_weights(length), hint=EVENLY)


@question("causal_average_weights")
def test_weights_of_very_few_tokens(student, reference):
    """Two tokens share the weight of the second row, and a single token has the weight 1."""
    for length in (2, 1):
        expect_equal(
            student.causal_average_weights(length),
            reference.causal_average_weights(length),
        )


@question("causal_average_weights")
def test_weights_of_many_tokens(student, reference):
    """A text may have more than a hundred tokens."""
    length = draw(110, 160)
    right = reference.causal_average_weights(length)
    expect_close(student.causal_average_weights(length), right, hint=EVENLY)


@question("causal_average", weight=2)
def test_product_averages_each_row_with_all_before_it(student, reference):
    """Each row is the mean of itself and of all rows before it."""
    x = 3 * torch.randn(3, 5, 4)
    right = reference.causal_average(x)
    expect_close(student.causal_average(x), right, hint=AVERAGES)


@question("causal_average")
@pytest.mark.parametrize("shape", [(6, 4), (2, 3, 5, 4)])
def test_product_takes_any_number_of_leading_dimensions(student, reference, shape):
    """One sequence, or a batch of batches, works like a batch."""
    x = 3 * torch.randn(shape)
    expect_close(
        student.causal_average(x),
        reference.causal_average(x),
        hint="T is the last dimension but one.",
    )


@question("causal_average")
def test_product_leaves_its_input_alone(student, reference):
    """x is not overwritten."""
    expect_right_and_untouched(student.causal_average, reference.causal_average)


@question("causal_average")
def test_product_is_blind_to_the_future(student, reference):
    """A token of the future changes no earlier row."""
    expect_blind_to_the_future(student.causal_average, reference.causal_average)


@question("causal_average")
def test_product_keeps_sequences_apart(student, reference):
    """The sequences of a batch do not mix."""
    expect_separate_sequences(student.causal_average, reference.causal_average)


@question("causal_average")
def test_product_takes_very_few_tokens(student, reference):
    """A second token is averaged with the first, and a single token is its own average."""
    expect_short_sequences(student.causal_average, reference.causal_average)


@question("causal_average")
def test_product_keeps_float64(student, reference):
    """A float64 input gives a float64 result."""
    x = torch.randn(2, 4, 3, dtype=torch.float64)
    right = reference.causal_average(x)
    expect_close(
        student.causal_average(x), right, atol=1e-6
    )  # weights may have been float32
    pair = x[:, :2]  # the weights of two tokens, 1 and 1/2, are exact in any dtype
    expect_close(
        student.causal_average(pair),
        right[:, :2],
        hint="Is x itself turned into float32 on the way?",
    )


@question("causal_average")
def test_product_lets_gradients_through(student, reference):
    """Gradients flow back to x."""
    expect_gradient_of_averages(student.causal_average, reference.causal_average)


@question("causal_average")
def test_product_reads_any_memory_layout(student, reference):
    """A transposed input of many tokens works like any other."""
    x = torch.randn(3, 18, 2, 4).permute(2, 0, 1, 3)
    expect_close(student.causal_average(x), reference.causal_average(x))


@question("causal_average")
def test_product_takes_sizes_of_one_and_equal_sizes(student, reference):
    """Sizes of 1, and sizes that happen to be equal, make no difference."""
    for shape in ((1, 1, 1), (3, 4, 1), (1, 3, 3), (3, 3, 3), (2, 1, 3, 3, 2)):
        x = torch.randn(shape)
        expect_close(student.causal_average(x), reference.causal_average(x), hint=SIZES)


@question("causal_average")
def test_product_returns_a_new_tensor(student, reference):
    """The averages are a new tensor: whoever overwrites them does not overwrite x."""
    expect_own_memory(student, student.causal_average, reference)


@question("causal_average")
def test_product_takes_long_sequences(student, reference):
    """A long sequence is averaged from its first token on, to the end."""
    x = torch.randn(1, draw(110, 160), 2)
    right = reference.causal_average(x)
    expect_close(student.causal_average(x), right, hint=AVERAGES)


@question("causal_mask_scores", weight=2)
@pytest.mark.parametrize(("low", "high"), [(3, 7), (17, 24)])
def test_mask_is_zero_or_minus_infinity(student, reference, low, high):
    """Scores are 0 on and below the diagonal and -inf above it."""
    length = draw(low, high)
    right = reference.causal_mask_scores(length)
    expect_equal(student.causal_mask_scores(length), right, hint=SCORES)


@question("causal_mask_scores")
def test_mask_lets_each_token_see_itself(student):
    """Every token may look at itself."""
    length = draw(5, 9)
    scores = expect_no_nan(
        expect_tensor(student.causal_mask_scores(length), (length, length))
    )
    expect(
        not bool(scores.diagonal().isinf().any()),
        "A token is hidden from itself: its score on the diagonal is infinite. Where does the future begin?",
    )
    expect_equal(
        scores.tril(),
        torch.zeros(length, length),
        name="The part that may be seen",
        hint=SCORES,
    )
    future = torch.ones(length, length).triu(1) == 1
    expect(
        bool((scores[future] < 0).all()),
        "A token of the future has the same score as the token itself.",
    )


@question("causal_mask_scores")
def test_mask_hides_whatever_the_scores_are(student, reference):
    """Added to huge scores, it still hides the future completely."""
    length = draw(5, 9)
    mask = expect_no_nan(
        expect_tensor(student.causal_mask_scores(length), (length, length))
    )
    scores = 1e12 * torch.randn(length, length).abs().cumsum(dim=1)
    weights = torch.softmax(scores + mask, dim=1)
    expect_rows_sum_to_one(weights, "The softmax of the masked scores")
    expect_hidden_future(
        weights,
        "A large score shines through the mask. Does the mask hold minus infinity?",
    )
    expect_equal(mask, reference.causal_mask_scores(length), hint=SCORES)


@question("causal_mask_scores")
def test_mask_of_very_few_tokens(student, reference):
    """The first of two tokens does not see the second; a single one has nothing to hide."""
    for length in (2, 1):
        expect_equal(
            student.causal_mask_scores(length),
            reference.causal_mask_scores(length),
            hint=SCORES,
        )


@question("causal_mask_scores")
def test_mask_of_many_tokens(student, reference):
    """A text may have more than a hundred tokens."""
    length = draw(110, 160)
    right = reference.causal_mask_scores(length)
    expect_equal(student.causal_mask_scores(length), right, hint=SCORES)


@question("causal_softmax_weights", weight=2)
@pytest.mark.parametrize(("low", "high"), [(3, 7), (17, 24)])
def test_softmax_shares_evenly(student, reference, low, high):
    """Row t shares the weight 1 evenly among the tokens 0 to t."""
    length = draw(low, high)
    right = reference.causal_softmax_weights(length)
    expect_close(student.causal_softmax_weights(length), right, hint=MASKED)


@question("causal_softmax_weights")
def test_softmax_rows_sum_to_one(student, reference):
    """Every row sums to 1."""
    length = draw(9, 12)
    weights = student.causal_softmax_weights(length)
    expect_rows_sum_to_one(weights)
    expect_close(weights, reference.causal_softmax_weights(length), hint=MASKED)


@question("causal_softmax_weights")
def test_softmax_hides_the_future(student, reference):
    """Every weight above the diagonal is exactly 0."""
    length = draw(5, 8)
    weights = expect_no_nan(
        expect_tensor(student.causal_softmax_weights(length), (length, length))
    )
    expect_hidden_future(
        weights, "A hidden token has a weight. What is the exponential of its score?"
    )
    expect_close(weights, reference.causal_softmax_weights(length), hint=MASKED)


@question("causal_softmax_weights")
def test_softmax_of_very_few_tokens(student, reference):
    """Two tokens share the weight of the second row, and a single token has the weight 1."""
    for length in (2, 1):
        expect_close(
            student.causal_softmax_weights(length),
            reference.causal_softmax_weights(length),
        )


@question("causal_softmax_weights")
def test_softmax_of_many_tokens(student, reference):
    """A text may have more than a hundred tokens."""
    length = draw(110, 160)
    right = reference.causal_softmax_weights(length)
    expect_close(student.causal_softmax_weights(length), right, hint=MASKED)
