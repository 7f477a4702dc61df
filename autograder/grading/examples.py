"""Finds the smallest call on disclosed inputs that returns a wrong result in a submission."""

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
from autograder.report.text import short_repr
from autograder.testing.exchange import Exchange, is_same
from autograder.testing.expectations import Unmet
from autograder.testing.inputs import DISCLOSED
from autograder.testing.suite import Run, Suite
from autograder.worker.coding import MAX_INTEGER
from autograder.worker.protocol import Header, ProtocolError
from autograder.worker.values import Decoder

_CALLS = ("call", "inspect")
_CLOSE = 1e-3  # greatest relative difference of two numbers that looks like a rounding error
_MOST_LETTERS = 60  # greatest number of characters in the repr of a value
_WRITTEN = (str, bytes, int, complex, list, tuple, dict, set, frozenset, range, date)
_AsGrid = Callable[[str, Any], Grid | None]
_Grids = tuple[Grid, ...]


class Examples:
    """Finds examples for the questions of one suite.

    A call and its wrong result come from a submission's runs on disclosed inputs, which students may see. A
    run has exchanges: a request of the test and the worker's reply. The reference gives the right result.
    """

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._right = cache(lambda test: suite.reference_run(test, DISCLOSED).exchanges)
        self._grid = _numbers_as_grid if suite.exercise.has_torch else _value_as_grid

    def of(self, question: str, failed: Sequence[Run]) -> Example | None:
        """From the `failed` runs, return the example with the fewest numbers, or None.

        All runs must be on disclosed inputs.
        """
        wrong = (run for run in failed if isinstance(run.error, Unmet))
        examples = (example for run in wrong for example in self._examples_in(question, run))
        return min(examples, key=_count_numbers, default=None)

    @property
    def limits(self) -> str:
        """A text that says how large a call may be, and which calls are never shown."""
        exercise = self._suite.exercise
        characters = "" if exercise.has_torch else f" or {_MOST_LETTERS} characters"
        never = [] if exercise.has_torch else ["tables"]
        if "expect_printed" in exercise.suite.read_text(encoding="utf-8"):
            never.append("calls by expect_printed")
        end = f"; never {' or '.join(never)}" if never else ""
        size = f"each with at most {MOST_NUMBERS} numbers{characters}{end}"
        weights = f"{MOST_WEIGHTS} weight tensors that the test sets"
        return f"at most {MOST_GRIDS} arguments and {weights}, {size}"

    def questions_without_example(self) -> Iterator[str]:
        """Yield each question for which no example can be shown, because its tests make no small calls."""
        for question in self._suite.exercise.points:
            runs = (run for run in self._suite.reference_runs if run.test.question == question)
            if not any(True for run in runs for _ in self._small_calls(question, run)):
                yield question

    def _examples_in(self, question: str, run: Run) -> Iterator[Example]:
        for indices, inputs, answer in self._small_calls(question, run):
            with suppress(ProtocolError, RecursionError):  # skip a call that cannot be shown
                right = self._right(run.test)
                has_last = indices[-1] < len(right)
                if has_last and all(is_same(right[n].request, run.exchanges[n].request) for n in indices):
                    code = self._creation(question, run.exchanges[indices[0]]) if len(indices) > 1 else ""
                    yield from _wrong_parts(inputs, answer, _value(right[indices[-1]]), code, self._grid)

    def _small_calls(self, question: str, run: Run) -> Iterator[tuple[tuple[int, ...], _Grids, object]]:
        """Yield each call that is small enough: the indices of its exchanges, its inputs and its result."""
        for indices in self._calls(question, run):
            with suppress(ProtocolError, RecursionError):  # skip a call with a malformed reply
                inputs = self._inputs(question, [run.exchanges[n] for n in indices])
                answer = _value(run.exchanges[indices[-1]])
                if inputs is not None and _grids(answer, self._grid):
                    yield indices, inputs, answer

    def _calls(self, question: str, run: Run) -> Iterator[tuple[int, ...]]:
        """Yield each call of the question's function or of an object, as the indices of its exchanges."""
        if inspect.isclass(self._solution[question]):
            yield from object_calls(question, run.exchanges)
            return
        for index, exchange in enumerate(run.exchanges):
            header = exchange.request[0]
            if header.get("of") == {"name": question} and header["op"] in _CALLS:
                yield (index,)

    def _inputs(self, question: str, exchanges: Sequence[Exchange]) -> _Grids | None:
        """Return the weights and arguments of a call, or None if they are too many or too large."""
        called = self._solution[question]
        called = vars(called)["forward"] if inspect.isclass(called) else called
        inputs = _all_grids(_named_arguments(called, exchanges[-1]), MOST_GRIDS, self._grid)
        weights = _all_grids(_weights(exchanges[1]), MOST_WEIGHTS, self._grid) if len(exchanges) > 1 else ()
        return None if inputs is None or weights is None else weights + inputs

    def _creation(self, question: str, exchange: Exchange) -> str:
        """Return the code that created an object, with the solution's parameter names."""
        named = _named_arguments(self._solution[question], exchange)
        if not all(isinstance(value, bool | int | float | str) for _, value in named):
            raise ProtocolError("an object was created with an argument other than a number or a string")
        return f"{question}({', '.join(f'{name}={value!r}' for name, value in named)})"

    @cached_property
    def _solution(self) -> Mapping[str, Any]:
        return self._suite.namespace(self._suite.exercise.reference).variables


