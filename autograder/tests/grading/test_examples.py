"""A page shows the smallest wrong call of runs on disclosed inputs, and no number that JSON cannot hold."""

import json
import re
from dataclasses import asdict

import pytest
import torch

from autograder.authoring.entry import without_examples
from autograder.course.course import Course
from autograder.grading.examples import Examples
from autograder.report.example import Example, rounded
from autograder.testing.exchange import Local
from autograder.testing.suite import Suite
from autograder.tests.classroom import copy_small_course
from autograder.worker.namespace import run_code


class Desk:
    """Finds examples for other answers to the small exercise, which run in this process."""

    def __init__(self, course: Course) -> None:
        self.exercise = course.exercises["01_small"]
        self.suite = Suite(self.exercise)

    def example(self, question: str, code: str) -> Example | None:
        namespace = run_code(self.exercise.variant(f"import torch\n{code}"))
        runs = list(self.suite.run(Local(namespace), chosen=self.suite.of(question)))
        return Examples(self.suite).of(question, runs)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk(copy_small_course(tmp_path_factory.mktemp("examples") / "course"))


def test_the_smallest_wrong_call_is_shown_with_what_is_asked(desk: Desk) -> None:
    shown = desk.example("double", "def double(x):\n    return x * 3")
    assert shown is not None  # the call of seven numbers, and not the one of fifteen
    assert [grid.name for grid in (*shown.given, shown.got, shown.asked)] == ["x", "result", "result"]
    assert [grid.shape for grid in (*shown.given, shown.got, shown.asked)] == [(7,)] * 3
    for x, got, asked in zip(shown.given[0].numbers, shown.got.numbers, shown.asked.numbers, strict=True):
        assert [float(got), float(asked)] == pytest.approx([3 * float(x), 2 * float(x)], rel=1e-3)


def test_another_shape_is_shown_too(desk: Desk) -> None:
    code = "def row_sums(x):\n    return x.sum(0)"
    shown = desk.example("row_sums", code)
    assert shown is not None
    assert (shown.given[0].shape, shown.got.shape, shown.asked.shape) == ((5, 2), (2,), (5,))


CLASS = """
class row_sums(torch.nn.Module):
    def __init__(self, d, scale=1.0):
        super().__init__()
        self.weights = torch.nn.Parameter(torch.rand(d))

    def forward(self, x):
        return x @ self.weights
"""
OF_THE_CLASS = """
@question("row_sums")
def test_weighted_sums(student, reference):
    \"\"\"Each row is summed with its weights.\"\"\"
    weights, x = {"weights": torch.randn(2)}, torch.randn(3, 2)
    sums = []
    for side in (student, reference):
        module = side.row_sums(2, scale=2.0)
        MAYBE
        sums.append(module(x))
    expect_close(sums[0], sums[1])
"""


def of_class(course: Course, loading: str) -> Desk:
    """Return a desk for an exercise whose second question asks for a class."""
    folder = course.exercises["01_small"].folder
    source, tests = folder / "01_small.py", folder / "test_hidden.py"
    before, _, after = source.read_text(encoding="utf-8").partition("def row_sums(")
    solution = (
        CLASS.replace("        return", "        ### BEGIN SOLUTION\n        return")
        + "        ### END SOLUTION\n"
    )
    source.write_text(
        before + solution + "\n\n# %% check" + after.partition("# %% check")[2], encoding="utf-8"
    )
    others = tests.read_text(encoding="utf-8").partition('@question("row_sums")')[0]
    tests.write_text(others + OF_THE_CLASS.replace("MAYBE", loading), encoding="utf-8")
    return Desk(course)


def test_of_a_class_the_object_its_weights_and_its_call_are_shown(course: Course) -> None:
    desk = of_class(course, "module.load_state_dict(weights)")
    shown = desk.example("row_sums", CLASS.replace("x @", "2 * x @"))
    assert shown is not None
    assert shown.made == "row_sums(d=2, scale=2.0)"
    assert [(grid.name, grid.shape) for grid in shown.given] == [("weights", (2,)), ("x", (3, 2))]
    weights, x = (torch.tensor(grid.numbers) for grid in shown.given)
    right = x.view(3, 2) @ weights
    assert torch.allclose(torch.tensor(shown.asked.numbers), right, atol=1e-3)
    assert torch.allclose(torch.tensor(shown.got.numbers), 2 * right, atol=1e-3)


def test_an_object_that_was_given_no_weights_shows_its_own_and_is_left_out(course: Course) -> None:
    desk = of_class(course, "module.eval()")
    assert desk.example("row_sums", CLASS.replace("x @", "2 * x @")) is None
    assert [*Examples(desk.suite).questions_without_example()] == ["row_sums"]


def test_verify_names_questions_whose_calls_are_too_large_to_show(desk: Desk, course: Course) -> None:
    assert [*without_examples(desk.exercise, desk.suite)] == []
    exercise = course.exercises["01_small"]
    small = exercise.suite.read_text(encoding="utf-8")
    exercise.suite.write_text(re.sub(r"torch\.randn\(\d", "torch.randn(13", small), encoding="utf-8")
    (line,) = without_examples(exercise, Suite(exercise))
    beginning = "feedback pages show no example of a wrong result for double, row_sums"
    assert line.startswith(f"{exercise.suite}: {beginning}")
    assert line.endswith("and 6 weight tensors that the test sets, each with at most 12 numbers")


@pytest.mark.parametrize(
    "body",
    [
        "return x.sum(-1)",  # right
        "return x.sum(-1) * (1 + 3e-5)",  # wrong where no reader sees it
        "return x.repeat(9, 1)",  # larger than a page shows
        "return x.sum(-1).to_sparse()",  # no numbers
        "return [x.sum(-1), object()]",
        "return [x.sum(-1)] * 4",
        "return x.sum(-1).reshape(1, 1, 1, 1, -1)",
        "return x[:0]",
        "return None",
        "raise ValueError('no')",
    ],
)
def test_what_is_large_or_no_number_is_not_shown(desk: Desk, body: str) -> None:
    assert desk.example("row_sums", f"def row_sums(x):\n    {body}") is None


def test_hostile_numbers_become_words_that_json_can_hold(desk: Desk) -> None:
    numbers = "[float('nan'), float('inf'), -float('inf'), 1.7976931348623157e308, -0.0]"
    code = f"def row_sums(x):\n    return torch.tensor({numbers}, dtype=torch.float64)"
    shown = desk.example("row_sums", code)
    assert shown is not None
    assert shown.got.numbers == ("nan", "inf", "-inf", "1.798e+308", 0.0)
    assert json.dumps(asdict(shown), allow_nan=False)


def test_numbers_have_four_significant_places() -> None:
    values = (0.123456, 123456.0, -1e-9, True, 7)
    assert [rounded(value) for value in values] == [0.1235, 123500.0, -1e-9, "True", 7.0]
