"""Expectations say what was seen and what to think about, never what was expected."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from autograder.testing.arrays import expect_array
from autograder.testing.exchange import Local
from autograder.testing.expectations import (
    NotJudged,
    Unmet,
    equals,
    expect,
    expect_close,
    expect_equal,
    expect_unchanged,
)
from autograder.testing.figures import expect_figure
from autograder.testing.student import Inspection, Student
from autograder.testing.tables import expect_frame
from autograder.testing.tensors import (
    expect_computed,
    expect_dtype_kept,
    expect_finite,
    expect_gradcheck,
    expect_gradient,
    expect_inputs_unchanged,
    expect_moved,
    expect_numbers,
    expect_numel,
    expect_rows_sum_to_one,
    expect_tensor,
)
from autograder.worker.figures import Axes, Drawn, Figure
from autograder.worker.namespace import run_code

RIGHT = torch.tensor([[0.25, 0.75], [0.5, 0.5]])
NAN = torch.tensor([[0.25, float("nan")], [0.5, 0.5]])
ONES, GAP = np.ones(3), np.array([1.0, np.nan, 1.0])
TABLE = pd.DataFrame({"kind": ["oak", "elm"], "height": [10.0, 30.0]})
LINE = Drawn("rise", np.array([1.0, 2.0]), np.array([3.0, 4.0]))
PLOT = Axes("Heights", "x", "y", "linear", "linear", ("rise",), (LINE,), (), (), ())
SHOWN = Figure("", (PLOT,))


def shown(**changes: Any) -> Figure:
    return Figure("", (replace(PLOT, **changes),))


CASES: list[tuple[Callable[[], object], str]] = [
    (lambda: expect_close(None, RIGHT), "The result must be a tensor, but it is None. Is a return missing?"),
    (lambda: expect_close(0.5, RIGHT), "it is a float. A 0-d tensor keeps the gradient"),
    (lambda: expect_close(RIGHT[0], RIGHT), "The result must have shape (2, 2), but it has (2,)."),
    (lambda: expect_close(RIGHT[0, 0], RIGHT[0, :1]), "The result must have shape (1,), but it has ()."),
    (lambda: expect_close(RIGHT.double(), RIGHT), "The result must be float32, but it is float64."),
    (lambda: expect_close(NAN, RIGHT), "The result has NaN at [0, 1]."),
    (lambda: expect_close(NAN, NAN), "The result has NaN at [0, 1]."),
    (lambda: expect_close(RIGHT + 1, RIGHT, hint="Look."), "4 of its 4 values are wrong, first at [0, 0]."),
    (lambda: expect_close(RIGHT[0, 0] + 1, RIGHT[0, 0]), "The result has the wrong value."),
    (lambda: expect_equal(~(RIGHT > 0.4), RIGHT > 0.4), "4 of its 4 values are wrong"),
    (lambda: expect_numbers(RIGHT[0], RIGHT), "The result must have shape (2, 2), but it has (2,)."),
    (lambda: expect_numbers([0.25, "0.75"], RIGHT[0]), "The result must be a tensor, but it is a list"),
    (lambda: expect_numbers(NAN, RIGHT), "The result has NaN at [0, 1]."),
    (lambda: expect_numbers([0.25, 0.5], RIGHT[0]), "1 of its 2 values is wrong, first at [1]."),
    (lambda: expect_numel((), (2,)), "The result must be a tensor"),
    (lambda: expect_finite(RIGHT / 0), "The result is infinite at [0, 0]."),
    (lambda: expect_rows_sum_to_one(RIGHT * 2), "Rows must sum to 1, but row 0 sums to 2. Over which"),
    (lambda: expect_rows_sum_to_one(RIGHT[0] * 2), "Rows must sum to 1, but the sum is 2."),
    (lambda: expect_rows_sum_to_one(torch.tensor([2.0, -1.0])), "The weights must not be negative."),
    (lambda: expect(False, "Plainly."), "Plainly."),
    (lambda: expect_moved(torch.tensor(2.1), [RIGHT], "It is far off."), "It is far off."),
    (lambda: expect_moved(torch.tensor(2.0), [NAN], "It is no number."), "It is no number."),
    (lambda: expect_moved(torch.tensor(2.0), [RIGHT / 0], "It is infinite."), "It is infinite."),
    (
        lambda: expect_unchanged(Inspection(None, (RIGHT + 1,), {}, {}), RIGHT),
        "The function must not change its",
    ),
    (
        lambda: expect_gradient(Inspection(None, (), {0: None}, {}), expected={0: RIGHT}),
        "No gradient reaches input",
    ),
    (
        lambda: expect_unchanged(Inspection(None, (RIGHT + 1,), {}, {}), RIGHT, names=("scores",)),
        "but it changed scores in place.",
    ),
    (
        lambda: expect_gradient(
            Inspection(None, (), {0: RIGHT + 1}, {}), expected={0: RIGHT}, names=("scores",)
        ),
        "The gradient of scores has the right shape",
    ),
    (lambda: expect_equal(None, "a"), "The result must be a str, but it is None. Is a return missing?"),
    (lambda: expect_equal("Ab", "aB", hint="Look."), "which is wrong. Look."),
    (lambda: expect_equal(2.5, 3), "must be an int, but it is a float."),
    (lambda: expect_equal("3", 3.0), "must be a number, but it is a str."),
    (lambda: expect_equal(1 << 5000, 1.5), "which is wrong."),
    (lambda: expect_equal(complex(1e308, 1e308), 1.5), "must be a number, but it is a complex."),
    (lambda: expect_equal(complex(1e308, 1e308), 1j), "which is wrong."),
    (lambda: expect_equal([1, 2], (1, 2)), "must be a tuple, but it is a list."),
    (lambda: expect_equal([1], [1, 2]), "must have 2 items, but it has 1."),
    (lambda: expect_equal([[1, 2]], [[1, 3]]), "result[0][1] is 2, which is wrong."),
    (
        lambda: expect_equal({"a": 1}, {"b": 1, "c": 2}),
        "lacks 2 of the 2 expected keys and contains 'a', which",
    ),
    (lambda: expect_equal({"a": 1}, {"a": 2}), "result['a'] is 1, which is wrong."),
    (lambda: expect_equal({1, 2}, {1, 3, 4}), "lacks 2 of the 3 expected elements and contains 2"),
    (lambda: expect_equal(date(2026, 1, 1), date(2026, 1, 2)), "is datetime.date(2026, 1, 1), which is"),
    (lambda: expect_equal([ONES], [ONES + 1]), "result[0] has the right shape, but 3 of"),
    (lambda: expect_array([1.0], ONES), "must be an array, but it is a list."),
    (lambda: expect_array(ONES[:2], ONES), "must have shape (3,), but it has (2,)."),
    (lambda: expect_array(ONES, ONES > 0), "must have dtype bool, but it has float64."),
    (lambda: expect_array(ONES, ONES, dtype="float32"), "must have dtype float32, but it has float64."),
    (lambda: expect_array(GAP, ONES), "The result has NaN at [1]."),
    (lambda: expect_array(ONES, GAP, hint="Look."), "1 of its 3 values is wrong, first at [1]. Look."),
    (lambda: expect_array(np.array(["a"]), np.array(["b"])), "The result has the wrong value."),
    (lambda: expect_array(np.array(["2026"], "M8[D]"), np.array(["2027"], "M8[Y]")), "the wrong value."),
    (lambda: expect_frame([1], TABLE), "must be a DataFrame, but it is a list."),
    (lambda: expect_frame(TABLE["kind"], TABLE), "must be a DataFrame, but it is a Series."),
    (lambda: expect_frame(TABLE[["height"]], TABLE), "the columns 'kind', 'height', but it has 'height'."),
    (lambda: expect_frame(TABLE[:1], TABLE), "must have 2 rows, but it has 1."),
    (lambda: expect_frame(TABLE.set_index(["kind", "height"], drop=False), TABLE), "number of levels."),
    (lambda: expect_frame(TABLE.set_index([[5, 6]]), TABLE), "2 of 2 values are wrong in its index"),
    (lambda: expect_frame(TABLE.assign(height=[10, 31]), TABLE, hint="Look."), "in row 1. Look."),
    (lambda: expect_frame(TABLE[::-1], TABLE, index=False), "in column 0, 'kind', the first in row 0."),
    (
        lambda: expect_frame(TABLE.assign(height=1), TABLE, in_order=False),
        "2 of 2 values are wrong in column 1",
    ),
    (lambda: expect_frame(TABLE["height"] + 1, TABLE["height"]), "in its values"),
    (lambda: expect_frame(pd.Index([1]), pd.Index([2])), "in its labels"),
    (lambda: expect_figure(None, SHOWN), "must be a figure of matplotlib, but it is None."),
    (lambda: expect_figure(Figure("", ()), SHOWN), "must have 1 pair of axes, but it has 0."),
    (lambda: expect_figure(shown(xlabel=" "), SHOWN), "The figure has no label on its x axis."),
    (
        lambda: expect_figure(shown(title="Trees"), SHOWN, texts=True),
        "does not have the title that the question asks for.",
    ),
    (lambda: expect_figure(shown(yscale="log"), SHOWN), "y axis of the figure must be linear, but it is"),
    (lambda: expect_figure(shown(legend=()), SHOWN), "The figure needs a legend with 1 entry."),
    (lambda: expect_figure(shown(lines=()), SHOWN), "must show 1 line, but it shows 0."),
    (lambda: expect_figure(shown(lines=(), bars=(LINE,)), shown(lines=(), bars=())), "must show 0 groups"),
    (lambda: expect_figure(shown(lines=(replace(LINE, y=LINE.x),)), SHOWN), "the data of the line."),
    (lambda: expect_figure(shown(images=(ONES,)), SHOWN), "a wrong number of images."),
    (lambda: expect_unchanged(Inspection(None, ([1, 2],), {}, {}), [1]), "it changed input 1 in place."),
    (
        lambda: expect_unchanged(Inspection(None, (TABLE,), {}, {}), TABLE[:1], names=("trees",)),
        "changed trees in",
    ),
]

STUDENT = """
import torch

