"""Releases exercises by nbgrader's generate_assignment, and registers them in the gradebook."""

from pathlib import Path
from typing import Any

from nbgrader.converters import GenerateAssignment

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.assignment import record_exercise
from autograder.gradebook.config import database
from autograder.gradebook.conversion import converting, open_converter


def register(course: Course, exercise: Exercise) -> None:
    """Record `exercise` in the gradebook as it is now, with its due date."""
    record_exercise(course, exercise, database(course))


def generate(course: Course, exercise: Exercise, *, into: Path | None = None) -> None:
    """Release `exercise` from build/source/ to assignments/ or `into`; no gradebook is touched."""
    settings: dict[str, dict[str, Any]] = {
        "CourseDirectory": {"release_directory": str(into)} if into else {},
        "GenerateAssignment": {"force": True, "no_database": True},
        "SaveCells": {"enabled": False},
    }
    with (
        open_converter(GenerateAssignment, course, exercise, **settings) as converter,
        converting(course, converter.log, exercise.name),
    ):
        converter.start()
