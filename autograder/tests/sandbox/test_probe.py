"""Probing names a wall only where a worker was refused what that wall forbids."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from autograder.sandbox.probe import probe_walls
from autograder.sandbox.process import Worker

HELD = {"rlimits": True, "landlock": False, "seccomp": True, "namespaces": False}


class Forks:
    """Forks no worker, but answers in one's place with what `run` makes of the code."""

    def __init__(self, run: Any) -> None:
        self.run = run
        self.closed = False

    def fork_with(self, memory_mb: int, cpu_seconds: int) -> Worker:
        return cast(Worker, self)

    def ask(self, header: dict[str, Any], tensors: list[Any], seconds: float) -> tuple[dict[str, Any], Any]:
        return {"outputs": [{"text": self.run(header["code"])}]}, []

    def close(self) -> str:
        self.closed = True
        return ""


def test_without_any_wall_nothing_is_refused_and_only_the_process_stands(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()

    def run(code: str) -> str:
        command = [sys.executable, "-c", code]
        return subprocess.run(
            command, cwd=tmp_path / "scratch", capture_output=True, check=True
        ).stdout.decode()

    assert probe_walls(Forks(run).fork_with) == ("process",)


def test_walls_that_did_not_hold_are_not_named() -> None:
    assert probe_walls(Forks(lambda code: json.dumps(HELD)).fork_with) == ("process", "rlimits", "seccomp")


def test_a_worker_that_answers_nonsense_is_closed_all_the_same() -> None:
    forks = Forks(lambda code: "nonsense")
    with pytest.raises(ValueError, match="Expecting value"):
        probe_walls(forks.fork_with)
    assert forks.closed
