"""Functions in the place of wrong answers to earlier questions: each call of one is answered by the grader.

A later question that calls an earlier one can so be run as if that one were right. Neither the code nor any
value of a right answer is on this side: arguments go out, and what a right answer makes of them comes back.
"""

import builtins
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch
from torch.autograd.function import once_differentiable

from autograder.worker.protocol import Decoder, Encoder, Header, ProtocolError, Tensors

Exchange = Callable[[Header, Tensors], tuple[Header, Tensors]]


class Callbacks:
    """The functions that call back; `request` is the number of the request in whose course they do."""

    def __init__(self, exchange: Exchange) -> None:
        self.request = ""
        self._exchange = exchange
        self._functions: dict[str, Callable[..., Any]] = {}

    def make(self, names: Iterable[str]) -> None:
        """Make a function for each of these names."""
        self._functions = {name: self._function(name) for name in names}

    def install(self, variables: dict[str, Any]) -> None:
        """Put the functions in the place of whatever the notebook has under their names."""
        variables.update(self._functions)

    def _function(self, name: str) -> Callable[..., Any]:
        def call(*args: object, **kwargs: object) -> Any:
            return _Call(self._ask, name, args, kwargs).result()

        call.__name__ = name
        return call

    def _ask(self, header: Header, tensors: Tensors) -> tuple[Header, Tensors]:
        reply, answered = self._exchange({"id": self.request, **header}, tensors)
        if "error" in reply:
            kind = getattr(builtins, str(reply["error"]), RuntimeError)
            raise kind(f"{header['calls']} does not take these arguments")
        return reply, answered


class _Call:
    """One call, which can be asked for its result and, with the same arguments again, for its gradients."""

    def __init__(self, ask: Exchange, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        encoder = Encoder(refuse)
        self._ask = ask
        self._header = {"calls": name, "args": encoder.encode(args), "kwargs": encoder.encode(kwargs)}
        self._tensors = encoder.tensors  # copies, so that what is written to an argument later does not count
        with_grad = torch.is_grad_enabled()
        self._inputs = [one for one in tensors_in((args, kwargs)) if one.requires_grad and with_grad]
        self._header["grad"] = bool(self._inputs)

    def result(self) -> Any:
        """Return what a right answer returns; gradients flow through it to the arguments."""
        reply, tensors = self._ask(self._header, self._tensors)
        value = Decoder(tensors, refuse).decode(reply["value"])
        outputs = list(tensors_in(value))
        if not any(output.requires_grad for output in outputs):
            return value
        linked = _Link.apply(self, outputs, *self._inputs)  # type: ignore[no-untyped-call]
        return _replaced(value, {id(old): new for old, new in zip(outputs, linked, strict=True)})

    def gradients(self, weights: Sequence[torch.Tensor | None]) -> list[torch.Tensor | None]:
        """Return the gradient of each input, given those of the outputs."""
        given = [weight.detach().contiguous() for weight in weights if weight is not None]
        places = iter(range(len(self._tensors), len(self._tensors) + len(given)))
        header = {**self._header, "weights": [None if one is None else next(places) for one in weights]}
        reply, tensors = self._ask(header, [*self._tensors, *given])
        return [None if index is None else tensors[index] for index in reply["gradients"]]


class _Link(torch.autograd.Function):
    """Ties the outputs of a call to its inputs, so that torch asks for gradients when it needs them."""

    @staticmethod
    def forward(ctx: Any, call: _Call, outputs: Tensors, *_: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ctx.call = call
        ctx.set_materialize_grads(False)
        linked = tuple(output.detach() for output in outputs)
        ctx.mark_non_differentiable(
            *(new for new, old in zip(linked, outputs, strict=True) if not old.requires_grad)
        )
        return linked

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *weights: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        return (None, None, *ctx.call.gradients(weights))


def refuse(value: object) -> Any:
    """Refuse what is no plain value: neither objects nor references cross the pipe in a call back."""
    kind = "a reference" if isinstance(value, dict) else f"a {type(value).__name__}"
    raise ProtocolError(f"{kind} cannot be handed to another question's answer")


def tensors_in(value: object) -> Iterator[torch.Tensor]:
    """Yield each tensor in nested containers once, in the order in which a message numbers them."""
    seen = set[int]()
    for one in _tensors_in(value):
        if id(one) not in seen:
            seen.add(id(one))
            yield one


def _tensors_in(value: object) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _tensors_in(item)


def _replaced(value: Any, new: dict[int, torch.Tensor]) -> Any:
    """Return nested containers with other tensors in them."""
    if isinstance(value, torch.Tensor):
        return new[id(value)]
    if isinstance(value, dict):
        return {key: _replaced(item, new) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_replaced(item, new) for item in value)
    return value
