"""Grades many submissions: one after another here, or by several processes, each with its own zygote."""

import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, suppress
from itertools import islice
from multiprocessing.util import Finalize
from pathlib import Path
from types import TracebackType

from autograder.course.course import Course, load_course
from autograder.grading.graded import Mark
from autograder.grading.restarting import RestartingGrader
from autograder.sandbox.launch import prelaunched
from autograder.submission.submission import Submission
from autograder.worker.walls import die_with_parent

Marking = Iterator[tuple[Submission, Mark]]
Crew = Callable[[Course, Sequence[Submission]], Marking]
_AHEAD = 4  # submissions that wait for each process
# A fork shares what is imported already; elsewhere than on Linux it does not suit what torch loads.
CONTEXT = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


class Alone:
    """Grades in this process; use it in a `with` block."""

    def __init__(self, *, unsafe: bool = False) -> None:
        self._unsafe = unsafe
        self._marker: RestartingGrader | None = None

    def __call__(self, course: Course, submissions: Sequence[Submission]) -> Marking:
        """Grade one after another."""
        self._marker = self._marker or RestartingGrader(course, unsafe=self._unsafe)
        for submission in submissions:
            yield submission, self._marker.mark(submission)

    def __enter__(self) -> "Alone":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._marker is not None:
            self._marker.close()


class Together:
    """Grades in `jobs` processes, begun when the `with` block is entered.

    Their zygotes are begun then too if there is `certain` work, else with the first submission.
    """

    def __init__(self, course: Course, jobs: int, *, unsafe: bool = False, certain: bool = False) -> None:
        self._pool = ProcessPoolExecutor(jobs, CONTEXT, _begin, (course.root, unsafe, certain))
        self._jobs = jobs
        self._alone = Alone(unsafe=unsafe)

    def __call__(self, course: Course, submissions: Sequence[Submission]) -> Marking:
        """Grade in the order in which they are ready; should a process break, the rest here."""
        left = dict.fromkeys(submissions)
        with suppress(BrokenProcessPool):
            for submission, text in self._marks(submissions):
                left.pop(submission)
                yield submission, Mark.from_json(text)
        yield from self._alone(course, list(left))

    def _marks(self, submissions: Sequence[Submission]) -> Iterator[tuple[Submission, str]]:
        """Keep the processes busy, but never more results waiting than a few for each."""
        todo, running = iter(submissions), dict[Future[str], Submission]()
        while True:
            for submission in islice(todo, _AHEAD * self._jobs - len(running)):
                running[self._pool.submit(_mark, submission)] = submission
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()

    def __enter__(self) -> "Together":
        with suppress(BrokenProcessPool):
            for _ in range(self._jobs):  # now, while this process has no thread and no open gradebook
                self._pool.submit(_nothing)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._alone.__exit__(kind, error, trace)
        self._pool.shutdown(wait=kind is None, cancel_futures=True)
        for child in multiprocessing.active_children() if kind is not None else ():
            child.kill()  # its zygote and worker go with it


_MARKER: list[RestartingGrader] = []  # this process's own, for as long as it works


def _begin(root: Path, unsafe: bool, certain: bool) -> None:
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that has begun this one
    stack = ExitStack()
    Finalize(None, stack.close, exitpriority=10)
    if certain:
        stack.enter_context(prelaunched())
    _MARKER.append(stack.enter_context(RestartingGrader(load_course(root), unsafe=unsafe)))


def _nothing() -> None:
    """Make the pool begin a process."""


def _mark(submission: Submission) -> str:
    return _MARKER[0].mark(submission).to_json()
