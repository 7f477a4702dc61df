"""Finds out to which exercise a notebook belongs: by its name, its folder or its cells."""

import re
from collections.abc import Sequence
from pathlib import Path

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.errors import UsageError
from autograder.report.text import terminal_line
from autograder.submission.notebook import Notebook, NotebookCell, UnreadableError


class UnknownExerciseError(UsageError):
    """Neither the notebook nor the command says which exercise it is."""


def exercise_by_name(course: Course, path: Path) -> Exercise | None:
    """Return the exercise that the notebook's name, or else its folder, names."""
    return _named(course, path.stem) or _named(course, path.absolute().parent.name)


def exercise_by_cells(course: Course, path: Path, notebook: Notebook) -> Exercise:
    """Return the exercise that shares most questions with the notebook's cells; it must be the only one."""
    try:
        present = _questions(notebook.cells)
    except UnreadableError:
        present = set()
    exercises = course.exercises.values()
    shared = {exercise: len(present.intersection(exercise.questions)) for exercise in exercises}
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
    """Return the exercise whose name `text` is or holds as a word, as in "ada 02_softmax (1)"."""
    if text in course.exercises:
        return course.exercises[text]
    found = [name for name in course.exercises if re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", text)]
    return course.exercises[max(found, key=len)] if found else None


def _questions(cells: Sequence[NotebookCell]) -> set[str]:
    """Return what the cells define and their names; only text is searched, since cells may hold anything."""
    code = "\n".join(cell.text for cell in cells if cell.kind == "code")
    defined = re.findall(r"^(?:async def|def|class)\s+(\w+)|^(\w+)\s*=", code, re.MULTILINE)
    return {name for pair in defined for name in pair if name} | {cell.name for cell in cells}
