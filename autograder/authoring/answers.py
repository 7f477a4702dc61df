"""Fills answers into notebooks: right ones, other right ones and known mistakes, as students would."""

import ast
import copy
from collections.abc import Mapping
from pathlib import Path

from autograder.course.exercise import Exercise
from autograder.course.notebook import NotebookJson, build_notebook
from autograder.course.source import BEGIN, END, Role
from autograder.submission.notebook import NotebookCell, cells_of, parse_notebook

_ANSWERED = (Role.SOLUTION, Role.MANUAL)


def released(assignments: Path, exercise: Exercise) -> NotebookJson:
    """Return the exercise's notebook as it lies in assignments/."""
    return parse_notebook((assignments / exercise.name / f"{exercise.name}.ipynb").read_bytes())


def fill(notebook: NotebookJson, answers: Mapping[str, str]) -> NotebookJson:
    """Return a copy of `notebook` with `answers` in the cells that have these grade_ids."""
    filled = copy.deepcopy(notebook)
    for cell in filled["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if name in answers:
            cell["source"] = answers[name]
    return filled


def solved_cells(exercise: Exercise, answers: Mapping[str, str]) -> tuple[NotebookCell, ...]:
    """Return the cells of the solved notebook, with `answers` in place of the reference's."""
    return cells_of(fill(build_notebook(exercise), answers))


def stubs(exercise: Exercise) -> dict[str, str]:
    """Return what a release holds in place of each answer to a question or in words, by name."""
    return {cell.name: cell.released() for cell in exercise.cells if cell.role in _ANSWERED}


def right_answers(exercise: Exercise) -> dict[str, str]:
    """Return the reference's answers by question, and its written ones, without BEGIN and END SOLUTION."""
    return {cell.name: unmarked(cell.text) for cell in exercise.cells if cell.role in _ANSWERED}


def other_answers(exercise: Exercise, code: str) -> dict[str, str]:
    """Return what an accepted variant or a known mistake writes, by question.

    Its docstring, which stands first in the code, is left out, since it is meant for authors.
    """
    return exercise.replaced(without_docstring(code))


def without_docstring(code: str) -> str:
    """Return the code of an accepted variant or a known mistake alone."""
    docstring = ast.parse(code).body[0]
    return "\n".join(code.split("\n")[docstring.end_lineno or 0 :]).strip("\n")


def unmarked(text: str) -> str:
    """Return a cell's text without the lines that mark its solution."""
    return "\n".join(line for line in text.split("\n") if line.strip() not in (BEGIN, END))
