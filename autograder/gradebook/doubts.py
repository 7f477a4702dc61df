"""Finds names that stand for nobody and nothing in extensions.csv and comments.yaml, which people write."""

from collections.abc import Iterator, Sequence

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.comments import CommentBank, CommentsError
from autograder.gradebook.extensions import unknown_students
from autograder.submission.students import listed_students


def doubts(course: Course, exercises: Sequence[Exercise]) -> Iterator[str]:
    """Yield a line on each; what is wrong otherwise with the comments, which grading does not need, too."""
    if (students := listed_students(course.root)) is not None:
        yield from unknown_students(course, students, [exercise.name for exercise in exercises])
    try:
        yield from CommentBank(course.root).unknown_places(course.exercises)
    except CommentsError as error:
        yield from str(error).splitlines()
