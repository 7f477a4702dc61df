"""Helpers for the hidden tests of several exercises: `from shared_tests import expect_numbers`."""

import torch

from autograder.testing import expect, expect_close, expect_moved, expect_tensor

INPUTS = ("encodings_for_q", "encodings_for_k", "encodings_for_v", "mask")
_NAMED = "def parameters(module):\n    return dict(module.named_parameters())"
_REGISTERED = """
def parameters(module):
    return dict(module.named_parameters()) if isinstance(module, nn.Module) else None
"""


def numbers(actual, expected):
    """Return `actual` in the shape and dtype of `expected`, because other tests check shape and dtype.

    If the two tensors differ in their number of elements, return `actual` unchanged.
    """
    tensor = expect_tensor(actual)
    if tensor.numel() != expected.numel():
        return tensor
    return tensor.to(expected.dtype).reshape(expected.shape)


def expect_numbers(actual, expected, **how):
    """Expect the values of `expected`, in any shape and dtype."""
    expect_close(numbers(actual, expected), expected, **how)


def expect_same(actual, before, **how):
    """Expect the result that a module returned before. NaN counts as 0, because other tests check for NaN."""
    actual, before = numbers(actual, before), before.nan_to_num()
    expect_close(actual.nan_to_num(), before, **how)


def expect_slope(call, inputs, gradients, weight):
    """Compare gradients for float64 inputs with finite differences of (result * weight).sum()."""
    for _ in range(2):
        steps = [1e-3 * torch.randn_like(x) for x in inputs]
        pairs = list(zip(inputs, steps, strict=True))
        ahead, behind = (
            numbers(call(*(x + way * step for x, step in pairs)), weight)
            for way in (1, -1)
        )
        moved = (expect_tensor(ahead - behind, weight.shape) * weight).sum()
        parts = [
            2 * gradient * step for gradient, step in zip(gradients, steps, strict=True)
        ]
        fault = "A small change of the inputs changes the result by another amount than the gradients say."
        expect_moved(moved, parts, f"{fault} Is a step detached from the inputs?")


def expect_no_seed(student, make, *inputs):
    """Expect that creating and calling a module does not set the seed."""
    numbers = []
    for seed in torch.randperm(1000)[:2].tolist():
        student.seed(seed)
        make()(*inputs)
        numbers.append(student.torch.rand(4))
    message = (
        "Your class sets a seed: after a module is created and called, random numbers do not depend on the "
        "caller's seed. Only the code that uses the class should set a seed."
    )
    expect(not torch.equal(*numbers), message)


def three(n, m, d, dtype=torch.float32):
    """Return random inputs for n queries, m keys and m values."""
    return [torch.randn(size, d, dtype=dtype) for size in (n, m, m)]


def named_parameters(student, module):
    """Return the parameters of a student's module by name."""
    return student.define(_NAMED, "parameters")(module)


def parameters(student, module):
    """Return the parameters of a student's module by name. Fail unless it is an nn.Module."""
    named = student.define(_REGISTERED, "parameters")(module)
    expect(isinstance(named, dict), "The class must be an nn.Module.")
    return named


def expect_parameters(actual, shapes):
    """Expect parameters with these names and shapes, each with a gradient."""
    for name, shape in shapes.items():
        seen = ", ".join(actual) or "none"
        expect(
            name in actual,
            f"{name} is not registered as a parameter. The parameters are: {seen}.",
        )
        tensor = expect_tensor(actual[name], shape, name=name)
        expect(
            tensor.requires_grad,
            f"{name} cannot be trained: its requires_grad is False.",
        )
