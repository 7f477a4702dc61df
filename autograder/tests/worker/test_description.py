"""What the grader learns of exceptions and values is short, whatever the submission makes of them."""

from typing import Any

import pytest
import torch
from torch import nn

from autograder.worker.description import CELL, describe, kind


class WithoutText(Exception):
    def __str__(self) -> str:
        raise RuntimeError


class Disguised(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        return "ZeroDivisionError" * 1000


class Subclass(torch.Tensor):
    pass


def raised_by(code: str, number: int) -> BaseException:
    """Return what `code` raises as a cell of this number."""
    try:
        exec(compile(code, f"{CELL}{number}", "exec"), {})
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def test_an_exception_is_described_by_its_type_bases_message_and_places() -> None:
    error = raised_by("def f():\n    1 / 0\n\nf()", 7)
    assert describe(error) == {
        "type": "ZeroDivisionError",
        "bases": ["ZeroDivisionError", "ArithmeticError", "Exception", "BaseException", "object"],
        "message": "division by zero",
        "places": [[7, 2], [7, 4]],
    }


def test_a_syntax_error_names_the_line_of_its_cell() -> None:
    assert describe(raised_by("x = 1\ny = (", 3))["places"][0] == [3, 2]


def test_messages_names_and_places_are_cut() -> None:
    long = type("X" * 1000, (Exception,), {})
    seen = describe(long("x" * 10_000))
    assert (len(seen["message"]), len(seen["type"])) == (500, 100)
    deep = raised_by("def f(n):\n    f(n - 1) if n else 1 / 0\nf(100)", 1)
    assert len(describe(deep)["places"]) == 20


def test_a_message_that_cannot_be_made_is_empty() -> None:
    assert describe(WithoutText())["message"] == ""


def test_a_metaclass_does_not_change_a_type_s_name() -> None:
    seen = describe(Disguised("Mine", (Exception,), {})())
    assert seen["type"] == "Mine"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (torch.zeros(2), "Tensor of float32"),
        (torch.zeros(2, device="meta", dtype=torch.int64), "Tensor of int64 on meta"),
        (torch.zeros(2).to_sparse(), "Tensor of float32 sparse_coo"),
        (torch.zeros(1).expand(1 << 25), "Tensor of float32 with 33,554,432 elements"),
        (torch.zeros(2).as_subclass(Subclass), "Subclass, a subclass of Tensor"),
        (nn.ReLU(), "torch.nn.modules.activation.ReLU"),
        (print, "builtin_function_or_method"),
    ],
)
def test_a_value_is_named_in_words(value: Any, words: str) -> None:
    assert kind(value) == words
