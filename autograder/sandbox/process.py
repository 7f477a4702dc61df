"""The grader's connection to a worker: it sends one request at a time, and reports how the process ended.

Each request allows the process a number of seconds. Seconds count while the process computes, and while all
its threads sleep. They do not count while it waits for a processor or a disk, so a busy machine does not
shorten the process's time. The limit of wall-clock time is ten times as high, but at least ten seconds. If
the process has seconds left at this limit, StarvedError is raised.
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

_AT_ONCE = 16 << 10  # bytes to read at once, enough for nearly every reply
_MOST_LATE = 100  # number of late replies that are ignored; reading more would cost the grader too much time
_LINGER_SECONDS = 0.2  # longest wait for the end of a process that has closed its connection
LOOK_SECONDS = 0.05  # mean time between two checks of whether a process sleeps
LONGEST_SLEEP = 1.0  # at most these seconds of sleep count between two checks: the machine may be suspended
_TIMES, LEAST_PATIENCE = 10, 10.0  # wall-clock limit: 10 times a request's seconds, but at least 10 seconds
_CHANCE = random.SystemRandom()  # random numbers of the kernel, which do not depend on seeds
AWAKE = {b"R", b"D"}  # states of a thread that computes, or waits for a processor or a disk


class WorkerError(Exception):
    """The worker cannot reply to any more requests."""


class DiedError(WorkerError):
    """The submission's process ended by itself. `reason` tells the student how."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class DeadlineError(WorkerError):
    """The process used up its seconds and was killed. If `slept` is true, it slept for most of them."""

    def __init__(self, *, slept: bool = False) -> None:
        super().__init__()
        self.slept = slept