def product(x, w): return x @ w
def two_results(x, w): return x @ w, w @ x
def listed(x, w): return [row @ w for row in x]
def first_input(x, w): return x.clone()
def all_rows_alike(x, w): return (x @ w).mean(0).expand(4, 4)
def second_ignored(x, w): return x @ x
def in_single_precision(x, w): return (x.float() @ w.float()).to(x.dtype)
def always_double(x, w): return (x @ w).double()
def overwrites(x, w):
    result = x @ w
    w += 1
    return result
def detached(x, w): return x.detach() @ w
def half_detached(x, w): return x @ w + 3 * x.detach()
def no_number(x, w): return x.detach() @ w.detach() + (x - x + w - w).sum().sqrt()
def infinite(x, w): return x.detach() @ w.detach() + (x - x.detach() + w - w.detach()).sum().sqrt()
"""


@pytest.fixture
def student() -> Student:
    return Student(Local(run_code((STUDENT,))))


def test_values_and_properties_leave_all_else_to_other_tests(student: Student) -> None:
    x, w = torch.randn(2, 4, 4)
    for name in ("product", "two_results", "listed", "always_double", "overwrites", "detached"):
        expect_numbers(getattr(student, name)(x, w), x @ w, atol=1e-5)
        expect_computed(getattr(student, name), x, w)
    assert expect_numel(0.5, ()).item() == 0.5
    assert expect_numel([[1, 2], [3, 4]], (4,)).tolist() == [1, 2, 3, 4]
    for right in (student.product, student.two_results, student.detached):
        expect_dtype_kept(right, x, w)
        expect_inputs_unchanged(right, x=x, w=w)
    for right in (student.product, student.in_single_precision, student.always_double):
        expect_inputs_unchanged(right, x=x, w=w)
    expect_gradcheck(student.product, x=x.double(), w=w.double())
    expect_moved(torch.tensor(2.01), [RIGHT[0], RIGHT[1]], "A hundredth off is near enough.")


@pytest.mark.parametrize(
    ("name", "expectation", "message"),
    [
        ("first_input", expect_computed, "The result is one of the inputs."),
        ("all_rows_alike", expect_computed, "All rows of the result are the same."),
        ("second_ignored", expect_computed, "The result does not depend on input 2."),
        (
            "in_single_precision",
            expect_dtype_kept,
            "A change in the ninth digit of the inputs does not show in",
        ),
        ("always_double", expect_dtype_kept, "The result must be float32, but it is float64."),
        ("second_ignored", expect_dtype_kept, "The result does not depend on input 2."),
        ("overwrites", expect_inputs_unchanged, "it changed w in place."),
        ("second_ignored", expect_inputs_unchanged, "The result does not depend on w."),
        ("detached", expect_gradcheck, "No gradient reaches x."),
        (
            "half_detached",
            expect_gradcheck,
            "The gradient of x does not match how the result changes with x.",
        ),
        ("no_number", expect_gradcheck, "The gradient of x has NaN at [0, 0]."),
        ("infinite", expect_gradcheck, "The gradient of x is infinite at [0, 0]."),
        ("all_rows_alike", expect_gradcheck, "All rows of the result are the same."),
    ],
)
def test_a_property_that_is_missing_is_named(
    student: Student, name: str, expectation: Callable[..., object], message: str
) -> None:
    x, w = torch.randn(2, 4, 4).double()
    function, by_name = getattr(student, name), expectation in (expect_inputs_unchanged, expect_gradcheck)
    with pytest.raises(Unmet, match=re.escape(message)):
        expectation(function, x=x, w=w) if by_name else expectation(function, x, w)


def test_a_property_that_could_not_show_was_not_judged(student: Student) -> None:
    x, w = torch.randn(2, 4, 4).double()
    with pytest.raises(NotJudged, match="does not depend on w"):
        expect_inputs_unchanged(student.second_ignored, x=x, w=w)
    with pytest.raises(Unmet, match="it changed w in place") as failed:
        expect_inputs_unchanged(student.overwrites, x=x, w=w)
    assert not isinstance(failed.value, NotJudged)


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
    expect_gradient(Inspection(None, (), {1: RIGHT}, {}), expected={1: RIGHT})
    assert expect_tensor(RIGHT, (2, 2), torch.float32) is RIGHT
    expect_frame(TABLE[::-1], TABLE, in_order=False)
    expect_frame(TABLE.set_index([[5, 6]]), TABLE, index=False)
    expect_figure(shown(title="Trees", lines=(replace(LINE, label=""),)), SHOWN)
    assert expect_array(ONES + 1e-12, ONES).tolist() == (ONES + 1e-12).tolist()
    expect_unchanged(Inspection(None, ("a", [1], ONES), {}, {}), [1], ONES)


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


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (np.float64(2.5), 2.5),
        (0.1 + 0.2, 0.3),
        (3, 3.0),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (True, 1),
        (float("nan"), float("nan")),
        ({"a": 1}, Counter("a")),
        ([{1: (2, {3})}], [{1: (2.0, {3})}]),
        (np.array([1, 2], "int32"), np.array([1.0, 2.0])),
        (np.array([0.1], "float32"), np.array([0.1])),
        (GAP, GAP),
        (2.0, np.array(2.0)),
        (np.array(["a", None], object), np.array(["a", None], object)),
        (TABLE.astype({"height": int}), TABLE),
        (pd.Series(["a"], dtype="category"), pd.Series(["a"])),
        (pd.Series([1, None], dtype="Int64"), pd.Series([1.0, np.nan])),
    ],
    ids=str,
)
def test_what_is_of_the_kind_that_was_asked_for_is_right(actual: object, expected: object) -> None:
    assert equals(actual, expected)


def test_no_value_of_an_answer_makes_an_expectation_fail_otherwise() -> None:
    odd: list[Any] = [object(), GAP, SHOWN, pd.NA, pd.NaT, float("inf"), 1 << 4000, [GAP], {"a": GAP}, b""]
    right: list[Any] = [
        1,
        1.5,
        1j,
        "a",
        [1],
        {"a": 1},
        {1},
        ONES,
        TABLE,
        TABLE["kind"],
        date(2026, 1, 1),
        True,
    ]
    for actual in odd:
        for expected in right:
            assert not equals(actual, expected)
            assert not equals([actual], [expected])
        for table in (pd.DataFrame({"x": [actual, 1]}), pd.Series([actual, "a"], dtype=object)):
            assert not equals(table, table[:1])
            assert not equals(table, type(table)([7, 8], index=[0, 1]))


def test_gradients_after_an_inspection_are_named_as_expected() -> None:
    """Without `expected`, the values of the gradients would not be compared."""
    with pytest.raises(TypeError, match="give gradients as expected="):
        expect_gradient(Inspection(None, (), {0: RIGHT}, {}), {0: RIGHT + 1})
