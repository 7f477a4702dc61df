"""Grades submissions in several processes, each with a zygote of its own."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, suppress
from itertools import chain, islice
from multiprocessing.util import Finalize
from pathlib import Path

from autograder.batch.executor import Done, InProcess, Task
from autograder.course.course import Course, load_course
from autograder.grading.graded import Graded
from autograder.grading.restarting import RestartingGrader
from autograder.sandbox.launch import prelaunched
from autograder.submission.notebook import Notebook
from autograder.worker.walls import die_with_parent

_QUEUED = 4  # submissions that wait for each process
# A fork shares what is imported already. Outside Linux, the libraries that torch loads do not survive it.
CONTEXT = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


class ProcessPool:
    """Grades in `jobs` processes, which are started when the `with` block is entered.

    If it is `certain` that there is work, their zygotes are started then too, otherwise with the first
    submission. What a broken process leaves undone is graded in this one.
    """

    def __init__(self, course: Course, jobs: int, *, unsafe: bool = False, certain: bool = False) -> None:
        self._pool = ProcessPoolExecutor(jobs, CONTEXT, _begin, (course.root, unsafe, certain))
        self._jobs = jobs
        self._in_process = InProcess(course, unsafe=unsafe)

    def map(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Grade in the processes; each holds a few submissions in its queue."""
        left, running = iter(tasks), dict[Future[str], Task]()
        with suppress(BrokenProcessPool):
            while True:
                for task in islice(left, _QUEUED * self._jobs - len(running)):
                    running[self._submit(task)] = task
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    graded = Graded.from_json(future.result())
                    yield *running.pop(future), graded
        yield from self._in_process.map(chain(running.values(), left))

    def _submit(self, task: Task) -> Future[str]:
        """Queue a task; if the pool is broken, the task fails like those that are in its queue."""
        submission, notebook = task
        try:
            return self._pool.submit(_grade, submission.exercise, notebook)
        except BrokenProcessPool as error:
            failed = Future[str]()
            failed.set_exception(error)
            return failed

    def __enter__(self) -> "ProcessPool":
        with suppress(BrokenProcessPool):
            for _ in range(self._jobs):  # now, while this process has no thread and no open gradebook
                self._pool.submit(os.getpid)  # any call makes the pool start a process
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self._in_process.__exit__(kind, *error)
        self._pool.shutdown(wait=kind is None, cancel_futures=True)
        for child in multiprocessing.active_children() if kind is not None else ():
            child.kill()  # its zygote and worker go with it


_GRADER: list[tuple[Course, RestartingGrader]] = []  # holds one in each child process


def _begin(root: Path, unsafe: bool, certain: bool) -> None:
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    stack = ExitStack()
    Finalize(None, stack.close, exitpriority=10)
    if certain:
        stack.enter_context(prelaunched())
    course = load_course(root)
    _GRADER.append((course, stack.enter_context(RestartingGrader(course, unsafe=unsafe))))


def _grade(exercise: str, notebook: Notebook) -> str:
    ((course, grader),) = _GRADER
    return grader.grade(course.exercises[exercise], notebook).to_json()
