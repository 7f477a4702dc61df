"""Grades submissions in several processes."""

import multiprocessing
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import NamedTuple, Protocol

from autograder.course.course import Course
from autograder.course.guard import SubmissionError, one_submission
from autograder.errors import AutograderError
from autograder.grading import marking
from autograder.grading.graded import Graded, failure_report
from autograder.grading.marking import MarkingProcess
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission

_QUEUED = 4  # the maximum number of tasks in memory for each process: running and waiting tasks
# A forked process shares imported modules. Outside Linux, torch's libraries do not survive a fork.
CONTEXT = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
Done = tuple[Submission, Notebook, Graded]


class Task(NamedTuple):
    """A submission to grade: only the questions in `asked`, or all questions if `asked` is empty."""

    submission: Submission
    notebook: Notebook
    asked: tuple[str, ...] = ()


class Executor(Protocol):
    """Grades submissions of one course."""

    def map(self, tasks: Iterable[Task], *, marks_only: bool = False) -> Iterator[Done]:
        """Grade each submission and yield it when it is done, in any order.

        With `marks_only`, wrong answers are not explained. Tasks are read from `tasks` only when they are
        needed, so that the notebooks of a large class are not in memory at the same time.
        """
        ...


class ProcessPool:
    """Grades in `jobs` processes; use it in a `with` block.

    The processes start when `start` is called or the first submission comes. Starting takes seconds, because
    torch is loaded; if no submission has to be graded, the processes never start. Each running task has its
    own thread, so that other tasks continue while a crashed process is replaced. The processes share
    explanations, so that equal wrong answers are explained only once.
    """

    def __init__(self, course: Course, jobs: int, *, unsafe: bool = False) -> None:
        self._course, self._jobs, self._unsafe = course, jobs, unsafe
        self._processes = list[MarkingProcess]()
        self._idle: SimpleQueue[MarkingProcess] = SimpleQueue()
        self._threads = ThreadPoolExecutor(jobs, "marking")
        self._shared = ExitStack()  # closing it removes the folder with the shared explanations

    def map(self, tasks: Iterable[Task], *, marks_only: bool = False) -> Iterator[Done]:
        """Grade in the processes. If a failed task may succeed later, repeat it after all other tasks."""
        to_repeat = list[Task]()
        for task, graded in self._grade_once(tasks, marks_only):
            if graded.again:
                to_repeat.append(task)
            else:
                yield task.submission, task.notebook, graded
        for task, graded in self._grade_once(to_repeat, marks_only):
            yield task.submission, task.notebook, graded

    def _grade_once(self, tasks: Iterable[Task], marks_only: bool) -> Iterator[tuple[Task, Graded]]:
        """Grade each task once, with at most `_QUEUED` tasks waiting or running for each process."""
        left, running = iter(tasks), dict[Future[Graded], Task]()
        while True:
            for task in islice(left, _QUEUED * self._jobs - len(running)):
                self.start()
                running[self._threads.submit(self._grade, task, marks_only)] = task
            if not running:
                return
            # Take only one result, so that another task can start before the next result is handled.
            future = wait(running, return_when=FIRST_COMPLETED).done.pop()
            yield running.pop(future), future.result()

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
        """Start the processes if they are not running.

        On Linux, they are forked if this process has no other thread. A forked process inherits the open
        gradebook, but neither uses nor closes the gradebook. If several processes are forked, the course's
        packages are loaded before, so that the processes share the memory of the packages.
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

    def _grade(self, task: Task, marks_only: bool) -> Graded:
        submission = task.submission
        process = self._idle.get()
        try:
            with one_submission(self._course, submission.exercise, submission.student):
                exercise = self._course.exercises[submission.exercise]
                return process.attempt(exercise, task.notebook, marks_only=marks_only, asked=task.asked)
        except SubmissionError as error:
            process.kill()  # otherwise a late reply would be taken for the reply to the next task
            if isinstance(error.__cause__, AutograderError):  # this error would occur with every submission
                raise error.__cause__ from None
            report = failure_report(self._course.exercises[submission.exercise], ())
            return Graded(report, problem=error.problem)
        finally:
            self._idle.put(process)
