"""Records what each expression of some code gives, inside one-liners too, or exchanges it.

The code gets a call around each expression, so it runs wherever candidates for repairs run. A submission
that tells of other results than its own spoils the explanation of its own mistake, and nothing else.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from autograder.diagnosis.code import Code, Place
from autograder.diagnosis.pieces import ANYWHERE
from autograder.diagnosis.trees import rewritten
from autograder.testing.exchange import Backend, Exchange, Reply
from autograder.worker.protocol import Header, Parts
from autograder.worker.results import RECORD
from autograder.worker.values import Decoder, Encoder

Key = tuple[int, int]  # the number of a test, and of a request in it
Values = Mapping[Key, list[Any]]  # what an expression gives during each request, once or several times
_KINDS = (
    ast.Call, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Subscript, ast.Attribute, ast.Name,
    ast.IfExp,
)  # fmt: skip


@dataclass(frozen=True)
class Recording:
    """What expressions gave, in the order in which they first gave something, and the answers to requests."""

    results: dict[int, dict[Key, list[Any]]] = field(default_factory=dict)
    answers: dict[Key, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Recorded:
    """Code that tells what its expressions give."""

    code: Code

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The expressions in functions that may give numbers, by their own numbers."""
        calls = (one for tree in self.code.statements for one in ast.walk(tree) if isinstance(one, ast.Call))
        no = {id(one.func) for one in calls}
        found = (one for one in self.code.places if isinstance(one.node, _KINDS) and one.scope.function)
        read = (one for one in found if isinstance(getattr(one.node, "ctx", None), ast.Load | None))
        return tuple(
            one for one in read if id(one.node) not in no and getattr(one.node, "id", "") not in ANYWHERE
        )

    @cached_property
    def numbers(self) -> Mapping[int, int]:
        """The number of each expression by the address of its node."""
        return {id(place.node): number for number, place in enumerate(self.places)}

    def define(self, backend: Backend) -> None:
        """Run the code with a call around each of its expressions."""

        def change(old: ast.AST, made: ast.AST) -> ast.AST:
            number = self.numbers.get(id(old))
            if number is None or not isinstance(made, ast.expr):
                return made
            return ast.Call(ast.Name(RECORD, ast.Load()), [ast.Constant(number), made], [])

        statements = tuple(rewritten(one, change) for one in self.code.statements)
        backend.ask({"op": "edit", "source": Code(statements).text}, [])


def record(
    backend: Backend,
    test: int,
    exchanges: Sequence[Exchange],
    number: int | None = None,
    values: Values = MappingProxyType({}),
) -> Recording:
    """Record what expressions give when a test asks what it has asked of a right answer.

    The expression of this number, if any, gives other values than its own.
    """
    found = Recording()
    _take(backend, number, values.get((test, 0), []))
    for at, exchange in enumerate(exchanges):
        found.answers[test, at] = _value(backend.ask(*exchange.request))
        for pair in _take(backend, number, values.get((test, at + 1), [])) or ():
            match pair:
                case [int(one), list(given)]:
                    found.results.setdefault(one, {})[test, at] = given
    return found


def together(several: Iterable[Recording]) -> Recording:
    """Return the recordings of several tests as one."""
    found = Recording()
    for one in several:
        found.answers.update(one.answers)
        for number, values in one.results.items():
            found.results.setdefault(number, {}).update(values)
    return found


def _take(backend: Backend, number: int | None, values: Sequence[Any], *, keep: bool = True) -> Any:
    """Return what expressions gave in the last request; in the next one, one of them gives these values."""
    encoder = Encoder(lambda _: {"list": []})
    request = {"op": "results", "number": number, "values": encoder.encode([*values]), "keep": keep}
    return _value(backend.ask(request, encoder.parts))


def _value(reply: Reply) -> Any:
    """Return the value of an answer; None where it holds an error, or instead of what it only refers to."""
    return Decoder(reply[1], lambda _: None).decode(reply[0].get("value"))


@dataclass
class Exchanging:
    """A backend for one test, in which an expression gives other values."""

    backend: Backend
    number: int
    values: Values
    test: int
    right: Sequence[Exchange]  # what a right answer has answered
    at: int = 0

    def ask(self, header: Header, parts: Parts) -> Reply:
        """Return the answer to one request.

        Gradients are those of the right answer, if any reach their place: what is put in has none of its own.
        """
        _take(self.backend, self.number, self.values.get((self.test, self.at), []), keep=False)
        reply, sent = self.backend.ask(header, parts)
        expected, ours = self.right[self.at].reply if self.at < len(self.right) else ({}, [])
        self.at += 1
        if "gradients" in reply and reply == expected and len(sent) == len(ours):
            first = str([reply["value"], reply["arguments"]]).count("'tensor'")
            for at in range(first, len(sent)):
                if sent[at].shape == ours[at].shape and bool(sent[at].any()) >= bool(ours[at].any()):
                    sent[at] = ours[at]
        return reply, sent


def equal(one: Any, other: Any) -> bool:
    """Whether two values, or lists of them, have the same form and the same numbers but for rounding."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return form(one) == form(other) and (one is other or close(flat(one), flat(other)))


def form(value: Any) -> tuple[object, ...]:
    """Return of what kind a value is, and of what shape; of a list, the forms of its values."""
    if isinstance(value, list | tuple):
        return tuple(map(form, value))
    return (getattr(value, "dtype", type(value)), *getattr(value, "shape", ()))


def flat(value: Any) -> Any:
    """Return all numbers in a value or a list of values."""
    import torch

    if isinstance(value, list | tuple):
        return torch.cat([flat(one) for one in value] or [torch.empty(0)])
    is_number = isinstance(value, bool | int | float | torch.Tensor)
    return torch.as_tensor(value if is_number else []).detach().reshape(-1).double()


def close(one: Any, other: Any) -> bool:
    """Whether numbers differ by no more than rounding."""
    same_size = one.shape == other.shape
    return bool(same_size and one.isclose(other, rtol=1e-4, atol=1e-5, equal_nan=True).all())
