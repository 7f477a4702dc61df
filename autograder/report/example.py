"""A small call with a wrong result: its numbers, and the tables and sentences that show them."""

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

# Limits of an example.
MOST_NUMBERS = 12  # numbers in one grid
MOST_GRIDS = 3  # arguments of the call, or tensors in its result
MOST_WEIGHTS = 6  # weights of the called object
MOST_DIMENSIONS = 4  # dimensions of a grid
_SHADES = 4  # colours for positive numbers; there are as many for negative numbers
_MOST_LISTED = 4  # wrong numbers in the sentence below an example
Number = float | str  # finite numbers are floats; other values are texts, such as "nan" and "True"


@dataclass(frozen=True, slots=True)
class Grid:
    """A small tensor or array, or a single value, with its numbers in one flat list."""

    name: str
    shape: tuple[int, ...]
    numbers: tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A call with a wrong result, and with inputs that students may see."""

    given: tuple[Grid, ...]  # the weights of the called object, if it has any, and then the arguments
    got: Grid  # the student's result
    asked: Grid  # the expected result
    made: str = ""  # the code that creates the object, or "" for a call of a function


def rounded(value: float | bool) -> Number:
    """Return a finite number rounded to four significant digits, and other values as text, such as "nan"."""
    if isinstance(value, bool):
        return str(value)
    text = f"{value:.4g}"
    number = float(text) + 0.0  # turns -0 into 0
    return number if math.isfinite(number) else text  # float() reads 1.798e+308 as infinity


class Cell(NamedTuple):
    """One number in a table."""

    text: str
    shade: str  # the CSS class of its colour
    wrong: bool


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of numbers under a caption. A tensor with more than two dimensions becomes several tables."""

    caption: str
    rows: tuple[tuple[Cell, ...], ...]
    columns: tuple[int, ...]  # the indices of the columns; empty for a single number
    numbered: bool  # whether the rows are numbered


class ExampleView(NamedTuple):
    """The tables and texts that show an example."""

    creation: str  # the code that creates the object
    given: tuple[Table, ...]
    got: tuple[Table, ...]
    asked: tuple[Table, ...]
    difference: tuple[Table, ...]  # the result minus the expected result; empty if the shapes differ
    words: str  # sentences about the wrong numbers or the wrong shape


def show_example(example: Example) -> ExampleView:
    """Return an example's tables and sentences."""
    wrong = _wrong(example)
    highest = max((abs(_finite(n)) for n in (*example.got.numbers, *example.asked.numbers)), default=0.0)
    return ExampleView(
        creation=example.made,
        given=tuple(table for grid in example.given for table in _tables(grid, set(), 0.0)),
        got=tuple(_tables(example.got, wrong, highest)),
        asked=tuple(_tables(example.asked, wrong, highest)),
        difference=tuple(_tables(_difference(example), wrong, highest)) if wrong else (),
        words=_words(example, sorted(wrong)),
    )


def _wrong(example: Example) -> set[int]:
    """Return the indices at which numbers differ; none if the shapes differ."""
    if example.got.shape != example.asked.shape:
        return set()
    pairs = enumerate(zip(example.got.numbers, example.asked.numbers, strict=True))
    return {index for index, (got, asked) in pairs if got != asked}


def _difference(example: Example) -> Grid:
    """Return the result minus the expected result, with "-" where one of the two values is a text."""
    pairs = zip(example.got.numbers, example.asked.numbers, strict=True)
    numbers = (
        "-" if str in (type(got), type(asked)) else rounded(float(got) - float(asked)) for got, asked in pairs
    )
    return Grid(example.got.name, example.got.shape, tuple(numbers))


def _words(example: Example, wrong: list[int]) -> str:
    got, asked = example.got, example.asked
    if got.shape != asked.shape:
        return f"Your result has the shape {got.shape} and should have the shape {asked.shape}."
    listed = [
        f"{_position(got.shape, n)} is {_text(got.numbers[n])} and should be {_text(asked.numbers[n])}"
        for n in wrong[:_MOST_LISTED]
    ]
    more = len(wrong) - len(listed)
    others = f" {more} more {'is' if more == 1 else 'are'} wrong." if more else ""
    sentence = "; ".join(listed)
    return f"{sentence[:1].upper()}{sentence[1:]}.{others}"


def _position(shape: tuple[int, ...], number: int) -> str:
    """Return the position of a number in words. Rows and columns are counted from 0."""
    match index := list(product(*map(range, shape)))[number]:
        case ():
            return "your result"
        case (element,):
            return f"element {element}"
        case (row, column):
            return f"row {row}, column {column}"
    return f"element {list(index)}"


def _tables(grid: Grid, wrong: set[int], highest: float) -> Iterator[Table]:
    """Yield a table for each matrix in a tensor. The absolute value `highest` gets the strongest colour."""
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


def _finite(number: Number) -> float:
    """Return a finite number unchanged, 1 for "True", and 0 for every other text."""
    with suppress(ValueError):
        value = float({"True": 1.0, "False": 0.0}.get(str(number), number))
        return value if math.isfinite(value) else 0.0
    return 0.0


def _shade(number: Number, highest: float) -> str:
    """Return the CSS class of a number's colour, or "none" for 0."""
    if highest == 0.0 or (value := _finite(number)) == 0.0:
        return "none"
    step = max(1, math.ceil(_SHADES * min(1.0, abs(value) / highest)))
    return f"{'plus' if value > 0 else 'minus'}-{step}"
