"""The grader's end of one worker: requests one at a time, each with a deadline, and how the process ended.

A deadline counts the seconds in which the process computes, which its kernel clock tells, and those in which
all its threads sleep. Waiting for a processor or a disk does not count, so on a busy machine the same code
gets as far as on a quiet one. A process that has not used its seconds up after ten times as long was starved.
"""

import os
import random
import secrets
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from autograder.sandbox.errors import StarvedError
from autograder.worker.protocol import Header, Parts, ProtocolError, longest_answer, pack, read_frame
from autograder.worker.remote_function import Answer

_AT_ONCE = 16 << 10  # bytes: nearly every answer as a whole
_MOST_LATE = 100  # answers that are dropped, which takes us longer than sending them
_LINGER_SECONDS = 0.2  # how long a process may take to end by itself after it has closed its connection
LOOK_SECONDS = 0.05  # between two looks at what a process is doing that has not answered yet
LONGEST_SLEEP = 1.0  # that counts between two looks: the whole machine may have stood still meanwhile
_TIMES, LEAST_PATIENCE = 10, 10.0  # by the clock: so many times a request's seconds, and at least so many
_CHANCE = random.SystemRandom()  # which no course's seed reaches
AWAKE = {b"R", b"D"}  # states of a thread that computes, or waits for a processor or a disk


class WorkerError(Exception):
    """The worker cannot answer any more requests."""


class DiedError(WorkerError):
    """The submission's process ended by itself; `reason` says how, for a student to read."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class DeadlineError(WorkerError):
    """The process has used up its seconds, for the most part by sleep if it `slept`, and has been killed."""

    def __init__(self, *, slept: bool = False) -> None:
        super().__init__()
        self.slept = slept


class Worker:
    """One submission's process, with `handle` as its pidfd; `reap` returns its wait status once it is dead.

    Every request carries a random number that its answer must repeat, so what a submission writes blindly to
    the channel is refused. `ask` may be called until it raises an error or `close` is called.
    """

    def __init__(self, channel: socket.socket, handle: int, reap: Callable[[], int]) -> None:
        channel.setblocking(False)
        self._channel = channel
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(channel, select.POLLIN)
        self._writable.register(channel, select.POLLOUT)
        self._handle = handle
        self.clock = _Clock(handle)
        self._reap = reap
        self._open = True
        self._asked = set[str]()
        self._late = 0  # answers to earlier requests
        self._came = bytearray()  # bytes that nobody has asked for yet
        self.received = 0  # bytes, of all answers together

    @property
    def seconds(self) -> float:
        """How long the process has computed or slept so far, as deadlines count it."""
        return self.clock.seconds()

    def ask(
        self, header: Header, tensors: Parts, seconds: float, answer: Answer | None = None
    ) -> tuple[Header, Parts]:
        """Send a request and return its answer; `answer` answers calls of the test's functions meanwhile.

        What it computes counts as computed by the process, which has asked for it. A WorkerError or a
        ProtocolError says why there is no answer; a StarvedError, that the machine is to blame.
        """
        number = secrets.token_hex(8)
        self._asked.add(number)
        deadline = _Deadline(self, seconds)
        try:
            self._send(pack({"id": number, **header}, tensors), deadline)
            reply = self._reply(number, longest_answer(header), deadline, answer)
            deadline.check()  # however late we come to read what was answered
        except (DeadlineError, StarvedError, ProtocolError):
            self.close()
            raise
        except OSError as error:
            how = self._close(_LINGER_SECONDS)
            deadline.check()  # by the kernel's limit, it may have ended before we looked
            raise DiedError(how) from error
        return reply

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
        self.clock.stop()
        status = self._reap()
        return "it closed its connection to the grader" if lingers else _how(status)

    def _ends(self, patience: float) -> bool:
        """Whether the process ends by itself within so many seconds."""
        ended = select.poll()
        ended.register(self._handle, select.POLLIN)
        if not patience:
            return bool(ended.poll(0))
        try:
            _Deadline(self, patience).wait(ended)
        except (DeadlineError, StarvedError):
            return False
        return True

    def _reply(
        self, number: str, most: int, deadline: "_Deadline", answer: Answer | None
    ) -> tuple[Header, Parts]:
        """Return the answer to request `number`; late or second answers to earlier requests are dropped.

        Where the header is longer than `most` bytes, the answer is refused before more of it has come.
        """
        before = self.received
        while True:
            begun = time.thread_time()
            reply, sent = read_frame(lambda count: self._receive(count, deadline), most)
            answered = reply.pop("id", None)
            if answered == number and "function" in reply and answer is not None:
                self._send(pack(*answer(reply, sent)), deadline)
                self.received = before  # the grader keeps nothing of a call
                self.clock.add(time.thread_time() - begun)
                deadline.check()
                continue
            if answered == number:
                return reply, sent
            self._late += 1
            if not isinstance(answered, str) or answered not in self._asked or self._late > _MOST_LATE:
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
    """Counts the seconds that a process computes or sleeps, with the children that the lowest tier allows."""

    def __init__(self, handle: int) -> None:
        lines = Path(f"/proc/self/fdinfo/{handle}").read_text(encoding="ascii").splitlines()
        self._process = next(int(line.split()[1]) for line in lines if line.startswith("Pid:"))
        self._own = self._children = self._added = self.slept = 0.0
        self._asleep_since: float | None = None  # the last look, if the process slept then
        self._runs = True

    def seconds(self) -> float:
        """Return all seconds so far; sleep, and what children compute, are known from the last look."""
        if self._runs:
            self._own = max(self._own, _computed(self._process))
        return self._own + self._children + self._added + self.slept

    def add(self, seconds: float) -> None:
        """Count seconds that the grader computed for the process, and forget that it slept meanwhile."""
        self._added += seconds
        self.begin()

    def stop(self) -> None:
        """Count no more: soon, the process's number may be that of another one."""
        self.seconds()
        self._runs = False

    def begin(self) -> None:
        """Forget the last look: since then the process may have waited for us."""
        self._asleep_since = None

    def look(self, channel: select.poll) -> None:
        """Count the time since the last look as sleep, if the process slept then and sleeps now.

        It does not sleep while we have not read what came through the `channel`.
        """
        now, tick = time.monotonic(), os.sysconf("SC_CLK_TCK")
        figures = list(_threads(self._process))
        ended = {process: (int(one[13]) + int(one[14])) / tick for process, one in figures}
        living = sum(_computed(process) for process in ended if process != self._process)
        self._children = max(self._children, sum(ended.values()) + living)
        asleep = bool(figures) and all(one[0] not in AWAKE for _, one in figures) and not channel.poll(0)
        if asleep and self._asleep_since is not None:
            self.slept += min(now - self._asleep_since, LONGEST_SLEEP)
        self._asleep_since = now if asleep else None


