"""Writes the feedback pages that students get, one for each graded submission."""

from collections.abc import Sequence
from pathlib import Path

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.config import ConversionError
from autograder.gradebook.pages import write_feedback


def write_pages(course: Course, exercises: Sequence[Exercise]) -> list[Path]:
    """Write feedback/<student>/<exercise>/<exercise>.html for each graded submission and return the pages.

    A page that fails stops no other: when all others are written, a ConversionError names those that failed.
    """
    written = [page for exercise in exercises for page in write_feedback(course, exercise)]
    failures = [str(page) for page in written if isinstance(page, ConversionError)]
    if failures:
        raise ConversionError("\n".join(failures))
    return [page for page in written if isinstance(page, Path)]
