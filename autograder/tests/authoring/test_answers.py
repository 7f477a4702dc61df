"""Notebooks are filled as students fill them, and nothing else in them changes."""

import copy

import pytest

from autograder.authoring.answers import (
    fill,
    other_answers,
    released,
    right_answers,
    solved_cells,
    stubs,
)
from autograder.authoring.release import release_notebooks
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.notebook import build_notebook
from autograder.submission.notebook import cells_of


@pytest.fixture
def exercise(course: Course) -> Exercise:
    return course.exercises["01_small"]


def test_only_the_named_cells_are_filled_and_the_original_stays(exercise: Exercise) -> None:
    notebook = build_notebook(exercise)
    before = copy.deepcopy(notebook)
    filled = fill(notebook, {"double": "def double(x): ...", "unknown": "1"})
    changed = [new["source"] for old, new in zip(before["cells"], filled["cells"], strict=True) if old != new]
    assert changed == ["def double(x): ..."]
    assert notebook == before


def test_a_notebook_of_stubs_reads_as_the_release_does(course: Course, exercise: Exercise) -> None:
    release_notebooks(course, [exercise])
    assert cells_of(fill(build_notebook(exercise), stubs(exercise))) == cells_of(
        released(course.assignments, exercise)
    )


def test_answers_of_the_reference_and_of_variants_come_without_marks_and_docstrings(
    exercise: Exercise,
) -> None:
    answers = right_answers(exercise)
    assert list(answers) == ["double", "row_sums", "why"]
    assert answers["double"].endswith('"""\n    return torch.mul(x, 2)')
    assert answers["why"] == "Both are linear: a factor common to all terms can be taken out of the sum."
    (squares,) = (one.code for one in exercise.mistakes if one.name == "double__squares")
    assert other_answers(exercise, squares) == {"double": "def double(x):\n    return x**2"}
    cells = {cell.name: cell.text for cell in solved_cells(exercise, {"double": "double = None"})}
    assert cells["double"] == "double = None"
    assert "return x.sum(dim=along_each_row)" in cells["row_sums"]
    assert "check-double" in cells