def object_calls(question: str, exchanges: Sequence[Exchange]) -> Iterator[tuple[int, int, int]]:
    """Yield three indices for each call of an object whose weights the test has set by name.

    They are the indices of the exchanges that created the object, set its weights, and called it. `question`
    is the name of the object's class.
    """
    created, loaded = dict[int, int](), dict[int, int]()  # indices of exchanges, by the object's handle
    owners = dict[int, int]()  # the handle of an object, by the handle of its method
    for index, exchange in enumerate(exchanges):
        header, reply = exchange.request[0], exchange.reply[0]
        handle, new_handle = _handle(header.get("of")), _handle(reply.get("value"))
        if header.get("of") == {"name": question}:
            if new_handle is not None and header["op"] == "call":
                created[new_handle] = index
                loaded.pop(new_handle, None)
        elif header["op"] == "attribute" and handle in created and new_handle is not None:
            owners[new_handle] = handle
        elif header["op"] in _CALLS:
            arguments = _encoded_arguments(header)
            argument_handle = next((number for number in map(_handle, arguments) if number in created), None)
            owner = argument_handle if handle is None else owners.get(handle, argument_handle)
            if owner is not None and any(isinstance(arg, dict) and arg.get("dict") for arg in arguments):
                loaded[owner] = index
            elif handle in loaded:
                yield created[handle], loaded[handle], index


def _encoded_arguments(header: Header) -> list[object]:
    """Return the positional arguments of a call in the worker's encoding."""
    match header.get("args"):
        case {"tuple": list(arguments)}:
            return arguments
    return []


def _handle(code: object) -> int | None:
    """Return the handle, by which a worker refers to an object, or None for another value."""
    match code:
        case {"handle": int(number)} if type(number) is int:
            return number
    return None


def _named_arguments(function: Callable[..., Any], exchange: Exchange) -> list[tuple[str, Any]]:
    """Return the arguments of a call, with the solution's parameter names."""
    header, tensors = exchange.request
    decoder = Decoder(tensors, _refused)
    arguments = list(decoder.decode(header["args"]))
    parameters = [name for name in inspect.signature(function).parameters if name != "self"]
    names = [*parameters[: len(arguments)], *(f"input {n}" for n in range(len(arguments)))]
    return [*zip(names, arguments, strict=False), *decoder.decode(header["kwargs"]).items()]


