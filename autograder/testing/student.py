"""`Student`: gives a hidden test access to the functions and classes in the student's process.

A hidden test writes `student.softmax(scores)` and gets a tensor: the call is a request to the student's
process. A call of a class returns a `Remote`, a proxy of the new object. Reading an attribute or calling a
method of a proxy is also a request: `student.Head(8, 4, 16).key.weight`. The reference is a `Student`, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autograder.report.text import one_line
from autograder.testing.bytecode import compile_for_worker
from autograder.testing.exchange import (
    Backend,
    Exchange,
    NotDefinedError,
    NotFilledInError,
    Request,
    StudentError,
)
from autograder.testing.functions import Functions
from autograder.worker.description import kind
from autograder.worker.operators import checked_operators
from autograder.worker.protocol import Header, Parts, ProtocolError
from autograder.worker.values import Decoder, Encoder

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Inspection:
    """The result and the effects of one call of `Remote.inspect`."""

    output: Any
    arguments: tuple[Any, ...]  # the arguments as they are after the call
    gradients: dict[int, "torch.Tensor | None"]  # the gradients of arguments, by position
    parameters: dict[str, "torch.Tensor | None"]  # the gradients of a module's parameters, by name


class Student:
    """Gives access to everything that a notebook defines: `student.softmax` is the notebook's softmax.

    A test starts with `begin`. `exchanges` collects the test's requests and the replies.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._first: Header = {}  # entries to add to the test's first request
        self._record = False
        self.question = ""  # the question of the running test
        self.ran: list[frozenset[str]] = []  # for each recorded call: the torch operators that ran
        self.exchanges: list[Exchange] = []
        self._functions = Functions(0)
        self._definitions = 0

    def __getattr__(self, name: str) -> "Remote":
        """Return a proxy of the notebook's object `name`.

        If the notebook does not define it, using the proxy raises NotDefinedError.
        """
        if name.startswith("_"):
            raise AttributeError(name)
        return Remote(self, {"name": name}, name)

    @property
    def torch(self) -> "Torch":
        """The functions and classes of torch in the student's process: `student.torch.optim.SGD(...)`."""
        return Torch(self, {"torch": ""}, "")

    def seed(self, seed: int) -> None:
        """Seed the random generators of the student's process."""
        self.ask({"op": "seed", "seed": seed}, [])

    def begin(self, seed: int = 0, question: str = "", *, record: bool = False) -> None:
        """Start a test. With `record`, the torch operators of each call are added to `ran`.

        With the first request, the student's process drops the objects of earlier tests. It resets the seed,
        the gradient mode and the default dtype. The notebook's variables get the values that they had at the
        visible check of `question`.
        """
        self.exchanges = []
        self.ran = []
        self._functions = Functions(seed)
        self._definitions = 0
        self._record = record
        self.question = question
        self._first = {"fresh": seed, "question": question}

    def define(self, source: str, name: str) -> "Remote":
        """Compile `source` and return its object `name`.

        The code is sent with each request that uses the object, but it runs only once in a test.
        """
        self._definitions += 1
        reference = {"code": compile_for_worker(source), "name": name, "number": self._definitions}
        return Remote(self, reference, name)

    def ask(self, header: Header, parts: Parts) -> Any:
        """Send a request and return its value; raise StudentError if the student's code raises."""
        reply, decoder = self.exchange(header, parts)
        return decoder.decode(reply["value"])

    def exchange(self, header: Header, parts: Parts) -> tuple[Header, Decoder]:
        """Send a request and add it to `exchanges`. Return the reply, or raise the error in the reply."""
        header, self._first = {**header, **self._first}, {}
        recorded = self._record and header["op"] in ("call", "inspect") and "torch" not in header["of"]
        request = {**header, "record": True} if recorded else header
        reply, sent = self._backend.ask(request, parts, self._functions.answer)
        if recorded:
            self.ran += [checked_operators(reply.get("ran"))] if reply.keys() & {"ran", "value"} else []
            reply = {key: part for key, part in reply.items() if key != "ran"}
        self.exchanges.append(Exchange((header, parts), (reply, sent)))
        if "missing" in reply:
            # The missing name is read from the request, because the reply could contain a false name.
            for name in names_asked([header.get(part) for part in ("of", "args", "kwargs")]):
                raise NotDefinedError(name)
            raise ProtocolError("a reply reports a missing name, but the request contains no name")
        if "error" in reply:
            raise StudentError(reply["error"] if isinstance(reply["error"], dict) else {})
        if "value" not in reply:
            raise ProtocolError("a reply has neither a value nor an error")
        return reply, Decoder(sent, self._resolve)

    def refer(self, value: object) -> Header:
        """Return the reference that is sent in place of a Remote or a test's function."""
        if isinstance(value, Remote):
            return value._reference
        if callable(value):
            return {"function": self._functions.number(value)}
        raise TypeError(f"a hidden test cannot send a {type(value).__name__} to a submission")

    def _resolve(self, reference: Header) -> "Remote":
        match reference:
            case {"handle": int(number), "type": str(kind)}:
                return Remote(self, {"handle": number}, one_line(kind, 60))
        raise ProtocolError("a value has an unknown form")


