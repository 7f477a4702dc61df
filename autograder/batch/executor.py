"""Defines the interface of executors, which grade many submissions, and one that grades in this process."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from autograder.course.course import Course
from autograder.grading.graded import Graded
from autograder.grading.restarting import RestartingGrader
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission

Task = tuple[Submission, Notebook]
Done = tuple[Submission, Notebook, Graded]


class Executor(Protocol):
    """Grades submissions of one course; its classes are used in a `with` block."""

    def map(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Grade each submission once and yield it as soon as it is done, in whatever order.

        Tasks are taken only a few ahead of the results, so that a large class does not fill the memory.
        """
        ...


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
