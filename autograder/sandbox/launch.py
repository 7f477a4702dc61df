"""Starts the zygote's process, ahead of need if asked: it and its grader can then import torch side by side.

So nothing here may import torch.
"""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl

import autograder
from autograder.sandbox import bubblewrap

FONTS = Path(mpl.get_cachedir())
# Stands between grader and bubblewrap, whose child waits for ever should its parent be killed while they set
# up: it ends the whole group when the grader dies.
_GUARD = """
import ctypes, os, signal, subprocess, sys
grader, descriptor, *command = sys.argv[1:]
signal.signal(signal.SIGTERM, lambda *_: os.killpg(0, signal.SIGKILL))
ctypes.CDLL(None).prctl(1, int(signal.SIGTERM), 0, 0, 0)
if os.getppid() != int(grader):
    sys.exit()
child = subprocess.Popen(command, pass_fds=[int(descriptor)])
os.close(int(descriptor))
child.wait()
"""


@dataclass(frozen=True, slots=True)
class Launched:
    """A process that is on its way to be a zygote, and our end of its control socket."""

    process: subprocess.Popen[bytes]
    control: socket.socket
    outer: bool  # whether it stands behind the outer wall

    def end(self, patience: float = 0) -> None:
        """Close the socket, at which a zygote ends; after `patience` seconds kill the whole group."""
        self.control.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=patience)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


_AHEAD: list[Launched] = []


@contextmanager
def prelaunched() -> Iterator[None]:
    """Have a process on its way, which the first zygote in the `with` block takes."""
    _AHEAD.append(_start(outer=bubblewrap.program() is not None))
    try:
        yield
    finally:
        while _AHEAD:
            _AHEAD.pop().end()


def launch(*, outer: bool) -> Launched:
    """Return the process that was started ahead, if it is of this kind, or a new one."""
    if _AHEAD and _AHEAD[0].outer == outer:
        return _AHEAD.pop()
    return _start(outer=outer)


def _start(*, outer: bool) -> Launched:
    ours, theirs = socket.socketpair()
    command = _command(theirs.fileno())
    if outer:
        guard = [sys.executable, "-I", "-S", "-c", _GUARD, str(os.getpid()), str(theirs.fileno())]
        command = [*guard, *bubblewrap.wrapped(command, [FONTS])]
    with theirs:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
            cwd="/",
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
        )
    return Launched(process, ours, outer)


def _command(descriptor: int) -> list[str]:
    """Return the command that starts a zygote with its control socket as descriptor 3."""
    start = (
        "import os, sys; os.dup2(int(sys.argv[1]), 3); os.closerange(4, 256); "
        "sys.path.insert(0, sys.argv[2]); from autograder.worker.zygote import main; "
        "from pathlib import Path; main(Path(sys.argv[3])); os._exit(0)"
    )
    root = Path(autograder.__file__).parent.parent
    return [sys.executable, "-I", "-c", start, str(descriptor), str(root), str(FONTS)]
