"""Performs what the grader asks of a notebook's names: calls, attributes, gradients, seeds."""

import traceback
from collections.abc import Iterator
from itertools import islice
from typing import Any

import torch
from torch import nn

from autograder.worker.protocol import Decoder, Encoder, Header, ProtocolError, Tensors

CELL = "cell "  # a cell's code is compiled under the file name "cell 7"
_MAX_MESSAGE = 500
_MAX_PLACES = 20
_MANY = 1 << 24  # elements: more than any answer needs
Reply = tuple[Header, Tensors]
_NAME, _BASES = type.__dict__["__name__"].__get__, type.__dict__["__mro__"].__get__


class Namespace:
    """A notebook's variables, and the objects the grader holds by number."""

    def __init__(self, variables: dict[str, Any]) -> None:
        self.variables = variables
        self._held: list[object] = []

    def handle(self, header: Header, tensors: Tensors) -> Reply:
        """Answer one request; what the student's code raises comes back as an error."""
        decoder = Decoder(tensors, self._resolve)
        try:
            if "fresh" in header:  # the first request of a test brings its seed
                self._held.clear()
                _pristine(header["fresh"])
            match header:
                case {"op": "seed", "seed": int(seed)}:
                    torch.manual_seed(seed)
                    return {"value": None}, []
                case {"op": "attribute", "of": of, "name": str(name)}:
                    return self._value(getattr(self._resolve(of), name))
                case {"op": "define", "source": str(source), "name": str(name)}:
                    return self._value(_define(source, name))
                case {"op": "call", "of": of, "args": args, "kwargs": kwargs}:
                    return self._value(self._resolve(of)(*decoder.decode(args), **decoder.decode(kwargs)))
                case {"op": "inspect", "of": of, "args": args, "kwargs": kwargs, "weight": weight}:
                    return self._inspect(
                        of, decoder.decode(args), decoder.decode(kwargs), decoder.decode(weight)
                    )
        except MissingError as missing:
            return {"missing": missing.name}, []
        except ProtocolError:
            raise
        except BaseException as error:
            return {"error": describe(error)}, []
        raise ProtocolError("a request has no known form")

    def _resolve(self, reference: Header) -> Any:
        match reference:
            case {"name": str(name)}:
                if name not in self.variables:
                    raise MissingError(name)
                return self.variables[name]
            case {"handle": int(number)}:
                return self._held[number]
            case {"torch": str(path)}:
                found: Any = torch
                for part in path.split("."):
                    found = getattr(found, part)
                return found
        raise ProtocolError("a reference has no known form")

    def _refer(self, value: object) -> Header:
        self._held.append(value)
        return {"handle": len(self._held) - 1, "type": _kind(value)}

    def _value(self, value: object) -> Reply:
        encoder = Encoder(self._refer)
        return {"value": encoder.encode(value)}, encoder.tensors

    def _inspect(self, of: Header, args: tuple[Any, ...], kwargs: dict[str, Any], weight: Any) -> Reply:
        """Call, then also report the arguments as the call left them and what gradients reach.

        The scalar that is differentiated is the sum of output * weight, or of the output alone.
        """
        target = self._resolve(of)
        output = target(*args, **kwargs)
        encoder = Encoder(self._refer)
        reply = {"value": encoder.encode(output), "arguments": encoder.encode(args)}
        leaves = {f"{i}": leaf for i, leaf in enumerate(args) if _is_leaf(leaf)}
        named = dict(target.named_parameters()) if isinstance(target, nn.Module) else {}
        if isinstance(output, torch.Tensor) and output.requires_grad:
            (output if weight is None else output * weight).sum().backward()
        reply["gradients"] = encoder.encode({name: leaf.grad for name, leaf in leaves.items()})
        reply["parameters"] = encoder.encode({name: parameter.grad for name, parameter in named.items()})
        return reply, encoder.tensors


class MissingError(Exception):
    """The notebook defines no such name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def run_code(cells: tuple[str, ...]) -> Namespace:
    """Run trusted code cells without a shell and return their namespace."""
    variables: dict[str, Any] = {"__name__": "__main__"}
    for number, code in enumerate(cells):
        exec(compile(code, f"{CELL}{number}", "exec"), variables)  # noqa: S102 - the course's own code
    return Namespace(variables)


def describe(error: BaseException) -> Header:
    """Return what may be told of an exception: its type and bases, a short message, cells and lines."""
    places = list(islice(_places(error), _MAX_PLACES))
    return {
        "type": _name(type(error)),
        "bases": [_name(base) for base in _BASES(type(error))[:20]],
        "message": _message(error),
        "places": places,
    }


def _places(error: BaseException) -> Iterator[list[int | None]]:
    """Yield each cell, with its line, that an exception passed through, the innermost first."""
    if isinstance(error, SyntaxError) and (error.filename or "").startswith(CELL):
        yield [int((error.filename or "").removeprefix(CELL)), error.lineno]
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        number = frame.f_code.co_filename.removeprefix(CELL)
        if number.isdecimal():
            yield [int(number), line]


def _message(error: BaseException) -> str:
    try:
        text = str(error.msg if isinstance(error, SyntaxError) else error)
        return str.__getitem__(text, slice(_MAX_MESSAGE))  # a subclass of str may slice as it likes
    except BaseException:
        return ""  # the exception's own __str__ failed


def _name(kind: type) -> str:
    """Return the name of a type, whatever its metaclass says."""
    name: str = _NAME(kind)
    return str.__getitem__(name, slice(100))


def _kind(value: object) -> str:
    """Return the words that name a value's type to a student."""
    if isinstance(value, torch.Tensor):
        if type(value) not in (torch.Tensor, nn.Parameter):
            return f"{type(value).__name__}, a subclass of Tensor"
        size = f" with {value.numel():,} elements" if value.numel() > _MANY else ""
        where = "" if value.device.type == "cpu" else f" on {value.device.type}"
        layout = "" if value.layout is torch.strided else f" {str(value.layout).removeprefix('torch.')}"
        return f"Tensor of {str(value.dtype).removeprefix('torch.')}{layout}{where}{size}"
    module = type(value).__module__
    return type(value).__name__ if module in ("builtins", "__main__") else f"{module}.{type(value).__name__}"


def _is_leaf(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad and value.is_leaf


def _pristine(seed: int) -> None:
    """Undo what an earlier test, or the notebook, may have set for the whole process."""
    torch.default_generator.manual_seed(seed)
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)


def _define(source: str, name: str) -> object:
    variables: dict[str, Any] = {"__name__": "given", "torch": torch, "nn": nn}
    exec(compile(source, "given", "exec"), variables)  # noqa: S102 - sent by a hidden test
    return variables[name]
