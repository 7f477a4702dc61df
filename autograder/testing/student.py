"""What a hidden test holds in its hands: the student's functions and classes, called across the pipe.

A hidden test writes `student.softmax(scores)` and gets a tensor. A class gives an object whose attributes,
methods and calls work the same way: `student.Head(8, 4, 16).key.weight`. The same proxy stands before the
trusted reference, so that a test cannot tell them apart.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from autograder.report.text import one_line
from autograder.worker.namespace import Namespace
from autograder.worker.protocol import Decoder, Encoder, Header, ProtocolError, Tensors

Place = tuple[int, int | None]  # a cell's number, and a line in it
_ADVICE = "Hint: enable anomaly detection"  # torch's own, on a switch that no student can reach here


class Backend(Protocol):
    """Whatever answers requests: a worker, or a namespace in this process."""

    def ask(self, header: Header, tensors: Tensors) -> tuple[Header, Tensors]:
        """Return the answer to one request."""
        ...


class StudentError(Exception):
    """The student's code raised; where, and what, without anything of ours."""

    def __init__(self, error: Header) -> None:
        self.type = one_line(error.get("type", "Exception"), 60)
        bases = error.get("bases")
        self.bases = [base for base in bases if isinstance(base, str)] if isinstance(bases, list) else []
        self.message = one_line(one_line(error.get("message", ""), 600).partition(_ADVICE)[0], 300)
        self.places = tuple(_places(error.get("places")))
        super().__init__(f"{self.type}: {self.message}" if self.message else self.type)


class NotDefinedError(Exception):
    """The notebook defines no such name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass(frozen=True, slots=True)
class Inspection:
    """A call's output, its arguments as the call left them, and the gradients that reached them."""

    output: Any
    arguments: tuple[Any, ...]
    gradients: dict[int, torch.Tensor | None]  # by the argument's position
    parameters: dict[str, torch.Tensor | None]  # by the parameter's name, for modules


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer, as they crossed the pipe."""

    request: tuple[Header, Tensors]
    reply: tuple[Header, Tensors]


class Local:
    """A backend in this process, for trusted code only."""

    def __init__(self, namespace: Namespace) -> None:
        self._namespace = namespace
        self._random = torch.get_rng_state()

    def ask(self, header: Header, tensors: Tensors) -> tuple[Header, Tensors]:
        """Answer from the namespace; tensors are copied and random numbers kept apart, as by a pipe."""
        with torch.random.fork_rng(devices=[]):
            torch.set_rng_state(self._random)
            reply = self._namespace.handle(header, [tensor.clone() for tensor in tensors])
            self._random = torch.get_rng_state()
        return reply


class Student:
    """The names of a notebook; `student.softmax` is the notebook's softmax."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._first: Header = {}  # what the next request carries besides itself
        self.exchanges: list[Exchange] = []

    def __getattr__(self, name: str) -> "Remote":
        """Return the notebook's `name`; whether it exists shows when it is used."""
        if name.startswith("_"):
            raise AttributeError(name)
        return Remote(self, {"name": name}, name)

    @property
    def torch(self) -> "Torch":
        """Torch's own functions and classes, on the student's side: `student.torch.optim.SGD(...)`."""
        return Torch(self, "")

    def seed(self, seed: int) -> None:
        """Seed torch's generator on the student's side."""
        self.ask({"op": "seed", "seed": seed}, Encoder(_reference))

    def begin(self, seed: int = 0) -> None:
        """Start a test: its first request forgets objects, resets seed, gradient mode and default dtype."""
        self.exchanges = []
        self._first = {"fresh": seed}

    def define(self, source: str, name: str) -> "Remote":
        """Run `source` on the student's side and return the object it names; it may be read there."""
        return self.ask({"op": "define", "source": source, "name": name}, Encoder(_reference))  # type: ignore[no-any-return]

    def ask(self, header: Header, encoder: Encoder) -> Any:
        """Send a request and return its value; what the student's code raises is a StudentError."""
        reply, tensors = self.exchange(header, encoder.tensors)
        return Decoder(tensors, self._resolve).decode(reply["value"])

    def inspect(self, header: Header, encoder: Encoder) -> Inspection:
        """Send an `inspect` request and return all that it tells."""
        reply, tensors = self.exchange(header, encoder.tensors)
        decoder = Decoder(tensors, self._resolve)
        output, arguments, gradients, parameters = (
            decoder.decode(reply.get(key)) for key in ("value", "arguments", "gradients", "parameters")
        )
        return Inspection(output, arguments, {int(k): v for k, v in gradients.items()}, parameters)

    def exchange(self, header: Header, tensors: Tensors) -> tuple[Header, Tensors]:
        """Send a request, remember both sides of it, and return the reply or raise what it reports."""
        header, self._first = {**header, **self._first}, {}
        reply, sent = self._backend.ask(header, tensors)
        self.exchanges.append(Exchange((header, tensors), (reply, sent)))
        if "missing" in reply:
            raise NotDefinedError(_missing(header))
        if "error" in reply:
            raise StudentError(reply["error"] if isinstance(reply["error"], dict) else {})
        if "value" not in reply:
            raise ProtocolError("an answer holds neither a value nor an error")
        return reply, sent

    def _resolve(self, reference: Header) -> "Remote":
        match reference:
            case {"handle": int(), "type": str(kind)}:
                return Remote(self, {"handle": reference["handle"]}, one_line(kind, 60))
        raise ProtocolError("a value has no known form")


