"""Makes small calls of an answer on inputs that students may see, and runs them in the sandboxed worker.

The calls come from hidden tests, which draw their inputs at random. Here the seed is a digest of the
student's own code, never the course's secret. A call whose inputs do not depend on the seed is left out,
because it would show the input of a hidden test. Tensors and arrays are both called tables here.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import isclose
from typing import Any

from autograder.grading.session import Session
from autograder.plugins.viva.source import Answer
from autograder.report.text import short_repr
from autograder.testing.exchange import Exchange, LostError, NotDefinedError, Request, StudentError
from autograder.testing.inputs import Inputs
from autograder.testing.student import Remote, Student
from autograder.testing.suite import Suite
from autograder.worker.protocol import Header, ProtocolError
from autograder.worker.values import Decoder

_PAIRS = 2  # pairs of input sets for each test; a call is used if its inputs differ within a pair
_MANY_GUESSABLE = 2  # calls with this many sizes that are easy to guess, or more, come last
_MOST_SHOWN = 24  # a table with more numbers is described instead of shown
_MOST_RUN = 400  # at most this many numbers in each argument of a call, and in all results together
_LARGEST = 9.0  # greatest absolute value of a float in a table
_MOST_LETTERS = 100  # at most this many characters in an argument's code
_MOST_RESULT = 60  # a result is shown as text if the text has fewer characters
_MOST_WEIGHTS = 8  # at most this many parameters of a module are shown
_CLOSE = 1e-4  # relative and absolute tolerance of equal results
RANDOM = "random numbers"  # shown instead of the numbers of a large table
_Arguments = tuple[tuple[Any, ...], dict[str, Any]]
# Sets all weights to small numbers with one decimal, which depend only on the seed and the shapes.
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
    """A call of a function, or of an `nn.Module` that is created for this call."""

    name: str
    constructor: _Arguments | None  # the arguments that create the module; None for a function
    args: Mapping[str, Any]
    kwargs: Mapping[str, Any]
    inputs: tuple[tuple[str, str], ...]  # (name, code) of the module, its weights and the arguments
    seed: int  # determines the module's weights

    @property
    def code(self) -> str:
        """The call as Python code, with the names of its inputs, such as `module(x, mask=mask)`."""
        names = [*self.args, *(f"{name}={name}" for name in self.kwargs)]
        return f"{'module' if self.constructor else self.name}({', '.join(names)})"

    @property
    def tables(self) -> dict[str, Any]:
        """The positional arguments that are tables of floats, by name."""
        return {name: value for name, value in self.args.items() if _is_float(value)}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a call: an exception, or a result, which is a number, tables or another value."""

    error: str = ""  # the type of the exception
    description: str = ""  # the exception's message, the result's types, or the result as text
    line: int | None = None  # the traceback's line in the answer's cell; None if there is none, or several
    shape: tuple[int, ...] | None = None  # the shape of the first table
    numbers: tuple[float, ...] = ()  # the numbers of all results
    weights: Mapping[str, Any] = field(default_factory=dict)  # of the called module

    def equals(self, other: "Outcome | None") -> bool:
        """Whether two outcomes are equal except for rounding."""
        if other is None or (self.error, self.shape) != (other.error, other.shape):
            return False
        if self.description != other.description:
            return False
        pairs = zip(self.numbers, other.numbers, strict=True)  # of equal length, because all shapes are equal
        return all(isclose(a, b, rel_tol=_CLOSE, abs_tol=_CLOSE) for a, b in pairs)


def find_calls(suite: Suite, answer: Answer, key: str) -> Iterator[Call]:
    """Yield calls of an answer, sorted by `_sort_key`. Their inputs depend on `key`."""
    candidates = list[tuple[tuple[bool, bool, bool, int], tuple[Request, ...]]]()
    for number in range(_PAIRS):
        two_inputs = [Inputs(f"viva {key} {number} {which}".encode()) for which in "ab"]
        for test in suite.of(answer.name):
            runs = (suite.reference_run(test, inputs).exchanges for inputs in two_inputs)
            for requests, others in zip(*(_calls_in(answer, run) for run in runs), strict=False):
                if len(requests) == len(others) and _is_drawn(requests[-1], others[-1]):
                    candidates.append((_sort_key(requests), requests))
    for _, requests in sorted(candidates, key=lambda candidate: candidate[0]):
        with suppress(ProtocolError, KeyError):  # an argument cannot be shown as code
            yield _call(answer, requests, Inputs(key.encode()).seed(0))


