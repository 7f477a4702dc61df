"""Runs the grader in a marking process, which has limits on its memory and time.

All work of the grader on a submission takes place in the marking process. So a submission can at worst end
this process. Then a new marking process grades the next submission, and the report says that an instructor
has to look at the submission that failed.

This module loads a course's packages only in the marking process.
"""

import gc
import json
import multiprocessing
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path

from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.course.packages import loaded_first
from autograder.course.settings import Tier
from autograder.errors import AutograderError
from autograder.grading.graded import Graded, failure_report
from autograder.sandbox import bubblewrap, launch
from autograder.sandbox.errors import WallError
from autograder.submission.notebook import Notebook
from autograder.worker.walls import die_with_parent

# Limits on the marking process. Grading the known mistakes of this repository's course takes 0.5 GB, and 6
# seconds for each exercise.
MEMORY = 2 << 30  # bytes in addition to those at the start of the process
CPU_SECONDS = 60  # seconds of processor time for one submission; the first one also loads the exercise
_NEAR = 128 << 20  # bytes; if less than this is left, a result may be wrong for lack of memory
TIMES = 10  # ratio of the wall-clock limit to the sum of `total_seconds` and CPU_SECONDS
_START_SECONDS = 600.0  # limit for importing packages, which can take long on a busy machine
_END_SECONDS = 60.0  # limit for a process to end by itself
_STOPPED = "Grading of this submission stopped before it was complete."
_MEMORY_SENTENCE = "Grading this submission takes more memory than the grader may use."
_TIME_SENTENCE = "Grading this submission takes more time than the grader may use."
_READY, _GRADED, _MEMORY, _WALLS, _FAILED, _END = b"r", b"g", b"m", b"w", b"f", b"e"
_COMMAND = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from autograder.grading.marking import main; main(*sys.argv[2:])"
)


class MarkingError(AutograderError):
    """Raised if a marking process cannot be started."""


class LostError(Exception):
    """A marking process ended or had to be ended.

    `sentence` is for the student. If `again` is true, grading the submission a second time may succeed.
    """

    def __init__(self, why: str, sentence: str = _STOPPED, *, again: bool = True) -> None:
        super().__init__(why)
        self.sentence, self.again = sentence, again


class MarkingProcess:
    """Grades submissions of a course in a separate process; use it in a `with` block.

    A process that fails is replaced. On Linux, if the caller has a single thread, the process is forked from
    the caller and inherits the imported packages. Otherwise a new Python process starts.
    """

    def __init__(self, course: Course, *, unsafe: bool = False, shared: Path | None = None) -> None:
        self._course, self._options = course, ("unsafe" if unsafe else "", str(shared or ""))
        self._process: subprocess.Popen[bytes] | multiprocessing.process.BaseProcess | None = None
        self._ready = self._abandoned = False

    def start(self) -> None:
        """Start the process now. Without this call, it starts with the first submission."""
        if self._abandoned:
            raise MarkingError("grading was stopped")
        self._channel, theirs = multiprocessing.Pipe()
        self._ready = False
        with theirs:
            start = _forked if may_fork() else _launched
            self._process = start(theirs, self._course.root, self._options)

    def grade(self, exercise: Exercise, notebook: Notebook) -> Graded:
        """Grade the submission `notebook` of an exercise. Try again after a failure that may be temporary.

        Only failures that affect every submission raise an error: a WallError or a MarkingError.
        """
        graded = self.attempt(exercise, notebook)
        return self.attempt(exercise, notebook) if graded.again else graded

    def attempt(
        self, exercise: Exercise, notebook: Notebook, *, marks_only: bool = False, asked: Sequence[str] = ()
    ) -> Graded:
        """Grade the submission `notebook` of an exercise once, even if grading fails.

        With `marks_only`, wrong answers are not explained. If `asked` is not empty, only these questions are
        graded.
        """
        self._wait_until_ready()
        order = json.dumps([exercise.name, notebook.problem, marks_only, asked]).encode()
        most = exercise.settings.limits.total_seconds + CPU_SECONDS
        try:
            kind, text = self._answer(order + b"\n" + notebook.content, most * TIMES)
            if kind == _MEMORY:
                raise LostError("grading takes too much memory", _MEMORY_SENTENCE)
            graded = _parse_result(text)
        except LostError as lost:
            report = failure_report(exercise, (), lost.sentence)
            graded = Graded(
                report, problem=f"{lost}; an instructor has to look at the submission", again=lost.again
            )
            self.kill()  # the process has ended, or cannot grade the next submission
        if graded.again or graded.traceback:
            self.kill()
        return graded

    def close(self) -> None:
        """Let the process end by itself. The next submission starts a new process."""
        if self._process is not None:
            with suppress(OSError):
                self._channel.send_bytes(_END)
            self._exit_code(_END_SECONDS)
            self.kill()

    def kill(self) -> None:
        """End the process and its child processes at once."""
        if self._process is not None:
            self._process.kill()
            self._exit_code(None)
            self._channel.close()
            self._process = None

    def abandon(self) -> None:
        """End the process while another thread waits for it, and do not start a new one."""
        self._abandoned = True
        if (process := self._process) is not None:
            process.kill()

    def __enter__(self) -> "MarkingProcess":
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.kill()
        self.close()

    def _wait_until_ready(self) -> None:
        if self._process is None:
            self.start()
        if self._ready:
            return
        try:
            kind, text = self._answer(b"", _START_SECONDS)
        except LostError as lost:
            kind, text = _FAILED, str(lost)
        self._ready = kind == _READY
        if not self._ready:
            self.kill()
            if kind == _WALLS:
                raise WallError(text)
            raise MarkingError(f"no marking process can be started: {text}")

    def _answer(self, order: bytes, seconds: float) -> tuple[bytes, str]:
        """Send `order`, if it is not empty, to the process; return the kind and text of the next message."""
        try:
            if order:
                self._channel.send_bytes(order)
            if self._channel.poll(seconds):
                answer = self._channel.recv_bytes()
                return answer[:1], answer[1:].decode()
        except (OSError, EOFError):
            code = self._exit_code(_END_SECONDS)
            if code == -signal.SIGPROF:
                why = f"grading takes more than {CPU_SECONDS} s of processor time"
                raise LostError(why, _TIME_SENTENCE, again=False) from None
            raise LostError(f"the marking process ended with code {code}") from None
        why = f"the marking process sent no result for {seconds:g} s"
        raise LostError(why, _TIME_SENTENCE)

    def _exit_code(self, seconds: float | None) -> int | None:
        """Wait for the process to end, and return its code, which is negative for a signal."""
        match self._process:
            case subprocess.Popen() as process:
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(seconds)
            case multiprocessing.process.BaseProcess() as process:
                process.join(seconds)
                return process.exitcode
        return None


