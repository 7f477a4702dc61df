"""Starts the zygote's process.

This module does not import the course's packages, so the grader can start the zygote first. Then the grader
and the zygote import the packages at the same time.
"""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL

import autograder
from autograder.course.packages import DEFAULT, loaded_first
from autograder.sandbox import bubblewrap


def _fonts() -> Path:
    """Return the folder of matplotlib's font cache without importing matplotlib, which would be slow."""
    if folder := os.environ.get("MPLCONFIGDIR"):
        return Path(folder).absolute()
    home = os.environ.get("HOME", "/")
    if not sys.platform.startswith(("linux", "freebsd")):
        return Path(home) / ".matplotlib"
    return Path(os.environ.get("XDG_CACHE_HOME") or f"{home}/.cache") / "matplotlib"


FONTS = _fonts()
# The hash seed is fixed, so that a set of strings has the same order each time a submission is graded.
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}
# This script starts bubblewrap, and kills the whole process group when the grader dies. Bubblewrap's option
# --die-with-parent is not enough: if bubblewrap is killed during its setup, the process inside never ends.
# The script does not use subprocess, because importing it would delay the zygote.
_GUARD = """
import ctypes, os, signal, sys
grader, descriptor, *command = sys.argv[1:]
signal.signal(signal.SIGTERM, lambda *_: os.killpg(0, signal.SIGKILL))
ctypes.CDLL(None).prctl(1, int(signal.SIGTERM), 0, 0, 0)
if os.getppid() != int(grader):
    sys.exit()
child = os.posix_spawn(command[0], command, os.environ, setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])
os.close(int(descriptor))
os.waitpid(child, 0)
"""


@dataclass(frozen=True, slots=True)
class Launched:
    """The process of a started zygote, and the grader's end of the control socket."""

    process: subprocess.Popen[bytes]
    control: socket.socket
    outer: bool  # whether the process runs in bubblewrap, the outer wall
    packages: Sequence[str] = DEFAULT  # pip's names of the packages that the process imports

    def end(self, patience: float = 0) -> None:
        """Close the socket, which ends the zygote; kill its process group after `patience` seconds.

        A zygote in bubblewrap is killed at once, because its temporary files are only in memory.
        """
        self.control.close()
        if not self.outer:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(patience)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def launch_zygote(packages: Sequence[str] = DEFAULT, *, outer: bool) -> Launched:
    """Start a zygote that imports these packages, in bubblewrap if `outer` is true."""
    imported = loaded_first(packages)
    ours, theirs = socket.socketpair()
    command = zygote_command(theirs.fileno(), imported)
    if outer:
        guard = [sys.executable, "-I", "-S", "-c", _GUARD, str(os.getpid()), str(theirs.fileno())]
        command = [*guard, *bubblewrap.wrapped(command, [FONTS])]
    with theirs:
        process = subprocess.Popen(  # noqa: S603 - the grader's interpreter or bubblewrap
            command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, pass_fds=[theirs.fileno()], cwd="/",
            env=_ENVIRONMENT, start_new_session=True,
        )  # fmt: skip
    return Launched(process, ours, outer, packages)


def zygote_command(descriptor: int, imported: Sequence[str]) -> list[str]:
    """Return the command that starts a zygote with its control socket as descriptor 3."""
    start = (
        "import os, sys; os.dup2(int(sys.argv[1]), 3); os.closerange(4, 256); "
        "sys.path.insert(0, sys.argv[2]); from autograder.worker.zygote import main; "
        "from pathlib import Path; main(Path(sys.argv[3]), sys.argv[4:]); os._exit(0)"
    )
    root = Path(autograder.__file__).parent.parent
    return [sys.executable, "-P", "-s", "-c", start, str(descriptor), str(root), str(FONTS), *imported]
