"""Functions that a hidden test passes to the submission's code as arguments.

The functions stay in the grader's process. When the student's code calls a function,
worker/remote_function.py sends the call to the grader. The grader checks the form of a call and the size of
tensors. If a function raises an error, the error is raised again in the student's code.
"""

import math
import sys
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

from autograder.report.text import one_line
from autograder.testing.inputs import random_state, set_random_state
from autograder.worker.namespace import seed_generators, silence
from autograder.worker.protocol import Header, Parts, ProtocolError
from autograder.worker.remote_function import is_differentiable
from autograder.worker.values import Decoder, Encoder

Function = Callable[..., Any]
# Takes the tensors among the arguments of a call, makes the call, and returns the result as a flat list.
_Call = Callable[[Sequence[Any]], list[Any]]
MAX_CALLS = 20_000  # largest number of calls in one test, of all functions together
# Limit of a tensor's number of elements times its longest side. A function that compares every two tokens may
# create a tensor of this size. Each order of gradients divides the limit by _LESS.
MAX_PAIRS, _LESS = 1 << 25, 4
_MAX_GROUPS = 4  # groups of tensors in a call: its arguments, and the weights for each order of gradients
_ERRORS = {"AssertionError", "IndexError", "KeyError", "TypeError", "ValueError", "ZeroDivisionError"}
_MAX_MESSAGE = 300  # characters of an error's message


class Functions:
    """The functions that one test passes to the student's code, and their random generators."""

    def __init__(self, seed: int) -> None:
        self._functions: list[Function] = []
        self._seed, self._random, self._calls = seed, None, 0

    def number(self, function: Function) -> int:
        """Return a new number for a function."""
        self._functions.append(function)
        return len(self._functions) - 1

    def answer(self, header: Header, parts: Parts) -> tuple[Header, Parts]:
        """Return the reply to a call by the student's code; raise ProtocolError if the call is malformed."""
        function, args, kwargs, weights = self._read(header, parts)
        self._calls += 1
        callers_state = random_state()
        seed_generators(self._seed) if self._random is None else set_random_state(self._random)
        encoder = Encoder(_refuse)
        try:
            with silence():
                if self._calls > MAX_CALLS:
                    raise RuntimeError(
                        f"the test's functions can be called at most {MAX_CALLS:,} times in all"
                    )
                value = encoder.encode(_result(function, args, kwargs, weights))
            return {"value": value}, encoder.parts
        except Exception as error:
            return _error_reply(error), []
        finally:
            self._random = random_state()
            set_random_state(callers_state)

    def _read(self, header: Header, parts: Parts) -> tuple[Function, tuple[Any, ...], dict[str, Any], Any]:
        decoder = Decoder(parts, _malformed)
        args, kwargs, weights = (decoder.decode(header.get(name)) for name in ("args", "kwargs", "weights"))
        number = header["function"]
        if type(number) is not int or not 0 <= number < len(self._functions):
            raise ProtocolError("a call has a number that belongs to no function")
        named = isinstance(kwargs, dict) and all(isinstance(name, str) for name in kwargs)
        if not isinstance(args, tuple) or not named or not isinstance(weights, list):
            raise ProtocolError("a call has an unknown form")
        if not all(isinstance(group, list) and all(map(is_differentiable, group)) for group in weights):
            raise ProtocolError("a call's weights have an unknown form")
        return self._functions[number], args, kwargs, weights


def _result(
    function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], weights: list[list[Any]]
) -> Any:
    """Return a function's result or, if there are weights, gradients."""
    if (torch := sys.modules.get("torch")) is None:
        return function(*args, **kwargs)
    tree: Any = torch.utils._pytree
    leaves, structure = tree.tree_flatten((args, kwargs))
    indices = [index for index, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    groups = [[leaves[index] for index in indices], *weights]
    _check_sizes(groups)
    groups = [[t.detach().requires_grad_(is_differentiable(t)) for t in group] for group in groups]

    def call(tensors: Sequence[Any]) -> list[Any]:
        replaced = dict(zip(indices, tensors, strict=True))
        new_leaves = [replaced.get(index, leaf) for index, leaf in enumerate(leaves)]
        args, kwargs = tree.tree_unflatten(new_leaves, structure)
        return [*tree.tree_flatten(function(*args, **kwargs))[0]]

    if not weights:
        with torch.no_grad():
            return tree.tree_map_only(torch.Tensor, torch.Tensor.detach, function(*args, **kwargs))
    with torch.enable_grad():
        return _gradients(call, groups)


def _gradients(call: _Call, groups: Sequence[Sequence[Any]], *, differentiable: bool = False) -> list[Any]:
    """Return gradients of a call. The returned gradients can be differentiated if `differentiable` is true.

    With the groups [tensors, weights], return the gradients of sum(call(tensors) * weights) with respect to
    `tensors`. With [tensors, weights, outer], return the gradients of sum(those gradients * outer), with
    respect to `tensors` and `weights`. Each further group adds one order of gradients.
    """
    *inner, weights = groups
    inputs = [tensor for group in inner for tensor in group]
    outputs = call(inner[0]) if len(inner) == 1 else _gradients(call, inner, differentiable=True)
    weighted = zip(filter(is_differentiable, outputs), weights, strict=True)
    pairs = [(result, weight) for result, weight in weighted if result.requires_grad]
    wanted = [tensor for tensor in inputs if tensor.requires_grad]
    if not pairs or not wanted:
        return [None] * len(inputs)
    results, factors = zip(*pairs, strict=True)
    grad = sys.modules["torch"].autograd.grad
    gradients = iter(grad(results, wanted, factors, create_graph=differentiable, allow_unused=True))
    return [next(gradients) if tensor.requires_grad else None for tensor in inputs]


def _check_sizes(groups: Sequence[Sequence[Any]]) -> None:
    if len(groups) > _MAX_GROUPS:
        raise RuntimeError("the test's function can be differentiated at most three times")
    most = MAX_PAIRS // _LESS ** (len(groups) - 1)
    shapes = [tuple(tensor.shape) for group in groups for tensor in group]
    # the sizes of all tensors in each dimension, beginning with the last dimension
    from_last = zip_longest(*map(reversed, shapes), fillvalue=1)
    broadcast = tuple(max(sizes) for sizes in from_last)[::-1]  # the shape to which all tensors broadcast
    for shape in (*shapes, broadcast):
        if math.prod(size or 1 for size in shape) * max(shape, default=1) > most:
            raise RuntimeError(f"a tensor of shape {shape} is too large for the test's function")


def _error_reply(error: Exception) -> Header:
    """Return an error's message and its nearest class in _ERRORS. If there is none, return RuntimeError."""
    names = (kind.__name__ for kind in type(error).__mro__)
    kind = next((name for name in names if name in _ERRORS), "RuntimeError")
    return {"error": one_line(str(error), _MAX_MESSAGE), "type": kind}


def _refuse(value: object) -> Header:
    raise TypeError(f"the test's function cannot return a {type(value).__name__}")


def _malformed(_: Header) -> Any:
    raise ProtocolError("an argument of a call is a reference to an object")
