"""Prevents a failure on one submission from stopping a command for all others, and writes the logs in build/.

Commands that process many submissions use `one_submission` or `skipping` for each.
"""

import errno
import logging
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NoReturn

from autograder.course.course import Course
from autograder.course.kept import GRADEBOOK
from autograder.errors import AutograderError
from autograder.report.text import clean_text, terminal_line

_LOG = "autograder"
_FIX = "make room there or let this user write there, and run the command again"
_DENIED = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)
_SQLITE_DENIED = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
_PRIMARY = 0xFF  # the bits of SQLite's extended error code that contain the general error code


class SubmissionError(AutograderError):
    """A step failed on one submission; the message names the submission and the problem."""

    def __init__(self, exercise: str, student: str, problem: str) -> None:
        super().__init__(f"{exercise} {student}: {problem}")
        self.exercise, self.student, self.problem = exercise, student, problem


OnFailure = Callable[[SubmissionError], object]


def raise_failure(error: SubmissionError) -> NoReturn:
    """Raise the error, which stops the command. This is the default of each parameter `on_failure`."""
    raise error


@contextmanager
def one_submission(course: Course, exercise: str, student: str) -> Iterator[None]:
    """Turn any exception of the `with` block into a SubmissionError, so that the caller can go on.

    The traceback of an unexpected error goes to build/autograder.log. The error of a full or read-only disk
    affects all submissions, so it is not changed.
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
    """Return the message of `unwritable`, or raise `error` itself if it affects all submissions.

    A full disk affects all submissions. A denied permission may affect only one submission.
    """
    problem = unwritable(error, course.root)
    if problem and not isinstance(error, PermissionError):
        raise error
    return problem


@contextmanager
def skipping(
    course: Course, exercise: str, student: str, on_failure: OnFailure = raise_failure
) -> Iterator[None]:
    """If the `with` block fails, pass the SubmissionError to `on_failure`, and go on after the block."""
    try:
        with one_submission(course, exercise, student):
            yield
    except SubmissionError as error:
        on_failure(error)


def unwritable(error: BaseException, course: Path) -> str:
    """Return a message with the file that cannot be written and a fix, or "" for an error of another kind.

    If the error gives no absolute path, the message names the course's folder.
    """
    for cause in _causes(error):
        if isinstance(cause, OSError) and cause.errno in _DENIED:
            name = cause.filename2 or cause.filename  # filename2 is the target of a failed copy
            if isinstance(name, str | bytes):
                path = Path(os.fsdecode(name))
                path = path if path.is_absolute() else course
            elif isinstance(cause, PermissionError):  # not about a file, because it has no file name
                continue
            else:
                path = course
            return f"{path}: cannot be written: {os.strerror(cause.errno)}; {_FIX}"
        if (
            isinstance(cause, sqlite3.Error)
            and getattr(cause, "sqlite_errorcode", 0) & _PRIMARY in _SQLITE_DENIED
        ):
            return f"{course / GRADEBOOK}: cannot be written: {cause}; {_FIX}"
    return ""


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes. SQLAlchemy has the database's own error in `orig`."""
    causes: list[BaseException] = []
    following: object = error
    while isinstance(following, BaseException) and following not in causes:
        causes.append(following)
        yield following
        following = getattr(following, "orig", None) or following.__cause__


class _CleanFormatter(logging.Formatter):
    """Removes terminal escape sequences from log lines, which may quote text from students."""

    def format(self, record: logging.LogRecord) -> str:
        return clean_text(super().format(record))


@contextmanager
def log_of(course: Course, name: str) -> Iterator[logging.Logger]:
    """Yield a logger that appends warnings and errors to build/<name>.log.

    A traceback that occurs several times, such as in every round of the command `watch`, is logged once.
    """

    def is_new(record: logging.LogRecord) -> bool:
        if record.exc_info is None:
            return True
        text = logging.Formatter().format(record)
        if text in course.logged:
            return False
        course.logged.add(text)
        return True

    course.build.mkdir(exist_ok=True)
    log = logging.Logger(name, logging.WARNING)
    log.addFilter(is_new)
    with closing(logging.FileHandler(course.build / f"{name}.log", encoding="utf-8", delay=True)) as handler:
        handler.setFormatter(_CleanFormatter("%(asctime)s %(levelname)s %(message)s"))
        log.addHandler(handler)
        yield log
