"""Functions as hidden inputs: what arrives at the student's side, and what does not."""

import marshal
from base64 import b64decode
from collections.abc import Callable
from types import CodeType
from typing import Any

import pytest
import torch

from autograder.testing.exchange import Local, StudentError
from autograder.testing.given import anonymous
from autograder.testing.student import Student
from autograder.worker.namespace import run_code

ELSEWHERE = 3
CODE = """
def twice(function, x):
    return function(function(x))

def by_name(function, x):
    return function(number=x)
"""


@pytest.fixture
def student() -> Student:
    return Student(Local(run_code((CODE,))))


def adding(amount: float, weights: torch.Tensor) -> Callable[..., Any]:
    """Return what adds."""
    total = amount + float(weights.sum())

    def add(number: float) -> float:
        """Add the secret."""
        shifted = number + total  # a comment
        return shifted if math.isfinite(shifted) else 0.0  # type: ignore[name-defined]  # noqa: F821

    return add


def scaling(factor: float) -> Callable[..., Any]:
    class Scale(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return scaled(x) + count

    def scaled(x: torch.Tensor) -> torch.Tensor:
        return torch.stack([factor * part for part in x.unbind()]).sum(0)

    count = len(list(range(3)))
    return Scale()


def counting() -> Callable[..., Any]:
    calls = 0

    def count(x: int) -> int:
        nonlocal calls
        calls += x
        return calls

    return count


def borrowing() -> int:
    return ELSEWHERE


def failing(x: int) -> int:
    return [x][x]


def texts(code: CodeType) -> str:
    parts = (texts(part) if isinstance(part, CodeType) else repr(part) for part in code.co_consts)
    names = (code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars)
    return f"{code.co_name} {code.co_qualname} {code.co_filename} {names} {' '.join(parts)}"


def test_the_students_function_calls_the_one_that_it_is_given(student: Student) -> None:
    add = student.given(adding, 1.5, torch.ones(2, 2))
    assert add(1.0) == 6.5
    assert student.twice(add, 1.0) == 12.0
    assert student.by_name(add, 1.0) == 6.5


def test_modules_and_variables_that_change_work_too(student: Student) -> None:
    scale = student.given(scaling, 2.0)
    assert torch.equal(scale(torch.ones(4, 2)), torch.full((2,), 11.0))
    assert student.twice(student.given(counting), 1) == 2


def test_neither_docstrings_nor_comments_nor_names_cross_over() -> None:
    crossed = texts(marshal.loads(b64decode(anonymous(adding))))
    for word in ("add", "amount", "weights", "total", "shifted", "secret", "comment", "Return", ".py"):
        assert word not in crossed
    assert "number" in crossed  # by which it may be called


def test_a_function_is_always_sent_alike() -> None:
    anonymous.cache_clear()
    first = anonymous(adding)
    anonymous.cache_clear()
    assert anonymous(adding) == first


def test_a_function_that_uses_what_is_not_there_is_its_authors_error() -> None:
    with pytest.raises(TypeError, match=r"borrowing uses ELSEWHERE, which is not there when it runs; hand"):
        anonymous(borrowing)
    with pytest.raises(TypeError, match="is no function that was written with def"):
        anonymous(lambda: 1)


def test_what_a_given_function_raises_comes_back(student: Student) -> None:
    with pytest.raises(StudentError, match="IndexError: list index out of range"):
        student.given(failing, 1)
