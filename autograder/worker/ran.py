"""What an answer says of the call behind it: the operators that ran, and where the called code begins.

A worker says it, so it is checked in form and bounded before anybody looks at it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from autograder.worker.operators import MAX_NAME, MAX_OPERATORS
from autograder.worker.origin import MAX_PLACES
from autograder.worker.protocol import Header

_MAX_NUMBER = 1_000_000  # no notebook has so many cells, and no cell so many lines


@dataclass(frozen=True, slots=True)
class Ran:
    """What a worker says that one call ran."""

    operators: frozenset[str]
    origins: frozenset[tuple[int, int]]  # cells and lines in which the called code begins
    complete: bool  # whether it is said in the form that was asked for


def take_ran(reply: Header) -> tuple[Header, Ran]:
    """Return an answer without what it says of its call, and that; in a wrong form it is not complete."""
    said = reply.get("ran")
    rest = {key: value for key, value in reply.items() if key != "ran"}
    match said:
        case {"operators": list(names), "origins": list(places)} if len(names) <= MAX_OPERATORS:
            operators = frozenset(
                name for name in names if isinstance(name, str) and 0 < len(name) <= MAX_NAME
            )
            return rest, Ran(operators, frozenset(_places(places)), len(operators) == len(names))
    return rest, Ran(frozenset(), frozenset(), complete=False)


def _places(places: list[object]) -> Iterator[tuple[int, int]]:
    for place in places[:MAX_PLACES]:
        match place:
            case [cell, line] if type(cell) is type(line) is int and 0 <= cell < _MAX_NUMBER > line >= 0:
                yield cell, line
