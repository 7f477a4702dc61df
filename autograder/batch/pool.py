"""Grades submissions in marking processes, each with a zygote of its own, or in this process."""

import multiprocessing
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import Protocol

from autograder.course.course import Course
from autograder.course.guard import SubmissionError, one_submission
from autograder.errors import AutograderError
from autograder.grading import marking
from autograder.grading.graded import Graded, failure_report
from autograder.grading.marking import MarkingProcess
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission

_QUEUED = 4  # submissions that wait for each process
# A fork shares what is imported already. Outside Linux, the libraries that torch loads do not survive it.
CONTEXT = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
Task = tuple[Submission, Notebook]
Done = tuple[Submission, Notebook, Graded]


class Executor(Protocol):
    """Grades submissions of one course; its classes are used in a `with` block."""

    def map(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Grade each submission once and yield it as soon as it is done, in whatever order.

        Tasks are taken only a few ahead of the results, so that a large class does not fill the memory.
        """
        ...


class ProcessPool:
    """Grades in `jobs` processes; use it in a `with` block.

    The processes start with the first submission, unless somebody starts them before: they load torch, for
    which a class that needs no grading need not wait. For each process a thread of this one waits, so that a
    process that is lost while it grades, and has to be replaced, keeps no other waiting. Equal wrong answers
    are explained once, by whichever process meets them first.
    """

    def __init__(self, course: Course, jobs: int, *, unsafe: bool = False) -> None:
        self._course, self._jobs, self._unsafe = course, jobs, unsafe
        self._processes = list[MarkingProcess]()
        self._idle: SimpleQueue[MarkingProcess] = SimpleQueue()
        self._threads = ThreadPoolExecutor(jobs, "marking")
        self._shared = ExitStack()  # a folder for explanations, once the processes start

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
            for task in islice(left, _QUEUED * self._jobs - len(running)):
                self.start()
                running[self._threads.submit(self._grade, task)] = task
            if not running:
                return
            future = wait(running, return_when=FIRST_COMPLETED).done.pop()  # one, or the others would run dry
            yield *running.pop(future), future.result()

    def __enter__(self) -> "ProcessPool":
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        for process in self._processes if kind is not None else ():
            process.abandon()
        self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            process.close()
        self._shared.close()

    def start(self) -> None:
        """Start the processes, if they are not; this one has no threads yet, so that they may be forked.

        The gradebook may be open here. What is forked does nothing with it, and ends without closing it.
        Several processes share the packages of the course, which are loaded before they are forked.
        """
        if self._processes:
            return
        self._course.build.mkdir(parents=True, exist_ok=True)
        folder = TemporaryDirectory(prefix="explanations-", dir=self._course.build)
        shared = Path(self._shared.enter_context(folder))
        if self._jobs > 1 and marking.may_fork():
            marking.warm(self._course.settings.packages)
        for _ in range(self._jobs):
            self._processes.append(MarkingProcess(self._course, unsafe=self._unsafe, shared=shared))
        for process in self._processes:
            process.start()
            self._idle.put(process)

    def _grade(self, task: Task) -> Graded:
        submission, notebook = task
        process = self._idle.get()
        try:
            with one_submission(self._course, submission.exercise, submission.student):
                return process.attempt(self._course.exercises[submission.exercise], notebook)
        except SubmissionError as error:
            process.kill()  # it may be in the middle of an answer
            if isinstance(error.__cause__, AutograderError):  # which keeps every submission from being graded
                raise error.__cause__ from None
            report = failure_report(self._course.exercises[submission.exercise], ())
            return Graded(report, problem=error.problem)
        finally:
            self._idle.put(process)
