"""What a marking process does: it grades one submission after another, within limits of its own.

Whatever a submission makes the grader's own side do, such as judging, comparing or cleaning what came back,
happens here and never in the process that keeps the gradebook. So the worst that it can do is to end this
process. A submission that takes too much memory or processor time is told to the process that started this
one, see `autograder.grading.guarded`.
"""

import gc
import json
import resource
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path

from autograder.course.course import load_course
from autograder.sandbox.errors import WallError
from autograder.sandbox.launch import Launched, adopt, prelaunched
from autograder.submission.notebook import Notebook
from autograder.worker.walls import die_with_parent

# All ten exercises, one after another and with every known mistake, take 0.5 GB and 6 seconds each.
MEMORY = 2 << 30  # bytes beyond those that the process has at its start
CPU_SECONDS = 60  # for one submission, that of the first one's suite and known mistakes included
_NEAR = 128 << 20  # bytes: so near to the limit, anything may have failed for want of memory
_LOADED = "autograder.grading.restarting"
READY, GRADED, WALLS, MEMORY_GONE, END = b"r", b"g", b"w", b"m", b"e"


def warm() -> None:
    """Load what grading takes, torch above all, in each marking process or before several are forked."""
    if _LOADED not in sys.modules:
        import_module(_LOADED)
        gc.freeze()  # a collection in a forked process would copy the pages that all of them share


def serve(channel: Connection, root: Path, unsafe: bool, ahead: Sequence[Launched] = ()) -> None:
    """Say that we are ready, then grade what comes through `channel` until it ends.

    The first of the processes that were launched `ahead` becomes the zygote of this one.
    """
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    with ExitStack() as stack:
        if ahead:
            adopt(ahead)
        warm()
        from autograder.grading.restarting import RestartingGrader  # loads torch, which only marking needs

        course = load_course(root)
        grader = stack.enter_context(RestartingGrader(course, unsafe=unsafe))
        most = _limit_memory()
        channel.send_bytes(READY)
        while (message := _received(channel)) != END:
            head, _, content = message.partition(b"\n")
            exercise, problem, course.marks_only = json.loads(head)
            signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)  # at whose end the kernel kills this process
            try:
                graded = grader.grade(course.exercises[exercise], Notebook(content, problem))
                answer = GRADED + graded.to_json().encode()
            except WallError as error:
                answer = WALLS + str(error).encode()
            signal.setitimer(signal.ITIMER_PROF, 0)
            channel.send_bytes(MEMORY_GONE if _peak() > most - _NEAR else answer)


def order(exercise: str, notebook: Notebook, *, marks_only: bool = False) -> bytes:
    """Return the message that has a notebook graded."""
    return json.dumps([exercise, notebook.problem, marks_only]).encode() + b"\n" + notebook.content


def main(descriptor: str, root: str, *options: str) -> None:
    """Serve in a new process, which has the channel as an open descriptor."""
    gc.set_threshold(100_000)  # as a process has it that was forked: torch's many objects all stay
    with prelaunched():  # its zygote imports torch while this process does
        serve(Connection(int(descriptor)), Path(root), "unsafe" in options)


def _received(channel: Connection) -> bytes:
    try:
        return channel.recv_bytes()
    except EOFError:
        return END


def _limit_memory() -> int:
    """Limit this process's memory and return the limit in bytes; what it starts may lift it for itself."""
    with suppress(OSError):  # should the machine run out of memory, this process is the one to end
        Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")
    if not sys.platform.startswith("linux"):
        return sys.maxsize
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = _status("VmSize") + MEMORY
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    return limit


def _peak() -> int:
    return _status("VmPeak") if sys.platform.startswith("linux") else 0


def _status(name: str) -> int:
    """Return one of the kernel's figures on this process's memory, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(f"{name}:"))
