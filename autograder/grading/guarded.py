"""Grades submissions in a marking process, which alone dies of what a submission does to its grader."""

import json
import multiprocessing
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.errors import AutograderError
from autograder.grading import marking
from autograder.grading.graded import Graded, failure_report
from autograder.sandbox.errors import WallError
from autograder.sandbox.launch import Launched, launch_ahead
from autograder.submission.notebook import Notebook

_TIMES = 10  # by the clock: so many times the seconds that a submission and its marking process may compute
_START_SECONDS = 600.0  # importing torch on a cold disk, on a busy machine
_END_SECONDS, _ZYGOTE_SECONDS = 60.0, 2.0
_STARTS = 2
_MORE_TIME = "more time than the grader may take"
_COMMAND = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from autograder.grading.marking import main; main(*sys.argv[2:])"
)


class MarkingError(AutograderError):
    """No marking process can be started."""


class LostError(Exception):
    """A marking process ended, or had to be ended: what it does `takes` too much, as the student is told.

    Unless that is for sure, it is worth another attempt.
    """

    def __init__(self, why: str, takes: str = "more than the grader can do", *, again: bool = True) -> None:
        super().__init__(why)
        self.takes, self.again = takes, again


class MarkingProcess:
    """A marking process, as the process that started it holds it.

    With `fork` it starts at once and shares what is imported, which only a process without threads may do.
    Otherwise it is a new Python, which is always sound and takes seconds.
    """

    def __init__(self, root: Path, ahead: list[Launched], *, unsafe: bool, fork: bool) -> None:
        self._channel, theirs = multiprocessing.Pipe()
        self.ready = False  # whether it has said that it is
        with theirs:
            self._process = _forked(theirs, root, unsafe, ahead) if fork else _launched(theirs, root, unsafe)
        self._zygote = ahead.pop(0) if fork and ahead else None
        if self._zygote is not None:
            self._zygote.control.close()  # so that it ends with the marking process

    def grade(self, exercise: str, notebook: Notebook, seconds: float, *, marks_only: bool) -> Graded:
        """Grade a notebook within `seconds`; LostError where the process is of no more use."""
        answer = self._answer(marking.order(exercise, notebook, marks_only=marks_only), seconds)
        kind, text = answer[:1], answer[1:].decode()
        if kind == marking.WALLS:
            raise WallError(text)
        if kind == marking.MEMORY_GONE:
            raise LostError("it takes too much memory", "more memory than the grader may use")
        return Graded.from_json(text)

    def start(self) -> None:
        """Wait until the process is ready; LostError where it does not start."""
        if not self.ready:
            self._answer(b"", _START_SECONDS)
            self.ready = True

    def end(self) -> None:
        """Let the process end by itself, and its zygote with it."""
        with suppress(OSError):
            self._channel.send_bytes(marking.END)
        if self._exit_code(_END_SECONDS) is None:
            self.signal()
        self._gone()

    def kill(self) -> None:
        """End the process at once; its zygote and worker go with it."""
        self.signal()
        self._gone()

    def signal(self) -> None:
        """Have the kernel end the process; whoever waits for its answer finds it ended."""
        self._process.kill()

    def _gone(self) -> None:
        """Wait for the end of the process and of a zygote that this one has launched for it."""
        self._exit_code(None)
        self._channel.close()
        if self._zygote is not None:
            self._zygote.end(_ZYGOTE_SECONDS)

    def _answer(self, order: bytes, seconds: float) -> bytes:
        """Send an order, if there is one, and return what the process says next."""
        try:
            if order:
                self._channel.send_bytes(order)
            if self._channel.poll(seconds):
                return self._channel.recv_bytes()
        except (OSError, EOFError):  # it has ended
            code = self._exit_code(_END_SECONDS)
            if code == -signal.SIGPROF:
                why = f"judging it takes more than {marking.CPU_SECONDS} s of processor time"
                raise LostError(why, _MORE_TIME, again=False) from None
            raise LostError(f"the process that marked it ended with code {code}") from None
        raise LostError(f"the process that marked it said nothing for {seconds:g} s", _MORE_TIME)

    def _exit_code(self, seconds: float | None) -> int | None:
        """Wait for the process to end, and return its code, which is negative for a signal."""
        if isinstance(self._process, subprocess.Popen):
            with suppress(subprocess.TimeoutExpired):
                return self._process.wait(seconds)
            return None
        self._process.join(seconds)
        return self._process.exitcode


