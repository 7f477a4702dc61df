"""A worker's end of the grader: answers under their numbers, deadlines, and words for how a process ended.

The processes here are real ones, which compute, sleep and end by themselves; the test answers for them.
"""

import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from threading import Thread

import pytest
import torch

from autograder.sandbox import process
from autograder.sandbox.errors import StarvedError
from autograder.sandbox.process import DeadlineError, DiedError, Worker
from autograder.worker.protocol import MAX_ANSWER, ProtocolError, pack, read_frame

SECONDS = 10.0
UNTIL_KILLED = "import time; time.sleep(60)"
COMPUTES = "while True: pass"
IN_CHILDREN = """
import os, time
own = os.getpid()
while True:
    if os.fork() == 0:
        while os.getppid() == own and time.process_time() < {0}: pass
        os._exit(0)
    os.wait()
"""


@dataclass(frozen=True)
class Peer:
    """A worker, its process and both ends of their socket; at the process's the test itself answers."""

    worker: Worker
    process: subprocess.Popen[bytes]
    channel: socket.socket
    ours: socket.socket

    def ask(self, answer: Callable[[str], list[bytes]], seconds: float = SECONDS) -> object:
        """Send a request to which the peer sends the frames that `answer` makes of its number."""
        thread = Thread(target=self._answer, args=(answer,))
        thread.start()
        try:
            return self.worker.ask({"op": "seed"}, [], seconds)[0]
        finally:
            thread.join()

    def number(self) -> str:
        """Answer one request, and return its number."""
        numbers: list[str] = []

        def answer(number: str) -> list[bytes]:
            numbers.append(number)
            return [frame(number)]

        self.ask(answer)
        return numbers[0]

    def _answer(self, answer: Callable[[str], list[bytes]]) -> None:
        header, _ = read_frame(lambda count: self.channel.recv(count, socket.MSG_WAITALL))
        for frame in answer(header["id"]):
            self.channel.sendall(frame)


def started(code: str) -> Peer:
    ours, theirs = socket.socketpair()
    process = subprocess.Popen([sys.executable, "-S", "-c", code])

    def reap() -> int:
        status = process.wait()
        return -status if status < 0 else status << 8

    return Peer(Worker(ours, os.pidfd_open(process.pid), reap), process, theirs, ours)


@pytest.fixture
def peer() -> Iterator[Peer]:
    peer = started(UNTIL_KILLED)
    yield peer
    peer.worker.close()
    peer.channel.close()


def frame(number: object, **header: object) -> bytes:
    return pack({"id": number, **header}, [])


def test_an_answer_under_the_request_s_number_comes_back_without_it(peer: Peer) -> None:
    assert peer.ask(lambda number: [frame(number, value=1)]) == {"value": 1}


def test_answers_that_come_again_are_dropped_until_they_are_a_flood(peer: Peer) -> None:
    late = frame(peer.number(), value="late")
    assert peer.ask(lambda number: [late, late, frame(number, value="second")]) == {"value": "second"}
    with pytest.raises(ProtocolError):
        peer.ask(lambda number: [late * 1000 + frame(number)])


@pytest.mark.parametrize("number", ["0" * 16, 7, None, ["list"]])
def test_an_answer_to_no_request_ends_the_process(peer: Peer, number: object) -> None:
    with pytest.raises(ProtocolError):
        peer.ask(lambda _: [frame(number, value=1)])
    assert peer.process.returncode == -signal.SIGKILL


def test_a_deadline_ends_a_process_that_has_sent_half_an_answer(peer: Peer) -> None:
    with pytest.raises(DeadlineError):
        peer.ask(lambda number: [frame(number)[:4]], seconds=0.2)
    assert peer.process.returncode == -signal.SIGKILL


BUSY = {
    "computes": (COMPUTES, False),
    "sleeps": (UNTIL_KILLED, True),
    "beside a thread": (
        f"import _thread, time\n_thread.start_new_thread(time.sleep, (60,))\n{COMPUTES}",
        False,
    ),
    "in a child": (IN_CHILDREN.format(60), False),
    "in children": (IN_CHILDREN.format(0.1), False),
    "stops itself": ("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", True),
}


@pytest.mark.parametrize("how", BUSY)
def test_a_process_may_compute_or_sleep_for_so_many_seconds(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "LEAST_PATIENCE", 300.0)  # a busy machine may let the process wait
    code, slept = BUSY[how]
    peer = started(code)
    with closing(peer.channel), pytest.raises(DeadlineError) as late:
        peer.worker.ask({"op": "seed"}, [], 0.5)
    assert late.value.slept is slept
    assert peer.worker.seconds >= 0.5


