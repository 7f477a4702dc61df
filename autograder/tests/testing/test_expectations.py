"""Expectations say what was seen and what to think about, never what was expected."""

import re
from collections.abc import Callable

import pytest
import torch

from autograder.testing.expectations import (
    Unmet,
    expect,
    expect_close,
    expect_equal,
    expect_finite,
    expect_gradient,
    expect_rows_sum_to_one,
    expect_tensor,
    expect_unchanged,
)
from autograder.testing.student import Inspection

RIGHT = torch.tensor([[0.25, 0.75], [0.5, 0.5]])
NAN = torch.tensor([[0.25, float("nan")], [0.5, 0.5]])
CASES: list[tuple[Callable[[], object], str]] = [
    (lambda: expect_close(None, RIGHT), "The result must be a tensor, but it is None. Is a return missing?"),
    (lambda: expect_close(0.5, RIGHT), "it is a float. A 0-d tensor keeps the gradient"),
    (lambda: expect_close(RIGHT[0], RIGHT), "The result must have shape (2, 2), but it has (2,)."),
    (lambda: expect_close(RIGHT[0, 0], RIGHT[0, :1]), "The result must have shape (1,), but it has ()."),
    (lambda: expect_close(RIGHT.double(), RIGHT), "The result must be float32, but it is float64."),
    (lambda: expect_close(NAN, RIGHT), "The result has NaN at [0, 1]."),
    (lambda: expect_close(NAN, NAN), "The result has NaN at [0, 1]."),
    (
        lambda: expect_close(RIGHT + 1, RIGHT, hint="Look."),
        "4 of its 4 values are wrong, first at [0, 0]. Look.",
    ),
    (lambda: expect_close(RIGHT[0, 0] + 1, RIGHT[0, 0]), "The result has the wrong value."),
    (lambda: expect_equal(~(RIGHT > 0.4), RIGHT > 0.4), "4 of its 4 values are wrong"),
    (lambda: expect_finite(RIGHT / 0), "The result is infinite at [0, 0]."),
    (
        lambda: expect_rows_sum_to_one(RIGHT * 2),
        "Rows must sum to 1, but row 0 sums to 2. Over which dimension",
    ),
    (lambda: expect_rows_sum_to_one(RIGHT[0] * 2), "Rows must sum to 1, but the sum is 2."),
    (lambda: expect_rows_sum_to_one(torch.tensor([2.0, -1.0])), "The weights must not be negative."),
    (lambda: expect(False, "Plainly."), "Plainly."),
    (
        lambda: expect_unchanged(Inspection(None, (RIGHT + 1,), {}, {}), RIGHT),
        "The function must leave its inputs alone, but it changed input 1 in place.",
    ),
    (
        lambda: expect_gradient(Inspection(None, (), {0: None}, {}), {0: RIGHT}),
        "No gradient reaches input 1.",
    ),
    (
        lambda: expect_unchanged(Inspection(None, (RIGHT + 1,), {}, {}), RIGHT, names=("scores",)),
        "but it changed scores in place.",
    ),
    (
        lambda: expect_gradient(Inspection(None, (), {0: RIGHT + 1}, {}), {0: RIGHT}, names=("scores",)),
        "The gradient of scores has the right shape",
    ),
]


@pytest.mark.parametrize(("expectation", "message"), CASES, ids=[message[:40] for _, message in CASES])
def test_a_failed_expectation_says_what_was_seen(expectation: Callable[[], object], message: str) -> None:
    with pytest.raises(Unmet) as unmet:
        expectation()
    assert message in str(unmet.value)


def test_what_holds_passes_in_silence() -> None:
    expect_close(RIGHT + 1e-7, RIGHT)
    expect_equal(RIGHT.clone(), RIGHT)
    expect_rows_sum_to_one(RIGHT)
    expect_unchanged(Inspection(None, (RIGHT, 3), {}, {}), RIGHT)
    expect_gradient(Inspection(None, (), {1: RIGHT}, {}), {1: RIGHT})
    assert expect_tensor(RIGHT, (2, 2), torch.float32) is RIGHT


@pytest.mark.parametrize(("dtype", "off"), [(torch.float32, 1e-4), (torch.float64, 1e-7)])
def test_tolerance_follows_the_dtype(dtype: torch.dtype, off: float) -> None:
    with pytest.raises(Unmet):
        expect_close(RIGHT.to(dtype) + off, RIGHT.to(dtype))


def test_what_an_answer_names_is_shown_in_one_short_line() -> None:
    with pytest.raises(Unmet) as caught:
        expect_close(None, RIGHT, name=f"The gradient of a\n\x1b[2J{'b' * 3_000_000}")
    assert str(caught.value).startswith("The gradient of a [2Jbbb")
    assert len(str(caught.value)) == 500
    assert str(caught.value).isprintable()


def test_the_first_wrong_place_is_found_in_any_order_of_memory() -> None:
    wrong = torch.zeros(3, 4, 5)
    wrong[1, 2, 3:] = wrong[2] = float("nan")
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        place = wrong.permute(order).isnan().nonzero()[0].tolist()
        with pytest.raises(Unmet, match=f"NaN at {re.escape(str(place))}"):
            expect_finite(wrong.permute(order))
