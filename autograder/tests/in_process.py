"""Grades in the process of a test, which its own patches reach and where a warm zygote waits."""

from collections.abc import Iterable, Iterator

from autograder.batch.pool import Done, Task
from autograder.course.course import Course
from autograder.grading.grader import CourseGrader
from autograder.sandbox.zygote import Zygote


class InProcess:
    """An executor that grades one submission after another in this process."""

    def __init__(self, course: Course, zygote: Zygote) -> None:
        self._course = course
        self._grader = CourseGrader(course, zygote)

    def map(self, tasks: Iterable[Task]) -> Iterator[Done]:
        for submission, notebook in tasks:
            exercise = self._course.exercises[submission.exercise]
            yield submission, notebook, self._grader.grade(exercise, notebook)
