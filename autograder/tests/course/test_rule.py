"""A visible check turns red where an answer uses what its question forbids."""

from pathlib import Path

import pytest

from autograder.course.course import load_course
from autograder.course.rule import with_scan
from autograder.course.source import Role

COURSE = load_course(Path(__file__).parents[3])
CHECK = with_scan("# Check of add\nassert add(tensor([2.0, 3.0])).item() == 5", "add", ["sum", "@", "matmul"])


def run(answer: str) -> None:
    exec(f"from torch import tensor\n{answer}\n{CHECK}", {})


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
    with pytest.raises(AssertionError, match=f"^{word} is not allowed here"):
        run(f"def add(x):\n    {body}")


@pytest.mark.parametrize("body", ["return x[0] + x[1]", "sum = x[0]\n    sum += x[1]\n    return sum"])
def test_other_means_and_names_of_ones_own_are_green(body: str) -> None:
    run(f"def add(x):\n    {body}")


def test_a_function_may_call_itself_but_not_another_of_its_name() -> None:
    check = with_scan("# Check of total\n", "total", ["total"])
    exec(f"def total(x):\n    return x if x.dim() == 0 else total(x[0])\n{check}", {})
    with pytest.raises(AssertionError, match=r"^total is not allowed here"):
        exec(f"def total(x):\n    return x.total()\n{check}", {})


def test_what_was_not_compiled_from_a_function_is_left_to_grading() -> None:
    run("class Add:\n    def __call__(self, x):\n        return x[0] + x[1]\nadd = Add()")


@pytest.mark.parametrize("name", list(COURSE.exercises))
def test_each_list_of_the_course_is_in_the_check_of_its_question(name: str) -> None:
    checks = {cell.name: cell.text for cell in COURSE.exercises[name].cells if cell.role is Role.CHECK}
    forbidden = COURSE.exercises[name].forbid
    scanned = {question for question, text in checks.items() if "is not allowed here" in text}
    assert scanned == set(forbidden)
    for question, words in forbidden.items():
        listed = checks[question].partition('"""')[2].partition('"""')[0]
        assert tuple(listed.split()) == words
