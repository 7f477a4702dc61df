"""Writes the feedback pages that students get, one for each graded submission."""

from collections.abc import Sequence
from pathlib import Path

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook import ConversionError, ExerciseGradebook, read_gradebook
from autograder.submission.submission import Submission


def write_pages(course: Course, exercises: Sequence[Exercise]) -> list[Path]:
    """Write feedback/<student>/<exercise>/<exercise>.html for each graded submission and return the pages.

    A page that fails stops no other; once all are written, a ConversionError names those that failed.
    """
    pages: list[Path] = []
    failures: list[str] = []
    for exercise in exercises:
        graded = [
            submission
            for submission in read_gradebook(course, exercise)
            if Submission(course.root, submission.student, exercise.name).autograded.is_file()
        ]
        if not graded:
            continue
        with ExerciseGradebook(course, exercise) as book:
            for submission in graded:
                try:
                    pages.append(book.write_page(submission))
                except ConversionError as error:
                    failures.append(str(error))
    if failures:
        raise ConversionError("\n".join(failures))
    return pages
