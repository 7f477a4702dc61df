"""One small call that goes wrong, as plain numbers, and its tables, with colours and with words."""

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

MOST_NUMBERS = 12  # of one grid
MOST_GRIDS = 3  # that go in
MOST_WEIGHTS = 6  # of an object
MOST_DIMENSIONS = 4
_SHADES = 4  # on either side of zero
_MOST_WORDS = 4  # wrong numbers that are named one by one
Number = float | str  # a word is a number that JSON has none for, or a value of another kind


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


def rounded(value: float | bool) -> Number:
    """Return a number to four significant places, or the word for one that is not finite."""
    if isinstance(value, bool):
        return str(value)
    text = f"{value:.4g}"
    number = float(text) + 0.0  # which makes 0 of -0
    return number if math.isfinite(number) else text  # what rounds to 1.798e+308 has no number either


class Cell(NamedTuple):
    """One number, the name of its colour, and whether it is wrong."""

    text: str
    shade: str
    wrong: bool


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of numbers under a caption; a tensor of more than two dimensions takes several tables."""

    caption: str
    rows: tuple[tuple[Cell, ...], ...]
    columns: tuple[int, ...]  # their numbers, where they have any
    numbered: bool  # whether the rows have numbers


class ExampleView(NamedTuple):
    """What the page shows of an example."""

    made: str
    given: tuple[Table, ...]
    got: tuple[Table, ...]
    asked: tuple[Table, ...]
    difference: tuple[Table, ...]  # yours less the expected one, where both are numbers in one shape
    words: str


def show_example(example: Example) -> ExampleView:
    """Return the tables of an example and the sentences that say what is wrong."""
    wrong = _wrong(example)
    highest = max((abs(_size(n)) for n in (*example.got.numbers, *example.asked.numbers)), default=0.0)
    return ExampleView(
        made=example.made,
        given=tuple(table for grid in example.given for table in _tables(grid, set(), 0.0)),
        got=tuple(_tables(example.got, wrong, highest)),
        asked=tuple(_tables(example.asked, wrong, highest)),
        difference=tuple(_tables(_difference(example), wrong, highest)) if wrong else (),
        words=_words(example, sorted(wrong)),
    )


def _wrong(example: Example) -> set[int]:
    """Return the places at which numbers differ; none where the shapes do."""
    if example.got.shape != example.asked.shape:
        return set()
    pairs = enumerate(zip(example.got.numbers, example.asked.numbers, strict=True))
    return {place for place, (got, asked) in pairs if got != asked}


def _difference(example: Example) -> Grid:
    """Return how far the numbers are from the expected ones; what is no number has no difference."""
    pairs = zip(example.got.numbers, example.asked.numbers, strict=True)
    numbers = (
        "-" if str in (type(got), type(asked)) else rounded(float(got) - float(asked)) for got, asked in pairs
    )
    return Grid(example.got.name, example.got.shape, tuple(numbers))


def _words(example: Example, wrong: list[int]) -> str:
    got, asked = example.got, example.asked
    if got.shape != asked.shape:
        return f"Your result has the shape {got.shape} and should have {asked.shape}."
    named = [
        f"{_place(got.shape, n)} is {_text(got.numbers[n])} and should be {_text(asked.numbers[n])}"
        for n in wrong[:_MOST_WORDS]
    ]
    more = len(wrong) - len(named)
    others = f" {more} more {'is' if more == 1 else 'are'} wrong." if more else ""
    sentence = "; ".join(named)
    return f"{sentence[:1].upper()}{sentence[1:]}.{others}"


def _place(shape: tuple[int, ...], number: int) -> str:
    """Say where a number stands; rows and columns count from 0, as in torch."""
    match index := list(product(*map(range, shape)))[number]:
        case ():
            return "your result"
        case (place,):
            return f"element {place}"
        case (row, column):
            return f"row {row}, column {column}"
    return f"element {list(index)}"


def _tables(grid: Grid, wrong: set[int], highest: float) -> Iterator[Table]:
    """Yield a table for each matrix in a grid."""
    *front, height, width = (1, 1, *grid.shape)[-max(2, len(grid.shape)) :]
    cells = [Cell(_text(n), _shade(n, highest), i in wrong) for i, n in enumerate(grid.numbers)]
    dimensions = len(grid.shape)
    for count, index in enumerate(product(*map(range, front))):
        first = count * height * width
        starts = range(first, first + height * width, width)
        rows = tuple(tuple(cells[start : start + width]) for start in starts)
        caption = f"{grid.name}[{', '.join(map(str, index))}]" if front else grid.name
        columns = tuple(range(width)) if dimensions else ()
        yield Table(caption, rows, columns, dimensions > 1)


def _text(number: Number) -> str:
    return number if isinstance(number, str) else f"{number:.4g}"


def _size(number: Number) -> float:
    """Return how far a number that has an end is from zero, with its sign; words have no size but truth."""
    with suppress(ValueError):
        value = float({"True": 1.0, "False": 0.0}.get(str(number), number))
        return value if math.isfinite(value) else 0.0
    return 0.0


def _shade(number: Number, highest: float) -> str:
    """Return the colour of a number: one side for positive ones, one for negative, darker if larger."""
    if highest == 0.0 or (value := _size(number)) == 0.0:
        return "none"
    step = max(1, math.ceil(_SHADES * min(1.0, abs(value) / highest)))
    return f"{'plus' if value > 0 else 'minus'}-{step}"
