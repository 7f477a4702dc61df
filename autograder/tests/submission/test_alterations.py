"""Right answers stay right answers, whatever an editor has made of the notebook."""

import ast
import copy
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path

import nbformat
import pytest

from autograder.authoring.answers import fill, released, right_answers
from autograder.course.code import parsed
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.names import check_id
from autograder.course.source import Role
from autograder.gradebook.grades import Release
from autograder.grading.grader import Grader
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook
from autograder.submission.submission import exercise_by_cells
from autograder.tests.classroom import SECRET, copy_small_course, real_course, small, solved
from autograder.tests.submission.alterations import Json, alterations

COURSE = real_course()
ALL = dict(alterations())
TIMES = 4  # exercises on which each alteration is tried
REFORMATTED = {"reformatted", "through_jupytext_py:sphinx", "colab_as_script"}  # whose demo cells are run
GRADED = (
    "colab", "kaggle", "jupytext_py:percent", "colab_as_script", "exported_as_script", "conflict_cells",
    "databricks_source", "marimo", "marimo_definitions", "quarto", "jupytext_md:myst", "spyder",
    "reformatted", "magics", "through_format_3", "through_jupytext_md", "crlf_inside",
)  # fmt: skip


@cache
def filled(exercise: Exercise) -> Json:
    """Return the exercise's release with right answers in it."""
    return fill(released(COURSE.assignments, exercise), right_answers(exercise))


@cache
def release(exercise: Exercise) -> Release:
    return Release(exercise)


def of(name: str) -> Iterator[Exercise]:
    """Yield the exercises on which an alteration is tried; together, all take their turns."""
    exercises = list(COURSE.exercises.values())
    start = list(ALL).index(name) * TIMES
    return islice((exercises[(start + n) % len(exercises)] for n in range(TIMES)), TIMES)


@cache
def meaning(code: str) -> list[str]:
    """Return what IPython makes of some code, without comments, texts and form."""
    trees = map(ast.dump, parsed(code) or ())
    return [tree for tree in trees if not tree.startswith(("Pass(", "Expr(value=Constant("))]


def test_alterations_are_tried_on_every_exercise() -> None:
    assert {exercise for name in ALL for exercise in of(name)} == set(COURSE.exercises.values())


@pytest.mark.parametrize("name", ALL)
def test_an_altered_notebook_is_read_as_the_one_that_was_filled(name: str) -> None:
    for exercise in of(name):
        notebook = Notebook(ALL[name](copy.deepcopy(filled(exercise))))
        cells, node = notebook.cells, release(exercise).restored(notebook)
        nbformat.validate(node)
        assert exercise_by_cells(COURSE, Path(name), notebook) == exercise
        graded = (cell for cell in node.cells if "nbgrader" in cell.metadata)
        there = (cell for cell in graded if not cell.id.startswith("missing-"))
        found = {cell.metadata.nbgrader.grade_id: cell.source for cell in there}
        answers = right_answers(exercise)
        for question in exercise.points:
            assert meaning(found[question]) == meaning(answers[question]), question
            assert name == "all_checks_gone" or check_id(question) in found
        for written in exercise.written:
            assert " ".join(answers[written].split()) in " ".join(found[written].split()), written
        code = [cell.text for cell in cells if cell.kind == "code"]
        kept = [text for text in code if not exercise.needs_no_run(text)]
        assert not [text for text in kept if "__globals__" in text or "CheckFailed" in text]
        lost = {line for text in exercise.given for line in meaning(text)}
        assert lost <= {line for text in code for line in meaning(text)}
        demos = {cell.text for cell in exercise.cells if cell.role is Role.DEMO}
        assert name in REFORMATTED or sum(map(exercise.only_draws, code)) >= len(demos)


@pytest.mark.parametrize("name", GRADED)
def test_an_altered_notebook_gets_full_marks(name: str, grader: Grader, answered: Json) -> None:
    graded = grader.grade(Notebook(ALL[name](copy.deepcopy(answered))))
    assert graded.report.score == graded.report.max_score, graded.report


@pytest.fixture(scope="module")
def small_course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_small_course(tmp_path_factory.mktemp("altered") / "course")


@pytest.fixture(scope="module")
def answered(small_course: Course) -> Json:
    return solved(small(small_course))


@pytest.fixture(scope="module")
def grader(small_course: Course, zygote: Zygote) -> Grader:
    return Grader.of_course(small_course, small(small_course), zygote, SECRET)
