"""A marking process: grades submissions, within its own limits, for the process with the gradebook.

All work of the grader on a submission, such as judging, comparing and cleaning its answers, takes place in
the marking process. So a submission can at worst end that process. After any failure, ours or at a limit, the
process ends and a new one replaces it. The submission gets a report that sends it to an instructor, and
grading continues with the next one.

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

# Grading all exercises of the kit with every known mistake takes 0.5 GB, and 6 seconds for each exercise.
MEMORY = 2 << 30  # bytes beyond those that the process has at its start
CPU_SECONDS = 60  # for one submission; the first of an exercise also loads its suite and known mistakes
_NEAR = 128 << 20  # bytes; within this distance of the memory limit, any failure may be due to lack of memory
TIMES = 10  # wall-clock limit, as a multiple of the seconds that a submission and its marking process get
_START_SECONDS = 600.0  # limit for importing packages; long, for a cold disk on a busy machine
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
    """No marking process can be started."""


class LostError(Exception):
    """A marking process ended or had to be ended.

    `sentence` is for the student. If `again` is true, grading the submission a second time may succeed.
    """

    def __init__(self, why: str, sentence: str = _STOPPED, *, again: bool = True) -> None:
        super().__init__(why)
        self.sentence, self.again = sentence, again


class MarkingProcess:
    """Grades submissions of a course in a separate process, replaced if it fails; use it in a `with` block.

    On Linux, if this process has a single thread, the new one is forked and inherits the imported packages.
    Otherwise it is a new Python process.
    """

    def __init__(self, course: Course, *, unsafe: bool = False, shared: Path | None = None) -> None:
        self._course, self._options = course, ("unsafe" if unsafe else "", str(shared or ""))
        self._process: subprocess.Popen[bytes] | multiprocessing.process.BaseProcess | None = None
        self._ready = self._abandoned = False

    def start(self) -> None:
        """Start the process now. Otherwise the first submission starts it."""
        if self._abandoned:
            raise MarkingError("grading was stopped")
        self._channel, theirs = multiprocessing.Pipe()
        self._ready = False
        with theirs:
            start = _forked if may_fork() else _launched
            self._process = start(theirs, self._course.root, self._options)

    def grade(self, exercise: Exercise, notebook: Notebook) -> Graded:
        """Grade `notebook` as a submission of `exercise`; once more if it failed but may succeed then.

        Only failures that affect every submission raise an error: a WallError or a MarkingError.
        """
        graded = self.attempt(exercise, notebook)
        return self.attempt(exercise, notebook) if graded.again else graded

    def attempt(self, exercise: Exercise, notebook: Notebook, *, marks_only: bool = False) -> Graded:
        """Grade `notebook` once. The caller that grades a class repeats failed attempts at the end.

        With `marks_only`, no wrong answer is explained.
        """
        self._wait_until_ready()
        order = json.dumps([exercise.name, notebook.problem, marks_only]).encode()
        most = exercise.settings.limits.total_seconds + CPU_SECONDS
        try:
            kind, text = self._answer(order + b"\n" + notebook.content, most * TIMES)
            if kind == _MEMORY:
                raise LostError("it takes too much memory", _MEMORY_SENTENCE)
            graded = _parse_result(text)
        except LostError as lost:
            report = failure_report(exercise, (), lost.sentence)
            graded = Graded(report, problem=f"{lost}; an instructor has to look at it", again=lost.again)
            self.kill()  # the process has ended, or cannot answer the next order
        if graded.again or graded.traceback:
            self.kill()
        return graded

    def close(self) -> None:
        """Let the process and its zygote end by themselves; the next submission starts a new process."""
        if self._process is not None:
            with suppress(OSError):
                self._channel.send_bytes(_END)
            self._exit_code(_END_SECONDS)
            self.kill()

    def kill(self) -> None:
        """End the process at once, with its zygote and worker."""
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
            raise MarkingError(f"no process that marks submissions can be started: {text}")

    def _answer(self, order: bytes, seconds: float) -> tuple[bytes, str]:
        """Send an order unless it is empty, and return the next message: its kind and its text."""
        try:
            if order:
                self._channel.send_bytes(order)
            if self._channel.poll(seconds):
                answer = self._channel.recv_bytes()
                return answer[:1], answer[1:].decode()
        except (OSError, EOFError):
            code = self._exit_code(_END_SECONDS)
            if code == -signal.SIGPROF:
                why = f"judging it takes more than {CPU_SECONDS} s of processor time"
                raise LostError(why, _TIME_SENTENCE, again=False) from None
            raise LostError(f"the process that marked it ended with code {code}") from None
        why = f"the process that marked it said nothing for {seconds:g} s"
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
        raise LostError("the process that marked it sent no valid result") from None


def may_fork() -> bool:
    """Whether this process may fork. In a child, a lock that another thread held would stay locked."""
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
    """Import the grader and the course's packages, in each marking process or before several are forked."""
    gc.disable()  # a collection would search all imported objects, which stay
    for name in ("autograder.grading.grader", *loaded_first(packages)):
        import_module(name)
    gc.freeze()  # a collection in a forked process would copy memory pages that all processes have in common
    gc.enable()


def main(descriptor: str, root: str, *options: str) -> None:
    """Serve in a new process, which has the channel as an open descriptor."""
    serve(Connection(int(descriptor)), Path(root), *options)


def serve(channel: Connection, root: Path, unsafe: str, shared: str) -> None:
    """Send a message that this process is ready, then grade the orders from `channel` until it ends.

    `unsafe` is empty if the course's walls are required. `shared` is the folder for explanations, or empty.
    """
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    course = load_course(root)
    try:
        launched = launch.launch_zygote(course.settings.packages, outer=bubblewrap.program() is not None)
        warm(course.settings.packages)  # while the zygote loads the same packages
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
            exercise, problem, marks_only = json.loads(head)
            signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)  # the kernel kills this process after that
            graded = grader.grade(
                course.exercises[exercise], Notebook(content, problem), marks_only=marks_only
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
    """Limit this process's memory and return the limit in bytes. Child processes may raise their limit."""
    with suppress(OSError):  # if the machine runs out of memory, the kernel should end this process first
        Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = _status("VmSize") + MEMORY
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    return limit


def _status(name: str) -> int:
    """Return one of the kernel's figures on this process's memory, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(f"{name}:"))
