"""Grades many submissions: one after another here, or by several processes, each with its own zygote."""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from autograder.course import Course, load_course
from autograder.marking import Mark, Marker
from autograder.submission import Submission

Marking = Iterator[tuple[Submission, Mark]]
Crew = Callable[[Course, Sequence[Submission]], Marking]


def alone(course: Course, submissions: Sequence[Submission], *, unsafe: bool = False) -> Marking:
    """Grade in this process."""
    with Marker(course, unsafe=unsafe) as marker:
        for submission in submissions:
            yield submission, marker.mark(submission)


def together(
    course: Course, submissions: Sequence[Submission], jobs: int, *, unsafe: bool = False
) -> Marking:
    """Grade in `jobs` processes; what is ready first comes first."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _begin, (course.root, unsafe)) as pool:
        pending = {pool.submit(_mark, submission): submission for submission in submissions}
        for future in as_completed(pending):
            yield pending.pop(future), future.result()


_MARKER: list[Marker] = []  # this process's own, for as long as it works


def _begin(root: Path, unsafe: bool) -> None:
    _MARKER.append(Marker(load_course(root), unsafe=unsafe))


def _mark(submission: Submission) -> Mark:
    return _MARKER[0].mark(submission)
