"""The grader's side of the worker processes: one zygote, a child for each submission, deadlines, deaths."""

import os
import secrets
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import autograder
from autograder.worker.protocol import Header, ProtocolError, Tensors, pack, read_frame

_ID = struct.Struct("!i")
_START_SECONDS = 120  # importing torch on a cold disk


class WorkerError(Exception):
    """The worker can no longer be asked anything."""


class DiedError(WorkerError):
    """The submission's process ended by itself; `reason` says how, for a student to read."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class DeadlineError(WorkerError):
    """No answer came in time; the process has been killed."""


class ZygoteError(Exception):
    """The zygote does not start or has died: ours to mend, never the submission's fault."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one submission may use."""

    cell_seconds: float = 20.0
    call_seconds: float = 5.0
    total_seconds: float = 300.0
    memory_mb: int = 2048


class Zygote:
    """A warm process that forks workers; use it in a `with` block so that none outlives it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        self._control = ours
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
                _command(theirs.fileno()),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                cwd="/",
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        ours.settimeout(_START_SECONDS)
        self._expect(1)
        ours.settimeout(30)

    @property
    def walls(self) -> tuple[str, ...]:
        """The walls that stand around its children."""
        return ("process", "rlimits")

    def fork(self, limits: Limits) -> "Worker":
        """Return a fresh worker confined to `limits`."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self._control, [b"f"], [theirs.fileno()])
            message, descriptors, _, _ = socket.recv_fds(self._control, _ID.size, 1)
            (child,) = _ID.unpack(message)
        except (OSError, struct.error) as error:
            ours.close()
            raise ZygoteError(f"the worker's parent process is gone: {error}") from None
        return Worker(self, child, descriptors[0], ours, limits)

    def reap(self, child: int) -> int:
        """Wait for the dead `child` and return its wait status."""
        try:
            self._control.sendall(b"w" + _ID.pack(child))
            status: int = _ID.unpack(self._expect(_ID.size))[0]
        except OSError as error:
            raise ZygoteError(f"the worker's parent process is gone: {error}") from None
        return status

    def close(self) -> None:
        """End the zygote and whatever it left."""
        self._control.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=2)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def __enter__(self) -> "Zygote":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _expect(self, count: int) -> bytes:
        try:
            received = self._control.recv(count, socket.MSG_WAITALL)
        except TimeoutError:
            received = b""
        if len(received) < count:
            raise ZygoteError("the worker's parent process does not answer; run `autograder doctor`")
        return received


class Worker:
    """One submission's process, asked one thing at a time."""

    def __init__(
        self, zygote: Zygote, child: int, handle: int, channel: socket.socket, limits: Limits
    ) -> None:
        self._zygote = zygote
        self._child = child
        self._handle = handle
        self._channel = channel
        self._open = True
        cpu = int(limits.total_seconds) + 1
        self.ask({"op": "start", "limits": {"memory_mb": limits.memory_mb, "cpu_seconds": cpu}}, [], 30)

    def ask(self, header: Header, tensors: Tensors, seconds: float) -> tuple[Header, Tensors]:
        """Send a request and return its answer, or raise DeadlineError, DiedError or ProtocolError."""
        number = secrets.token_hex(8)
        deadline = time.monotonic() + seconds
        try:
            self._send(pack({"id": number, **header}, tensors), deadline)
            reply, sent = read_frame(lambda count: self._receive(count, deadline))
        except DeadlineError:
            self.close()
            raise
        except OSError as error:
            raise DiedError(self._ended()) from error
        if reply.pop("id", None) != number:
            self.close()
            raise ProtocolError("an answer does not belong to its question")
        return reply, sent

    def close(self) -> None:
        """Kill the process if it lives, and release what it held."""
        self._ended()

    def _send(self, frame: bytes, deadline: float) -> None:
        view = memoryview(frame)
        while view:
            self._wait(select.POLLOUT, deadline)
            view = view[self._channel.send(view, socket.MSG_DONTWAIT) :]

    def _receive(self, count: int, deadline: float) -> bytes:
        chunks = bytearray()
        while len(chunks) < count:
            self._wait(select.POLLIN, deadline)
            chunk = self._channel.recv(min(count - len(chunks), 1 << 20), socket.MSG_DONTWAIT)
            if not chunk:
                raise ConnectionResetError
            chunks += chunk
        return bytes(chunks)

    def _wait(self, event: int, deadline: float) -> None:
        poll = select.poll()
        poll.register(self._channel, event)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise DeadlineError

    def _ended(self) -> str:
        """Make sure that the process is gone and say how it went."""
        if not self._open:
            return "its process is gone"
        self._open = False
        self._channel.close()
        # A process that has closed its pipe may linger: kill it, whatever it is doing.
        lingers = not select.select([self._handle], [], [], 0.2)[0]
        if lingers:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        os.close(self._handle)
        status = self._zygote.reap(self._child)
        return "it closed its connection to the grader" if lingers else _how(status)


def _how(status: int) -> str:
    """Say in a student's words how a process ended."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        words = {
            signal.SIGSEGV: "a segmentation fault",
            signal.SIGABRT: "an abort",
            signal.SIGXCPU: "using up its processor time",
            signal.SIGKILL: "being killed, often for want of memory",
        }
        return f"the process ended by {words.get(signal.Signals(number), f'signal {number}')}"
    return f"the process ended itself (exit code {os.waitstatus_to_exitcode(status)})"


def _command(descriptor: int) -> list[str]:
    """Return the command that starts a zygote with its control socket as descriptor 3."""
    start = (
        "import os, sys; os.dup2(int(sys.argv[1]), 3); os.closerange(4, 256); "
        "sys.path.insert(0, sys.argv[2]); "
        "from autograder.worker.zygote import main; main()"
    )
    root = Path(autograder.__file__).parent.parent
    return [sys.executable, "-I", "-c", start, str(descriptor), str(root)]


def _environment() -> dict[str, str]:
    """Return all that the zygote learns of the grader's environment: where matplotlib keeps its font list."""
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "MPLCONFIGDIR": str(Path.home() / ".cache" / "matplotlib"),
    }
