"""Finds the smallest call on disclosed inputs to which a submission gives a wrong answer."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from functools import cache, cached_property
from math import prod
from typing import Any

from autograder.report.example import (
    MOST_DIMENSIONS,
    MOST_GRIDS,
    MOST_NUMBERS,
    MOST_WEIGHTS,
    Example,
    Grid,
    rounded,
)
from autograder.report.text import shown
from autograder.testing.exchange import Exchange, is_same
from autograder.testing.expectations import Unmet
from autograder.testing.inputs import DISCLOSED
from autograder.testing.suite import Run, Suite
from autograder.worker.coding import MAX_INTEGER
from autograder.worker.protocol import Header, ProtocolError
from autograder.worker.values import Decoder

_CALLS = ("call", "inspect")
_CLOSE = 1e-3  # of a number: what differs less hardly shows in four places
_MOST_LETTERS = 60  # of a value that is shown as Python writes it
_WRITTEN = (str, bytes, int, complex, list, tuple, dict, set, frozenset, range, date)
_AsGrid = Callable[[str, Any], Grid | None]
_Grids = tuple[Grid, ...]


class Examples:
    """Finds examples for the questions of one suite.

    It runs the reference, where an answer is small enough, but never a submission: all that it reads is what
    crossed the pipe in runs on disclosed inputs.
    """

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._right = cache(lambda test: suite.reference_run(test, DISCLOSED).exchanges)
        self._grid = _numbers if suite.exercise.has_torch else _value_of_any_kind

    def of(self, question: str, failed: Sequence[Run]) -> Example | None:
        """Return the example with the fewest numbers in a question's failed tests, the first of equals.

        The runs have to be those on disclosed inputs.
        """
        wrong = (run for run in failed if isinstance(run.error, Unmet))
        found = (one for run in wrong for one in self._in_run(question, run))
        return min(found, key=_count, default=None)

    @property
    def limits(self) -> str:
        """The largest call that is shown, and what is never shown."""
        exercise = self._suite.exercise
        others = "" if exercise.has_torch else f" or {_MOST_LETTERS} characters; no tables"
        if "expect_printed" in exercise.suite.read_text(encoding="utf-8"):
            others += "; no calls by expect_printed"
        size = f"each of at most {MOST_NUMBERS} numbers{others}"
        return f"at most {MOST_GRIDS} arguments and {MOST_WEIGHTS} weights that the test sets by name, {size}"

    def without(self) -> Iterator[str]:
        """Yield each question whose wrong answers get no example, since no call in its tests can be shown.

        Right answers stand for wrong ones, which get the same arguments.
        """
        runs = self._suite.reference_runs
        for question in self._suite.exercise.points:
            own = (run for run in runs if run.test.question == question)
            if not any(True for run in own for _ in self._small_calls(question, run)):
                yield question

    def _in_run(self, question: str, run: Run) -> Iterator[Example]:
        for places, given, answer in self._small_calls(question, run):
            with suppress(ProtocolError, RecursionError):  # an answer that cannot be read is not shown
                right = self._right(run.test)
                same = places[-1] < len(right)
                if same and all(is_same(right[n].request, run.exchanges[n].request) for n in places):
                    made = self._made(question, run.exchanges[places[0]]) if len(places) > 1 else ""
                    yield from _wrong_parts(given, answer, _value(right[places[-1]]), made, self._grid)

    def _small_calls(self, question: str, run: Run) -> Iterator[tuple[tuple[int, ...], _Grids, object]]:
        """Yield each call in a run that is small enough to show: its places, what goes in, and the result."""
        for places in self._calls(question, run):
            with suppress(ProtocolError, RecursionError):  # an answer that cannot be read is not shown
                given = self._given(question, [run.exchanges[n] for n in places])
                answer = _value(run.exchanges[places[-1]])
                if given is not None and _grids(answer, self._grid):
                    yield places, given, answer

    def _calls(self, question: str, run: Run) -> Iterator[tuple[int, ...]]:
        """Yield the places of each call of a function, or of what belongs to each call of an object."""
        if inspect.isclass(self._solution[question]):
            yield from object_calls(question, run.exchanges)
            return
        for place, exchange in enumerate(run.exchanges):
            header = exchange.request[0]
            if header.get("of") == {"name": question} and header["op"] in _CALLS:
                yield (place,)

    def _given(self, question: str, exchanges: Sequence[Exchange]) -> _Grids | None:
        """Return all that goes into a call, weights first, or None where it is too much."""
        called = self._solution[question]
        called = vars(called)["forward"] if inspect.isclass(called) else called
        inputs = _all_grids(_named_arguments(called, exchanges[-1]), MOST_GRIDS, self._grid)
        weights = _all_grids(_weights(exchanges[1]), MOST_WEIGHTS, self._grid) if len(exchanges) > 1 else ()
        return None if inputs is None or weights is None else weights + inputs

    def _made(self, question: str, exchange: Exchange) -> str:
        """Return the code that made an object, in the words of the exercise."""
        named = _named_arguments(self._solution[question], exchange)
        if not all(isinstance(value, bool | int | float | str) for _, value in named):
            raise ProtocolError("an object was made of more than numbers")
        return f"{question}({', '.join(f'{name}={value!r}' for name, value in named)})"

    @cached_property
    def _solution(self) -> Mapping[str, Any]:
        return self._suite.namespace(self._suite.exercise.reference).variables


def object_calls(question: str, exchanges: Sequence[Exchange]) -> Iterator[tuple[int, int, int]]:
    """Yield where an object was made, given its weights by name, and called; `question` is its class."""
    made, loaded = dict[int, int](), dict[int, int]()  # where, by the numbers that objects go by
    owners = dict[int, int]()  # an object's number by that of its method
    for place, exchange in enumerate(exchanges):
        header, reply = exchange.request[0], exchange.reply[0]
        number, fresh = _number(header.get("of")), _number(reply.get("value"))
        if header.get("of") == {"name": question}:
            if fresh is not None and header["op"] == "call":
                made[fresh] = place
                loaded.pop(fresh, None)
        elif header["op"] == "attribute" and number in made and fresh is not None:
            owners[fresh] = number
        elif header["op"] in _CALLS:
            parts = _parts(header)
            given = next((one for one in map(_number, parts) if one in made), None)
            owner = given if number is None else owners.get(number, given)
            if owner is not None and any(isinstance(part, dict) and part.get("dict") for part in parts):
                loaded[owner] = place
            elif number in loaded:
                yield made[number], loaded[number], place


def _parts(header: Header) -> list[object]:
    """Return the arguments of a call as they cross the pipe."""
    match header.get("args"):
        case {"tuple": list(parts)}:
            return parts
    return []


def _number(code: object) -> int | None:
    """Return the number that an object goes by."""
    match code:
        case {"handle": int(number)} if type(number) is int:
            return number
    return None


def _named_arguments(function: Callable[..., Any], exchange: Exchange) -> list[tuple[str, Any]]:
    """Return the arguments of a call, with the names that the exercise has for them."""
    header, tensors = exchange.request
    decoder = Decoder(tensors, _refused)
    arguments = list(decoder.decode(header["args"]))
    own = [name for name in inspect.signature(function).parameters if name != "self"]
    names = [*own[: len(arguments)], *(f"input {n}" for n in range(len(arguments)))]
    return [*zip(names, arguments, strict=False), *decoder.decode(header["kwargs"]).items()]


def _weights(exchange: Exchange) -> list[tuple[str, Any]]:
    """Return the tensors that an object was given, by name."""
    header, tensors = exchange.request
    arguments = Decoder(tensors, lambda _: None).decode(header["args"])
    return [pair for part in arguments if isinstance(part, dict) for pair in part.items()]


def _all_grids(named: Sequence[tuple[str, Any]], most: int, grid: _AsGrid) -> _Grids | None:
    """Return all values as grids, or None where they are too many or one is too large."""
    grids = [grid(name, value) for name, value in named]
    whole = tuple(grid for grid in grids if grid is not None)
    return whole if len(whole) == len(named) <= most else None


def _wrong_parts(given: _Grids, answer: object, right: object, made: str, grid: _AsGrid) -> Iterator[Example]:
    """Yield an example for each part of an answer that is small and differs from the right one."""
    gots, askeds = _grids(answer, grid), _grids(right, grid)
    if len(gots) == len(askeds):
        pairs = zip(gots, askeds, strict=True)
        yield from (Example(given, got, asked, made) for got, asked in pairs if _differ(got, asked))


def _grids(answer: object, grid: _AsGrid) -> list[Grid]:
    """Return the tensors of an answer as grids; none where one of them is too large, or something else.

    In a course without torch an answer of any kind is one grid.
    """
    parts = answer if isinstance(answer, tuple | list) and grid is _numbers else [answer]
    if not 0 < len(parts) <= MOST_GRIDS:
        return []
    if grid is _numbers and not all(hasattr(part, "requires_grad") for part in parts):
        return []
    names = ["result"] if len(parts) == 1 else [f"result[{n}]" for n in range(len(parts))]
    grids = [grid(name, part) for name, part in zip(names, parts, strict=True)]
    whole = [grid for grid in grids if grid is not None]
    return whole if len(whole) == len(parts) else []


def _numbers(name: str, value: Any) -> Grid | None:
    """Return a number, tensor or array as a grid, or None where it is too large or holds no real numbers."""
    if isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < MAX_INTEGER):
        return Grid(name, (), (rounded(value),))
    shape = getattr(value, "shape", None)
    if shape is None or len(shape) > MOST_DIMENSIONS or not 0 < prod(shape) <= MOST_NUMBERS:
        return None
    flat = value.reshape(-1).tolist()
    if not all(isinstance(one, bool | int | float) for one in flat):
        return None
    return Grid(name, tuple(shape), tuple(map(rounded, flat)))


def _value_of_any_kind(name: str, value: Any) -> Grid | None:
    """Return a value as a grid: what holds no numbers is one word, as Python shows it, if that is short."""
    if isinstance(value, bool | float) or hasattr(value, "shape"):
        return _numbers(name, value) if not hasattr(value, "index") else None
    if value is not None and not isinstance(value, _WRITTEN):
        return None
    return Grid(name, (), (shown(value),)) if len(repr(value)) <= _MOST_LETTERS else None


def _differ(got: Grid, asked: Grid) -> bool:
    """Whether a reader sees that two grids differ, and not by rounding alone."""
    if got.shape != asked.shape:
        return True
    return any(
        one != other
        and (isinstance(one, str) or isinstance(other, str) or abs(one - other) > _CLOSE * abs(other))
        for one, other in zip(got.numbers, asked.numbers, strict=True)
    )


def _value(exchange: Exchange) -> object:
    header, tensors = exchange.reply
    return Decoder(tensors, _refused).decode(header["value"]) if "value" in header else None


def _refused(_: Header) -> object:
    raise ProtocolError("an object has no numbers that could be shown")


def _count(example: Example) -> int:
    return sum(len(grid.numbers) for grid in (*example.given, example.got, example.asked))