class Worker:
    """One submission's process. `handle` is a pidfd. `reap` waits for the end and returns the wait status.

    Every request has a random number, which the reply must repeat. So bytes that a submission writes to the
    channel by itself are refused. `ask` may be called until it raises an error or `close` is called.
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
        self._late = 0  # number of late replies, which belong to earlier requests
        self._unread = bytearray()  # bytes received after the end of the last frame
        self.received = 0  # bytes of all replies so far

    @property
    def seconds(self) -> float:
        """The seconds that count so far: those in which the process computed or slept."""
        return self.clock.seconds()

    def ask(
        self, header: Header, tensors: Parts, seconds: float, answer: Answer | None = None
    ) -> tuple[Header, Parts]:
        """Send a request and return the reply. Raise WorkerError or ProtocolError if there is none.

        Before the reply, the submission may call functions of the hidden test. `answer` runs these calls. The
        time of the calls counts as the process's time. If the machine was too busy, raise StarvedError.
        """
        number = secrets.token_hex(8)
        self._asked.add(number)
        deadline = _Deadline(self, seconds)
        try:
            self._send(pack({"id": number, **header}, tensors), deadline)
            reply = self._reply(number, longest_answer(header), deadline, answer)
            deadline.check()  # the reply may have come after the deadline
        except (DeadlineError, StarvedError, ProtocolError):
            self.close()
            raise
        except OSError as error:
            how = self._close(_LINGER_SECONDS)
            deadline.check()  # the kernel may have killed the process when its seconds were used up
            raise DiedError(how) from error
        return reply

    def close(self) -> None:
        """End the process at once."""
        self._close(0)

    def _close(self, patience: float) -> str:
        """End the process if it does not end by itself within `patience` seconds; return how it ended."""
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
        """Return the reply to request `number`. Late or repeated replies to earlier requests are dropped.

        A reply whose header is longer than `most` bytes is refused before it is read.
        """
        before = self.received
        while True:
            begun = time.thread_time()
            reply, sent = read_frame(lambda count: self._receive(count, deadline), most)
            answered = reply.pop("id", None)
            if answered == number and "function" in reply and answer is not None:
                self._send(pack(*answer(reply, sent)), deadline)
                self.received = before  # a call does not count: the grader stores only replies
                self.clock.add(time.thread_time() - begun)
                deadline.check()
                continue
            if answered == number:
                return reply, sent
            self._late += 1
            if not isinstance(answered, str) or answered not in self._asked or self._late > _MOST_LATE:
                raise ProtocolError("a reply does not belong to any request")

    def _send(self, frame: bytes, deadline: "_Deadline") -> None:
        view = memoryview(frame)
        while view:
            try:
                view = view[self._channel.send(view) :]
            except BlockingIOError:
                deadline.wait(self._writable)

    def _receive(self, count: int, deadline: "_Deadline") -> bytes:
        """Return `count` bytes; keep further received bytes for the next call."""
        while len(self._unread) < count:
            deadline.wait(self._readable)
            most = min(max(count - len(self._unread), _AT_ONCE), 1 << 20)
            with suppress(BlockingIOError):  # poll may report a channel that has nothing to read
                if not (chunk := self._channel.recv(most)):
                    raise ConnectionResetError
                self._unread += chunk
        self.received += count
        received = bytes(self._unread[:count])
        del self._unread[:count]
        return received


class _Clock:
    """Counts the seconds in which a process and its children compute or sleep.

    Only the tier `bare` allows a submission to start children.
    """

    def __init__(self, handle: int) -> None:
        lines = Path(f"/proc/self/fdinfo/{handle}").read_text(encoding="ascii").splitlines()
        self._process = next(int(line.split()[1]) for line in lines if line.startswith("Pid:"))
        self._process_seconds = self._children = self._added = self.slept = 0.0
        self._asleep_since: float | None = None  # time of the last `look`, if the process slept then
        self._runs = True

    def seconds(self) -> float:
        """Return all seconds so far. Sleep and children are counted only up to the last `look`."""
        if self._runs:
            self._process_seconds = max(self._process_seconds, _computed(self._process))
        return self._process_seconds + self._children + self._added + self.slept

    def add(self, seconds: float) -> None:
        """Add the seconds for which the grader ran functions of the hidden test that the process called.

        The process slept meanwhile; this sleep is not counted again.
        """
        self._added += seconds
        self.forget_sleep()

    def stop(self) -> None:
        """Stop counting when the process has ended, because a new process may get its id."""
        self.seconds()
        self._runs = False

    def forget_sleep(self) -> None:
        """Count no sleep between the last `look` and the next: the process may have waited for the grader."""
        self._asleep_since = None

    def look(self, channel: select.poll) -> None:
        """Count sleep and the children's time since the last `look`.

        If the process slept at both looks, it counts as asleep between them. If `channel` is ready, the
        process counts as awake: the grader has something to read or can continue to send.
        """
        now, tick = time.monotonic(), os.sysconf("SC_CLK_TCK")
        threads = list(_threads(self._process))
        ended = {process: (int(fields[13]) + int(fields[14])) / tick for process, fields in threads}
        living = sum(_computed(process) for process in ended if process != self._process)
        self._children = max(self._children, sum(ended.values()) + living)
        asleep = (
            bool(threads) and all(fields[0] not in AWAKE for _, fields in threads) and not channel.poll(0)
        )
        if asleep and self._asleep_since is not None:
            self.slept += min(now - self._asleep_since, LONGEST_SLEEP)
        self._asleep_since = now if asleep else None


class _Deadline:
    """Ends a request when the allowed seconds are used up, or at the limit of wall-clock time."""

    def __init__(self, worker: Worker, seconds: float) -> None:
        self._worker, self._clock = worker, worker.clock
        self._seconds, self._begun, self._slept = seconds, worker.seconds, self._clock.slept
        now = time.monotonic()
        self._next_look, self._patience = now + LOOK_SECONDS, max(_TIMES * seconds, LEAST_PATIENCE)
        self._give_up = now + self._patience
        self._clock.forget_sleep()

    @property
    def seconds_left(self) -> float:
        return max(self._seconds - (self._worker.seconds - self._begun), 0.0)

    def check(self) -> None:
        """Raise DeadlineError if no seconds are left."""
        if not self.seconds_left:
            raise DeadlineError(slept=self._clock.slept - self._slept > self._seconds / 2)

    def wait(self, channel: select.poll) -> None:
        """Wait until a channel is ready; raise DeadlineError or StarvedError if this takes too long.

        If the worker has used up its seconds, DeadlineError is raised even if the channel is ready.
        """
        while True:
            if (now := time.monotonic()) >= self._next_look:
                # The time of the next look is random. Otherwise a process could sleep between the looks,
                # wake up for each look, and seem never to sleep.
                self._next_look = now + LOOK_SECONDS * _CHANCE.uniform(0.5, 1.5)
                self._clock.look(channel)
                self.check()
                if now >= self._give_up and not channel.poll(0):
                    used = self._seconds - self.seconds_left
                    raise StarvedError(
                        f"the machine was too busy: within {self._patience:g} s, a submission could use only "
                        f"{used:.3g} of its {self._seconds:.3g} s of processor time"
                    )
            if channel.poll(1000 * max(self._next_look - now, 0.001)):
                return


def _computed(process: int) -> float:
    """Return the seconds that all threads of a process have computed, or 0 if it has ended."""
    clock = (~process << 3) | 2  # C's clock_getcpuclockid returns this id; Python has no such function
    with suppress(OSError):
        return time.clock_gettime(clock)
    return 0.0


def _threads(process: int) -> Iterator[tuple[int, list[bytes]]]:
    """Yield, for each thread of a process and of its children, the process id and the fields of `stat`."""
    pending = [process]
    while pending:
        number = pending.pop()
        with suppress(OSError):  # the process has ended
            for thread in Path(f"/proc/{number}/task").iterdir():
                with suppress(OSError):  # the thread has ended, or this kernel does not list children
                    yield number, (thread / "stat").read_bytes().rpartition(b") ")[2].split()
                    pending += map(int, (thread / "children").read_bytes().split())


def _how(status: int) -> str:
    """Return a description for students of how a process ended."""
    code = os.waitstatus_to_exitcode(status)  # below 0 if a signal ended the process
    if code >= 0:
        return f"the process ended itself (exit code {code})"
    descriptions: dict[int, str] = {
        signal.SIGSEGV: "ended with a segmentation fault",
        signal.SIGABRT: "ended with an abort",
        signal.SIGXCPU: "was stopped because it used up its processor time",
        signal.SIGSYS: "was stopped because of a forbidden system call",
        signal.SIGKILL: "was stopped because it used too much memory, time or disk, or too many threads",
    }
    return f"the process {descriptions.get(-code, f'was ended by signal {-code}')}"
