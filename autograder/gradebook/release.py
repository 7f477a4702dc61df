"""Releases by nbgrader's generate_assignment, in this process; its log is kept in build/nbgrader.log."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.errors import AutograderError
from autograder.gradebook.assignment import record_exercise
from autograder.gradebook.config import database as database_of
from autograder.gradebook.config import load

LOG = "nbgrader.log"
_NO_DATABASE = {"SaveCells": {"enabled": False}, "GenerateAssignment": {"no_database": True}}


class ConversionError(AutograderError):
    """nbgrader gave up, or we did inside it; the message says on what, and where to read on."""


def register(course: Course, exercise: Exercise) -> None:
    """Make the gradebook know `exercise` as it is now, and when it is due."""
    record_exercise(course, exercise, database_of(course))


def generate(course: Course, exercise: Exercise, *, database: bool, into: Path | None = None) -> None:
    """Release `exercise` from build/source/ by nbgrader's generate_assignment, to assignments/ or `into`."""
    config = load(course)
    config.merge(Config(_NO_DATABASE))
    config.CourseDirectory.assignment_id = exercise.name
    if into:
        config.CourseDirectory.release_directory = str(into)
    with log_of(course) as log:
        folders = CourseDirectory(config=config, log=log)
        try:
            GenerateAssignment(coursedir=folders, config=config, log=log, force=True).start()
        except NbGraderException:
            raise ConversionError(told(course, exercise.name)) from None
        except Exception as error:  # whatever it is, others must get their turn
            log.exception("%s", exercise.name)
            raise ConversionError(told(course, exercise.name)) from error
    if database:
        register(course, exercise)


def told(course: Course, exercise: str, student: str = "") -> str:
    """Say on what nbgrader gave up, and where to read on."""
    whose = f" of {student}" if student else ""
    return f"nbgrader gave up on {exercise}{whose}; {course.build / LOG} says why"


@contextmanager
def log_of(course: Course) -> Iterator[logging.Logger]:
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
