"""Keeps what fails on one submission from stopping a command for all others.

Every command that goes through a class does each submission's step inside `one_submission`.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from autograder.course.course import Course, log_of
from autograder.course.kept import unwritable
from autograder.errors import AutograderError

_LOG = "autograder"


class SubmissionError(AutograderError):
    """A step failed on one submission; the message names the submission and the reason."""


@contextmanager
def one_submission(course: Course, exercise: str, student: str) -> Iterator[None]:
    """Raise a SubmissionError for whatever fails in the `with` block: the caller goes on to the next one.

    The traceback goes to build/autograder.log. A full or read-only disk stops all submissions, so that error
    stays as it is.
    """
    try:
        yield
    except AutograderError as error:
        raise SubmissionError(f"{exercise} {student}: {error}") from error
    except Exception as error:
        problem = unwritable(error, course.root)
        if problem and not isinstance(error, PermissionError):
            raise
        if not problem:
            with log_of(course, _LOG) as log:
                log.exception("%s %s", exercise, student)
            problem = f"{type(error).__name__}; {course.build / _LOG}.log says more"
        raise SubmissionError(f"{exercise} {student}: cannot be processed: {problem}") from error
