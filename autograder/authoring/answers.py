"""Fills answers into a released notebook, as a student would."""

import ast
import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.course.exercise import Exercise
from autograder.course.source import BEGIN, END, Role
from autograder.submission.notebook import parse_notebook

Notebook = dict[str, Any]


def released(assignments: Path, exercise: Exercise) -> Notebook:
    """Return the exercise's notebook as students get it."""
    return parse_notebook((assignments / exercise.name / f"{exercise.name}.ipynb").read_bytes())


def fill(notebook: Notebook, answers: Mapping[str, str]) -> Notebook:
    """Return a copy of `notebook` with `answers` in the solution cells of these names."""
    filled = copy.deepcopy(notebook)
    for cell in filled["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if name in answers:
            cell["source"] = answers[name]
    return filled


def right_answers(exercise: Exercise) -> dict[str, str]:
    """Return the reference's answers by question, and its written ones, without the marks around them."""
    roles = (Role.SOLUTION, Role.MANUAL)
    return {cell.name: _unmarked(cell.text) for cell in exercise.cells if cell.role in roles}


def other_answers(exercise: Exercise, code: str) -> dict[str, str]:
    """Return what an accepted variant or a known mistake writes, by question, without its docstring."""
    return exercise.replaced(_without_docstring(code))


def _unmarked(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line.strip() not in (BEGIN, END))


def _without_docstring(code: str) -> str:
    """Return the code below the module's docstring, which is meant for authors."""
    first = ast.parse(code).body[0]
    return "\n".join(code.split("\n")[first.end_lineno or 0 :]).strip("\n")
