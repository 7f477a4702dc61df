"""Small calls of an answer on inputs that anybody may see, and what comes of them in the sandboxed worker.

Hidden tests know how to draw inputs. Here they draw from a digest of the student's own code, never from the
course's secret. What a test or the lesson has written down is the same for every digest, and is not used.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import isclose
from typing import Any

from autograder.grading.session import Session
from autograder.plugins.viva.source import Answer
from autograder.report.text import shown
from autograder.testing.exchange import Exchange, LostError, NotDefinedError, Request, StudentError
from autograder.testing.inputs import Inputs
from autograder.testing.student import Remote, Student
from autograder.testing.suite import Suite
from autograder.worker.protocol import Header, ProtocolError
from autograder.worker.values import Decoder

_SETS, _MANY = 2, 2  # of inputs, of which the smallest are used
_MOST_SHOWN, _MOST_RUN, _LARGEST = 24, 400, 9.0  # numbers of a table, and the size of one
_MOST_LETTERS, _MOST_WORDS, _MOST_WEIGHTS = 100, 60, 8
_CLOSE = 1e-4
RANDOM = "random numbers"  # which stand for those of a large table
_Arguments = tuple[tuple[Any, ...], dict[str, Any]]
# Small weights with one decimal, which depend on the seed and on their shapes alone.
_FILL = """
def fill(module, seed):
    numbers = torch.Generator().manual_seed(seed)
    weights = dict(module.eval().named_parameters())
    with torch.no_grad():
        for weight in weights.values():
            weight.copy_(torch.randn(weight.shape, generator=numbers).mul(0.6).round(decimals=1) + 0.0)
    return {name: weight.detach() for name, weight in weights.items()}
"""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function, or of a module that is made for it and filled with numbers."""

    name: str  # of the function or class
    made: _Arguments | None  # of the class
    args: Mapping[str, Any]
    kwargs: Mapping[str, Any]
    given: tuple[tuple[str, str], ...]  # what goes in, by name, as code
    seed: int  # of the weights

    @property
    def code(self) -> str:
        """The call, as code."""
        names = [*self.args, *(f"{name}={name}" for name in self.kwargs)]
        return f"{'module' if self.made else self.name}({', '.join(names)})"

    @property
    def tables(self) -> dict[str, Any]:
        """The arguments that are tables of numbers."""
        return {name: value for name, value in self.args.items() if _is_float(value)}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call: an error and its line in the answer's cell, numbers in a shape, or words."""

    error: str = ""
    said: str = ""  # of numbers, their type, and how several results are put together
    line: int | None = None  # if the error names only this one
    shape: tuple[int, ...] | None = None
    numbers: tuple[float, ...] = ()  # of all results
    weights: Mapping[str, Any] = field(default_factory=dict)  # of the module that was called

    def same(self, other: "Outcome | None") -> bool:
        """Whether two outcomes do not differ by more than rounding."""
        if other is None or (self.error, self.said, self.shape) != (other.error, other.said, other.shape):
            return False
        pairs = zip(self.numbers, other.numbers, strict=True)  # which the same shapes make equally many
        return all(isclose(a, b, rel_tol=_CLOSE, abs_tol=_CLOSE) for a, b in pairs)


def find_calls(suite: Suite, answer: Answer, key: str) -> Iterator[Call]:
    """Yield calls of an answer with inputs drawn from a key, first small ones whose sizes differ."""
    found = list[tuple[tuple[bool, bool, bool, int], tuple[Request, ...]]]()
    for number in range(_SETS):
        inputs, others = (Inputs(f"viva {key} {number} {which}".encode()) for which in "ab")
        for test in suite.of(answer.name):
            runs = (suite.reference_run(test, one).exchanges for one in (inputs, others))
            for seen, drawn in zip(*(_calls(answer, run) for run in runs), strict=False):
                if len(seen) == len(drawn) and _drawn(seen[-1], drawn[-1]):
                    found.append((_size(seen), seen))
    for _, requests in sorted(found, key=lambda one: one[0]):
        with suppress(ProtocolError, KeyError):  # it takes more than values
            yield _call(answer, requests, Inputs(key.encode()).seed(0))