class Remote:
    """An object on the student's side; `kind` says in words what it is."""

    def __init__(self, student: Student, reference: Header, kind: str) -> None:
        self._student = student
        self._reference = reference
        self.kind = kind

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Call it and return its result: tensors as tensors, other objects as Remote."""
        header, encoder = self._call("call", args, kwargs)
        return self._student.ask(header, encoder)

    def inspect(self, *args: object, weight: torch.Tensor | None = None, **kwargs: object) -> Inspection:
        """Call it, then differentiate sum(output * weight) and look at the arguments again."""
        header, encoder = self._call("inspect", args, kwargs)
        return self._student.inspect({**header, "weight": encoder.encode(weight)}, encoder)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute, across the pipe."""
        if name.startswith("_"):
            raise AttributeError(name)
        return self._student.ask(
            {"op": "attribute", "of": self._reference, "name": name}, Encoder(_reference)
        )

    def __repr__(self) -> str:
        return f"<{self.kind}>"

    def _call(self, op: str, args: tuple[object, ...], kwargs: dict[str, object]) -> tuple[Header, Encoder]:
        encoder = Encoder(_reference)
        header: Header = {"op": op, "of": self._reference}
        header["args"], header["kwargs"] = encoder.encode(args), encoder.encode(kwargs)
        return header, encoder


class Torch:
    """A dotted path into torch on the student's side."""

    def __init__(self, student: Student, path: str) -> None:
        self._student = student
        self._path = path

    def __getattr__(self, name: str) -> "Torch":
        return Torch(self._student, f"{self._path}.{name}".lstrip("."))

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Call what the path names."""
        return Remote(self._student, {"torch": self._path}, self._path)(*args, **kwargs)


def _missing(request: Header) -> str:
    """Return the name that a request was for; an answer's own word for it could be anything."""
    for name in _names([request.get(part) for part in ("of", "args", "kwargs")]):
        return name
    raise ProtocolError("an answer misses a name that was not asked for")


def _names(code: object) -> Iterator[str]:
    """Yield the notebook's names that stand in a part of a request."""
    match code:
        case {"name": str(name)}:
            yield name
        case dict() | list():
            for item in code.values() if isinstance(code, dict) else code:
                yield from _names(item)


def _places(claimed: object) -> Iterator[Place]:
    """Yield the cells and lines that an error says it passed through, the innermost first."""
    for place in claimed[:20] if isinstance(claimed, list) else ():
        match place:
            case [cell, line] if (number := _number(cell)) is not None:
                yield number, _number(line)


def _number(claimed: object) -> int | None:
    return claimed if type(claimed) is int and 0 <= claimed < 1_000_000 else None


def _reference(value: object) -> Header:
    if isinstance(value, Remote):
        return value._reference
    raise TypeError(f"a hidden test cannot send a {type(value).__name__} to a submission")
