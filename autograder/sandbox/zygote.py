"""The grader's connection to the zygote: a process that forks workers on request."""

import json
import os
import socket
import struct
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from copy import copy

from autograder.course.packages import DEFAULT, FIGURES, name_of
from autograder.course.settings import Limits, Tier
from autograder.sandbox import bubblewrap, launch
from autograder.sandbox.errors import WallError, ZygoteError
from autograder.sandbox.launch import Launched
from autograder.sandbox.process import Worker, WorkerError
from autograder.worker.protocol import ProtocolError

_ID = struct.Struct("!i")
_START_SECONDS = 600  # enough to import torch from a slow disk on a busy machine
_FORK_SECONDS = 120


_REQUIRED = {
    Tier.FULL: {"namespaces", "landlock", "seccomp", "rlimits"},
    Tier.CONTAINER: {"landlock", "seccomp", "rlimits"},
    Tier.BARE: set[str](),
}


class Zygote:
    """A process that has imported the course's packages and forks workers.

    At the end of a `with` block, the zygote and all its workers end. They run in bubblewrap if bubblewrap
    works here. The first worker tries forbidden actions. After that, `walls` names the walls that are in
    effect, and `unsafe` says whether the course demands further walls. `launched` is the process of a zygote
    that has already been started.

    The kernel ends the zygote when the thread that created it ends.
    """

    def __init__(
        self,
        demanded: Tier = Tier.BARE,
        packages: Sequence[str] = DEFAULT,
        *,
        unsafe: bool = False,
        outer: bool = True,
        launched: Launched | None = None,
    ) -> None:
        self._files: Mapping[str, bytes] = {}
        outer = outer and bubblewrap.program() is not None
        self._has_figures = False
        self._start(launched or launch.launch_zygote(packages, outer=outer))
        try:
            self.walls = probe_walls(self.fork_with)
        except (WorkerError, ProtocolError, KeyError, IndexError, ValueError) as error:
            self.close()
            raise ZygoteError(f"a worker does not answer: {error}") from None
        missing = sorted(_REQUIRED[demanded] - set(self.walls))
        self.unsafe = bool(missing)
        if missing and not unsafe:
            self.close()
            raise WallError(
                f"course.yaml demands `walls: {demanded}`, but this machine does not offer: "
                f"{', '.join(missing)}; run `autograder doctor` for advice, or choose a weaker value"
            )

    @property
    def reported_walls(self) -> tuple[str, ...]:
        """The names of the walls for a report, and "unsafe" if the course demands further walls."""
        return (*self.walls, "unsafe") if self.unsafe else self.walls

    @property
    def tier(self) -> Tier:
        """The strictest tier (full, container or bare) whose walls are all in effect."""
        return next(tier for tier in Tier if _REQUIRED[tier] <= set(self.walls))

    @property
    def process_id(self) -> int:
        """The id of the zygote's process group."""
        return self._launched.process.pid

    def with_files(self, files: Mapping[str, bytes]) -> "Zygote":
        """Return a copy of this object that puts these files into the folder of each new worker."""
        same = copy(self)
        same._files = files
        return same

    def fork(self, limits: Limits) -> Worker:
        """Return a fresh worker confined to `limits`."""
        worker = self.fork_with(limits.memory_mb, int(limits.total_seconds) + 1)
        for name, content in self._files.items():
            worker.ask({"op": "file", "name": name}, [content], _FORK_SECONDS)
        return worker

    def fork_with(self, memory_mb: int, cpu_seconds: int) -> Worker:
        """Return a fresh worker confined to these limits."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self._control, [b"f"], [theirs.fileno()])
            message, descriptors, _, _ = socket.recv_fds(self._control, _ID.size, 1)
            (child,) = _ID.unpack(message)
        except (OSError, struct.error) as error:
            ours.close()
            raise ZygoteError(f"the process that starts the workers has ended: {error}") from None
        worker = Worker(ours, descriptors[0], lambda: self._reap(child))
        limits = {"memory_mb": memory_mb, "cpu_seconds": cpu_seconds}
        worker.ask({"op": "start", "limits": limits}, [], _FORK_SECONDS)
        return worker

    def make_optimizer(self) -> None:
        """Make an optimizer in the zygote. Otherwise, the first optimizer of each worker takes a second."""
        self._ask(b"o", 1)

    def load_figures(self) -> None:
        """Import matplotlib once for all later workers, if the course uses matplotlib."""
        if not self._has_figures and FIGURES in map(name_of, self._launched.packages):
            self._ask(b"p", 1)
        self._has_figures = True

    def close(self) -> None:
        """End the zygote and all its workers."""
        self._launched.end(patience=2)

    def __enter__(self) -> "Zygote":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self, launched: Launched) -> None:
        """Wait until the process is ready. If bubblewrap fails, start a process without it."""
        self._launched = launched
        self._control = self._launched.control
        self._control.settimeout(_START_SECONDS)
        try:
            self._expect(1)
        except ZygoteError:
            self.close()
            if not launched.outer:
                raise
            self._start(launch.launch_zygote(launched.packages, outer=False))
        self._control.settimeout(_FORK_SECONDS)

    def _reap(self, child: int) -> int:
        """Wait until the process `child` has ended, and return its wait status."""
        return int(_ID.unpack(self._ask(b"w" + _ID.pack(child), _ID.size))[0])

    def _ask(self, message: bytes, count: int) -> bytes:
        """Send the zygote a message and return its reply of `count` bytes."""
        try:
            self._control.sendall(message)
            return self._expect(count)
        except OSError as error:
            raise ZygoteError(f"the process that starts the workers has ended: {error}") from None

    def _expect(self, count: int) -> bytes:
        try:
            received = self._control.recv(count, socket.MSG_WAITALL)
        except TimeoutError:
            received = b""
        if len(received) < count:
            raise ZygoteError("the process that starts the workers does not answer; run `autograder doctor`")
        return received


_PROBE_SECONDS = 30
_PROBE_MB = 256
_ATTEMPTS = """
import json, mmap, os, pathlib, socket

def refused(attempt):
    try:
        attempt()
    except (OSError, MemoryError):
        return True
    return False

def absent(path):
    try:
        os.stat(path)
    except FileNotFoundError:
        return True
    except OSError:
        pass
    return False

def child():
    if os.fork() == 0:
        os._exit(0)
    os.wait()

print(json.dumps({{
    "rlimits": refused(lambda: mmap.mmap(-1, {memory} << 21)),
    "landlock": refused(lambda: pathlib.Path("../trespass").write_text("x"))
        and refused(lambda: os.listdir("..")) and refused(lambda: open("/proc/1/status")),
    "seccomp": refused(socket.socket) and refused(socket.socketpair) and refused(child),
    "namespaces": absent({file!r}) and absent("/proc/{grader}"),
}}))
"""


def probe_walls(fork: Callable[[int, int], Worker]) -> tuple[str, ...]:
    """Let a worker try forbidden actions, and return the names of the walls that prevented them.

    `fork` makes the worker from two limits: megabytes of memory, and seconds of processor time.
    """
    with tempfile.NamedTemporaryFile(prefix="probe-") as file:
        code = _ATTEMPTS.format(memory=_PROBE_MB, file=file.name, grader=os.getpid())
        with closing(fork(_PROBE_MB, _PROBE_SECONDS)) as worker:
            reply, _ = worker.ask({"op": "cell", "number": 0, "code": code}, [], _PROBE_SECONDS)
    held = json.loads(reply["outputs"][0]["text"])
    return ("process", *(wall for wall, stands in held.items() if stands))
