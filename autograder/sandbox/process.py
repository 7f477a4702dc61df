"""The grader's end of one worker: requests one at a time, each with a deadline, and how the process ended.

A deadline counts the seconds that the process computes or sleeps. It does not count those in which it waits
for a processor: on a busy machine the same code gets as far as on a quiet one.
"""

import os
import secrets
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from autograder.worker.protocol import Header, ProtocolError, Tensors, longest_answer, pack, read_frame

_CallBack = Callable[[Header, Tensors, float], tuple[Header, Tensors]]
_AT_ONCE = 16 << 10  # bytes: nearly every answer as a whole
_LINGER_SECONDS = 0.2  # how long a process may take to end by itself after it has closed its connection
_LOOK_SECONDS = 0.05  # between two looks at what a process is doing that has not answered yet
_TIMES = 10  # so many times its seconds a request may take by the clock
_WAITING = {"R", "D"}  # states of a thread that computes, or waits for a processor or a disk


class WorkerError(Exception):
    """The worker cannot answer any more requests."""


class DiedError(WorkerError):
    """The submission's process ended by itself; `reason` says how, for a student to read."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class DeadlineError(WorkerError):
    """No answer came before the deadline; the process has been killed."""


class StarvedError(WorkerError):
    """The machine was too busy: the process was killed before it could use the seconds that it has."""


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
        self._clock = _Clock(handle)
        self._reap = reap
        self._open = True
        self._asked = set[str]()
        self._came = bytearray()  # bytes that nobody has asked for yet
        self.received = 0  # bytes, of all answers together

    @property
    def seconds(self) -> float:
        """How long the process has computed or slept so far, as deadlines count it."""
        return self._clock.seconds()

    def ask(self, header: Header, tensors: Tensors, seconds: float) -> tuple[Header, Tensors]:
        """Send a request and return its answer; any WorkerError or ProtocolError says why there is none."""
        number = secrets.token_hex(8)
        self._asked.add(number)
        deadline = _Deadline(self._clock, seconds)
        try:
            self._send(pack({"id": number, **header}, tensors), deadline)
            return self._reply(number, longest_answer(header), deadline)
        except (DeadlineError, StarvedError, ProtocolError):
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
        if lingers := not self._ends(patience):
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        os.close(self._handle)
        status = self._reap()
        return "it closed its connection to the grader" if lingers else _how(status)

    def _ends(self, patience: float) -> bool:
        """Whether the process ends by itself within so many seconds."""
        ended = select.poll()
        ended.register(self._handle, select.POLLIN)
        if not patience:
            return bool(ended.poll(0))
        try:
            _Deadline(self._clock, patience).wait(ended)
        except (DeadlineError, StarvedError):
            return False
        return True

    def _reply(self, number: str, most: int, deadline: "_Deadline") -> tuple[Header, Tensors]:
        """Return the answer to request `number`; late or second answers to earlier requests are dropped.

        Where the header is longer than `most` bytes, the answer is refused before more of it has come.
        """
        while True:
            reply, sent = read_frame(lambda count: self._receive(count, deadline), most)
            answered = reply.pop("id", None)
            if answered == number:
                if self.call_back is None or "calls" not in reply:
                    return reply, sent
                back, tensors = self.call_back(reply, sent, deadline.left)
                self._send(pack(back, tensors), deadline)
                continue
            if not isinstance(answered, str) or answered not in self._asked:
                raise ProtocolError("an answer does not belong to any question")

    def _send(self, frame: bytes, deadline: "_Deadline") -> None:
        view = memoryview(frame)
        while view:
            try:
                view = view[self._channel.send(view) :]
            except BlockingIOError:
                deadline.wait(self._writable)

    def _receive(self, count: int, deadline: "_Deadline") -> bytes:
        """Return `count` bytes; what came together with them is kept for the next call."""
        while len(self._came) < count:
            deadline.wait(self._readable)
            most = min(max(count - len(self._came), _AT_ONCE), 1 << 20)
            with suppress(BlockingIOError):  # poll may say too much
                if not (chunk := self._channel.recv(most)):
                    raise ConnectionResetError
                self._came += chunk
        self.received += count
        received = bytes(self._came[:count])
        del self._came[:count]
        return received


class _Clock:
    """Counts the seconds that a process computes, by the kernel, and those it sleeps, by looking at it."""

    def __init__(self, handle: int) -> None:
        lines = Path(f"/proc/self/fdinfo/{handle}").read_text(encoding="ascii").splitlines()
        self._process = next(int(line.split()[1]) for line in lines if line.startswith("Pid:"))
        self._computed = self._slept = 0.0

    def seconds(self) -> float:
        """Return all seconds so far; of a process that is gone, those of the last look."""
        with suppress(OSError):
            self._computed = time.clock_gettime((~self._process << 3) | 2)  # the process's own clock
        return self._computed + self._slept

    def look(self, seconds: float) -> None:
        """Count the seconds since the last look as sleep, if no thread can go on by itself."""
        if not _WAITING & set(self._states()):
            self._slept += seconds

    def _states(self) -> Iterator[str]:
        with suppress(OSError):  # it has ended
            for task in Path(f"/proc/{self._process}/task").iterdir():
                with suppress(OSError):  # this thread has
                    yield (task / "stat").read_bytes().rpartition(b")")[2][1:2].decode()


class _Deadline:
    """Until when a process may take to answer, by the seconds that its clock counts."""

    def __init__(self, clock: _Clock, seconds: float) -> None:
        self._clock = clock
        self._end = clock.seconds() + seconds
        self._give_up = time.monotonic() + _TIMES * seconds

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return max(self._end - self._clock.seconds(), 0.0)

    def wait(self, channel: select.poll) -> None:
        """Wait until a channel is ready; raise an error once it is too late, even for one that always is."""
        while True:
            if not (left := self.left):
                raise DeadlineError
            now = time.monotonic()
            if now > self._give_up:
                raise StarvedError
            if channel.poll(min(left, _LOOK_SECONDS) * 1000):
                return
            self._clock.look(time.monotonic() - now)


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
