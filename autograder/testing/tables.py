"""Expectations of hidden tests for pandas data frames, series and indexes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from autograder.report.text import short_repr
from autograder.testing.arrays import Array, unlike
from autograder.testing.expectations import Unmet, described, within

_MOST = 5  # largest number of column names that a message lists
_KINDS = {pd.DataFrame: "a DataFrame", pd.Series: "a Series", pd.Index: "an Index"}


def expect_frame(
    actual: object,
    expected: Any,
    *,
    atol: float | None = None,
    rtol: float = 1e-9,
    index: bool = True,
    in_order: bool = True,
    hint: str = "",
    name: str = "The result",
) -> None:
    """Expect a DataFrame, Series or Index with the labels and the values of `expected`.

    Numeric dtypes may differ, and numbers may differ by `atol` and `rtol`. If `index` is false, row labels
    may differ. If `in_order` is false, the order of the rows may differ. The message about wrong values ends
    with `hint`.
    """
    kind = next(kind for kind in _KINDS if isinstance(expected, kind))
    if not isinstance(actual, kind):
        raise Unmet(f"{name} must be {_KINDS[kind]}, but it is {described(actual)}")
    if isinstance(expected, pd.DataFrame) and list(actual.columns) != list(expected.columns):
        raise Unmet(
            f"{name} must have the columns {_listed(expected.columns)}, but it has {_listed(actual.columns)}."
        )
    if len(actual) != len(expected):
        raise Unmet(f"{name} must have {len(expected)} rows, but it has {len(actual)}.")
    columns, right = (dict(_columns(table, index=index)) for table in (actual, expected))
    if columns.keys() != right.keys():
        raise Unmet(f"The index of {within(name)} has the wrong number of levels.")
    orders = [np.arange(len(expected))] * 2 if in_order else [_order(columns), _order(right)]
    for column, values in right.items():
        wrong = unlike(columns[column][orders[0]], values[orders[1]], atol or 1e-9, rtol)
        if count := int(wrong.sum()):
            row = f", the first in row {int(np.argmax(wrong))}" if in_order else ""
            wrong_values = f"{count} of {len(wrong)} values are wrong in {column}{row}"
            raise Unmet(f"In {within(name)}, {wrong_values}. {hint}".rstrip())


def _columns(value: Any, *, index: bool) -> Iterator[tuple[str, Array]]:
    """Yield the name in messages and the values of each index level, then of each column."""
    if isinstance(value, pd.Index):
        yield from _levels(value, "its labels")
        return
    if index:
        yield from _levels(value.index, "its index")
    if isinstance(value, pd.Series):
        yield "its values", _plain(value)
        return
    for number, column in enumerate(value.columns):
        yield f"column {number}, {short_repr(column)}", _plain(value.iloc[:, number])


def _levels(index: pd.Index, words: str) -> Iterator[tuple[str, Array]]:
    for level in range(index.nlevels):
        yield words if not level else f"{words}, level {level}", _plain(index.get_level_values(level))


def _plain(values: Any) -> Array:
    """Return bools and numbers as float64, and values of all other dtypes as Python objects."""
    if values.dtype.kind in "biuf":
        plain: Array = values.to_numpy(dtype="float64", na_value=np.nan)
        return plain
    return np.asarray(values.astype(object), dtype=object)


def _order(columns: dict[str, Array]) -> Array:
    """Return the indices that sort the rows by their values."""
    texts = [
        [f"{value:.6g}" if isinstance(value, float) else repr(value) for value in column]
        for column in columns.values()
    ]
    rows = list(zip(*texts, strict=True))
    return np.array(sorted(range(len(rows)), key=rows.__getitem__), dtype=int)


def _listed(names: Any) -> str:
    first = ", ".join(short_repr(name) for name in list(names)[:_MOST])
    return f"{first} and {len(names) - _MOST} more" if len(names) > _MOST else first or "none"
