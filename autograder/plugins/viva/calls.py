"""Small calls of an answer on inputs that anybody may see, and what comes of them in the sandboxed worker.

Hidden tests know how to draw inputs. Here they draw from a digest of the student's own code, never from the
course's secret. What a test or the lesson has written down is the same for every digest, and is not used.
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from autograder.grading.examples import object_calls
from autograder.grading.session import Session
from autograder.plugins.viva.source import Answer
from autograder.report.text import shown
from autograder.testing.exchange import Exchange, LostError, NotDefinedError, Request
from autograder.testing.inputs import Inputs
from autograder.testing.student import Remote, Student
from autograder.testing.student_error import StudentError
from autograder.testing.suite import Suite
from autograder.worker.protocol import Header, ProtocolError
from autograder.worker.values import Decoder

_SETS, _MANY = 2, 2  # of inputs, of which the smallest are used
_MOST_SHOWN, _MOST_RUN, _LARGEST = 24, 400, 9.0  # numbers of a table, and the size of one
_MOST_LETTERS, _MOST_WORDS = 100, 60
_CLOSE = 1e-4
_NAMES = "def names(module):\n    return [name for name, _ in module.named_parameters()]\n"


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an answer, or of an object that earlier requests have made."""

    made_by: tuple[Request, ...]
    made: Header | None  # the object
    of: Header
    args: Mapping[str, Any]
    kwargs: Mapping[str, Any]
    given: tuple[tuple[str, str], ...]  # what goes in, by name, as code
    code: str
    whole: bool  # whether every number is shown

    @property
    def tables(self) -> dict[str, Any]:
        """The arguments that are tables of numbers."""
        return {name: value for name, value in self.args.items() if _is_float(value)}

    def bent(self, name: str, table: Any) -> "Call":
        """Return the call with another table of numbers."""
        return replace(self, args={**self.args, name: table})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call: an error and its line in the answer's cell, numbers in a shape, or words."""

    error: str = ""
    said: str = ""
    line: int | None = None
    shape: tuple[int, ...] | None = None
    numbers: tuple[float, ...] = ()
    others: tuple[float, ...] = ()  # of the results after the first

    def same(self, other: "Outcome | None") -> bool:
        """Whether two outcomes do not differ by more than rounding."""
        if other is None or (self.error, self.shape) != (other.error, other.shape):
            return False
        ones, twos = (*self.numbers, *self.others), (*other.numbers, *other.others)
        close = (a == b or abs(a - b) <= _CLOSE * max(1.0, abs(a)) for a, b in zip(ones, twos, strict=False))
        return len(ones) == len(twos) and (bool(ones) or self.said == other.said) and all(close)


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
    requests = [_plain(one.request) for one in exchanges[: places[-1] + 1]]
    args, kwargs = _arguments(requests[-1])
    parameters = [one.arg for one in answer.entry.args.args if one.arg != "self"] if answer.entry else []
    names = [*parameters[: len(args)], *(f"input_{n}" for n in range(len(parameters), len(args)))]
    named = dict(zip(names, args, strict=True))
    values, called, made_by = {**named, **kwargs}, answer.name, tuple[Request, ...]()
    reference: Header | None = None
    given = list[tuple[str, str]]()
    if len(places) > 1:
        made, loaded, _ = places
        reference = {"handle": exchanges[made].reply[0]["value"]["handle"]}
        sizes, options = _arguments(requests[made])
        written = ", ".join([*map(repr, sizes), *(f"{name}={value!r}" for name, value in options.items())])
        called, made_by, given = "module", tuple(requests[:-1]), [("module", f"{answer.name}({written})")]
        tables = [one for one in _arguments(requests[loaded], lambda _: None)[0] if isinstance(one, dict)]
        values = {f"module.{name}": weight for table in tables for name, weight in table.items()} | values
    given += [(name, _written(value)) for name, value in values.items()]
    whole = all(len(_numbers(value)) <= _MOST_SHOWN for value in values.values())
    code = f"{called}({', '.join([*names, *(f'{name}={name}' for name in kwargs)])})"
    return Call(made_by, reference, requests[-1][0]["of"], named, kwargs, tuple(given), code, whole)


def _plain(request: Request) -> Request:
    """Return a request whose random numbers have one decimal."""
    header, parts = request
    return header, [part.round(decimals=1) + 0.0 if _is_float(part) else part for part in parts]


def _refused(_: object) -> Any:
    raise ProtocolError("an object cannot be shown")


def _arguments(
    request: Request, refer: Callable[[Header], Any] = _refused
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    decoder = Decoder(request[1], refer)
    return decoder.decode(request[0]["args"]), decoder.decode(request[0]["kwargs"])


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
    student = Student(session)
    student.begin(seed)
    try:
        if code and not session.define(code):
            return None
        for request in call.made_by:
            student.exchange(*request)
        return _outcome(Remote(student, call.of, "")(*call.args.values(), **call.kwargs))
    except StudentError as error:
        lines = [line for cell, line in error.places if cell == answer.cell]
        return Outcome(error.type, error.message, lines[0] if lines else None)
    except (LostError, NotDefinedError, ProtocolError, RecursionError):
        return None


def with_own_weights(session: Session, call: Call) -> Call:
    """Return a call of an object without the weights that the student's object does not have."""
    if call.made is None:
        return call
    student, names = Student(session), list[str]()
    student.begin()
    with suppress(StudentError, LostError, NotDefinedError, ProtocolError):
        for request in call.made_by:
            student.exchange(*request)
        found = student.define(_NAMES, "names")(Remote(student, call.made, ""))
        names = found if isinstance(found, list) else []
    kept = [
        (name, value) for name, value in call.given if not name.startswith("module.") or name[7:] in names
    ]
    return replace(call, given=tuple(kept))


def _outcome(value: Any) -> Outcome | None:
    if isinstance(value, float) or type(value) is int:
        return Outcome(shape=(), numbers=(float(value),))
    tables = value if isinstance(value, tuple | list) and value else [value]
    if not all(hasattr(type(table), "reshape") for table in tables):
        text = shown(value)
        whole = "..." not in text and len(text) < _MOST_WORDS and "<" not in text  # no object
        return Outcome(said=text) if whole else None
    first, *others = (_numbers(table) for table in tables)
    numbers = [*first, *(n for several in others for n in several)]
    if len(numbers) > _MOST_RUN or not all(isinstance(n, bool | int | float) for n in numbers):
        return None
    floats = tuple(map(float, numbers))
    return Outcome(shape=tuple(tables[0].shape), numbers=floats[: len(first)], others=floats[len(first) :])
