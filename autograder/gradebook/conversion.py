"""Opens nbgrader's converters as the course has set them up, and turns what fails in them into one error."""

import shutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from logging import Logger
from pathlib import Path
from typing import Any

from nbgrader.converters.base import BaseConverter
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from autograder.course.course import Course, log_of
from autograder.course.exercise import Exercise
from autograder.course.kept import unwritable
from autograder.errors import AutograderError
from autograder.files import write_whole
from autograder.gradebook.config import load
from autograder.submission.submission import Submission

LOG = "nbgrader"


class ConversionError(AutograderError):
    """nbgrader gave up, or our code inside it did; the message names the submission and the log."""


@contextmanager
def open_converter(
    kind: type[BaseConverter], course: Course, exercise: Exercise, **settings: Mapping[str, Any]
) -> Iterator[BaseConverter]:
    """Yield nbgrader's converter of this kind for one exercise, with `settings` over those of the course.

    It has a log of its own in build/, so that neither its messages nor its tracebacks reach anybody's screen.
    """
    config = load(course)
    config.merge(Config(settings))
    config.CourseDirectory.assignment_id = exercise.name
    with log_of(course, LOG) as log:
        yield kind(coursedir=CourseDirectory(config=config, log=log), config=config, log=log)


@contextmanager
def converting(course: Course, log: Logger, exercise: str, student: str = "") -> Iterator[None]:
    """Raise a ConversionError for whatever fails in the `with` block: the caller goes on to the next one.

    A full or read-only disk is one for all that follow, so the error stays as it is.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # from nbgrader's own use of its database
            yield
    except Exception as error:
        problem = unwritable(error, course.root)
        if problem and not isinstance(error, PermissionError):
            raise
        if not problem:
            log.exception("%s %s", exercise, student)
            problem = f"{course.build / LOG}.log says why"
        whose = f" of {student}" if student else ""
        raise ConversionError(f"nbgrader gave up on {exercise}{whose}; {problem}") from error


def write_folder(
    converter: BaseConverter, submission: Submission, path: Path, text: str, others: Mapping[str, Path]
) -> None:
    """Write the folder of `path` anew, as converters do: copies of `others` under their names, then `text`.

    As `path` is written last, the folder is complete wherever `path` exists.
    """
    shutil.rmtree(path.parent, ignore_errors=True)
    for name, other in others.items():
        copy = path.parent / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(other, copy)
    write_whole(path, text)
    converter.set_permissions(submission.exercise, submission.student)
