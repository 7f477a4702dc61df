"""Expectations of plain values, arrays, tables and figures say what was seen, and never what was expected."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest

from autograder.testing.arrays import expect_array
from autograder.testing.expectations import Unmet, equals, expect_equal, expect_unchanged
from autograder.testing.figures import expect_figure
from autograder.testing.student import Inspection
from autograder.testing.tables import expect_frame
from autograder.worker.figures import Axes, Drawn, Figure

ONES, NAN = np.ones(3), np.array([1.0, np.nan, 1.0])
TABLE = pd.DataFrame({"kind": ["oak", "elm"], "height": [10.0, 30.0]})
LINE = Drawn("rise", np.array([1.0, 2.0]), np.array([3.0, 4.0]))
PLOT = Axes("Heights", "x", "y", "linear", "linear", ("rise",), (LINE,), (), (), ())
SHOWN = Figure("", (PLOT,))


def shown(**changes: Any) -> Figure:
    return Figure("", (replace(PLOT, **changes),))


CASES: list[tuple[Callable[[], object], str]] = [
    (lambda: expect_equal(None, "a"), "The result must be a str, but it is None. Is a return missing?"),
    (
        lambda: expect_equal("Ab", "aB", hint="Look."),
        "which is wrong. Only upper and lower case differ. Look.",
    ),
    (lambda: expect_equal("a b", "ab\n"), "Only white space differs."),
    (lambda: expect_equal(2.5, 3), "must be an int, but it is a float."),
    (lambda: expect_equal("3", 3.0), "must be a number, but it is a str."),
    (lambda: expect_equal(1 << 5000, 1.5), "which is wrong."),
    (lambda: expect_equal(complex(1e308, 1e308), 1.5), "must be a number, but it is a complex."),
    (lambda: expect_equal(complex(1e308, 1e308), 1j), "which is wrong."),
    (lambda: expect_equal([1, 2], (1, 2)), "must be a tuple, but it is a list."),
    (lambda: expect_equal([1], [1, 2]), "must have 2 items, but it has 1."),
    (lambda: expect_equal([[1, 2]], [[1, 3]]), "result[0][1] is 2, which is wrong."),
    (lambda: expect_equal({"a": 1}, {"b": 1, "c": 2}), "lacks 2 of its 2 keys and holds 'a', which"),
    (lambda: expect_equal({"a": 1}, {"a": 2}), "result['a'] is 1, which is wrong."),
    (lambda: expect_equal({1, 2}, {1, 3, 4}), "lacks 2 of its 3 elements and holds 2"),
    (
        lambda: expect_equal(date(2026, 1, 1), date(2026, 1, 2)),
        "is datetime.date(2026, 1, 1), which is wrong.",
    ),
    (lambda: expect_equal([ONES], [ONES + 1]), "result[0] has the right shape, but 3 of"),
    (lambda: expect_array([1.0], ONES), "must be an array, but it is a list."),
    (lambda: expect_array(ONES[:2], ONES), "must have shape (3,), but it has (2,)."),
    (lambda: expect_array(ONES, ONES > 0), "must hold bool, but it holds float64."),
    (lambda: expect_array(ONES, ONES, dtype="float32"), "must hold float32, but it holds float64."),
    (lambda: expect_array(NAN, ONES), "The result has NaN at [1]."),
    (lambda: expect_array(ONES, NAN, hint="Look."), "1 of its 3 values is wrong, first at [1]. Look."),
    (lambda: expect_array(np.array(["a"]), np.array(["b"])), "The result has the wrong value."),
    (lambda: expect_array(np.array(["2026"], "M8[D]"), np.array(["2027"], "M8[Y]")), "the wrong value."),
    (lambda: expect_frame([1], TABLE), "must be a DataFrame, but it is a list."),
    (lambda: expect_frame(TABLE["kind"], TABLE), "must be a DataFrame, but it is a Series."),
    (lambda: expect_frame(TABLE[["height"]], TABLE), "the columns 'kind', 'height', but it has 'height'."),
    (lambda: expect_frame(TABLE[:1], TABLE), "must have 2 rows, but it has 1."),
    (lambda: expect_frame(TABLE.set_index(["kind", "height"], drop=False), TABLE), "number of levels."),
    (lambda: expect_frame(TABLE.set_index([[5, 6]]), TABLE), "2 wrong values of 2 in its index"),
    (lambda: expect_frame(TABLE.assign(height=[10, 31]), TABLE, hint="Look."), "in row 1. Look."),
    (lambda: expect_frame(TABLE[::-1], TABLE, index=False), "in column 0, 'kind', the first in row 0."),
    (lambda: expect_frame(TABLE.assign(height=1), TABLE, in_order=False), "2 wrong values of 2 in column 1"),
    (lambda: expect_frame(TABLE["height"] + 1, TABLE["height"]), "in its values"),
    (lambda: expect_frame(pd.Index([1]), pd.Index([2])), "in its labels"),
    (lambda: expect_figure(None, SHOWN), "must be a figure of matplotlib, but it is None."),
    (lambda: expect_figure(Figure("", ()), SHOWN), "must have 1 pair of axes, but it has 0."),
    (lambda: expect_figure(shown(xlabel=" "), SHOWN), "The figure has no label on its x axis."),
    (lambda: expect_figure(shown(title="Trees"), SHOWN, texts=True), "has another title than asked for."),
    (
        lambda: expect_figure(shown(yscale="log"), SHOWN),
        "y axis of the figure must be linear, but it is log.",
    ),
    (lambda: expect_figure(shown(legend=()), SHOWN), "The figure needs a legend with 1 entry."),
    (lambda: expect_figure(shown(lines=()), SHOWN), "must show 1 line, but it shows 0."),
    (
        lambda: expect_figure(shown(lines=(), bars=(LINE,)), shown(lines=(), bars=())),
        "must show 0 groups of bars",
    ),
    (lambda: expect_figure(shown(lines=(replace(LINE, y=LINE.x),)), SHOWN), "the data of the line."),
    (lambda: expect_figure(shown(images=(ONES,)), SHOWN), "another number of images."),
    (lambda: expect_unchanged(Inspection(None, ([1, 2],), {}, {}), [1]), "it changed input 1 in place."),
    (
        lambda: expect_unchanged(Inspection(None, (TABLE,), {}, {}), TABLE[:1], names=("trees",)),
        "changed trees in",
    ),
]


@pytest.mark.parametrize(("expectation", "message"), CASES, ids=[message[:50] for _, message in CASES])
def test_a_failed_expectation_says_what_was_seen(expectation: Callable[[], object], message: str) -> None:
    with pytest.raises(Unmet) as unmet:
        expectation()
    assert message in str(unmet.value)


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
        (NAN, NAN),
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


def test_what_holds_passes_in_silence() -> None:
    expect_frame(TABLE[::-1], TABLE, in_order=False)
    expect_frame(TABLE.set_index([[5, 6]]), TABLE, index=False)
    expect_figure(shown(title="Trees", lines=(replace(LINE, label=""),)), SHOWN)
    assert expect_array(ONES + 1e-12, ONES).tolist() == (ONES + 1e-12).tolist()
    expect_unchanged(Inspection(None, ("a", [1], ONES), {}, {}), [1], ONES)


def test_no_value_of_an_answer_makes_an_expectation_fail_otherwise() -> None:
    odd: list[Any] = [object(), NAN, SHOWN, pd.NA, pd.NaT, float("inf"), 1 << 4000, [NAN], {"a": NAN}, b""]
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
