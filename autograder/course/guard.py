"""Prevents a failure on one submission from stopping a command for all others.

Every command that goes through a class processes each submission inside `one_submission` or `skipping`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from autograder.course.course import Course, log_of
from autograder.course.kept import unwritable
from autograder.errors import AutograderError
from autograder.report.text import terminal_line

_LOG = "autograder"


class SubmissionError(AutograderError):
    """A step failed on one submission; the message names the submission and the problem."""

    def __init__(self, exercise: str, student: str, problem: str) -> None:
        super().__init__(f"{exercise} {student}: {problem}")
        self.exercise, self.student, self.problem = exercise, student, problem


OnFailure = Callable[[SubmissionError], object]


def raise_failure(error: SubmissionError) -> NoReturn:
    """Stop at the first failure: the default of functions that take an `OnFailure`."""
    raise error


@contextmanager
def one_submission(course: Course, exercise: str, student: str) -> Iterator[None]:
    """Turn any exception of the `with` block into a SubmissionError, so that the caller can go on.

    The traceback goes to build/autograder.log. The error of a full or read-only disk, which affects all
    submissions, is not changed.
    """
    try:
        yield
    except SubmissionError:
        raise
    except AutograderError as error:
        raise SubmissionError(exercise, student, str(error)) from error
    except Exception as error:
        if not (problem := unwritable_for_one(error, course)):
            with log_of(course, _LOG) as log:
                log.exception("%s", terminal_line(f"{exercise} {student}"))
            problem = f"{type(error).__name__}; {course.build / _LOG}.log says more"
        raise SubmissionError(exercise, student, f"cannot be processed: {problem}") from error


def unwritable_for_one(error: Exception, course: Course) -> str:
    """Return the reason why a file of one submission cannot be written, or "" for an error of another kind.

    An error that affects all submissions, such as a full disk, is raised again.
    """
    problem = unwritable(error, course.root)
    if problem and not isinstance(error, PermissionError):
        raise error
    return problem


@contextmanager
def skipping(
    course: Course, exercise: str, student: str, on_failure: OnFailure = raise_failure
) -> Iterator[None]:
    """Pass an exception of the `with` block to `on_failure`, and go on after the block."""
    try:
        with one_submission(course, exercise, student):
            yield
    except SubmissionError as error:
        on_failure(error)
