"""Grades notebooks without a gradebook."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.errors import UsageError
from autograder.grading.graded import Graded
from autograder.grading.marking import MarkingProcess
from autograder.report.text import terminal_line
from autograder.submission.notebook import Notebook, read_notebook
from autograder.submission.submission import exercise_by_cells, exercise_by_name


def run_notebooks(
    course: Course, paths: Sequence[str], exercise: str | None = None, *, unsafe: bool = False
) -> Iterator[tuple[str, Graded]]:
    """Grade each notebook as the named exercise, or as the one that its name, folder or cells show.

    Yields each path as it was given, with its result; a damaged notebook gets a report, too. Wrong use is an
    error before anything is graded.
    """
    named = course.chosen([exercise])[0] if exercise else None
    return _graded(course, [_recognised(course, path, named) for path in paths], unsafe)


def _recognised(course: Course, path: str, named: Exercise | None) -> tuple[str, Exercise, Notebook | None]:
    """Return a path and its exercise, with the notebook if it had to be read to recognise the exercise."""
    if not os.path.lexists(path):
        raise UsageError(f"{terminal_line(path)}: there is no such file")
    if known := named or exercise_by_name(course, Path(path)):
        return path, known, None
    notebook = read_notebook(Path(path))
    return path, exercise_by_cells(course, Path(path), notebook), notebook


def _graded(
    course: Course, tasks: Sequence[tuple[str, Exercise, Notebook | None]], unsafe: bool
) -> Iterator[tuple[str, Graded]]:
    with MarkingProcess(course, unsafe=unsafe) as grader:
        for path, exercise, notebook in tasks:
            yield path, grader.grade(exercise, notebook or read_notebook(Path(path)))
