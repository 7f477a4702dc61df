"""Hidden tests of causal averaging: other lengths, batches and number types than the checks.

Basic tests compare numbers, in any shape and dtype. Each other test checks one property. Tests with several
batch dimensions, memory layouts or gradients compare results of the student's function with each other.
"""

import pytest
import torch

from autograder.testing import (
    draw,
    expect,
    expect_computed,
    expect_gradcheck,
    expect_inputs_unchanged,
    expect_no_nan,
    expect_numbers,
    expect_numel,
    expect_rows_sum_to_one,
    expect_tensor,
    question,
)

PRECISE = "float64 has 15 digits. Is a step of your code in float32?"
SCORES = "Row i holds the scores of token i. Which score do visible tokens need, and which do later tokens?"
SIZES = "Here x has the shape (T, C). Which dimension of x does your code use for T?"
AVERAGES = "Row t is the mean of the rows from 0 to t, including row t."
SHARES = {
    "causal_average_weights": "How many tokens are visible in row t?",
    "causal_softmax_weights": "Print a row of your masked scores. Which of them should be -inf?",
}

OVERWRITE = """
def overwrite(average, x):
    averages = average(x)
    with torch.no_grad():
        averages.fill_(7)
    return x
"""


def each_of(*names, **how):
    """Run a test once for each named function, as a test of the question with this name."""
    marked = [pytest.param(n, marks=question(n, **how), id=n) for n in names]
    return pytest.mark.parametrize("name", marked)


def each_average(**how):
    """Run a test for both functions that average."""
    return each_of("causal_average_loop", "causal_average", **how)


def each_table(**how):
    """Run a test for both functions that return weights."""
    return each_of(*SHARES, **how)


def averages_of(x):
    """Return the mean of each row and of all rows before it."""
    return x.cumsum(dim=-2) / torch.arange(1, x.shape[-2] + 1).unsqueeze(1)


def shares_of(length):
    """Return the weights that average each token with all tokens before it."""
    seen = torch.ones(length, length).tril()
    return seen / seen.sum(dim=1, keepdim=True)


def scores_of(length):
    """Return the right scores: 0 for each visible token, and -inf for each later token."""
    return torch.full((length, length), -torch.inf).triu(1)


def table_of(function, length):
    """Return the result of a call as a (T, T) tensor. Fail if all its rows are equal."""
    return expect_numel(expect_computed(function, length), (length, length))


def weights_of(function, length):
    """Return the weights of a call. Fail if all weights for earlier tokens are 0."""
    table = table_of(function, length)
    expect(bool(table.tril(-1).any()), "All weights for earlier tokens are 0.")
    return table


def mask_of(student, length):
    """Return the result of `causal_mask_scores`. Fail if the score of every later token is 0."""
    table = table_of(student.causal_mask_scores, length)
    expect(bool(table.triu(1).any()), f"The score of every later token is 0. {SCORES}")
    return table


# causal_average_loop and causal_average


@each_average(basic=True)
@pytest.mark.parametrize("shape", [(3, 5, 4), (3, 3, 3), (2, 50, 3)])
def test_each_row_is_averaged_with_all_before_it(student, name, shape):
    """Row t of the result is the mean of the rows 0 to t of x, in short and long sequences."""
    x = 3 * torch.randn(shape)
    expect_numbers(getattr(student, name)(x), averages_of(x), hint=AVERAGES)


@question("causal_average", basic=True)
def test_product_averages_a_single_sequence(student):
    """A single sequence without a batch dimension is averaged, too."""
    x = 3 * torch.randn(6, 4)
    expect_numbers(student.causal_average(x), averages_of(x), hint=SIZES)


@each_average()
def test_averages_of_very_few_tokens(student, name):
    """The second row is the mean of two tokens; the average of a single token is this token."""
    for length in (2, 1):
        x = torch.randn(2, length, 3)
        hint = f"Of which rows of x is row {length - 1} the mean?"
        expect_numbers(getattr(student, name)(x), averages_of(x), hint=hint)


