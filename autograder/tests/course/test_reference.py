"""A reference that cannot be run is its author's error, reported with the line of the source."""

import re

import pytest

from autograder.course.course import Course
from autograder.course.exercise import Exercise, reference_errors
from autograder.course.source import SourceError
from autograder.diagnosis.known import known_mistakes
from autograder.tests.classroom import write_answer
from autograder.worker.namespace import run_code

TABLE = "table = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])"
BODY = "    return torch.mul(x, 2)"


def edit(exercise: Exercise, old: str, new: str) -> int:
    """Replace a text that the source holds once, and return the line on which it stands."""
    text = exercise.source.read_text(encoding="utf-8")
    assert text.count(old) == 1
    exercise.source.write_text(text.replace(old, new), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


@pytest.fixture
def exercise(course: Course) -> Exercise:
    return course.exercises["01_small"]


@pytest.mark.parametrize(
    ("code", "down", "message"),
    [
        ("table = 1 / 0", 0, "ZeroDivisionError: division by zero"),
        ("def f():\n    raise ValueError\n\nf()", 1, "ValueError; all cells"),
        ("import sys\n\nsys.exit(3)", 2, "SystemExit: 3"),
        ("x = 1\nreturn x", 1, "SyntaxError: 'return' outside function"),
    ],
)
def test_what_a_plain_cell_raises_is_reported_with_its_line(
    exercise: Exercise, code: str, down: int, message: str
) -> None:
    line = edit(exercise, TABLE, code) + down
    place = re.escape(f"{exercise.source}:{line}: {message}")
    with pytest.raises(SourceError, match=place), reference_errors(exercise):
        run_code(exercise.reference)


def test_the_line_is_that_of_the_innermost_cell(exercise: Exercise) -> None:
    line = edit(exercise, BODY, "    return torch.mul(y, 2)")
    edit(exercise, "# %% demo\n", "# %%\ndoubled = double(table)\n\n# %% demo\n")
    place = re.escape(f"{exercise.source}:{line}: NameError: name 'y' is not defined")
    with pytest.raises(SourceError, match=place), reference_errors(exercise):
        run_code(exercise.reference)


def test_a_variant_s_own_line_is_reported_with_its_file(exercise: Exercise) -> None:
    code = '"""Try it on 3."""\n\nfactor = 1 / 0\n\n\ndef double(x):\n    return x * factor\n'
    path, _, line = write_answer(exercise, 'mistake="double" name="by_a_factor"', code).rpartition(":")
    *_, mistake = known_mistakes(exercise)
    place = re.escape(f"{path}:{int(line) + 3}: ZeroDivisionError")
    with pytest.raises(SourceError, match=place), reference_errors(exercise, mistake):
        run_code(exercise.variant(mistake.code))