def test_a_process_that_neither_computes_nor_sleeps_is_starved(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "AWAKE", {b"R", b"D", b"S"})  # as if the sleeper waited for a processor
    monkeypatch.setattr(process, "LEAST_PATIENCE", 0.1)
    with pytest.raises(
        StarvedError, match=r"within 1 s, a submission could use only 0(\.\d+)? of its 0\.1 s"
    ):
        peer.worker.ask({"op": "seed"}, [], 0.1)
    assert peer.process.returncode == -signal.SIGKILL


def test_what_waits_for_us_does_not_sleep(peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may let a worker wait until we have read what it has sent."""
    ready = select.poll()
    ready.register(peer.ours, select.POLLIN)
    clock = peer.worker.clock
    peer.channel.sendall(b"unread")
    for _ in range(2):
        clock.look(ready)
        time.sleep(0.1)
    assert clock.slept == 0
    peer.ours.recv(100)
    monkeypatch.setattr(process, "LONGEST_SLEEP", 0.05)  # the machine may have stood still meanwhile
    for _ in range(3):
        clock.look(ready)
        time.sleep(0.1)
    assert 0 < clock.slept <= 2 * 0.05


@pytest.mark.parametrize("end", ["", "os._exit(3)"], ids=["answers", "dies"])
def test_what_used_up_its_seconds_before_we_looked_is_late_all_the_same(
    monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(process, "LOOK_SECONDS", SECONDS)  # so busy is the machine
    peer = started(f"import os, time\nwhile time.process_time() < 0.2: pass\n{end or 'time.sleep(60)'}")

    def answer(number: str) -> list[bytes]:
        while peer.worker.seconds < 0.2:
            time.sleep(0.01)
        if end:
            peer.process.wait()
            peer.channel.shutdown(socket.SHUT_RDWR)
            return []
        return [frame(number)]

    with pytest.raises(DeadlineError) as late:
        peer.ask(answer, seconds=0.15)
    assert not late.value.slept
    peer.channel.close()


def test_all_bytes_that_arrive_are_counted(peer: Peer) -> None:
    sizes = []

    def answer(number: str) -> list[bytes]:
        sizes.append(len(made := pack({"id": number}, [torch.zeros(100)])))
        return [made]

    peer.ask(answer)
    peer.ask(answer)
    assert peer.worker.received == sum(sizes)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import os; os._exit(3)", "the process ended itself (exit code 3)"),
        ("import os; os.abort()", "the process ended with an abort"),
        ("import os; os.kill(os.getpid(), 11)", "the process ended with a segmentation fault"),
        (
            "import os; os.kill(os.getpid(), 24)",
            "the process was stopped because it used up its processor time",
        ),
        ("import os; os.kill(os.getpid(), 31)", "the process was stopped because of a forbidden system call"),
        ("import os; os.kill(os.getpid(), 15)", "the process was ended by signal 15"),
        (
            "import os; os.kill(os.getpid(), 9)",
            "the process was stopped because it used too much memory, time or disk, or too many threads",
        ),
    ],
)
def test_how_a_process_ended_is_said_in_words(code: str, reason: str) -> None:
    peer = started(code)
    peer.process.wait()
    peer.channel.close()
    with pytest.raises(DiedError) as died:
        peer.worker.ask({"op": "seed"}, [], SECONDS)
    assert died.value.reason == reason


def test_closing_ends_the_process_at_once_and_nothing_the_second_time(peer: Peer) -> None:
    peer.worker.close()
    peer.worker.close()
    assert peer.process.returncode == -signal.SIGKILL
    with pytest.raises(DiedError, match="its process is gone"):
        peer.worker.ask({"op": "seed"}, [], SECONDS)


LONG_HEADER = struct.pack("!II", MAX_ANSWER + 1, 0)


def test_an_answer_that_announces_too_much_is_refused_before_it_has_come(peer: Peer) -> None:
    with pytest.raises(ProtocolError):
        peer.ask(lambda _: [LONG_HEADER])


def test_what_a_cell_shows_may_be_longer_than_any_other_answer(peer: Peer) -> None:
    peer.channel.sendall(LONG_HEADER)
    with pytest.raises(DeadlineError):  # the rest never comes
        peer.worker.ask({"op": "cell", "number": 0, "code": ""}, [], 0.1)
