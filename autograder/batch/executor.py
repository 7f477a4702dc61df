"""Defines the interface of executors, which grade many submissions."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from autograder.grading.graded import Graded
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
