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

# By the clock. A submission may be graded twice if the zygote dies, on a machine that is ten times as busy.
_TIMES_TOTAL, _OUR_SECONDS = 20, 1200.0
_START_SECONDS = 600.0  # importing torch on a cold disk
_END_SECONDS, _ZYGOTE_SECONDS = 10.0, 2.0
_ATTEMPTS = 2
_COMMAND = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from autograder.grading.marking import main; main(*sys.argv[2:])"
)


class MarkingError(AutograderError):
    """No marking process can be started."""


class LostError(Exception):
    """A marking process ended, or had to be ended, while it graded; the message says what the matter was."""

    again = True  # whether another attempt may come to something else
    taken = "more than the grader can do"  # what grading takes, in words for the student

    def __init__(self, why: str = "") -> None:
        super().__init__(why or f"it takes {self.taken}")


class MemoryGoneError(LostError):
    """A marking process had no more memory for the submission."""

    taken = "more memory than the grader may use"


class TimeGoneError(LostError):
    """A marking process had no more time for the submission."""

    again = False
    taken = "more time than the grader may take"


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

    def grade(self, exercise: str, notebook: Notebook, seconds: float) -> Graded:
        """Grade a notebook within `seconds`; LostError where the process is of no more use."""
        try:
            if not self.ready:
                self._receive(_START_SECONDS)
                self.ready = True
            self._channel.send_bytes(marking.order(exercise, notebook))
            answer = self._receive(seconds)
        except (OSError, EOFError):
            raise self._lost() from None
        kind, text = answer[:1], answer[1:].decode()
        if kind == marking.WALLS:
            raise WallError(text)
        if kind == marking.MEMORY_GONE:
            raise MemoryGoneError
        return Graded.from_json(text)

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

    def _receive(self, seconds: float) -> bytes:
        if not self._channel.poll(seconds):
            raise TimeGoneError
        return self._channel.recv_bytes()

    def _lost(self) -> LostError:
        """Return how the process ended, which has closed its end of the channel."""
        code = self._exit_code(_END_SECONDS)
        if code == -signal.SIGPROF:
            return TimeGoneError()
        return LostError(f"the process that marked it ended with code {code}")

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

    A process that is lost is replaced. The submission at which it was lost is graded once more, unless it had
    used up its time. If that fails too, it gets a report without a score, which says that a person will look.
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
        """Grade `notebook` as a submission of `exercise`; only missing walls raise, as a WallError."""
        seconds = self._course.limits(exercise.name).total_seconds * _TIMES_TOTAL + _OUR_SECONDS
        for _ in range(_ATTEMPTS):
            process = self._process = self._process or self._started([], fork=False)
            try:
                return process.grade(exercise.name, notebook, seconds)
            except LostError as error:
                lost = error
                self.kill()
                if not self._open:
                    raise MarkingError("grading was stopped") from None
                if process.ready and not lost.again:
                    break
        if not process.ready:
            raise MarkingError(f"no process that marks submissions can be started: {lost}")
        return _waiting(exercise, lost)

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


def _waiting(exercise: Exercise, lost: LostError) -> Graded:
    """Return the report on a submission that no process survives to grade."""
    told = f"To grade this submission takes {lost.taken}. It has no score yet; a person will look at it."
    return Graded(failure_report(exercise, (), told), {}, f"{lost}; a person has to look at it")


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
