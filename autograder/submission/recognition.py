"""Finds out which exercise a notebook is: by its name, its folder or its cells."""

import re
from collections.abc import Sequence
from pathlib import Path

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.source import SourceError
from autograder.errors import UsageError
from autograder.report.text import terminal_line
from autograder.submission.notebook import Notebook, NotebookCell, UnreadableError


class UnknownExerciseError(UsageError):
    """A notebook does not tell which exercise it is, and nobody has said so."""


def exercise_by_name(course: Course, path: Path) -> Exercise | None:
    """Return the exercise that the notebook's name or else its folder tells."""
    return _named(course, path.stem) or _named(course, path.absolute().parent.name)


def exercise_by_cells(course: Course, path: Path, notebook: Notebook) -> Exercise:
    """Return the one exercise that shares most questions with the notebook's cells."""
    try:
        present = _questions(notebook.cells)
    except UnreadableError:
        present = set()
    shared = {exercise: len(present & _asked(exercise)) for exercise in course.exercises.values()}
    most = max(shared.values())
    best = [exercise for exercise, count in shared.items() if count == most]
    if most and len(best) == 1:
        return best[0]
    known = ", ".join(course.exercises)
    raise UnknownExerciseError(
        f"{terminal_line(str(path))}: neither its name, its folder nor its cells tell which exercise it is; "
        f"say so with --exercise (one of {known})"
    )


def _named(course: Course, text: str) -> Exercise | None:
    """Return the exercise whose name `text` is, or holds as a word: "ada 02_softmax (1)"."""
    if text in course.exercises:
        return course.exercises[text]
    found = [name for name in course.exercises if re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", text)]
    return course.exercises[max(found, key=len)] if found else None


def _questions(cells: Sequence[NotebookCell]) -> set[str]:
    """Return what the cells define or are named after; they may hold anything, so text has to do."""
    code = "\n".join(cell.text for cell in cells if cell.kind == "code")
    defined = re.findall(r"^(?:async def|def|class)\s+(\w+)|^(\w+)\s*=", code, re.MULTILINE)
    return {name for pair in defined for name in pair if name} | {cell.name for cell in cells}


def _asked(exercise: Exercise) -> set[str]:
    """Return the exercise's questions; none while its author still writes it."""
    try:
        return set(exercise.points)
    except SourceError:
        return set()
