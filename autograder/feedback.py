"""Writes the pages that students get, one for each graded submission."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.course import Course
from autograder.exercise import Exercise
from autograder.gradebook import ConversionError, generate_feedback, read_handins
from autograder.submission import Submission


def feedback(course: Course, exercises: Sequence[Exercise]) -> list[Path]:
    """Write feedback/<student>/<exercise>/<exercise>.html for all that is graded, and return the pages.

    A page that fails stops no other; a ConversionError tells of it at the end.
    """
    pages: list[Path] = []
    failures: list[str] = []
    for submission in _graded(course, exercises):
        try:
            generate_feedback(course, submission.exercise, submission.student)
            pages.append(submission.feedback)
        except ConversionError as error:
            failures.append(str(error))
    if failures:
        raise ConversionError("\n".join(failures))
    return pages


def _graded(course: Course, exercises: Sequence[Exercise]) -> Iterator[Submission]:
    for exercise in exercises:
        for handin in read_handins(course, exercise):
            submission = Submission(course.root, handin.student, exercise.name)
            if submission.autograded.is_file():
                yield submission
