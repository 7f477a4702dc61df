"""A submission's own work: processor time of some functions, each moment once, sent along with answers."""

import time
from typing import Any

from autograder.bench.worker_clock import TAKEN, Clock


class Notebook:
    """Something whose work counts."""

    def run(self) -> None:
        self.work()
        self.call()

    def call(self) -> None:
        self.work()

    def work(self) -> None:
        """Work until the processor time shows it."""
        until = time.thread_time() + 0.02
        while time.thread_time() < until:
            pass


def test_work_counts_once_and_goes_with_the_next_answer() -> None:
    sent: list[dict[str, Any]] = []

    def pack(header: dict[str, Any], tensors: list[Any]) -> bytes:
        sent.append(header)
        return b""

    class Watched(Notebook):
        run, call = Notebook.run, Notebook.call

    clock = Clock()
    for name in ("run", "call"):
        clock.count(Watched, name)
    packed, notebook = clock.send_along(pack), Watched()
    began = time.thread_time()
    notebook.run()
    spent = time.thread_time() - began
    packed({"value": 1}, [])
    notebook.work()  # which nobody counts
    packed({"value": 2}, [])
    assert [header["value"] for header in sent] == [1, 2]
    assert 0.04 <= sent[0][TAKEN] <= spent
    assert sent[1][TAKEN] == 0.0