def _calls_in(answer: Answer, exchanges: Sequence[Exchange]) -> Iterator[tuple[Request, ...]]:
    """Yield the request of each call of a function, or the two requests that create and call a module.

    A test may pass the class to a helper function, which creates the module. If a helper function gets a
    module and returns a module, the two count as the same module.
    """
    answer_name: Header = {"name": answer.name}
    created = dict[int, Request]()  # the request that created each module, by the module's handle
    for exchange in exchanges:
        header, parts = exchange.request
        if header["op"] not in ("call", "inspect"):
            continue
        used = [header["of"], *header["args"]["tuple"]]
        handles = [value["handle"] for value in used if isinstance(value, dict) and "handle" in value]
        modules = [created[handle] for handle in handles if handle in created]
        result = exchange.reply[0].get("value")
        if isinstance(answer.tree, ast.FunctionDef):
            if header["of"] == answer_name:
                yield (exchange.request,)
        elif isinstance(result, dict) and "handle" in result:
            sizes = {**header, "args": {"tuple": [value for value in used[1:] if value != answer_name]}}
            if answer_name in used or modules:
                created[result["handle"]] = (sizes, parts) if answer_name in used else modules[0]
        elif header["of"].get("handle") in created:
            yield modules[0], exchange.request


def _is_drawn(first: Request, second: Request) -> bool:
    """Whether a call has random inputs: all tables of floats differ between two runs with different seeds.

    If no table has floats, all tables must differ.
    """
    pairs = [pair for pair in zip(first[1], second[1], strict=False) if hasattr(pair[0], "ndim")]
    floats = [pair for pair in pairs if _is_float(pair[0])]
    return all(_numbers(part) != _numbers(other_part) for part, other_part in floats or pairs)


def _call(answer: Answer, requests: Sequence[Request], seed: int) -> Call:
    """Return the call in `requests`, with rounded inputs. Raise ProtocolError if an input cannot be shown."""
    args, kwargs = _arguments(requests[-1])
    declared = answer.entry.args.args if answer.entry else []
    parameters = [parameter.arg for parameter in declared if parameter.arg != "self"]
    names = [*parameters[: len(args)], *(f"input_{n}" for n in range(len(parameters), len(args)))]
    named = dict(zip(names, args, strict=True))
    inputs = [(name, _as_code(value)) for name, value in (named | kwargs).items()]
    constructor = _arguments(requests[0]) if len(requests) > 1 else None
    if constructor is not None:
        positional, keywords = constructor
        sizes = [*map(_as_code, positional), *(f"{name}={_as_code(keywords[name])}" for name in keywords)]
        inputs.insert(0, ("module", f"{answer.name}({', '.join(sizes)}).eval()"))
    return Call(answer.name, constructor, named, kwargs, tuple(inputs), seed)


def _refused(_: object) -> Any:
    raise ProtocolError("an object cannot be shown")


def _arguments(request: Request) -> _Arguments:
    """Return the arguments of a request. Floats in tables are rounded to one decimal."""
    header, parts = request
    plain = [part.round(decimals=1) + 0.0 if _is_float(part) else part for part in parts]
    decoder = Decoder(plain, _refused)
    return decoder.decode(header["args"]), decoder.decode(header["kwargs"])


def _is_float(part: Any) -> bool:
    return hasattr(part, "ndim") and "float" in str(part.dtype) and part.ndim > 0


def _numbers(value: Any) -> list[Any]:
    """Return the numbers of a table, row after row, or an empty list for other values."""
    return list(value.reshape(-1).tolist()) if hasattr(value, "reshape") else []


