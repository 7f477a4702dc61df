"""The grader's end of one worker: requests one at a time, each with a deadline, and how the process ended."""

import os
import secrets
import select
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress

from autograder.worker.protocol import Header, ProtocolError, Tensors, longest_answer, pack, read_frame

_CallBack = Callable[[Header, Tensors, float], tuple[Header, Tensors]]
_AT_ONCE = 16 << 10  # bytes: nearly every answer as a whole
_LINGER_SECONDS = 0.2  # how long a process may take to end by itself after it has closed its connection


class WorkerError(Exception):
    """The worker cannot answer any more requests."""


class DiedError(WorkerError):
    """The submission's process ended by itself; `reason` says how, for a student to read."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class DeadlineError(WorkerError):
    """No answer came before the deadline; the process has been killed."""


class Worker:
    """One submission's process, with `handle` as its pidfd; `reap` returns its wait status once it is dead.

    Every request carries a random number that its answer must repeat, so what a submission writes blindly to
    the channel is refused. `ask` may be called until it raises an error or `close` is called. Where there is
    a `call_back`, the worker may ask it something in the course of a request, with as many seconds as are
    left for that.
    """

    call_back: _CallBack | None = None

    def __init__(self, channel: socket.socket, handle: int, reap: Callable[[], int]) -> None:
        channel.setblocking(False)
        self._channel = channel
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(channel, select.POLLIN)
        self._writable.register(channel, select.POLLOUT)
        self._handle = handle
        self._reap = reap
        self._open = True
        self._asked = set[str]()
        self._came = bytearray()  # bytes that nobody has asked for yet
        self.received = 0  # bytes, of all answers together

    def ask(self, header: Header, tensors: Tensors, seconds: float) -> tuple[Header, Tensors]:
        """Send a request and return its answer, or raise DeadlineError, DiedError or ProtocolError."""
        number = secrets.token_hex(8)
        self._asked.add(number)
        deadline = time.monotonic() + seconds
        try:
            self._send(pack({"id": number, **header}, tensors), deadline)
            return self._reply(number, longest_answer(header), deadline)
        except (DeadlineError, ProtocolError):
            self.close()
            raise
        except OSError as error:
            raise DiedError(self._close(_LINGER_SECONDS)) from error

    def close(self) -> None:
        """End the process at once, whatever it is doing."""
        self._close(0)

    def _close(self, patience: float) -> str:
        """End the process, which has so many seconds to end by itself, and return how it ended."""
        if not self._open:
            return "its process is gone"
        self._open = False
        self._channel.close()
        lingers = not _ready(self._handle, select.POLLIN, patience)
        if lingers:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        os.close(self._handle)
        status = self._reap()
        return "it closed its connection to the grader" if lingers else _how(status)

    def _reply(self, number: str, most: int, deadline: float) -> tuple[Header, Tensors]:
        """Return the answer to request `number`; late or second answers to earlier requests are dropped.

        Where the header is longer than `most` bytes, the answer is refused before more of it has come.
        """
        while True:
            reply, sent = read_frame(lambda count: self._receive(count, deadline), most)
            answered = reply.pop("id", None)
            if answered == number:
                if self.call_back is None or "calls" not in reply:
                    return reply, sent
                back, tensors = self.call_back(reply, sent, max(deadline - time.monotonic(), 0.0))
                self._send(pack(back, tensors), deadline)
                continue
            if not isinstance(answered, str) or answered not in self._asked:
                raise ProtocolError("an answer does not belong to any question")

    def _send(self, frame: bytes, deadline: float) -> None:
        view = memoryview(frame)
        while view:
            try:
                view = view[self._channel.send(view) :]
            except BlockingIOError:
                _wait(self._writable, deadline)

    def _receive(self, count: int, deadline: float) -> bytes:
        """Return `count` bytes; what came together with them is kept for the next call."""
        while len(self._came) < count:
            _wait(self._readable, deadline)
            most = min(max(count - len(self._came), _AT_ONCE), 1 << 20)
            with suppress(BlockingIOError):  # poll may say too much
                if not (chunk := self._channel.recv(most)):
                    raise ConnectionResetError
                self._came += chunk
        self.received += count
        received = bytes(self._came[:count])
        del self._came[:count]
        return received


def _wait(channel: select.poll, deadline: float) -> None:
    """Wait until a channel is ready; DeadlineError once it is too late, even for one that always is."""
    if (left := deadline - time.monotonic()) <= 0:
        raise DeadlineError
    channel.poll(left * 1000)


def _ready(descriptor: int, event: int, seconds: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, event)
    return bool(poll.poll(seconds * 1000))


def _how(status: int) -> str:
    """Return how a process ended, in words for a student."""
    code = os.waitstatus_to_exitcode(status)  # a signal's number is negative
    if code >= 0:
        return f"the process ended itself (exit code {code})"
    known: dict[int, str] = {
        signal.SIGSEGV: "ended by a segmentation fault",
        signal.SIGABRT: "ended by an abort",
        signal.SIGXCPU: "ended by using up its processor time",
        signal.SIGSYS: "ended by a forbidden system call",
        signal.SIGKILL: "was stopped for taking too much memory, time or disk, or too many threads",
    }
    return f"the process {known.get(-code, f'ended by signal {-code}')}"