class Remote:
    """A proxy of an object in the student's process. `kind` describes the object in words."""

    def __init__(self, student: Student, reference: Header, kind: str) -> None:
        self._student = student
        self._reference = reference
        self.kind = kind

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Call the object and return its result, or a Remote if the result cannot be sent."""
        return self._student.ask(*self._request("call", args=args, kwargs=kwargs))

    def inspect(self, *args: object, weight: "torch.Tensor | None" = None, **kwargs: object) -> Inspection:
        """Call the object. Return the output, the arguments after the call, and gradients.

        The gradients are those of sum(output * weight); the default weight is 1.
        """
        request = self._request("inspect", args=args, kwargs=kwargs, weight=weight)
        reply, decoder = self._student.exchange(*request)
        parts = ("value", "arguments", "gradients", "parameters")
        output, arguments, gradients, parameters = (decoder.decode(reply.get(part)) for part in parts)
        named = isinstance(parameters, dict) and all(isinstance(name, str) for name in parameters)
        if not isinstance(arguments, tuple) or not isinstance(gradients, dict) or not named:
            raise ProtocolError("an inspection has an unknown form")
        try:
            by_position = {int(position): gradient for position, gradient in gradients.items()}
        except (TypeError, ValueError):
            raise ProtocolError("a gradient does not belong to an argument") from None
        return Inspection(output, arguments, by_position, parameters)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute, or a Remote if it cannot be sent."""
        if name.startswith("_"):
            raise AttributeError(name)
        return self._student.ask({"op": "attribute", "of": self._reference, "name": name}, [])

    def __repr__(self) -> str:
        return f"<{self.kind}>"

    def _request(self, op: str, **values: object) -> Request:
        encoder = Encoder(self._student.refer)
        encoded = {name: encoder.encode(value) for name, value in values.items()}
        return {"op": op, "of": self._reference, **encoded}, encoder.parts


def define_for(function: Remote, source: str, name: str) -> Remote:
    """Run `source` in the process of `function` and return its object `name`."""
    return function._student.define(source, name)


def value_of(variable: Remote) -> Any:
    """Return the value of a variable of the notebook, as in `value_of(student.total)`.

    For None and `...`, raise NotFilledInError if the test's question asks for this variable.
    """
    student, name = variable._student, variable._reference.get("name")
    value = student.ask({"op": "value", "of": variable._reference}, [])
    is_ellipsis = isinstance(value, Remote) and value.kind == kind(...)
    if name == student.question and (value is None or is_ellipsis):
        raise NotFilledInError(name)
    return value


class Torch(Remote):
    """A proxy of a path in torch, such as `optim.SGD`. A call looks up the path in the student's process."""

    def __getattr__(self, name: str) -> "Torch":
        path = f"{self.kind}.{name}".lstrip(".")
        return Torch(self._student, {"torch": path}, path)


def names_asked(code: object) -> Iterator[str]:
    """Yield the notebook's names that a request refers to."""
    match code:
        case {"code": _}:  # code that the test itself defines
            return
        case {"name": str(name)}:
            yield name
        case dict() | list():
            for item in code.values() if isinstance(code, dict) else code:
                yield from names_asked(item)
