"""Fills answers into notebooks, as students would, and writes solutions that students get after the due date.

A solutions notebook has the lesson with the author's answers, and a few of the other right answers in
accepted.py. It never has hidden tests or the wrong answers in mistakes.py. It is written to build/solutions/,
so that no release contains it.
"""

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from autograder.course.answers import Answer
from autograder.course.code import bound_names
from autograder.course.course import Course
from autograder.course.exercise import Exercise, own_files
from autograder.course.notebook import NotebookJson, build_notebook, notebook_of, to_json
from autograder.course.source import BEGIN, END, Cell, Role
from autograder.files import write_whole
from autograder.gradebook.lateness import read_extensions
from autograder.submission.notebook import NotebookCell, cells_of, parse_notebook

_ANSWERED = (Role.SOLUTION, Role.MANUAL)


def released(assignments: Path, exercise: Exercise) -> NotebookJson:
    """Return the notebook that students get, read from assignments/."""
    return parse_notebook((assignments / exercise.name / f"{exercise.name}.ipynb").read_bytes())


def fill(notebook: NotebookJson, answers: Mapping[str, str]) -> NotebookJson:
    """Return a copy of `notebook` in which `answers`, by grade_id, replace the texts of cells."""
    filled = copy.deepcopy(notebook)
    for cell in filled["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if name in answers:
            cell["source"] = answers[name]
    return filled


def solved_cells(exercise: Exercise, answers: Mapping[str, str]) -> tuple[NotebookCell, ...]:
    """Return the notebook's cells with `answers`, and with the author's solution to each other question."""
    return cells_of(fill(build_notebook(exercise), answers))


def stubs(exercise: Exercise) -> dict[str, str]:
    """Return the text of each answer cell in a release, by the name of its question."""
    return {cell.name: cell.released() for cell in exercise.cells if cell.role in _ANSWERED}


def right_answers(exercise: Exercise) -> dict[str, str]:
    """Return the right answer to each question, without the lines BEGIN SOLUTION and END SOLUTION."""
    return {cell.name: unmarked(cell.text) for cell in exercise.cells if cell.role in _ANSWERED}


def unmarked(text: str) -> str:
    """Return a cell's text without the lines BEGIN SOLUTION and END SOLUTION."""
    return "\n".join(line for line in text.split("\n") if line.strip() not in (BEGIN, END))


SHOWN = 2  # the largest number of other right answers in a solutions notebook
INTRODUCTION = """\
**Solutions.** Below each description is the course's answer. Other answers can be right as well: what counts
is what a function does, or what a text says. The end of this notebook shows other right answers and their
advantages. Run all cells, then change something and see what happens."""
OTHER_ANSWERS = """\
# Other right answers

Each code cell below defines one or more functions of this notebook in another way. If you run it, it replaces
the answers above. The cell after it calls the checks again, to test the new code."""


def write_solutions(
    course: Course, exercises: Sequence[Exercise], now: datetime, *, early: bool = False
) -> tuple[list[Path], list[str]]:
    """Write the solutions of exercises whose last due date has passed or, if `early`, of all.

    Return the files, and a message on each exercise whose solutions are not written yet.
    """
    waiting = {exercise: "" if early else _why_wait(course, exercise.name, now) for exercise in exercises}
    over = [exercise for exercise in exercises if not waiting[exercise]]
    return [path for exercise in over for path in _write_solutions(course, exercise)], [
        *filter(None, waiting.values())
    ]


def solutions(exercise: Exercise) -> tuple[Cell, ...]:
    """Return the solutions notebook's cells: the lesson with all answers, then other right answers."""
    first, *rest = map(_as_ungraded, exercise.cells)
    others = [cell for variant in shown_answers(exercise) for cell in _variant_cells(exercise, variant)]
    title = [Cell(Role.TEXT, OTHER_ANSWERS)] if others else []
    return (first, Cell(Role.TEXT, INTRODUCTION), *rest, *title, *others)


def shown_answers(exercise: Exercise) -> list[Answer]:
    """Return at most SHOWN accepted answers, first those whose docstring has a paragraph on an advantage."""
    return sorted(exercise.accepted, key=lambda variant: not _paragraphs(variant)[1:])[:SHOWN]


def last_due_time(course: Course, name: str) -> datetime | None:
    """Return the latest due date of an exercise, extensions included, or None if it has no due date."""
    due = course.exercises[name].settings.due
    return due and max([due, *(read_extensions(course, name) or {}).values()])


def _why_wait(course: Course, name: str, now: datetime) -> str:
    """Return the reason why an exercise's solutions cannot be written yet, or an empty string."""
    last = last_due_time(course, name)
    if last is None:
        return f"{name}: has no due date; add `due` to the exercise in course.yaml, or use --early"
    if now > last:
        return ""
    what = "the due date" if last == course.exercises[name].settings.due else "the end of the last extension"
    when = last.isoformat(" ", "minutes")
    return f"{name}: students can still submit until {when}, {what}; wait until then, or use --early"


def _write_solutions(course: Course, exercise: Exercise) -> Iterator[Path]:
    folder = course.build / "solutions" / exercise.name
    yield write_whole(folder / f"{exercise.name}_solutions.ipynb", to_json(notebook_of(solutions(exercise))))
    for path in own_files(exercise.folder.parent, "*.md"):  # the notebook may link to these files
        yield write_whole(folder / path.name, path.read_bytes())


def _as_ungraded(cell: Cell) -> Cell:
    """Return a source cell as an ungraded cell, without the lines BEGIN SOLUTION and END SOLUTION."""
    role = cell.role if cell.role is Role.DEMO else Role.CODE if cell.is_code else Role.TEXT
    return replace(cell, role=role, text=unmarked(cell.text))


def _variant_cells(exercise: Exercise, variant: Answer) -> Iterator[Cell]:
    """Yield an accepted answer's cells: its description, its code, and calls of the visible checks."""
    answered = list(exercise.replaced(variant.code))
    questions = ", ".join(f"`{name}`" for name in answered)
    description = "\n\n".join(_paragraphs(variant))
    yield Cell(Role.TEXT, f"## {variant.title.replace('_', ' ').capitalize()}: {questions}\n\n{description}")
    yield Cell(Role.CODE, variant.code)
    checks = [cell for cell in exercise.cells if cell.role is Role.CHECK and cell.name in answered]
    if calls := [call for cell in checks if (call := _check_call(cell))]:
        yield Cell(Role.CODE, "\n".join(calls))


def _paragraphs(variant: Answer) -> list[str]:
    """Return the docstring's paragraphs: the difference from the solution, then any advantage."""
    return [" ".join(paragraph.split()) for paragraph in variant.docstring.split("\n\n")]


def _check_call(check: Cell) -> str:
    """Return the code that calls a visible check, or an empty string if the check is not a function."""
    match ast.parse(check.text).body[-1]:
        case ast.FunctionDef(name):
            return f"{name}()"
        case ast.Expr(ast.Call(ast.Name(name), [], [])) if name in bound_names(check.text):
            return f"{name}()"
    return ""
