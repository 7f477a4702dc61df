"""Keeps what expressions of a student's code give during a request, or puts other values in their place.

The grader edits the code: it writes a call of `Results`, by the name RECORD, around each expression.
"""

import sys
from typing import Any

RECORD = "_record_result"
_MOST_TIMES, _MOST_VALUES, _MOST_NUMBERS = 8, 900, 1 << 14  # of an expression, of all, and in one value


class Results:
    """Called with an expression's number and value, returns the value with which the code goes on."""

    def __init__(self) -> None:
        self.take(None, [])

    def take(self, number: int | None, values: list[Any], keep: object = True) -> list[list[Any]]:
        """Return the expressions in the order in which they first had a value, each with its values.

        From now on, the `values` take the place of those of an expression, one each time, and without `keep`
        nothing is kept.
        """
        found, left = list[list[Any]](), _MOST_VALUES
        for one, several in getattr(self, "_seen", {}).items():
            left -= len(several)
            if 0 < len(several) <= _MOST_TIMES and left >= 0:
                found.append([one, several])
        self._seen: dict[int, list[Any]] = {}
        self._number, self._instead, self._keep = number, values, keep
        return found

    def __call__(self, number: int, value: Any) -> Any:
        """Keep a copy of a value, and return it or another one of the same form."""
        if number == self._number and self._instead:
            value = _exchanged(value, self._instead.pop(0))
        if not self._keep:
            return value
        several = self._seen.setdefault(number, [])
        if isinstance(value, bool | int | float):
            several.append(value)
        elif hasattr(value, "detach") and 0 < value.numel() <= _MOST_NUMBERS and len(several) <= _MOST_TIMES:
            several.append(value.detach().clone())
        return value


def _exchanged(value: Any, other: Any) -> Any:
    """Return the other value if it has the same form; gradients flow back to what has made the first one."""
    forms = [(getattr(one, "shape", type(one)), getattr(one, "dtype", None)) for one in (value, other)]
    if forms[0] != forms[1]:
        return value
    if not getattr(value, "requires_grad", False):
        return other
    function: Any = sys.modules["torch"].autograd.Function

    class Instead(function):  # type: ignore[misc]
        """Gives the other value, and hands gradients on."""

        @staticmethod
        def forward(_: Any, __: Any, right: Any) -> Any:
            return right.clone()

        @staticmethod
        def backward(_: Any, gradient: Any) -> Any:
            return gradient, None

    return Instead.apply(value, other)