class GuardedGrader:
    """Grades submissions of a course in a marking process; use it in a `with` block.

    A process that is lost is replaced. The submission at which it was lost gets a report without a score,
    which says that a person will look.
    """

    def __init__(self, course: Course, *, unsafe: bool = False) -> None:
        self._course, self._unsafe = course, unsafe
        self._process: MarkingProcess | None = None
        self._open = True

    def start(self, ahead: list[Launched]) -> None:
        """Start the process now: by a fork, if this process has one thread only.

        A forked one takes the first zygote that was launched `ahead`, if there is one.
        """
        self._process = self._started(ahead, fork=may_fork())

    def grade(self, exercise: Exercise, notebook: Notebook) -> Graded:
        """Grade `notebook` as a submission of `exercise`, once more if another attempt may succeed.

        Only missing walls raise, as a WallError.
        """
        graded = self.attempt(exercise, notebook)
        return self.attempt(exercise, notebook) if graded.again else graded

    def attempt(self, exercise: Exercise, notebook: Notebook) -> Graded:
        """Grade `notebook` once; whoever grades a class makes another attempt when all others are done."""
        process = self._ready_process()
        most = self._course.limits(exercise.name).total_seconds + marking.CPU_SECONDS
        try:
            return process.grade(exercise.name, notebook, most * _TIMES, marks_only=self._course.marks_only)
        except LostError as lost:
            self._lose()
            report = failure_report(exercise, (), f"To grade this submission takes {lost.takes}.")
            return Graded(report, {}, f"{lost}; a person has to look at it", again=lost.again)

    def close(self) -> None:
        """End the process; the next submission starts another."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def kill(self) -> None:
        """End the process at once, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def abandon(self) -> None:
        """End the process from another thread than the one that waits for it, which then gets an error."""
        self._open = False
        if (process := self._process) is not None:
            process.signal()

    def __enter__(self) -> "GuardedGrader":
        start_together([self], 1)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.kill()
        self.close()

    def _ready_process(self) -> MarkingProcess:
        """Return the process once it is ready; one that does not start is replaced once."""
        for _ in range(_STARTS):
            process = self._process = self._process or self._started([], fork=False)
            try:
                process.start()
            except LostError as error:
                lost = error
                self._lose()
            else:
                return process
        raise MarkingError(f"no process that marks submissions can be started: {lost}")

    def _lose(self) -> None:
        self.kill()
        if not self._open:
            raise MarkingError("grading was stopped") from None

    def _started(self, ahead: list[Launched], *, fork: bool) -> MarkingProcess:
        return MarkingProcess(self._course.root, ahead, unsafe=self._unsafe, fork=fork)


def start_together(graders: Sequence[GuardedGrader], certain: int) -> None:
    """Start the processes of these graders, and zygotes for as many submissions as are `certain` to come.

    The zygotes come first and load torch while this process does. It does so for all marking processes,
    which share then what they have loaded, unless there is but one.
    """
    ahead = [launch_ahead() for _ in graders[:certain]] if may_fork() else []
    try:
        if len(graders) > 1 and may_fork():
            marking.warm()
        for grader in graders:
            grader.start(ahead)
    finally:
        for left in ahead:
            left.end()


def may_fork() -> bool:
    """Whether a process may be forked from this one: what other threads hold locked stays so in the child."""
    return sys.platform == "linux" and threading.active_count() == 1


def _forked(
    channel: Connection, root: Path, unsafe: bool, ahead: Sequence[Launched]
) -> "multiprocessing.process.BaseProcess":
    context = multiprocessing.get_context("fork")
    process = context.Process(target=marking.serve, args=(channel, root, unsafe, tuple(ahead)))
    process.start()
    return process


def _launched(channel: Connection, root: Path, unsafe: bool) -> "subprocess.Popen[bytes]":
    options = [str(channel.fileno()), str(root), *(["unsafe"] if unsafe else [])]
    command = [sys.executable, "-c", _COMMAND, json.dumps(sys.path), *options]
    return subprocess.Popen(command, pass_fds=[channel.fileno()], stdin=subprocess.DEVNULL)  # noqa: S603
