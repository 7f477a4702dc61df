"""What a student does to the given cell, or to `check`, changes no grade."""

import ast
from collections.abc import Callable
from dataclasses import replace

import pytest

from autograder.authoring.answers import solved_cells
from autograder.grading.grader import Grader
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import NotebookCell
from autograder.tests.classroom import real_course

COURSE = real_course()
EXERCISE = COURSE.exercises["01_dot_products"]  # of which some answers are held if code hides what it does
Cells = tuple[NotebookCell, ...]


def given(cell: NotebookCell) -> bool:
    return cell.text == EXERCISE.given_checks


def deleted(cells: Cells) -> Cells:
    return tuple(cell for cell in cells if not given(cell))


def edited(cells: Cells) -> Cells:
    """Let the given cell never end, and break what it defines."""
    more = "\ndel check\nimport torch\ntorch.softmax = None\nwhile True:\n    pass"
    return tuple(replace(cell, text=cell.text + more) if given(cell) else cell for cell in cells)


def redefined(cells: Cells) -> Cells:
    """Ask for a hint, and let `check` end the program, in the cell of each answer."""
    own = 'hint("softmax")\ndef check(question):\n    raise SystemExit\n\n\nexpect_close = None\n'
    return tuple(
        replace(cell, text=own + cell.text) if cell.name in EXERCISE.points else cell for cell in cells
    )


@pytest.mark.parametrize("change", [deleted, edited, redefined])
def test_right_answers_score_in_full(change: Callable[[Cells], Cells], zygote: Zygote) -> None:
    grader = Grader.of_course(COURSE, EXERCISE, zygote, b"secret")
    cells = change(solved_cells(EXERCISE, {}))
    report = grader.grade_cells(cells, asked=frozenset(EXERCISE.points)).report
    scores = {question.name: question.score for question in report.questions}
    assert {name: scores[name] for name in EXERCISE.points} == EXERCISE.points


def test_a_cell_is_skipped_if_the_given_cell_has_all_its_statements() -> None:
    functions = (node for node in ast.parse(EXERCISE.given_checks).body if isinstance(node, ast.FunctionDef))
    function = next(functions)
    part = ast.unparse(function)
    assert EXERCISE.needs_no_run(part)
    assert EXERCISE.needs_no_run(f"import math\n{part}")
    assert not EXERCISE.needs_no_run(f"{part}\nx = 1")
    for value in ("1", f"{'-' * 900}1"):  # the second tree is too deep to be written as text
        assert not EXERCISE.needs_no_run(f"def {function.name}():\n    return {value}")
