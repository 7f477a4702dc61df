"""A worker's end of the grader: answers under their numbers, deadlines, and words for how a process ended."""

import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Thread

import pytest
import torch

from autograder.sandbox.process import DeadlineError, DiedError, Worker
from autograder.worker.bounds import MAX_ANSWER, MAX_TENSOR_HEADER
from autograder.worker.protocol import ProtocolError, pack, read_frame

SECONDS = 10.0
UNTIL_KILLED = "import time; time.sleep(60)"


@dataclass(frozen=True)
class Peer:
    """A worker, its process and the process's end of their socket, at which the test itself answers."""

    worker: Worker
    process: subprocess.Popen[bytes]
    channel: socket.socket

    def ask(self, answer: Callable[[str], list[bytes]], seconds: float = SECONDS) -> object:
        """Send a request to which the peer sends the frames that `answer` makes of its number."""
        thread = Thread(target=self._answer, args=(answer,))
        thread.start()
        try:
            return self.worker.ask({"op": "seed"}, [], seconds)[0]
        finally:
            thread.join()

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

    return Peer(Worker(ours, os.pidfd_open(process.pid), reap), process, theirs)


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


def test_answers_that_come_again_are_dropped(peer: Peer) -> None:
    numbers: list[str] = []

    def first(number: str) -> list[bytes]:
        numbers.append(number)
        return [frame(number, value="first")]

    assert peer.ask(first) == {"value": "first"}
    late = frame(numbers[0], value="late")
    assert peer.ask(lambda number: [late, late, frame(number, value="second")]) == {"value": "second"}


@pytest.mark.parametrize("number", ["0" * 16, 7, None, ["list"]])
def test_an_answer_to_no_request_ends_the_process(peer: Peer, number: object) -> None:
    with pytest.raises(ProtocolError):
        peer.ask(lambda _: [frame(number, value=1)])
    assert peer.process.returncode == -signal.SIGKILL


def test_a_deadline_ends_a_process_that_has_sent_half_an_answer(peer: Peer) -> None:
    with pytest.raises(DeadlineError):
        peer.ask(lambda number: [frame(number)[:4]], seconds=0.2)
    assert peer.process.returncode == -signal.SIGKILL


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
        ("import os; os.abort()", "the process ended by an abort"),
        ("import os; os.kill(os.getpid(), 11)", "the process ended by a segmentation fault"),
        ("import os; os.kill(os.getpid(), 24)", "the process ended by using up its processor time"),
        ("import os; os.kill(os.getpid(), 31)", "the process ended by a forbidden system call"),
        ("import os; os.kill(os.getpid(), 15)", "the process ended by signal 15"),
        (
            "import os; os.kill(os.getpid(), 9)",
            "the process was stopped for taking too much memory, time or disk, or too many threads",
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


def test_closing_twice_ends_nothing_twice(peer: Peer) -> None:
    peer.worker.close()
    peer.worker.close()
    assert peer.process.returncode == -signal.SIGKILL
    with pytest.raises(DiedError, match="its process is gone"):
        peer.worker.ask({"op": "seed"}, [], SECONDS)


def test_a_process_is_closed_at_once_and_not_left_to_end_by_itself() -> None:
    peer = started("import time; time.sleep(0.1)")
    peer.worker.close()
    peer.channel.close()
    assert peer.process.returncode == -signal.SIGKILL


LONG_HEADER = struct.pack("!II", MAX_ANSWER + 1, 0)
MANY_TENSORS = (
    struct.pack("!II", 2, MAX_TENSOR_HEADER + 9) + b"{}" + (MAX_TENSOR_HEADER + 1).to_bytes(8, "little")
)


@pytest.mark.parametrize("begun", [LONG_HEADER, MANY_TENSORS], ids=["header", "tensors"])
def test_an_answer_that_announces_too_much_is_refused_before_it_has_come(peer: Peer, begun: bytes) -> None:
    with pytest.raises(ProtocolError):
        peer.ask(lambda _: [begun])


def test_what_a_cell_shows_may_be_longer_than_any_other_answer(peer: Peer) -> None:
    peer.channel.sendall(LONG_HEADER)
    with pytest.raises(DeadlineError):  # the rest never comes
        peer.worker.ask({"op": "cell", "number": 0, "code": ""}, [], 0.1)