@each_average()
def test_averages_of_very_long_sequences(student, name):
    """In a sequence of more than a hundred tokens, all averages start at the first token."""
    x = torch.randn(1, draw(110, 160), 1)
    expect_numbers(getattr(student, name)(x), averages_of(x), hint=AVERAGES)


@question("causal_average_loop", needs_results=True)
def test_loop_keeps_the_shape(student):
    """There is a row for each row of x; a batch dimension of size 1 is kept."""
    x = torch.randn(2, 5, 3)
    expect_tensor(expect_computed(student.causal_average_loop, x), x.shape)
    for shape in ((1, 4, 2), (2, 1, 1)):
        expect_tensor(student.causal_average_loop(torch.randn(shape)), shape)


@question("causal_average", needs_results=True)
def test_product_takes_any_number_of_leading_dimensions(student):
    """A sequence has the same averages alone, in a batch, and with more batch dimensions."""
    for shape in ((6, 4), (2, 3, 5, 4), (2, 1, 3, 3, 2)):
        x = torch.randn(shape)
        right = expect_tensor(student.causal_average(x.reshape(-1, *shape[-2:])))
        averages = expect_tensor(expect_computed(student.causal_average, x), shape)
        hint = "T is the second-to-last dimension."
        expect_numbers(averages, right, hint=hint)


@each_average()
def test_averages_keep_the_dtype(student, name):
    """The result has the dtype and the precision of x, float32 or float64."""
    for dtype in (torch.float32, torch.float64):
        x = torch.randn(3, 2, 3, dtype=dtype)  # 1 and 1/2 are exact in any dtype
        averages = getattr(student, name)(x)
        expect_numbers(averages, averages_of(x), hint=PRECISE)
        if isinstance(averages, torch.Tensor):  # other tests check the type
            expect_tensor(averages, dtype=dtype)


@each_average(needs_results=True)
def test_averages_leave_their_input_alone(student, name):
    """x is not overwritten."""
    expect_inputs_unchanged(getattr(student, name), x=torch.randn(3, 3, 3))


@each_average()
def test_averages_let_gradients_through(student, name):
    """Gradients flow back to x."""
    expect_gradcheck(getattr(student, name), x=torch.randn(3, 3, 3).double())


@each_average()
def test_averages_of_any_memory_layout(student, name):
    """A transposed x has the same averages as a contiguous x with the same numbers."""
    average, x = getattr(student, name), torch.randn(3, 3, 3).mT
    if name == "causal_average":
        x = torch.randn(3, 2, 3, 3).transpose(0, 1)  # `view` fails on this x
    expect_numbers(expect_computed(average, x), expect_tensor(average(x.contiguous())))


@each_average(needs_results=True)
def test_averages_are_a_new_tensor(student, name):
    """If the caller overwrites the averages, x does not change, even if x is a single token."""
    average, overwrite = getattr(student, name), student.define(OVERWRITE, "overwrite")
    expect_computed(average, torch.randn(3, 3, 3))
    for length in (1, 4):
        x = torch.randn(2, length, 3)
        same = torch.equal(expect_tensor(overwrite(average, x), x.shape), x)
        message = "The averages were overwritten, and x changed with them."
        expect(same, f"{message} Does your function return x itself, or a view of it?")


# causal_average_weights and causal_softmax_weights


@each_table(basic=True)
@pytest.mark.parametrize(("low", "high"), [(3, 7), (17, 24)])
def test_weights_of_some_tokens(student, name, low, high):
    """Row t holds 1 / (t + 1) for the tokens 0 to t, and exactly 0 for later tokens."""
    length = draw(low, high)
    weights = getattr(student, name)(length)
    expect_numbers(weights, shares_of(length), hint=SHARES[name])
    future = expect_numel(weights, (length, length)).triu(1)
    message = "A weight above the diagonal is small, but not exactly 0."
    expect(not future.any(), f"{message} Which step should set it to exactly 0?")