def _as_code(value: Any) -> str:
    """Return a value as code, or the description of a table with more than _MOST_SHOWN numbers.

    Raise ProtocolError for a table with too many or too large numbers, and for other code that is too long.
    """
    numbers = _numbers(value)
    # For a mask, "random numbers from False to True" would be a wrong description.
    is_mask = len(numbers) > _MOST_SHOWN and isinstance(numbers[0], bool)
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


def _sort_key(requests: Sequence[Request]) -> tuple[bool, bool, bool, int]:
    """Return a sort key: calls with few numbers, and with few sizes that are easy to guess, come first.

    A size is easy to guess if it is 1 or equals another size of the same table.
    """
    header, parts = requests[-1]
    shapes = [tuple(part.shape) for part in parts if hasattr(part, "shape")]
    guessable = max((shape.count(1) + len(shape) - len({*shape}) for shape in shapes), default=0)
    guessable += any(type(code) is int and code < 2 for code in header["args"]["tuple"])
    if len(requests) > 1 and any("float64" in str(part.dtype) for part in parts if _is_float(part)):
        guessable = _MANY_GUESSABLE  # put last: `run` creates float32 modules, which refuse float64
    sizes = [len(_numbers(part)) for part in parts]
    total = sum(sizes) + sum(code for code in requests[0][0]["args"]["tuple"] if type(code) is int)
    return guessable >= _MANY_GUESSABLE, max(sizes, default=0) > _MOST_SHOWN, guessable > 0, total


def run(session: Session, answer: Answer, call: Call, code: str = "", seed: int = 0) -> Outcome | None:
    """Run a call of an answer, or of its changed copy `code`. Return None if no outcome can be shown."""
    student, weights = Student(session), dict[str, Any]()
    student.begin(seed)
    try:
        if code and not session.define(code):
            return None
        called = getattr(student, call.name)
        if call.constructor is not None:
            called = called(*call.constructor[0], **call.constructor[1])
            weights = student.define(_FILL, "fill")(called, call.seed)
        if not isinstance(called, Remote) or not isinstance(weights, dict):
            return None
        outcome = _outcome(called(*call.args.values(), **call.kwargs))
        return replace(outcome, weights=weights) if outcome else None
    except StudentError as error:
        lines = {line for cell, line in error.places if cell == answer.cell}
        return Outcome(error.type, error.message, lines.pop() if len(lines) == 1 else None)
    except (LostError, NotDefinedError, ProtocolError, RecursionError):
        return None


def with_weights(call: Call, weights: Mapping[str, Any]) -> Call:
    """Add the module's weights, or a description of them, to the shown inputs. Return the new call."""
    if call.constructor is None:
        return call
    written = [("its weights", RANDOM)]
    with suppress(ProtocolError):
        if len(weights) <= _MOST_WEIGHTS and all(map(_is_float, weights.values())):
            named = weights.items()
            written = [(f"module.{name}"[:_MOST_LETTERS], _as_code(weight)) for name, weight in named]
    return replace(call, inputs=(call.inputs[0], *written, *call.inputs[1:]))


def _outcome(value: Any) -> Outcome | None:
    if isinstance(value, float) or type(value) is int:
        with suppress(OverflowError):  # an int may be larger than any float
            return Outcome(description=type(value).__name__, shape=(), numbers=(float(value),))
        return None
    results = value if isinstance(value, tuple | list) else [value]
    tables = [result for result in results if result is not None]
    if not tables or not all(hasattr(type(table), "reshape") for table in tables):
        text = short_repr(value)
        # "<" occurs in the texts of objects, such as <Cell object at 0x7f10>, which cannot be guessed.
        is_complete = "..." not in text and len(text) < _MOST_RESULT and "<" not in text
        return Outcome(description=text) if is_complete else None
    numbers = [n for table in tables for n in _numbers(table)]
    if len(numbers) > _MOST_RUN or not all(isinstance(n, bool | int | float) for n in numbers):
        return None
    rest = [None if table is None else (str(table.dtype), tuple(table.shape)) for table in results[1:]]
    description = f"{type(value).__name__} {tables[0].dtype} {rest}"
    return Outcome(description=description, shape=tuple(tables[0].shape), numbers=tuple(map(float, numbers)))
