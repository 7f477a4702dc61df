"""Our hidden tests as an instructor would write them for nbgrader or Otter: calls, compared with literals.

A suite runs once on the reference, and each request with its answer becomes a line or two of plain Python.
Formulas that our tests compare with are not computed again: their results are the literals.
"""

from collections.abc import Iterator
from typing import Any

import torch

from autograder.course.exercise import Exercise
from autograder.testing.exchange import Exchange, Local
from autograder.testing.suite import Run, Suite
from autograder.worker.namespace import run_code
from autograder.worker.protocol import Header, Parts

HELPERS = """\
import base64
import marshal
import torch
from math import inf, nan
def same(seen, right):
    assert isinstance(seen, torch.Tensor), "a tensor was expected"
    assert seen.shape == right.shape, "the shape is not right"
    assert seen.dtype == right.dtype, "the dtype is not right"
    close = 1e-9 if right.dtype == torch.float64 else 1e-4
    assert torch.allclose(seen.double(), right.double(), rtol=1e-5, atol=close), "the values are wrong"
"""


Tests = dict[str, list[str]]  # the tests of each question, each as lines of Python that raise if it fails


def hidden_tests(exercise: Exercise) -> Tests:
    """Return the exercise's hidden tests as Python."""
    tests: Tests = {name: [] for name in exercise.points}
    # The suite has a namespace of its own for the reference, because tests seed the two as two programs.
    for run in Suite(exercise).run(Local(run_code(exercise.reference))):
        tests[run.test.question].append("\n".join(_test(run)))
    return tests


def _test(run: Run) -> Iterator[str]:
    if run.error is not None:
        raise ValueError(f'the reference fails "{run.test.title}"; run `autograder verify` first')
    for number, exchange in enumerate(run.exchanges):
        yield from _Step(number, exchange).lines()


class _Step:
    """One request of a hidden test, as Python; its variables carry the step's number."""

    def __init__(self, number: int, exchange: Exchange) -> None:
        self._number = number
        (self._request, self._sent), (self._reply, self._received) = exchange.request, exchange.reply

    def lines(self) -> Iterator[str]:
        """Yield the lines of the request and of the comparison with its answer."""
        if "fresh" in self._request:
            yield f"torch.manual_seed({self._request['fresh']})"
        for index, code in dict(_tensor_codes(self._request)).items():
            grad = ".requires_grad_()" if code.get("grad") else ""
            yield f"t{self._number}_{index} = {_literal(self._sent[index], code)}{grad}"
        match self._request:
            case {"op": "seed", "seed": int(seed)}:
                yield f"torch.manual_seed({seed})"
            case {"op": "attribute", "of": of, "name": name}:
                yield from self._compared(f"{self._value(of)}.{name}")
            case {"op": "define", "source": source, "name": name}:
                yield f"given = {{'torch': torch, 'nn': torch.nn}}\nexec({source!r}, given)"
                yield from self._compared(f"given[{name!r}]")
            case {"op": "given", "code": code, "args": {"tuple": list(parts)}}:
                yield f"given = {{}}\nexec(marshal.loads(base64.b64decode({code!r})), given)"
                yield from self._compared(f"given['given']({', '.join(map(self._value, parts))})")
            case {"op": "call" | "inspect" as op, "of": of}:
                yield from self._compared(f"{self._value(of)}({self._arguments()})")
                if op == "inspect":
                    yield from self._inspected(of, self._request["weight"])

    def _compared(self, expression: str) -> Iterator[str]:
        if "error" in self._reply:
            kind = self._reply["error"]["type"]
            bases = "[kind.__name__ for kind in type(error).__mro__]"
            yield f"try:\n    {expression}\nexcept Exception as error:\n    assert {kind!r} in {bases}"
            yield f"else:\n    assert False, '{kind} was expected'"
        else:
            yield f"r{self._number} = {expression}"
            yield from _same(f"r{self._number}", self._reply["value"], self._received)

    def _inspected(self, of: Header, weight: object) -> Iterator[str]:
        """Yield what an inspection compares besides: the arguments afterwards, and the gradients."""
        result = f"r{self._number}"
        if "tensor" in (self._reply["value"] or {}):
            summed = result if weight is None else f"({result} * {self._value(weight)})"
            yield f"if {result}.requires_grad:\n    {summed}.sum().backward()"
        positions = self._request["args"]["tuple"]
        for before, after in zip(positions, self._reply["arguments"]["tuple"], strict=True):
            yield from _same(self._value(before), after, self._received)
        for position, gradient in self._reply["gradients"]["dict"]:
            yield from _same(f"{self._value(positions[int(position)])}.grad", gradient, self._received)
        if parameters := self._reply["parameters"]["dict"]:
            yield f"named = dict({self._value(of)}.named_parameters())"
            for name, gradient in parameters:
                yield from _same(f"named[{name!r}].grad", gradient, self._received)

    def _arguments(self) -> str:
        given = [self._value(code) for code in self._request["args"]["tuple"]]
        named = [f"{name}={self._value(code)}" for name, code in self._request["kwargs"]["dict"]]
        return ", ".join(given + named)

    def _value(self, code: object) -> str:
        """Return an argument, or the object that a request is about, as Python."""
        match code:
            case {"tensor": int(index)}:
                return f"t{self._number}_{index}"
            case {"float": str(word)} | {"name": str(word)}:
                return word
            case {"dtype": str(path)} | {"torch": str(path)}:
                return f"torch.{path}"
            case {"list": list(items)}:
                return f"[{', '.join(map(self._value, items))}]"
            case {"tuple": list(items)}:
                return f"({''.join(f'{self._value(item)}, ' for item in items)})"
            case {"dict": list(pairs)}:
                return f"{{{', '.join(f'{self._value(key)}: {self._value(item)}' for key, item in pairs)}}}"
            case {"handle": int(number)}:
                return f"h{number}"
            case dict():
                raise ValueError(f"no Python is known for {code}")
        return repr(code)


