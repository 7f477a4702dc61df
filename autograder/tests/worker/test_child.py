"""A child raises its walls first, then answers each request under its number, whatever the answer is."""

import socket
from collections.abc import Iterator
from contextlib import suppress
from threading import Thread
from typing import Any, cast

import pytest

from autograder.worker import child
from autograder.worker.protocol import MAX_TEXT, pack, read_frame
from autograder.worker.shell import Shell

LIMITS = {"memory_mb": 1, "cpu_seconds": 1}


class Cells:
    """Stands in for IPython's shell, of which there can be one alone in a process."""

    def __init__(self) -> None:
        self.events: list[object] = []
        self.variables = {
            "double": lambda x: 2 * x,
            "long": lambda: ["x" * MAX_TEXT] * 100,
            "unfit": lambda: {1: Odd},
        }

    def explained(self, error: dict[str, Any]) -> dict[str, Any]:
        return error

    def run(self, number: int, code: str) -> dict[str, Any]:
        self.events.append((number, code))
        return {"outputs": [code], "error": None}


class Odd:
    """Something that has no form of its own."""


class Grader:
    """The other end of a child's channel."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel

        self.requests = 0

    def ask(self, op: str, **header: object) -> dict[str, Any]:
        self.requests += 1
        self.channel.sendall(pack({"id": self.requests, "op": op, **header}, []))
        reply, _ = read_frame(lambda count: self.channel.recv(count, socket.MSG_WAITALL))
        assert reply.pop("id") == self.requests
        return reply

    def call(self, name: str, *args: object) -> dict[str, Any]:
        return self.ask("call", of={"name": name}, args={"tuple": list(args)}, kwargs={"dict": []})


@pytest.fixture
def cells() -> Cells:
    return Cells()


@pytest.fixture
def grader(cells: Cells, monkeypatch: pytest.MonkeyPatch) -> Iterator[Grader]:
    """Return the grader's end of a child that serves in a thread, and so must not confine its process."""
    ours, theirs = socket.socketpair()

    def confine(limits: dict[str, int]) -> list[str]:
        cells.events.append(limits)
        return ["a wall"]

    monkeypatch.setattr(child, "die_with_parent", lambda: cells.events.append("dies with its parent"))
    monkeypatch.setattr(child, "confine", confine)

    def serve() -> None:
        with suppress(EOFError):
            child.serve(theirs, cast(Shell, cells))

    thread = Thread(target=serve)
    thread.start()
    yield Grader(ours)
    ours.close()
    thread.join(10)
    theirs.close()
    assert not thread.is_alive(), "a child serves until its channel closes, and no longer"


def test_the_walls_stand_before_anything_runs(grader: Grader, cells: Cells) -> None:
    assert grader.ask("start", limits=LIMITS) == {"walls": ["a wall"]}
    assert grader.ask("cell", number=0, code="x = 1") == {"outputs": ["x = 1"], "error": None}
    assert cells.events == ["dies with its parent", LIMITS, (0, "x = 1")]


def test_other_requests_go_to_the_notebook_s_names(grader: Grader) -> None:
    grader.ask("start", limits=LIMITS)
    assert grader.call("double", 4) == {"value": 8}
    assert grader.call("missing") == {"missing": "missing"}


def test_an_answer_that_is_too_large_is_an_error_and_the_next_one_arrives(grader: Grader) -> None:
    grader.ask("start", limits=LIMITS)
    error = grader.call("long")["error"]
    assert error["type"] == "ResultError"
    assert error["message"] == "the result cannot be sent: the header is larger than a frame may hold"
    assert grader.call("double", 1) == {"value": 2}


def test_a_value_without_a_form_stays_and_gets_a_number(grader: Grader) -> None:
    grader.ask("start", limits=LIMITS)
    ((_, value),) = grader.call("unfit")["value"]["dict"]
    assert value == {"handle": 0, "type": "type"}