@each_table()
def test_weights_of_very_few_tokens(student, name):
    """With two tokens, both weights in row 1 are 1/2; the weight of a single token is 1."""
    for length in (2, 1):
        expect_numbers(getattr(student, name)(length), shares_of(length))


@each_table()
def test_weights_of_many_tokens(student, name):
    """The result is right for a text of more than a hundred tokens."""
    length = draw(110, 160)
    expect_numbers(getattr(student, name)(length), shares_of(length), hint=SHARES[name])


@each_table()
def test_rows_of_weights_sum_to_one(student, name):
    """Every row sums to 1."""
    table = weights_of(getattr(student, name), draw(5, 8))
    expect_rows_sum_to_one(table.float())


@each_table()
def test_weights_hide_the_future(student, name):
    """Every weight above the diagonal is exactly 0."""
    weights = weights_of(getattr(student, name), draw(5, 8))
    message = "A weight for a later token is not 0. Which triangle do you keep?"
    expect(bool((weights.triu(1) == 0).all()), message)


@each_table(needs_results=True)
def test_weights_have_a_row_and_a_column_for_each_token(student, name):
    """The weights have the shape (T, T), for a single token too."""
    for length in (5, 1):
        expect_tensor(getattr(student, name)(length), (length, length))


@each_table(needs_results=True)
def test_weights_are_float32(student, name):
    """The weights are float32."""
    expect_tensor(getattr(student, name)(5), dtype=torch.float32)


# causal_mask_scores


@question("causal_mask_scores", basic=True)
@pytest.mark.parametrize(("low", "high"), [(3, 7), (17, 24)])
def test_mask_is_zero_or_minus_infinity(student, low, high):
    """Scores are 0 on and below the diagonal and -inf above it."""
    length = draw(low, high)
    expect_numbers(student.causal_mask_scores(length), scores_of(length), hint=SCORES)


@question("causal_mask_scores")
def test_mask_of_very_few_tokens(student):
    """With two tokens, the first does not see the second; a single token sees itself."""
    for length in (2, 1):
        scores = student.causal_mask_scores(length)
        expect_numbers(scores, scores_of(length), hint=SCORES)


@question("causal_mask_scores")
def test_mask_of_many_tokens(student):
    """The result is right for a text of more than a hundred tokens."""
    length = draw(110, 160)
    expect_numbers(student.causal_mask_scores(length), scores_of(length), hint=SCORES)


@question("causal_mask_scores")
def test_mask_leaves_the_past_alone(student):
    """Every token sees itself and all earlier tokens."""
    scores = expect_no_nan(mask_of(student, draw(5, 8)))
    message = "The score of a visible token is not 0. On which diagonal does your triangle start?"
    expect(bool((scores.tril() == 0).all()), message)


@question("causal_mask_scores")
def test_mask_hides_whatever_the_scores_are(student):
    """The result hides later tokens even if it is added to very large scores."""
    length = draw(5, 8)
    mask = table_of(student.causal_mask_scores, length)
    scores = 1e12 * torch.randn(length, length).abs().cumsum(dim=1)
    weights = torch.softmax(scores + mask, dim=1)[:-1]
    message = "Later tokens are not hidden if their scores are very large. Which score hides a token?"
    expect(bool((weights.triu(1) == 0).all()), message)


@question("causal_mask_scores", needs_results=True)
def test_mask_has_a_row_and_a_column_for_each_token(student):
    """The scores have the shape (T, T), for a single token too."""
    for length in (5, 1):
        expect_tensor(student.causal_mask_scores(length), (length, length))


@question("causal_mask_scores", needs_results=True)
def test_mask_is_float32(student):
    """The scores are float32."""
    expect_tensor(student.causal_mask_scores(5), dtype=torch.float32)
