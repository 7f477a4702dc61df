"""Expectations of hidden tests for tensors.

A result is checked in this order: type, shape, dtype, NaN, numbers. Some expectations take a function, call
it, and check one property, such as the gradients. Most of them first run `expect_computed`, so that a
function that computes nothing does not pass.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import torch

from autograder.testing.expectations import (
    Unmet,
    argument,
    described,
    expect,
    expect_unchanged,
    first,
    have,
    index,
    precondition,
    where,
)
from autograder.testing.student import Inspection, Remote


def expect_tensor(
    actual: object,
    shape: Sequence[int] | None = None,
    dtype: torch.dtype | None = None,
    name: str = "The result",
) -> torch.Tensor:
    """Expect a tensor, of `shape` and `dtype` if they are given, and return it."""
    if not isinstance(actual, torch.Tensor):
        raise Unmet(f"{name} must be a tensor, but it is {_described(actual)}")
    if shape is not None and tuple(actual.shape) != tuple(shape):
        raise Unmet(f"{name} must have shape {tuple(shape)}, but it has {tuple(actual.shape)}.")
    if dtype is not None and actual.dtype != dtype:
        wrong = f"must be {dtype}, but it is {actual.dtype}".replace("torch.", "")
        raise Unmet(f"{name} {wrong}.")
    return actual


def expect_values(
    actual: object,
    expected: torch.Tensor,
    *,
    atol: float | None = None,
    rtol: float = 0.0,
    hint: str = "",
    name: str = "The result",
) -> None:
    """Expect a tensor with the shape, the dtype and the values of `expected`, within `atol` and `rtol`.

    Without `atol`, the tolerance is 1e-5 for float32, 1e-9 for float64 and 0 for other dtypes. NaN is always
    wrong. The message about wrong values ends with `hint`.
    """
    tensor = expect_tensor(actual, expected.shape, expected.dtype, name)
    if atol is None:
        atol = {torch.float64: 1e-9, torch.float32: 1e-5}.get(expected.dtype, 0.0)
    if torch.allclose(tensor, expected, rtol=rtol, atol=atol):
        return
    expect_no_nan(tensor, name)
    wrong = ~torch.isclose(tensor, expected, rtol=rtol, atol=atol)
    raise Unmet(f"{where(wrong.numpy(), name)} {hint}".rstrip())


def expect_numel(actual: object, shape: Sequence[int], name: str = "The result") -> torch.Tensor:
    """Expect as many elements as a tensor of `shape` has, and return them as a tensor of this shape.

    `actual` may be a number, a list, a tensor of any shape and dtype, or a tuple that begins with one of
    these. Use this if another test checks the type and the shape.
    """
    first = actual[0] if isinstance(actual, tuple) and actual else actual
    tensor = expect_tensor(_as_tensor(first), name=name)
    same = tensor.numel() == prod(shape)
    return tensor.reshape(shape) if same else expect_tensor(tensor, shape, name=name)


def expect_numbers(
    actual: object,
    expected: torch.Tensor,
    *,
    atol: float | None = None,
    hint: str = "",
    name: str = "The result",
) -> None:
    """Expect the values of `expected` in any type, shape and dtype that `expect_numel` accepts."""
    numbers = expect_numel(actual, expected.shape, name).to(expected.dtype)
    expect_values(numbers, expected, atol=atol, hint=hint, name=name)


def expect_no_nan(actual: object, name: str = "The result") -> torch.Tensor:
    """Expect a tensor without NaN, and return it."""
    tensor = expect_tensor(actual, name=name)
    if (bad := torch.isnan(tensor)).any():
        causes = "inf - inf, 0 / 0 or exp of a huge number"
        raise Unmet(f"{name} {have(name)} NaN at {first(bad.numpy())}. Which step can give {causes}?")
    return tensor


def expect_finite(actual: object, name: str = "The result") -> torch.Tensor:
    """Expect a tensor without NaN and infinities, and return it."""
    tensor = expect_no_nan(actual, name)
    if (bad := torch.isinf(tensor)).any():
        raise Unmet(f"{name} is infinite at {first(bad.numpy())}. Does a step overflow?")
    return tensor


def expect_rows_sum_to_one(weights: object, name: str = "The weights") -> None:
    """Expect that the sums over the last dimension are 1 and no weight is negative."""
    tensor = expect_finite(weights, name)
    sums = tensor.sum(dim=-1)
    off = (sums - 1).abs() > (1e-9 if tensor.dtype == torch.float64 else 1e-5)
    if off.any():
        row = index(off.numpy())
        where = f"row {row[0] if len(row) == 1 else row} sums to" if row else "the sum is"
        seen = f"{where} {sums[tuple(row)].item():.4g}"
        raise Unmet(f"Rows must sum to 1, but {seen}. Over which dimension did you normalise?")
    expect(bool((tensor >= 0).all()), f"{name} must not be negative.")


def expect_gradient(
    function: Remote | Inspection,
    *arguments: object,
    expected: Mapping[int, torch.Tensor] | None = None,
    weight: torch.Tensor | None = None,
    hint: str = "",
    atol: float | None = None,
    names: Sequence[str] = (),
) -> None:
    """Expect that (result * weight).sum() has a finite gradient for each float tensor among the arguments.

    `expected` maps positions of arguments to gradients. With `expected`, only these gradients are checked,
    within `atol`, by default 1e-5. Instead of a function, a test can pass the result of
    `function.inspect(...)`.
    """
    if isinstance(function, Inspection) and arguments:
        raise TypeError("after inspect(), pass no arguments; give gradients as expected={0: ...}")
    if isinstance(function, Inspection):
        inspection, floats = function, function.gradients.keys()
    else:
        leaves = {i: tensor.detach().clone().requires_grad_() for i, tensor in _floats(arguments).items()}
        inspection, floats = _call(function.inspect, arguments, leaves, weight=weight), leaves.keys()
    for position in floats if expected is None else expected:
        which = argument(position, names)
        gradient = _gradient(inspection, position, which, hint=hint)
        if expected is not None:
            near, name = 1e-5 if atol is None else atol, f"The gradient of {which}"
            expect_values(gradient, expected[position], atol=near, hint=hint, name=name)


@precondition()
def expect_computed(function: Callable[..., Any], *arguments: object, names: Sequence[str] = ()) -> Any:
    """Expect a result that depends on every float tensor among the arguments, and return it.

    The result must not equal an argument, and its rows must not all be equal. If all elements of an argument
    but the first and the last change, the result must change. Its values may be wrong: a loop with one
    iteration too few passes here. If this expectation fails, the test is "not judged" instead of "failed".
    """
    result = function(*arguments)
    parts, floats = _parts(result), _floats(arguments)
    for part in parts:
        rows = part.movedim(-2, 0) if part.dim() > 1 else part
        rows_equal = rows.dim() > 0 and len(rows) > 1 and torch.equal(rows, rows[:1].expand_as(rows))
        expect(not rows_equal, "All rows of the result are the same.")
        is_input = any(torch.equal(part.flatten(), each.double().flatten()) for each in floats.values())
        expect(not is_input, "The result is one of the inputs.")
    for position, tensor in floats.items():
        changed = tensor.detach().flatten().clone()
        changed[1:-1] += 0.5 + torch.rand_like(changed[1:-1])
        others = _parts(_call(function, arguments, {position: changed.reshape(tensor.shape)}))
        same = len(others) == len(parts) and all(map(torch.equal, parts, others))
        which = argument(position, names)
        expect(not same or tensor.numel() < 3, f"The result does not depend on {which}.")
    return result


def expect_inputs_unchanged(function: Remote, **arguments: object) -> None:
    """Expect that a call computes something and does not change its tensor arguments in place."""
    expect_computed(function, *arguments.values(), names=tuple(arguments))
    tensors = {name: value for name, value in arguments.items() if isinstance(value, torch.Tensor)}
    expect_unchanged(function.inspect(*arguments.values()), *tensors.values(), names=tuple(tensors))


def expect_dtype_kept(function: Callable[..., Any], *arguments: object) -> None:
    """Expect float32 results for float32 arguments, and float64 results for float64 arguments.

    A change of 1e-9 in float64 arguments must change the result. A step in float32 would lose this change.
    """
    for dtype in (torch.float32, torch.float64):
        floats = {i: tensor.to(dtype) for i, tensor in _floats(arguments).items()}
        inputs = [floats.get(i, value) for i, value in enumerate(arguments)]
        result = expect_computed(function, *inputs)
        for part in result if isinstance(result, tuple) else [result]:
            expect_tensor(part, dtype=dtype)
    directions = {i: torch.randn_like(tensor) for i, tensor in floats.items()}
    wide, narrow = (_slopes(function, inputs, directions, size) for size in (1e-4, 1e-9))
    for far, near in zip(wide, narrow, strict=True):
        lost = (far - near).abs().max() > 0.01 * far.abs().max()
        change = "A change in the ninth digit of the inputs does not show in the result"
        expect(not lost, f"{change}. Is a step computed in float32?")


def expect_gradcheck(function: Remote, **arguments: object) -> None:
    """Expect that the gradients for all float64 arguments agree with finite differences."""
    inputs, names = tuple(arguments.values()), tuple(arguments)
    output = expect_tensor(expect_computed(function, *inputs, names=names))
    leaves = {i: tensor.clone().requires_grad_() for i, tensor in _floats(inputs).items()}
    # With weights of both signs (randn), errors of a wrong gradient can cancel. So the check is repeated with
    # positive weights (rand).
    for random in (torch.randn, torch.rand):
        weight = random(output.shape, dtype=torch.float64)
        inspection = _call(function.inspect, inputs, leaves, weight=weight)
        for position, leaf in leaves.items():
            gradient = _gradient(inspection, position, names[position], leaf.shape)
            direction = random(leaf.shape, dtype=torch.float64)
            slope, *_ = _slopes(function, inputs, {position: direction}, 1e-3)
            moved, predicted = (expect_tensor(slope, weight.shape) * weight).sum(), gradient * direction
            name = names[position]
            wrong = f"The gradient of {name} does not match how the result changes with {name}."
            expect_moved(moved, [predicted], f"{wrong} Is a step detached?", atol=1e-3)


def expect_moved(
    moved: torch.Tensor, parts: Sequence[torch.Tensor], message: str, atol: float = 1e-6
) -> None:
    """Expect that `moved`, the change of a result after small steps of its inputs, agrees with the gradients.

    Each of `parts` is an input's gradient times its step. The sum of all elements of all parts must equal
    `moved`. The tolerance is `atol` plus 1 % of the sum of absolute values. All numbers must be finite.
    """
    predicted = torch.stack([part.sum() for part in parts]).sum()
    size = torch.stack([part.abs().sum() for part in parts]).sum()
    expect(bool((moved - predicted).abs() <= 0.01 * size + atol < torch.inf), message)


def _as_tensor(value: object) -> object:
    """Return a number, or a list of numbers or tensors, as a tensor, and other values unchanged."""
    try:
        if isinstance(value, list) and value and all(isinstance(item, torch.Tensor) for item in value):
            return torch.stack(value)
        return torch.tensor(value, dtype=torch.float64) if isinstance(value, int | float | list) else value
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return value


def _parts(result: object) -> list[torch.Tensor]:
    """Return the tensors of a result, detached, as float64; replace NaN and infinities by finite numbers."""
    values = result if isinstance(result, tuple) and result else [result]
    tensors = [expect_tensor(_as_tensor(value)) for value in values]
    return [tensor.detach().double().nan_to_num() for tensor in tensors]


def _floats(arguments: Sequence[object]) -> dict[int, torch.Tensor]:
    """Return the float tensors among the arguments, by position."""
    tensors = ((i, value) for i, value in enumerate(arguments) if isinstance(value, torch.Tensor))
    return {i: tensor for i, tensor in tensors if tensor.is_floating_point()}


def _call(
    call: Callable[..., Any], arguments: Sequence[object], others: dict[int, torch.Tensor], **how: object
) -> Any:
    """Call `call` with `arguments`. `others` maps positions of arguments to their replacements."""
    return call(*(others.get(i, value) for i, value in enumerate(arguments)), **how)


def _slopes(
    function: Callable[..., Any],
    arguments: Sequence[object],
    directions: dict[int, torch.Tensor],
    size: float,
) -> list[torch.Tensor]:
    """Return the slope of each of the result's tensors, by central differences.

    `directions` maps positions of arguments to directions; `size` is the step.
    """
    floats = _floats(arguments)
    ahead, behind = (
        _parts(
            _call(
                function, arguments, {i: floats[i].detach() + sign * step for i, step in directions.items()}
            )
        )
        for sign in (size, -size)
    )
    for upper, lower in zip(ahead, behind, strict=False):
        expect_tensor(upper, lower.shape)
    return [(upper - lower) / (2 * size) for upper, lower in zip(ahead, behind, strict=False)]


def _gradient(
    inspection: Inspection, position: int, which: str, shape: Sequence[int] | None = None, hint: str = ""
) -> torch.Tensor:
    """Expect a finite gradient for the argument at `position`, and return it."""
    actual = inspection.gradients.get(position)
    cuts = "Did .item(), .detach(), .tolist() or a new tensor cut the gradient off?"
    expect(actual is not None, f"No gradient reaches {which}. {hint or cuts}")
    name = f"The gradient of {which}"
    return expect_finite(expect_tensor(actual, shape, name=name), name)


def _described(value: object) -> str:
    """Return the type of a value that should be a tensor, and advice for the student."""
    kind = value.kind if isinstance(value, Remote) else f"{type(value).__module__}.{type(value).__name__}"
    if kind.startswith("numpy"):
        return f"{kind}. Stay in torch: numpy cuts the gradient off."
    if isinstance(value, int | float):
        return f"{described(value)} A 0-d tensor keeps the gradient; a Python number does not."
    return described(value)
