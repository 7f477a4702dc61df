"""Fills answers into notebooks, as students would, and writes the solutions that students get at the end.

Its solutions, two other ways and model answers go to build/solutions/, far from assignments/. Hidden
tests and known mistakes are not among them.
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


def unmarked(text: str) -> str:
    """Return a cell's text without the lines that mark its solution."""
    return "\n".join(line for line in text.split("\n") if line.strip() not in (BEGIN, END))


SHOWN = 2  # accepted answers that stand at the notebook's end
INTRODUCTION = """\
**Solutions.** Below each description stands the course's own answer, and so it does where you were asked to
answer in your own words. Other answers are right as well: what counts is what the function does. At the end
stand other right answers, with what is nice about each. Run all cells, then change something and look."""
OTHER_WAYS = """\
# Other right ways

Each of these takes the place of answers above. A cell that only calls checks tries it as it tried yours."""


def write_solutions(
    course: Course, exercises: Sequence[Exercise], now: datetime, *, early: bool = False
) -> tuple[list[Path], list[str]]:
    """Write the solutions of each exercise that is over, or of all where `early` asks for that.

    Return the files, and why other exercises have to wait.
    """
    why = {exercise: "" if early else _why_wait(course, exercise.name, now) for exercise in exercises}
    over = [exercise for exercise in exercises if not why[exercise]]
    return [path for exercise in over for path in _write(course, exercise)], [*filter(None, why.values())]


def solutions(exercise: Exercise) -> tuple[Cell, ...]:
    """Return the cells of the notebook: the lesson with all answers, then other right answers."""
    first, *rest = map(_open, exercise.cells)
    ways = [cell for variant in shown(exercise) for cell in _way(exercise, variant)]
    title = [Cell(Role.TEXT, OTHER_WAYS)] if ways else []
    return (first, Cell(Role.TEXT, INTRODUCTION), *rest, *title, *ways)


def shown(exercise: Exercise) -> list[Answer]:
    """Return the accepted answers that students see, first those that say what is nice about them."""
    return sorted(exercise.accepted, key=lambda variant: not _paragraphs(variant)[1:])[:SHOWN]


def end(course: Course, name: str) -> datetime | None:
    """Return when an exercise is over for everybody; None if it is never due."""
    due = course.exercises[name].settings.due
    return due and max([due, *(read_extensions(course, name) or {}).values()])


def _why_wait(course: Course, name: str, now: datetime) -> str:
    """Return why the solutions of an exercise should not leave yet, or nothing."""
    last = end(course, name)
    asked = "ask with --early"
    if last is None:
        return f"{name}: is never due; give it a `due` in course.yaml, or {asked}"
    if now > last:
        return ""
    whose = "it is due" if last == course.exercises[name].settings.due else "the last extension ends"
    return f"{name}: is not over, {whose} {last.isoformat(' ', 'minutes')}; wait until then, or {asked}"


def _write(course: Course, exercise: Exercise) -> Iterator[Path]:
    folder = course.build / "solutions" / exercise.name
    yield write_whole(folder / f"{exercise.name}_solutions.ipynb", to_json(notebook_of(solutions(exercise))))
    for path in own_files(exercise.folder.parent, "*.md"):  # to which the notebook may link
        yield write_whole(folder / path.name, path.read_bytes())


def _open(cell: Cell) -> Cell:
    """Return a cell of the source with its answer in plain sight, graded by nobody."""
    role = cell.role if cell.role is Role.DEMO else Role.CODE if cell.is_code else Role.TEXT
    return replace(cell, role=role, text=unmarked(cell.text))


def _way(exercise: Exercise, variant: Answer) -> Iterator[Cell]:
    """Yield the cells of one accepted answer: what it is, its code, and the visible checks once more."""
    answered = list(exercise.replaced(variant.code))
    questions = ", ".join(f"`{name}`" for name in answered)
    said = "\n\n".join(_paragraphs(variant))
    yield Cell(Role.TEXT, f"## {variant.title.replace('_', ' ').capitalize()}: {questions}\n\n{said}")
    yield Cell(Role.CODE, variant.code)
    checks = [cell for cell in exercise.cells if cell.role is Role.CHECK and cell.name in answered]
    if again := [call for cell in checks if (call := _call(cell))]:
        yield Cell(Role.CODE, "\n".join(again))


def _paragraphs(variant: Answer) -> list[str]:
    """Return the paragraphs of the docstring: what is different, and perhaps what is nice about it."""
    return [" ".join(paragraph.split()) for paragraph in variant.docstring.split("\n\n")]


def _call(check: Cell) -> str:
    """Return what runs a check again, if it is a function, else nothing."""
    match ast.parse(check.text).body[-1]:
        case ast.FunctionDef(name):
            return f"{name}()"
        case ast.Expr(ast.Call(ast.Name(name), [], [])) if name in bound_names(check.text):
            return f"{name}()"
    return ""