def _calls(answer: Answer, exchanges: Sequence[Exchange]) -> Iterator[tuple[Request, ...]]:
    """Yield each call of a function; or each of a module, after the request that made it.

    A test may give the class to a tool of its own, or a module, and go on with the one that comes back.
    """
    own: Header = {"name": answer.name}
    made = dict[int, Request]()  # by the numbers that modules go by
    for exchange in exchanges:
        header, parts = exchange.request
        if header["op"] not in ("call", "inspect"):
            continue
        used = [header["of"], *header["args"]["tuple"]]
        known = [made[one["handle"]] for one in used if isinstance(one, dict) and one.get("handle") in made]
        result = exchange.reply[0].get("value")
        if isinstance(answer.tree, ast.FunctionDef):
            if header["of"] == own:
                yield (exchange.request,)
        elif isinstance(result, dict) and "handle" in result:
            sizes = {**header, "args": {"tuple": [one for one in used[1:] if one != own]}}
            if own in used or known:
                made[result["handle"]] = (sizes, parts) if own in used else known[0]
        elif header["of"].get("handle") in made:
            yield known[0], exchange.request


def _drawn(one: Request, other: Request) -> bool:
    """Whether the tables of numbers, or of indices where there are none, differ with another key."""
    pairs = [pair for pair in zip(one[1], other[1], strict=False) if hasattr(pair[0], "ndim")]
    floats = [pair for pair in pairs if _is_float(pair[0])]
    return all(_numbers(part) != _numbers(that) for part, that in floats or pairs)


def _call(answer: Answer, requests: Sequence[Request], seed: int) -> Call:
    """Return a call that was seen, with plainer numbers; a ProtocolError where it cannot be shown."""
    args, kwargs = _arguments(requests[-1])
    parameters = [one.arg for one in answer.entry.args.args if one.arg != "self"] if answer.entry else []
    names = [*parameters[: len(args)], *(f"input_{n}" for n in range(len(parameters), len(args)))]
    named = dict(zip(names, args, strict=True))
    given = [(name, _written(value)) for name, value in (named | kwargs).items()]
    made = _arguments(requests[0]) if len(requests) > 1 else None
    if made is not None:
        sizes = [*map(_written, made[0]), *(f"{name}={_written(value)}" for name, value in made[1].items())]
        given.insert(0, ("module", f"{answer.name}({', '.join(sizes)}).eval()"))
    return Call(answer.name, made, named, kwargs, tuple(given), seed)


def _refused(_: object) -> Any:
    raise ProtocolError("an object cannot be shown")


def _arguments(request: Request) -> _Arguments:
    """Return the arguments of a request; random numbers have one decimal."""
    header, parts = request
    plain = [part.round(decimals=1) + 0.0 if _is_float(part) else part for part in parts]
    decoder = Decoder(plain, _refused)
    return decoder.decode(header["args"]), decoder.decode(header["kwargs"])


def _is_float(part: Any) -> bool:
    return hasattr(part, "ndim") and "float" in str(part.dtype) and part.ndim > 0


def _numbers(value: Any) -> list[Any]:
    """Return the numbers of a table, row after row, or nothing for other values."""
    return list(value.reshape(-1).tolist()) if hasattr(value, "reshape") else []


