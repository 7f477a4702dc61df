"""Turns whatever fails inside nbgrader into one error with one line, and keeps the details in a log."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from sqlalchemy.exc import SAWarning

from autograder.course.course import Course
from autograder.course.log import log_of
from autograder.errors import AutograderError

_LOG = "nbgrader"


class ConversionError(AutograderError):
    """nbgrader gave up, or we did inside it; the message says on what, and where to read on."""


def nbgrader_log(course: Course) -> AbstractContextManager[logging.Logger]:
    """Give nbgrader a log of its own, so that neither it nor its tracebacks reach anybody's screen."""
    return log_of(course, _LOG)


@contextmanager
def converting(course: Course, log: logging.Logger, exercise: str, student: str = "") -> Iterator[None]:
    """Make a ConversionError of whatever is raised in the `with` block, so that others get their turn."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # from nbgrader's own use of its database
            yield
    except Exception as error:
        log.exception("%s %s", exercise, student)
        whose = f" of {student}" if student else ""
        message = f"nbgrader gave up on {exercise}{whose}; {course.build / _LOG}.log says why"
        raise ConversionError(message) from error
