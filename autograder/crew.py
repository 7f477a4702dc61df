"""Grades many submissions: one after another here, or by several processes, each with its own zygote."""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path

from autograder.course import Course, load_course
from autograder.mark import Mark
from autograder.marking import Marker
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
    """Grade in `jobs` processes, in the order in which they are ready; should one break, the rest here."""
    left = dict.fromkeys(submissions)
    context = multiprocessing.get_context("spawn")
    with (
        suppress(BrokenProcessPool),
        ProcessPoolExecutor(jobs, context, _begin, (course.root, unsafe)) as pool,
    ):
        futures = {pool.submit(_mark, submission): submission for submission in submissions}
        for future in as_completed(futures):
            mark = Mark.from_json(future.result())
            left.pop(futures[future])
            yield futures[future], mark
    yield from alone(course, list(left), unsafe=unsafe)


_MARKER: list[Marker] = []  # this process's own, for as long as it works


def _begin(root: Path, unsafe: bool) -> None:
    _MARKER.append(Marker(load_course(root), unsafe=unsafe))


def _mark(submission: Submission) -> str:
    return _MARKER[0].mark(submission).to_json()
