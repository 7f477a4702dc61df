"""Releases by nbgrader's generate_assignment, in this process, and registers exercises in the gradebook."""

from pathlib import Path

from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.assignment import record_exercise
from autograder.gradebook.config import database as database_of
from autograder.gradebook.config import load
from autograder.gradebook.conversion import converting, nbgrader_log

_NO_DATABASE = {"SaveCells": {"enabled": False}, "GenerateAssignment": {"no_database": True}}


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
    with nbgrader_log(course) as log, converting(course, log, exercise.name):
        folders = CourseDirectory(config=config, log=log)
        GenerateAssignment(coursedir=folders, config=config, log=log, force=True).start()
    if database:
        register(course, exercise)
