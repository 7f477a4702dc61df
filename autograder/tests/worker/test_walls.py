"""The inner wall: which parts of it stand in a process that raises it, and what it costs that process."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import autograder
from autograder.worker import walls
from autograder.worker.walls import interpreter, readable

CONFINED = """
import json, resource, sys
from autograder.worker import seccomp, walls
{before}
raised = walls.confine({{"memory_mb": 64, "cpu_seconds": 7}})
status = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines())
try:
    bytearray(128 << 20)
except MemoryError:
    raised.append("memory")
print(json.dumps({{
    "walls": raised,
    "privileges": [status[name].strip() for name in ("NoNewPrivs", "CapEff", "CapBnd")],
    "seconds": resource.getrlimit(resource.RLIMIT_CPU),
    "file": resource.getrlimit(resource.RLIMIT_FSIZE)[0],
}}))
"""


def confined(folder: Path, before: str = "", user: Sequence[str] = ()) -> dict[str, Any]:
    """Return what a process in `folder`, of us or of another `user`, says once it has raised its walls."""
    command = [*user, sys.executable, "-c", CONFINED.format(before=before)]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True)
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


@pytest.mark.parametrize("root", [False, True], ids=["whoever runs the tests", "root of a user namespace"])
def test_every_part_stands_and_nothing_of_root_is_left(tmp_path: Path, root: bool) -> None:
    seen = confined(tmp_path, user=("unshare", "--map-root-user") if root else ())
    assert seen["walls"] == ["rlimits", "landlock", "seccomp", "memory"]
    no_new, effective, bound = seen["privileges"]
    assert (no_new, int(effective, 16)) == ("1", 0)
    assert not root or int(bound, 16) == 0  # only root may lower its bound
    assert seen["seconds"] == [7, 7]
    assert seen["file"] == 16 << 20


@pytest.mark.parametrize(
    ("before", "walls"),
    [
        ("walls.confine_files = lambda *_: False", ["rlimits", "seccomp"]),
        ("seccomp.platform.machine = lambda: 'riscv64'", ["rlimits", "landlock"]),
    ],
    ids=["a kernel without Landlock", "an architecture without numbers"],
)
def test_a_part_that_the_machine_cannot_raise_is_left_out(
    tmp_path: Path, before: str, walls: list[str]
) -> None:
    assert confined(tmp_path, before)["walls"] == [*walls, "memory"]


def test_a_lower_limit_that_holds_already_stays(tmp_path: Path) -> None:
    lower = "resource.setrlimit(resource.RLIMIT_CPU, (5, 5))"
    assert confined(tmp_path, lower)["seconds"] == [5, 5]


def test_python_and_the_worker_can_be_read_and_neither_homes_nor_the_engine() -> None:
    shown = list(readable())
    engine = Path(autograder.__file__).parent
    assert any(Path(os.__file__).is_relative_to(place) for place in shown)
    assert Path(walls.__file__).parent in shown
    for hidden in (Path.home(), engine / "grading", Path(tempfile.gettempdir()), Path("/etc/passwd")):
        assert not any(hidden.is_relative_to(place) for place in shown), hidden
    assert set(interpreter()) < set(shown)
