"""A nursery of zygotes, for tests: one warm process forks them, where each would import torch for seconds.

A zygote that is born here runs the same code behind the same walls as one that starts alone; only the import
of torch is another's. Tests of how a zygote starts and ends ask for the fixture `born_alone`.
"""

import os
import select
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from autograder.course.packages import DEFAULT
from autograder.sandbox import bubblewrap, launch
from autograder.sandbox.launch import Launched

ALONE = launch.launch_zygote
_COMMAND = launch.zygote_command
_IMPORT = "from autograder.worker.zygote import main"
# What the warm process does in the place of a zygote's work, and then each process that it forks.
_NURSE = """
import os, signal, socket
from autograder.worker import zygote

def born(control, warm, scratch):
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    zygote.die_with_parent(signal.SIGTERM)
    own = scratch / f"zygote-{os.getpid()}"
    own.mkdir()
    os.environ.update(HOME=str(own), IPYTHONDIR=str(own))
    itself = os.pidfd_open(os.getpid())
    socket.send_fds(control, [b"p"], [itself])
    os.close(itself)
    control.sendall(b"r")
    try:
        obey(control, warm, own)
    finally:
        zygote.remove(own)

def nurse(control, warm, scratch):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody here waits for what is born
    while (asked := socket.recv_fds(control, 1, 1))[0]:
        (descriptor,) = asked[1]
        if os.fork() == 0:
            try:
                control.close()
                os.dup2(descriptor, zygote.CONTROL)
                os.close(descriptor)
                born(socket.socket(fileno=zygote.CONTROL), warm, scratch)
            finally:
                os._exit(0)
        os.close(descriptor)

obey, zygote._obey = zygote._obey, nurse
"""


class Born:
    """A zygote's process, as far as `Launched` asks for it: a child of the nursery's and not of ours."""

    def __init__(self, descriptor: int) -> None:
        lines = Path(f"/proc/self/fdinfo/{descriptor}").read_text(encoding="ascii").splitlines()
        self.pid = next(int(line.split()[1]) for line in lines if line.startswith("Pid:"))
        self._descriptor: int | None = descriptor

    def wait(self, timeout: float | None = None) -> None:
        """Wait until it has ended."""
        if self._descriptor is None:
            return
        if not select.select([self._descriptor], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("zygote", timeout or 0)
        os.close(self._descriptor)
        self._descriptor = None


class Nursery:
    """A warm process from which zygotes come."""

    def __init__(self) -> None:
        self._outer = bubblewrap.program() is not None
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(launch, "zygote_command", _command)
            self._process = ALONE(outer=self._outer)
        self._warm = False
        os.register_at_fork(before=self.is_ready)  # else a child could read the word for which we wait

    def is_ready(self) -> bool:
        """Wait until the process is warm; a process that is forked from ours afterwards can use it, too."""
        if not self._warm:
            assert self._process.control.recv(1) == b"r", "the nursery of zygotes does not start"
            self._warm = True
        return True

    def launch(self, packages: Sequence[str] = DEFAULT, *, outer: bool) -> Launched:
        """Do what `launch_zygote` does, by a fork; other walls or another command are for one alone."""
        if outer != self._outer or packages != DEFAULT or launch.zygote_command is not _COMMAND:
            return ALONE(packages, outer=outer)
        assert self.is_ready()
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._process.control, [b"z"], [theirs.fileno()])
        _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
        return Launched(cast("subprocess.Popen[bytes]", Born(descriptors[0])), ours, outer)

    def close(self) -> None:
        """End the process, and all that is born there."""
        patience, self._warm = 2 if self._warm else 0, True
        self._process.end(patience)


def _command(descriptor: int, imported: Sequence[str]) -> list[str]:
    words = _COMMAND(descriptor, imported)
    at = next(place for place, word in enumerate(words) if _IMPORT in word)
    words[at] = words[at].replace(_IMPORT, f"exec({_NURSE!r}, {{}}); {_IMPORT}")
    return words
