"""Functions that a hidden test passes to the student's code.

Such a function stays in the grader's process: its code, closure and attributes are never sent. The worker has
only its number. A call sends the arguments to the grader and waits for the result. The result can be
differentiated: to compute gradients, the worker sends a further call.
"""

import builtins
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any

from autograder.worker.protocol import Header, Parts
from autograder.worker.values import Decoder, Encoder

Answer = Callable[[Header, Parts], tuple[Header, Parts]]  # sends a call to the grader and returns its reply
# A stack, whose last item is used. In the grader's process, requests can be nested: the solution calls a
# test's function, and this function sends a further request to the solution.
_answers: list[Answer] = []


@contextmanager
def answering(answer: Answer | None) -> Iterator[None]:
    """Let remote functions send their calls through `answer` in the `with` block."""
    _answers.append(answer or unanswered)
    try:
        yield
    finally:
        _answers.pop()


def unanswered(*_: object) -> tuple[Header, Parts]:
    """Raise RuntimeError: outside a request, the grader does not answer calls."""
    raise RuntimeError("a function from a hidden test can be called only until your code returns")


class RemoteFunction:
    """A function of the hidden test."""

    __slots__ = ("_number",)

    def __init__(self, number: int) -> None:
        self._number = number

    def __repr__(self) -> str:
        return "<a function of the hidden test>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function in the grader's process."""
        if (torch := sys.modules.get("torch")) is None:
            return _send(self._number, args, kwargs, [])
        call = _Call(torch, self._number, args, kwargs)
        if not call.tensors:
            return call.run([[]])
        leaves = _differentiable().apply(call, [len(call.tensors)], *call.tensors)
        return torch.utils._pytree.tree_unflatten(leaves, call.result)


class _Call:
    """A call, which can be sent again with other tensors."""

    def __init__(self, torch: Any, number: int, args: Any, kwargs: Any) -> None:
        self._number, self._tree = number, torch.utils._pytree
        self._leaves, self._structure = self._tree.tree_flatten((args, kwargs))
        self._places = [at for at, leaf in enumerate(self._leaves) if isinstance(leaf, torch.Tensor)]
        self.tensors = [self._leaves[at] for at in self._places]
        self.result: Any = None  # how the items of the function's result are nested

    def run(self, groups: Sequence[Sequence[Any]]) -> Any:
        """Send the call with the tensors in `groups[0]`, and return the function's result.

        For two groups, return instead the gradients of sum(result * groups[1]) with respect to groups[0]. For
        three groups, return the gradients of sum(these gradients * groups[2]) with respect to groups[0] and
        groups[1]. Further groups continue in this way.
        """
        leaves, (tensors, *weights) = [*self._leaves], groups
        for at, tensor in zip(self._places, tensors, strict=True):
            leaves[at] = tensor.detach()
        args, kwargs = self._tree.tree_unflatten(leaves, self._structure)
        detached = [[tensor.detach() for tensor in group] for group in weights]
        return _send(self._number, args, kwargs, detached)

    def flat(self, groups: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
        """Return the items of `run`'s result as a flat tuple. Store how the function's result is nested."""
        value = self.run(groups)
        if len(groups) == 1:
            value, self.result = self._tree.tree_flatten(value)
        return tuple(value)


def _send(number: int, args: Any, kwargs: Any, weights: list[list[Any]]) -> Any:
    encoder = Encoder(_refuse)
    values = {"args": args, "kwargs": kwargs, "weights": weights}
    header = {"function": number, **{name: encoder.encode(value) for name, value in values.items()}}
    reply, parts = (_answers[-1] if _answers else unanswered)(header, encoder.parts)
    if "error" in reply:
        raise getattr(builtins, reply["type"])(reply["error"])
    return Decoder(parts, _refuse).decode(reply["value"])


def _refuse(value: object) -> Any:
    raise TypeError(f"a function of a hidden test cannot take or return a {type(value).__name__}")


def is_differentiable(value: Any) -> bool:
    """Whether gradients can flow to a value."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor) and value.is_floating_point()


@lru_cache(1)
def _differentiable() -> Any:
    """Return a subclass of `torch.autograd.Function`, which sends a call and further calls for gradients."""
    function: Any = sys.modules["torch"].autograd.Function

    class Differentiable(function):  # type: ignore[misc]
        """A call, or its gradients. `tensors` has all groups of `_Call.run`; `sizes` has their lengths."""

        @staticmethod
        def forward(call: _Call, sizes: list[int], *tensors: Any) -> Any:
            ends = accumulate(sizes, initial=0)
            return call.flat([tensors[start:end] for start, end in pairwise(ends)])

        @staticmethod
        def setup_context(context: Any, inputs: Any, output: Any) -> None:
            context.call, context.sizes, *tensors = inputs
            context.save_for_backward(*tensors)
            context.differentiable = [at for at, part in enumerate(output) if is_differentiable(part)]
            others = (part for at, part in enumerate(output) if at not in context.differentiable)
            context.mark_non_differentiable(*(part for part in others if hasattr(part, "dtype")))

        @staticmethod
        def backward(context: Any, *weights: Any) -> Any:
            group = [weights[at] for at in context.differentiable]
            sizes = [*context.sizes, len(group)]
            return None, None, *Differentiable.apply(context.call, sizes, *context.saved_tensors, *group)

        @staticmethod
        def vmap(info: Any, dims: Any, call: _Call, sizes: list[int], *tensors: Any) -> Any:
            pairs = [*zip(tensors, dims[2:], strict=True)]
            rows = [
                Differentiable.apply(call, sizes, *(t if d is None else t.select(d, at) for t, d in pairs))
                for at in range(info.batch_size)
            ]
            torch = sys.modules["torch"]
            parts = [
                torch.stack(part) if hasattr(part[0], "dim") else part[0] for part in zip(*rows, strict=True)
            ]
            return tuple(parts), tuple(0 if hasattr(part, "dim") else None for part in parts)

    return Differentiable
