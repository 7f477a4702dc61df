"""Runs nbgrader's converters in this process, with their log kept in build/nbgrader.log."""

import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nbgrader.converters import Autograde, GenerateAssignment, GenerateFeedback
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from autograder.course import Course
from autograder.exercise import Exercise
from autograder.gradebook.assignment import record_exercise
from autograder.gradebook.entries import handins
from autograder.gradebook.settings import database as database_of
from autograder.gradebook.settings import load
from autograder.grading import Graded
from autograder.handin import Handin

LOG = "nbgrader.log"
_NO_DATABASE = {"SaveCells": {"enabled": False}, "GenerateAssignment": {"no_database": True}}


class ConversionError(Exception):
    """nbgrader gave up, or we did inside it; the message says on what, and where to read on."""


def register(course: Course, exercise: Exercise) -> None:
    """Make the gradebook know `exercise` as it is now, and when it is due."""
    record_exercise(course, exercise, database_of(course))


def generate(course: Course, exercise: Exercise, *, database: bool, into: Path | None = None) -> None:
    """Release `exercise` from build/source/ by nbgrader's generate_assignment, to assignments/ or `into`."""
    release = {"CourseDirectory": {"release_directory": str(into)}} if into else {}
    convert(GenerateAssignment, course, exercise.name, ".", settings={**_NO_DATABASE, **release})
    if database:
        register(course, exercise)


def autograde(course: Course, exercise: str, student: str, graded: Graded) -> None:
    """Take `graded` through nbgrader's autograde: the autograded notebook, and the gradebook."""
    convert(Autograde, course, exercise, student, marks={student: graded})


def generate_feedback(course: Course, exercise: str, student: str) -> None:
    """Write the feedback page on what is in autograded/."""
    convert(GenerateFeedback, course, exercise, student)


def read_handins(course: Course, exercise: Exercise, student: str | None = None) -> tuple[Handin, ...]:
    """Return the submissions of `exercise` in the gradebook, or one student's, in order of their ids."""
    return handins(course, exercise, database_of(course), student)


def convert(
    kind: type[BaseConverter],
    course: Course,
    exercise: str,
    student: str,
    *,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    marks: Mapping[str, Graded] | None = None,
) -> None:
    """Run one of nbgrader's converters over one folder, whether it has been there before or not."""
    config = load(course)
    config.merge(Config(settings or {}))
    config.CourseDirectory.assignment_id = exercise
    config.CourseDirectory.student_id = student
    with _log(course) as log:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SAWarning)  # from nbgrader's own use of its database
                _converter(kind, config, log, marks or {}).start()
        except NbGraderException:
            raise ConversionError(_told(course, exercise, student)) from None
        except Exception as error:  # whatever it is, others must get their turn
            log.exception("%s %s", exercise, student)
            raise ConversionError(_told(course, exercise, student)) from error


def _converter(
    kind: type[BaseConverter], config: Config, log: logging.Logger, marks: Mapping[str, Graded]
) -> BaseConverter:
    converter = kind(coursedir=CourseDirectory(config=config, log=log), config=config, log=log, force=True)
    converter.marks = marks
    return converter


def _told(course: Course, exercise: str, student: str) -> str:
    whose = "" if student == "." else f" of {student}"
    return f"nbgrader gave up on {exercise}{whose}; {course.build / LOG} says why"


@contextmanager
def _log(course: Course) -> Iterator[logging.Logger]:
    """Give nbgrader a log of its own, so that neither it nor its tracebacks reach anybody's screen."""
    course.build.mkdir(exist_ok=True)
    log = logging.Logger("nbgrader", logging.WARNING)
    handler = logging.FileHandler(course.build / LOG, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.addHandler(handler)
    try:
        yield log
    finally:
        handler.close()