def _same(seen: str, right: Any, tensors: Parts) -> Iterator[str]:
    """Yield the lines that compare the value of the expression `seen` with the right one."""
    match right:
        case {"tensor": int(index)} as code:
            yield f"same({seen}, {_literal(tensors[index], code)})"
        case {"handle": int(number)}:
            yield f"h{number} = {seen}"
        case {"dict": list(pairs)}:
            for key, item in pairs:
                yield from _same(f"{seen}[{key!r}]", item, tensors)
        case {"list": list(items)} | {"tuple": list(items)}:
            yield f"assert len({seen}) == {len(items)}"
            for index, item in enumerate(items):
                yield from _same(f"{seen}[{index}]", item, tensors)
        case float():
            yield f"assert abs({seen} - {right!r}) < 1e-4"
        case {"float": number}:
            yield f"assert repr(float({seen})) == {number!r}"
        case {"dtype": name}:
            yield f"assert {seen} == torch.{name}"
        case _:
            yield f"assert {seen} == {right!r}"


def _literal(tensor: torch.Tensor, code: Header) -> str:
    """Return a tensor as Python, with the memory layout that its form describes."""
    dtype = "" if tensor.dtype == torch.float32 else f", dtype={tensor.dtype}"
    shape = "" if tensor.numel() else f".reshape({tuple(tensor.shape)})"
    order = code.get("order", [])
    turned = f".permute({[order.index(dim) for dim in range(len(order))]})" if order else ""
    return f"torch.tensor({tensor.tolist()}{dtype}){shape}{turned}"


def _tensor_codes(code: Any) -> Iterator[tuple[int, Header]]:
    """Yield the number and the form of each tensor in a request."""
    match code:
        case {"tensor": int(index)}:
            yield index, code
        case dict() | list():
            for item in code.values() if isinstance(code, dict) else code:
                yield from _tensor_codes(item)
