"""Grades notebooks without a gradebook."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import OnFailure, SubmissionError, raise_failure, skipping
from autograder.errors import UsageError
from autograder.grading.graded import Graded
from autograder.grading.marking import MarkingError, MarkingProcess
from autograder.report.text import terminal_line
from autograder.sandbox.errors import WallError
from autograder.submission.notebook import Notebook, read_notebook
from autograder.submission.submission import exercise_by_cells, exercise_by_name

# A path, its exercise, and the notebook if it was read to identify the exercise.
_Task = tuple[str, Exercise, Notebook | None]


def run_notebooks(
    course: Course,
    paths: Sequence[str],
    exercise: str | None = None,
    *,
    unsafe: bool = False,
    on_failure: OnFailure = raise_failure,
) -> Iterator[tuple[str, Graded]]:
    """Grade notebooks. Without `exercise`, a notebook's name, folder or cells identify its exercise.

    Yield each path as it was given, with its result. A damaged notebook gets a report, too. A wrong path or
    an unknown exercise raises UsageError before any notebook is graded. `on_failure` gets the error if the
    autograder itself fails on a notebook.
    """
    named = course.chosen([exercise])[0] if exercise else None
    tasks = list[_Task]()
    for path in paths:
        with skipping(course, "notebook", path, _unless((UsageError,), on_failure)):
            tasks.append(_recognised(course, path, named))
    return _graded(course, tasks, unsafe, on_failure)


def _unless(kinds: tuple[type[Exception], ...], on_failure: OnFailure) -> OnFailure:
    """Return a function that raises errors of these kinds, and passes other errors to `on_failure`."""

    def fail(error: SubmissionError) -> None:
        if isinstance(error.__cause__, kinds):
            raise error.__cause__ from None
        on_failure(error)

    return fail


def _recognised(course: Course, path: str, named: Exercise | None) -> _Task:
    """Return a path, its exercise, and the notebook if it was read to identify the exercise."""
    if not os.path.lexists(path):
        raise UsageError(f"{terminal_line(path)}: there is no such file")
    if recognised := named or exercise_by_name(course, Path(path)):
        return path, recognised, None
    notebook = read_notebook(Path(path))
    return path, exercise_by_cells(course, Path(path), notebook), notebook


def _graded(
    course: Course, tasks: Sequence[_Task], unsafe: bool, on_failure: OnFailure
) -> Iterator[tuple[str, Graded]]:
    with MarkingProcess(course, unsafe=unsafe) as grader:
        for path, exercise, notebook in tasks:
            graded: Graded | None = None
            with skipping(course, exercise.name, path, _unless((WallError, MarkingError), on_failure)):
                graded = grader.grade(exercise, notebook or read_notebook(Path(path)))
            if graded is None:
                grader.kill()  # otherwise a late reply would be taken for the reply to the next notebook
            else:
                yield path, graded
