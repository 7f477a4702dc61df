"""The hidden tests of 01_small."""

import torch

from autograder.testing import expect_close, expect_gradient, expect_tensor, expect_unchanged, question


@question("double", basic=True)
def test_doubles_every_element(student):
    """Every element becomes twice as large."""
    x = torch.randn(3, 5)
    expect_close(student.double(x), x + x, hint="Twice: add it to itself, or multiply by two.")


@question("double")
def test_keeps_shape_and_dtype(student):
    """Shape and dtype stay as they were."""
    expect_tensor(student.double(torch.randn(4, 1, 2, dtype=torch.float64)), (4, 1, 2), torch.float64)


@question("double")
def test_leaves_its_input_alone(student):
    """The input is not written to, and gradients flow back to it."""
    x = torch.randn(7, requires_grad=True)
    seen = student.double.inspect(x)
    expect_unchanged(seen, x.detach())
    expect_gradient(seen, expected={0: torch.full((7,), 2.0)})


@question("row_sums", needs_results=True)
def test_one_number_a_row(student):
    """There is one number for each row."""
    expect_tensor(student.row_sums(torch.randn(4, 3)), (4,), torch.float32)


@question("row_sums", basic=True)
def test_adds_along_the_row(student, reference):
    """Each number is the sum of its own row."""
    x = torch.randn(5, 2) * 3
    expect_close(student.row_sums(x), reference.row_sums(x), hint="Which dimension should disappear?")