class _Deadline:
    """Ends a request once its worker has used up its seconds, or has had ten times as many by the clock."""

    def __init__(self, worker: Worker, seconds: float) -> None:
        self._worker, self._clock = worker, worker.clock
        self._seconds, self._begun, self._slept = seconds, worker.seconds, self._clock.slept
        now = time.monotonic()
        self._next_look, self._patience = now + LOOK_SECONDS, max(_TIMES * seconds, LEAST_PATIENCE)
        self._give_up = now + self._patience
        self._clock.begin()

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return max(self._seconds - (self._worker.seconds - self._begun), 0.0)

    def check(self) -> None:
        """Raise a DeadlineError if no seconds are left."""
        if not self.left:
            raise DeadlineError(slept=self._clock.slept - self._slept > self._seconds / 2)

    def wait(self, channel: select.poll) -> None:
        """Wait until a channel is ready; raise an error once it is too late, even for one that always is."""
        while True:
            if (now := time.monotonic()) >= self._next_look:
                # At irregular times, lest a process wake up at each of them, and never seem to sleep.
                self._next_look = now + LOOK_SECONDS * _CHANCE.uniform(0.5, 1.5)
                self._clock.look(channel)
                self.check()
                if now >= self._give_up and not channel.poll(0):
                    raise StarvedError(
                        f"the machine was too busy: in {self._patience:g} s by the clock, a submission used "
                        f"{self._seconds - self.left:.3g} of the {self._seconds:.3g} s that it may compute"
                    )
            if channel.poll(1000 * max(self._next_look - now, 0.001)):
                return


def _computed(process: int) -> float:
    """Return the seconds that all threads of a process have computed, or 0 if it is gone."""
    clock = (~process << 3) | 2  # as clock_getcpuclockid numbers the clocks of processes
    with suppress(OSError):
        return time.clock_gettime(clock)
    return 0.0


def _threads(process: int) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the kernel's figures on each thread of a process and of its children, with that process."""
    pending = [process]
    while pending:
        number = pending.pop()
        with suppress(OSError):  # it has ended
            for thread in Path(f"/proc/{number}/task").iterdir():
                with suppress(OSError):  # this thread has, or the kernel does not tell its children
                    yield number, (thread / "stat").read_bytes().rpartition(b") ")[2].split()
                    pending += map(int, (thread / "children").read_bytes().split())


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