def _written(value: Any) -> str:
    """Return a value as code, or the shape of a large table in words; ProtocolError for what is too large."""
    numbers = _numbers(value)
    is_mask = len(numbers) > _MOST_SHOWN and isinstance(numbers[0], bool)  # which is not random
    too_large = _is_float(value) and any(abs(n) > _LARGEST for n in numbers)
    if len(numbers) > _MOST_RUN or is_mask or too_large:
        raise ProtocolError("a table is too large")
    text = repr(value.detach() if hasattr(value, "detach") else value)
    if len(numbers) > _MOST_SHOWN:
        bounds = "" if _is_float(value) else f" from {min(numbers)} to {max(numbers)}"
        return f"{RANDOM}{bounds} in the shape {tuple(value.shape)}"
    if not numbers and len(text) > _MOST_LETTERS:
        raise ProtocolError("a value is too long")
    return text


def _size(requests: Sequence[Request]) -> tuple[bool, bool, bool, int]:
    """Return how dull and large a call is; sizes that are 1, or equal, tell little of shapes."""
    header, parts = requests[-1]
    shapes = [tuple(part.shape) for part in parts if hasattr(part, "shape")]
    dull = max((shape.count(1) + len(shape) - len({*shape}) for shape in shapes), default=0)
    dull += any(type(code) is int and code < _MANY for code in header["args"]["tuple"])
    if len(requests) > 1 and any("float64" in str(part.dtype) for part in parts if _is_float(part)):
        dull = _MANY  # modules are made in float32
    sizes = [len(_numbers(part)) for part in parts]
    made = sum(code for code in requests[0][0]["args"]["tuple"] if type(code) is int)
    return dull >= _MANY, max(sizes, default=0) > _MOST_SHOWN, dull > 0, sum(sizes) + made


def run(session: Session, answer: Answer, call: Call, code: str = "", seed: int = 0) -> Outcome | None:
    """Return what comes of a call in the worker, of the answer or a copy; None if nothing can be said."""
    student, weights = Student(session), dict[str, Any]()
    student.begin(seed)
    try:
        if code and not session.define(code):
            return None
        called = getattr(student, call.name)
        if call.made is not None:
            called = called(*call.made[0], **call.made[1])
            weights = student.define(_FILL, "fill")(called, call.seed)
        if not isinstance(called, Remote) or not isinstance(weights, dict):
            return None
        found = _outcome(called(*call.args.values(), **call.kwargs))
        return replace(found, weights=weights) if found else None
    except StudentError as error:
        lines = {line for cell, line in error.places if cell == answer.cell}
        return Outcome(error.type, error.message, lines.pop() if len(lines) == 1 else None)
    except (LostError, NotDefinedError, ProtocolError, RecursionError):
        return None


def with_weights(call: Call, weights: Mapping[str, Any]) -> Call:
    """Return a call that shows the weights of its module, if they are few and not too large."""
    if call.made is None:
        return call
    written = [("its weights", RANDOM)]
    with suppress(ProtocolError):
        if len(weights) <= _MOST_WEIGHTS and all(map(_is_float, weights.values())):
            written = [(f"module.{name}"[:_MOST_LETTERS], _written(one)) for name, one in weights.items()]
    return replace(call, given=(call.given[0], *written, *call.given[1:]))


def _outcome(value: Any) -> Outcome | None:
    if isinstance(value, float) or type(value) is int:
        with suppress(OverflowError):  # a whole number may be larger than any float
            return Outcome(said=type(value).__name__, shape=(), numbers=(float(value),))
        return None
    results = value if isinstance(value, tuple | list) else [value]
    tables = [one for one in results if one is not None]
    if not tables or not all(hasattr(type(table), "reshape") for table in tables):
        text = shown(value)
        whole = "..." not in text and len(text) < _MOST_WORDS and "<" not in text  # no object
        return Outcome(said=text) if whole else None
    numbers = [n for table in tables for n in _numbers(table)]
    if len(numbers) > _MOST_RUN or not all(isinstance(n, bool | int | float) for n in numbers):
        return None
    rest = [one if one is None else (str(one.dtype), tuple(one.shape)) for one in results[1:]]
    said = f"{type(value).__name__} {tables[0].dtype} {rest}"
    return Outcome(said=said, shape=tuple(tables[0].shape), numbers=tuple(map(float, numbers)))