def _parse_result(text: str) -> Graded:
    try:
        return Graded.from_json(text)
    except ValueError:
        raise LostError("the marking process sent no valid result") from None


def may_fork() -> bool:
    """Whether this process may fork. A child must not inherit locks that a second thread has locked."""
    return sys.platform == "linux" and threading.active_count() == 1


def _forked(channel: Connection, root: Path, options: Sequence[str]) -> multiprocessing.process.BaseProcess:
    process = multiprocessing.get_context("fork").Process(target=serve, args=(channel, root, *options))
    process.start()
    return process


def _launched(channel: Connection, root: Path, options: Sequence[str]) -> "subprocess.Popen[bytes]":
    arguments = [str(channel.fileno()), str(root), *options]
    command = [sys.executable, "-c", _COMMAND, json.dumps(sys.path), *arguments]
    return subprocess.Popen(command, pass_fds=[channel.fileno()], stdin=subprocess.DEVNULL)  # noqa: S603


def warm(packages: Sequence[str]) -> None:
    """Import the grader and the course's packages before processes are forked."""
    gc.disable()  # the garbage collector would search all imported objects, which stay in use
    for name in ("autograder.grading.grader", *loaded_first(packages)):
        import_module(name)
    gc.freeze()  # in a forked process, the garbage collector would copy memory that processes share
    gc.enable()


def main(descriptor: str, root: str, *options: str) -> None:
    """Run a marking process. `descriptor` is the number of the open channel."""
    serve(Connection(int(descriptor)), Path(root), *options)


def serve(channel: Connection, root: Path, unsafe: str, shared: str) -> None:
    """Send a message that this process is ready; then grade submissions from `channel` until it is closed.

    `unsafe` is not empty if submissions may run without the sandbox that the course demands. `shared` is the
    folder for explanations, or empty.
    """
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    course = load_course(root)
    try:
        launched = launch.launch_zygote(course.settings.packages, outer=bubblewrap.program() is not None)
        warm(course.settings.packages)  # the launched zygote imports packages at the same time
        from autograder.grading.grader import CourseGrader
        from autograder.sandbox.zygote import Zygote

        zygote = Zygote(Tier(course.settings.walls), unsafe=bool(unsafe), launched=launched)
    except AutograderError as error:
        channel.send_bytes((_WALLS if isinstance(error, WallError) else _FAILED) + str(error).encode())
        return
    with zygote:
        grader = CourseGrader(course, zygote, Path(shared) if shared else None)
        most = _limit_memory()
        channel.send_bytes(_READY)
        while (message := _next_order(channel)) != _END:
            head, _, content = message.partition(b"\n")
            exercise, problem, marks_only, asked = json.loads(head)
            # After this time, the operating system kills the process.
            signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
            graded = grader.grade(
                course.exercises[exercise], Notebook(content, problem), marks_only=marks_only, asked=asked
            )
            answer = _GRADED + graded.to_json().encode()
            signal.setitimer(signal.ITIMER_PROF, 0)
            channel.send_bytes(_MEMORY if _status("VmPeak") > most - _NEAR else answer)


def _next_order(channel: Connection) -> bytes:
    try:
        return channel.recv_bytes()
    except EOFError:
        return _END


def _limit_memory() -> int:
    """Limit this process's memory and return the limit in bytes. Child processes can raise it again."""
    with suppress(OSError):  # if memory runs out, the system should end this process before others
        Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = _status("VmSize") + MEMORY
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    return limit


def _status(name: str) -> int:
    """Return a value from /proc/self/status, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(f"{name}:"))
