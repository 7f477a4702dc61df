"""One small call that goes wrong: what went in, what came out, and what was asked for, as plain numbers."""

import math
from dataclasses import dataclass
from typing import Any

MOST_NUMBERS = 12  # of one grid
MOST_GRIDS = 3  # that go in
MOST_WEIGHTS = 6  # of an object
MOST_DIMENSIONS = 4
Number = float | str  # a word is "True" or "False", or a number that JSON has none for


@dataclass(frozen=True, slots=True)
class Grid:
    """A small tensor or a single number: its name, its shape and its numbers, row after row."""

    name: str
    shape: tuple[int, ...]
    numbers: tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A call on disclosed inputs, of a question's function or an object of its class, with a wrong answer."""

    given: tuple[Grid, ...]
    got: Grid
    asked: Grid
    made: str = ""  # how the object was made, as code; its weights stand first in what is given

    @staticmethod
    def from_dict(data: dict[str, Any]) -> "Example":
        """Rebuild an example from a report's JSON."""
        given, made = tuple(map(_grid, data["given"])), data.get("made", "")
        return Example(given, _grid(data["got"]), _grid(data["asked"]), made)


def rounded(value: float | bool) -> Number:
    """Return a number to four significant places, or the word for one that is not finite."""
    if isinstance(value, bool):
        return str(value)
    text = f"{value:.4g}"
    number = float(text) + 0.0  # which makes 0 of -0
    return number if math.isfinite(number) else text  # what rounds to 1.798e+308 has no number either


def _grid(data: dict[str, Any]) -> Grid:
    return Grid(data["name"], tuple(data["shape"]), tuple(data["numbers"]))
