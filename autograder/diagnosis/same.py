"""Decides whether two values, or the replies in two runs, are the same, except for rounding."""

import re
from collections.abc import Sequence
from math import isclose, isnan
from typing import Any

from autograder.testing.exchange import Exchange, Reply
from autograder.testing.expectations import equals
from autograder.testing.suite import Run
from autograder.worker.protocol import Header, ProtocolError
from autograder.worker.values import Decoder

# Tolerances for tensors and floats: the same steps in another order give another rounding error.
_RELATIVE, _ABSOLUTE = 1e-4, 1e-5
_FREE_TEXT_ERRORS = {"NameError", "AssertionError"}  # errors whose messages contain the student's own words
_NUMBER = re.compile(r"\d+")


def same_exchanges(expected: Sequence[Exchange], actual: Sequence[Exchange], *, texts: bool = False) -> bool:
    """Whether two runs of a test got the same replies. Strings are compared only if `texts` is true.

    Replies with tensors also contain strings that students choose, such as the names of layers.
    """
    return len(expected) == len(actual) and all(
        _same_reply(a.reply, b.reply, texts) for a, b in zip(expected, actual, strict=True)
    )


def agreement(first: Sequence[Run], second: Sequence[Run], *, texts: bool) -> float:
    """Return the fraction of the failed tests in which two students' answers got equal results.

    Return 0 unless both answers failed the same tests.
    """
    first_exchanges = {run.test.number: run.exchanges for run in first}
    if first_exchanges.keys() != {run.test.number for run in second}:
        return 0.0
    same = [same_exchanges(first_exchanges[run.test.number], run.exchanges, texts=texts) for run in second]
    return sum(same) / len(same)


def _same_reply(expected: Reply, actual: Reply, texts: bool) -> bool:
    if expected[0].keys() != actual[0].keys():
        return False
    if "error" in expected[0]:
        return _same_error(expected[0]["error"], actual[0]["error"])
    try:
        expected_values, actual_values = (
            [Decoder(tensors, _object_type).decode(header[key]) for key in expected[0]]
            for header, tensors in (expected, actual)
        )
        if texts:
            return equals(actual_values, expected_values, _ABSOLUTE)
        return _equal(expected_values, actual_values)
    except (ProtocolError, RecursionError):  # an unreadable reply differs from every reply
        return False


def _object_type(reference: Header) -> frozenset[str]:
    """Return the type of an object in the worker, without the number by which the worker refers to it.

    The type is in a set, because `_equal` compares sets, but ignores strings.
    """
    return frozenset({str(reference.get("type"))})


def _same_error(expected: Any, actual: Any) -> bool:
    """Whether two errors have the same type, the same words and, in any order, the same numbers.

    If students may have written the messages, only the types are compared.
    """
    if not isinstance(expected, dict) or not isinstance(actual, dict):
        return False
    if expected.get("type") != actual.get("type"):
        return False
    kind, messages = expected.get("type"), [str(error.get("message")) for error in (expected, actual)]
    if kind in _FREE_TEXT_ERRORS or (kind == "ValueError" and "unpack" not in "".join(messages)):
        return True
    words = [_NUMBER.sub("", message) for message in messages]
    numbers = [sorted(_NUMBER.findall(message)) for message in messages]
    return words[0] == words[1] and numbers[0] == numbers[1]


def _equal(first: Any, second: Any) -> bool:
    """Whether two values have the same form and, except for rounding, the same numbers.

    Strings are ignored. If two dicts have no key in common, only their values are compared.
    """
    if isinstance(first, dict) and isinstance(second, dict):
        if first.keys() != second.keys():
            return first.keys().isdisjoint(second) and _equal([*first.values()], [*second.values()])
        return all(_equal(value, second[key]) for key, value in first.items())
    if type(first) is not type(second):
        return False
    if isinstance(first, list | tuple):
        firsts, seconds = ([item for item in items if not isinstance(item, str)] for items in (first, second))
        return len(firsts) == len(seconds) and all(map(_equal, firsts, seconds))
    if hasattr(first, "numel"):
        return first.dtype == second.dtype and close(first, second)
    if isinstance(first, float):
        is_close = isclose(first, second, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)
        return is_close or (isnan(first) and isnan(second))
    return isinstance(first, str) or equals(second, first, _ABSOLUTE)


def close(first: Any, second: Any) -> bool:
    """Whether two tensors have the same shape and, except for rounding, the same numbers."""
    if first.shape != second.shape:
        return False
    return bool(_is_close(first.detach().double(), second.detach().double()).all())


def close_rows(rows: Any, vector: Any) -> list[bool]:
    """Return for each row of a matrix whether it has the numbers of a vector, except for rounding."""
    return [bool(row) for row in _is_close(rows, vector).all(dim=1)]


def _is_close(numbers: Any, others: Any) -> Any:
    """Return a boolean tensor of the numbers that are equal, except for rounding. NaN equals NaN."""
    return numbers.isclose(others, rtol=_RELATIVE, atol=_ABSOLUTE, equal_nan=True)
