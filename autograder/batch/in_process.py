"""The executor that grades in this process, to measure and to test."""

from collections.abc import Iterable, Iterator

from autograder.batch.executor import Done, Task
from autograder.course.course import Course
from autograder.grading.restarting import RestartingGrader


class InProcess:
    """Grades one submission after another in this process, to measure and to test: a submission may end it.

    Whoever grades a class uses a `ProcessPool`, of one process if need be.
    """

    def __init__(self, course: Course, *, unsafe: bool = False) -> None:
        self._course = course
        self._grader = RestartingGrader(course, unsafe=unsafe)

    def map(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Grade in the order of the tasks."""
        for submission, notebook in tasks:
            exercise = self._course.exercises[submission.exercise]
            yield submission, notebook, self._grader.grade(exercise, notebook)

    def __enter__(self) -> "InProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self._grader.close()
