"""Grades submissions in several marking processes, each with a zygote of its own."""

import multiprocessing
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from queue import SimpleQueue

from autograder.batch.executor import Done, Task
from autograder.course.course import Course
from autograder.grading.graded import Graded
from autograder.grading.guarded import GuardedGrader, start_together

_QUEUED = 4  # submissions that wait for each process
# A fork shares what is imported already. Outside Linux, the libraries that torch loads do not survive it.
CONTEXT = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


class ProcessPool:
    """Grades in `jobs` processes; use it in a `with` block.

    If some submissions are `certain` to come, the processes are started when the block is entered, and for
    so many submissions zygotes too. Otherwise they are started with the first submission, since they load
    torch, for which a class that needs no grading need not wait. For each process a thread of this one waits,
    so that a process that is lost while it grades, and has to be replaced, keeps no other waiting.
    """

    def __init__(self, course: Course, jobs: int, *, unsafe: bool = False, certain: int = 0) -> None:
        self._course = course
        self._certain, self._started = certain, False
        self._graders = [GuardedGrader(course, unsafe=unsafe) for _ in range(jobs)]
        self._idle: SimpleQueue[GuardedGrader] = SimpleQueue()
        for grader in self._graders:
            self._idle.put(grader)
        self._threads = ThreadPoolExecutor(jobs, "marking")

    def map(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Grade in the processes; a failed attempt that may succeed is repeated when all others are done."""
        again = list[Task]()
        for submission, notebook, graded in self._attempts(tasks):
            if graded.again:
                again.append((submission, notebook))
            else:
                yield submission, notebook, graded
        yield from self._attempts(again)

    def _attempts(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Make one attempt at each; each process has a few submissions in its queue."""
        left, running = iter(tasks), dict[Future[Graded], Task]()
        while True:
            for task in islice(left, _QUEUED * len(self._graders) - len(running)):
                self._start()
                running[self._threads.submit(self._grade, task)] = task
            if not running:
                return
            future = wait(running, return_when=FIRST_COMPLETED).done.pop()  # one, or the others would run dry
            yield *running.pop(future), future.result()

    def __enter__(self) -> "ProcessPool":
        if self._certain:
            self._start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        for grader in self._graders if kind is not None else ():
            grader.abandon()
        self._threads.shutdown(cancel_futures=True)
        for grader in self._graders:
            grader.close()

    def _start(self) -> None:
        """Start the processes, if they are not; this one has no threads yet, so that they may be forked.

        The gradebook may be open here. What is forked does nothing with it, and ends without closing it.
        """
        if not self._started:
            self._started = True
            start_together(self._graders, max(self._certain, 1))  # the one that is to be graded now

    def _grade(self, task: Task) -> Graded:
        submission, notebook = task
        grader = self._idle.get()
        try:
            return grader.attempt(self._course.exercises[submission.exercise], notebook)
        finally:
            self._idle.put(grader)
