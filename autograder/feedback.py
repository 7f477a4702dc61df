"""Writes the pages that students get, one for each graded submission."""

from collections.abc import Sequence
from pathlib import Path

from autograder.course import Course
from autograder.exercise import Exercise
from autograder.gradebook import generate_feedback, read_handins
from autograder.submission import Submission


def feedback(course: Course, exercises: Sequence[Exercise]) -> list[Path]:
    """Write feedback/<student>/<exercise>/<exercise>.html for all that is graded, and return the pages."""
    return [page for exercise in exercises for page in _pages(course, exercise)]


def _pages(course: Course, exercise: Exercise) -> list[Path]:
    graded = [
        submission
        for handin in read_handins(course, exercise)
        if (submission := Submission(course.root, handin.student, exercise.name)).autograded.is_file()
    ]
    for submission in graded:
        generate_feedback(course, exercise.name, submission.student)
    return [submission.feedback for submission in graded]
