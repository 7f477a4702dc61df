"""A visible check turns red where an answer uses what its question forbids."""

from pathlib import Path

import pytest

from autograder.course.kit import given_checks

CHECK = """
@check("add")
def check_add():
    expect_close(add(tensor([2.0, 3.0])), tensor(5.0))
"""


def run(answer: str, *words: str, check: str = CHECK) -> None:
    given = given_checks(Path("nowhere"), {"add": words or ("sum", "@", "matmul")})
    exec(f"{given}\nfrom torch import tensor\n{answer}\n{check}", {})


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ("return x.sum()", "sum"),
        ("return sum(each for each in x)", "sum"),
        ("return (lambda: x.sum())()", "sum"),
        ("return x @ (0 * x + 1)", "@"),
        ("x @= 0 * x + 1\n    return x", "@"),
        ("return x.__matmul__(0 * x + 1)", "matmul"),
    ],
)
def test_a_right_answer_by_forbidden_means_is_red(body: str, word: str) -> None:
    with pytest.raises(AssertionError, match=f"^add: `{word}` is not allowed here"):
        run(f"def add(x):\n    {body}")


@pytest.mark.parametrize("body", ["return x[0] + x[1]", "sum = x[0]\n    sum = sum + x[1]\n    return sum"])
def test_other_means_and_names_of_ones_own_are_green(body: str) -> None:
    run(f"def add(x):\n    {body}")


def test_a_function_may_call_itself_but_not_another_of_its_name() -> None:
    run("def add(x):\n    return x if x.dim() == 0 else add(x[0]) + x[1]", "add")
    with pytest.raises(AssertionError, match=r"^add: `add` is not allowed here"):
        run("def add(x):\n    return x[0].add(x[1])", "add")


def test_what_was_not_compiled_from_a_function_is_left_to_grading() -> None:
    run("class Add:\n    def __call__(self, x):\n        return x[0] + x[1]\nadd = Add()")