def _weights(exchange: Exchange) -> list[tuple[str, Any]]:
    """Return the names and tensors in all dicts among the positional arguments of a call."""
    header, tensors = exchange.request
    arguments = Decoder(tensors, lambda _: None).decode(header["args"])
    return [pair for part in arguments if isinstance(part, dict) for pair in part.items()]


def _all_grids(named: Sequence[tuple[str, Any]], most: int, grid: _AsGrid) -> _Grids | None:
    """Return all values as grids of numbers, or None if they are too large or too many."""
    grids = [grid(name, value) for name, value in named]
    whole = tuple(grid for grid in grids if grid is not None)
    return whole if len(whole) == len(named) <= most else None


def _wrong_parts(
    inputs: _Grids, answer: object, right: object, creation: str, grid: _AsGrid
) -> Iterator[Example]:
    """Yield an example for each part of the result `answer` that differs from `right`."""
    actual, expected = _grids(answer, grid), _grids(right, grid)
    if len(actual) == len(expected):
        pairs = zip(actual, expected, strict=True)
        yield from (Example(inputs, got, asked, creation) for got, asked in pairs if _differ(got, asked))


def _grids(answer: object, grid: _AsGrid) -> list[Grid]:
    """Return the tensors of a result as grids; an empty list if a part is too large or not a tensor.

    In a course without torch, the whole result is one grid.
    """
    parts = answer if isinstance(answer, tuple | list) and grid is _numbers_as_grid else [answer]
    if not 0 < len(parts) <= MOST_GRIDS:
        return []
    if grid is _numbers_as_grid and not all(hasattr(part, "requires_grad") for part in parts):
        return []
    names = ["result"] if len(parts) == 1 else [f"result[{n}]" for n in range(len(parts))]
    grids = [grid(name, part) for name, part in zip(names, parts, strict=True)]
    whole = [grid for grid in grids if grid is not None]
    return whole if len(whole) == len(parts) else []


def _numbers_as_grid(name: str, value: Any) -> Grid | None:
    """Return a number, tensor or array as a grid, or None if it is too large or has no real numbers."""
    if isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < MAX_INTEGER):
        return Grid(name, (), (rounded(value),))
    shape = getattr(value, "shape", None)
    if shape is None or len(shape) > MOST_DIMENSIONS or not 0 < prod(shape) <= MOST_NUMBERS:
        return None
    flat = value.reshape(-1).tolist()
    if not all(isinstance(number, bool | int | float) for number in flat):
        return None
    return Grid(name, tuple(shape), tuple(map(rounded, flat)))


def _value_as_grid(name: str, value: Any) -> Grid | None:
    """Return a value as a grid, or None if it is too large. A value without numbers is shown by its repr."""
    if isinstance(value, bool | float) or hasattr(value, "shape"):
        return _numbers_as_grid(name, value) if not hasattr(value, "index") else None
    if value is not None and not isinstance(value, _WRITTEN):
        return None
    return Grid(name, (), (short_repr(value),)) if len(repr(value)) <= _MOST_LETTERS else None


def _differ(got: Grid, asked: Grid) -> bool:
    """Whether two grids differ by more than a rounding error."""
    if got.shape != asked.shape:
        return True
    return any(
        actual != right
        and (isinstance(actual, str) or isinstance(right, str) or abs(actual - right) > _CLOSE * abs(right))
        for actual, right in zip(got.numbers, asked.numbers, strict=True)
    )


def _value(exchange: Exchange) -> object:
    header, tensors = exchange.reply
    return Decoder(tensors, _refused).decode(header["value"]) if "value" in header else None


def _refused(_: Header) -> object:
    raise ProtocolError("an object has no numbers that could be shown")


def _count_numbers(example: Example) -> int:
    return sum(len(grid.numbers) for grid in (*example.given, example.got, example.asked))
