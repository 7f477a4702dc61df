"""Small calls of an answer on inputs that anybody may see, and what comes of them in the sandboxed worker.

Hidden tests know how to draw inputs. Here they draw from a digest of the student's own code, never from the
course's secret. What a test or the lesson has written down is the same for every digest, and is not used.
"""

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from autograder.grading.examples import object_calls
from autograder.grading.session import Session
from autograder.plugins.viva.source import Answer
from autograder.report.text import shown
from autograder.testing.exchange import Exchange, LostError, Request
from autograder.testing.inputs import Inputs
from autograder.testing.student_error import StudentError
from autograder.testing.suite import Suite
from autograder.worker.protocol import Header, Parts, ProtocolError
from autograder.worker.values import Decoder

_SETS, _MANY = 2, 2  # of inputs, of which the smallest are used
_MOST_SHOWN, _MOST_RUN, _LARGEST = 24, 400, 9.0  # numbers of a table, and the size of one
_MOST_LETTERS = 100
_CLOSE = 1e-4


@dataclass(frozen=True, slots=True)
class Call:
    """Requests of which the last calls the answer, as code, and what goes in, by name."""

    requests: tuple[Request, ...]
    given: tuple[tuple[str, str], ...]
    code: str
    tables: tuple[tuple[str, int], ...]  # the arguments that are tables of numbers, and where they are sent
    whole: bool  # whether every number is shown

    def sent(self, place: int) -> Any:
        """Return what the last request sends in a place."""
        return self.requests[-1][1][place]

    def bent(self, place: int, part: Any) -> "Call":
        """Return the call with another table of numbers."""
        header, parts = self.requests[-1]
        whole = part.contiguous() if hasattr(part, "contiguous") else part.copy()
        return replace(
            self, requests=(*self.requests[:-1], (header, [*parts[:place], whole, *parts[place + 1 :]]))
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call: an error and its line in the answer's cell, numbers in a shape, or words."""

    error: str = ""
    said: str = ""
    line: int | None = None
    shape: tuple[int, ...] | None = None
    numbers: tuple[float, ...] = ()

    def same(self, other: "Outcome") -> bool:
        """Whether two outcomes do not differ by more than rounding."""
        alike = (self.error, self.shape) == (other.error, other.shape)
        alike &= self.shape is not None or self.said == other.said
        pairs = zip(self.numbers, other.numbers, strict=False)
        return alike and all(a == b or abs(a - b) <= _CLOSE * max(1.0, abs(a)) for a, b in pairs)


def find_calls(suite: Suite, answer: Answer, key: str) -> Iterator[Call]:
    """Yield calls of an answer with inputs drawn from a key, first small ones whose sizes differ."""
    found = list[tuple[tuple[bool, bool, int], Sequence[Exchange], tuple[int, ...]]]()
    for number in range(_SETS):
        inputs, others = (Inputs(f"viva {key} {number} {which}".encode()) for which in "ab")
        for test in suite.of(answer.name):
            seen, drawn = (suite.reference_run(test, one).exchanges for one in (inputs, others))
            for places in _places(answer, seen):
                if len(drawn) > places[-1] and all(_drawn(seen[n], drawn[n]) for n in places):
                    found.append((_size(seen, places), seen, places))
    for _, exchanges, places in sorted(found, key=lambda one: one[0]):
        with suppress(ProtocolError, KeyError):  # it takes more than values
            yield _call(answer, exchanges, places)


def _places(answer: Answer, exchanges: Sequence[Exchange]) -> Iterator[tuple[int, ...]]:
    """Yield where an object was made, loaded and called, or where a function was called."""
    if isinstance(answer.tree, ast.ClassDef):
        yield from object_calls(answer.name, exchanges)
        return
    for place, exchange in enumerate(exchanges):
        header = exchange.request[0]
        if header.get("of") == {"name": answer.name} and header["op"] in ("call", "inspect"):
            yield (place,)


def _drawn(one: Exchange, other: Exchange) -> bool:
    """Whether all tables of numbers are random: with another key, there are others."""
    pairs = zip(one.request[1], other.request[1], strict=False)
    return all(_numbers(part) != _numbers(that) for part, that in pairs if _is_float(part))


def _call(answer: Answer, exchanges: Sequence[Exchange], places: tuple[int, ...]) -> Call:
    """Return a call that was seen, with plainer numbers; a ProtocolError where it cannot be shown."""
    made, loaded = places[:2] if len(places) > 1 else (None, None)
    first = places[0] if made is None else 0
    requests = [_plain(one.request) for one in exchanges[first : places[-1] + 1]]
    header, parts = requests[-1]
    requests[-1] = ({"op": "call", **{key: header[key] for key in ("of", "args", "kwargs")}}, parts)
    args, kwargs = _arguments(requests[-1], _refused)
    parameters = [one.arg for one in answer.entry.args.args if one.arg != "self"] if answer.entry else []
    names = [*parameters[: len(args)], *(f"input_{n}" for n in range(len(parameters), len(args))), *kwargs]
    values = dict(zip(names, (*args, *kwargs.values()), strict=True))
    whole = all(len(_numbers(value)) <= _MOST_SHOWN for value in values.values())
    given = tuple((name, _written(value)) for name, value in values.items())
    if made is not None and loaded is not None:
        sizes, options = _arguments(requests[made], _refused)
        written = ", ".join([*map(repr, sizes), *(f"{name}={value!r}" for name, value in options.items())])
        tables = [one for one in _arguments(requests[loaded], lambda _: None)[0] if isinstance(one, dict)]
        weights = {f"module.{name}": weight for table in tables for name, weight in table.items()}
        whole &= all(len(_numbers(value)) <= _MOST_SHOWN for value in weights.values())
        weighed = ((name, _written(value)) for name, value in weights.items())
        given = (("module", f"{answer.name}({written})"), *weighed, *given)
    code = f"{answer.name if made is None else 'module'}({', '.join(names)})"
    return Call(tuple(requests), given, code, tuple(_tables(requests[-1], names)), whole)


def _plain(request: Request) -> Request:
    """Return a request whose random numbers have one decimal."""
    header, parts = request
    return header, [part.round(decimals=1) + 0.0 if _is_float(part) else part for part in parts]


def _tables(request: Request, names: Sequence[str]) -> Iterator[tuple[str, int]]:
    header, parts = request
    codes = [*header["args"]["tuple"], *(code for _, code in header["kwargs"]["dict"])]
    for name, code in zip(names, codes, strict=True):
        match code:
            case {"tensor": int(place)} | {"array": int(place)} if _is_float(parts[place]):
                yield name, place


def _arguments(request: Request, refer: Callable[[Header], Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    decoder = Decoder(request[1], refer)
    return decoder.decode(request[0]["args"]), decoder.decode(request[0]["kwargs"])


def _refused(_: Header) -> Any:
    raise ProtocolError("an object cannot be shown")


def _is_float(part: Any) -> bool:
    return hasattr(part, "ndim") and "float" in str(part.dtype) and part.ndim > 0


def _numbers(value: Any) -> list[Any]:
    """Return the numbers of a table, row after row, or nothing for other values."""
    return list(value.reshape(-1).tolist()) if hasattr(value, "reshape") else []


def _written(value: Any) -> str:
    """Return a value as code, or the shape of a large table in words; ProtocolError for what is too large."""
    numbers = _numbers(value)
    if len(numbers) > _MOST_RUN or any(isinstance(n, int | float) and abs(n) > _LARGEST for n in numbers):
        raise ProtocolError("a table is too large")
    text = repr(value.detach() if hasattr(value, "detach") else value)
    if not numbers and len(text) > _MOST_LETTERS:
        raise ProtocolError("a value is too long")
    return text if len(numbers) <= _MOST_SHOWN else f"random numbers in the shape {tuple(value.shape)}"


def _size(exchanges: Sequence[Exchange], places: tuple[int, ...]) -> tuple[bool, bool, int]:
    """Return how large and dull a call is; sizes that are 1, or equal, tell little of shapes."""
    header, last = exchanges[places[-1]].request
    shapes = [tuple(part.shape) for part in last if hasattr(part, "shape")]
    dull = any(1 in shape or len(set(shape)) < len(shape) for shape in shapes)
    dull |= any(type(code) is int and code < _MANY for code in header["args"].get("tuple", ()))
    sizes = [len(_numbers(part)) for place in places for part in exchanges[place].request[1]]
    return max(sizes, default=0) > _MOST_SHOWN, dull, sum(sizes)


def run(session: Session, answer: Answer, call: Call, code: str = "", seed: int = 0) -> Outcome | None:
    """Return what comes of a call in the worker, of the answer or of a copy; None if nothing can be said."""
    if code and not session.define(code):
        return None
    reply: Header = {}
    parts: Parts = []
    try:
        for place, (header, sent) in enumerate(call.requests):
            if "error" not in reply:
                reply, parts = session.ask(header if place else {**header, "fresh": seed}, sent)
        if isinstance(reply.get("error"), dict):
            error = StudentError(reply["error"])
            lines = [line for cell, line in error.places if cell == answer.cell]
            return Outcome(error.type, error.message, lines[0] if lines else None)
        return _outcome(Decoder(parts, _refused).decode(reply["value"]))
    except (LostError, ProtocolError, KeyError, RecursionError):
        return None


def _outcome(value: Any) -> Outcome | None:
    if isinstance(value, tuple | list) and value and hasattr(value[0], "shape"):
        value = value[0]
    if isinstance(value, float) or type(value) is int:
        return Outcome(shape=(), numbers=(float(value),))
    if not hasattr(value, "shape"):
        return Outcome(said=shown(value))
    numbers = _numbers(value)
    plain = len(numbers) <= _MOST_RUN and all(isinstance(n, bool | int | float) for n in numbers)
    return Outcome(shape=tuple(value.shape), numbers=tuple(map(float, numbers))) if plain else None
