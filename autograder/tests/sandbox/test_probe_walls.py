"""Probing names a wall only where a worker was refused what that wall forbids."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from autograder.sandbox.process import Worker
from autograder.sandbox.zygote import probe_walls

HELD = {"rlimits": True, "landlock": False, "seccomp": True, "namespaces": False}


class Forks:
    """Forks no worker, but answers in one's place with what `run` makes of the code."""

    def __init__(self, run: Callable[[str], str]) -> None:
        self.run, self.closed = run, False

    def fork_with(self, _: int, __: int) -> Worker:
        return cast(Worker, self)

    def ask(self, header: dict[str, Any], *_: object) -> tuple[dict[str, Any], Any]:
        return {"outputs": [{"text": self.run(header["code"])}]}, []

    def close(self) -> None:
        self.closed = True


def test_without_any_wall_nothing_is_refused_and_only_the_process_stands(tmp_path: Path) -> None:
    (folder := tmp_path / "scratch").mkdir()

    def run(code: str) -> str:
        return subprocess.check_output([sys.executable, "-c", code], cwd=folder, text=True)

    assert probe_walls(Forks(run).fork_with) == ("process",)


def test_walls_that_did_not_hold_are_not_named_and_after_nonsense_the_worker_is_closed() -> None:
    assert probe_walls(Forks(lambda _: json.dumps(HELD)).fork_with) == ("process", "rlimits", "seccomp")
    forks = Forks(lambda _: "nonsense")
    with pytest.raises(ValueError, match="Expecting value"):
        probe_walls(forks.fork_with)
    assert forks.closed
