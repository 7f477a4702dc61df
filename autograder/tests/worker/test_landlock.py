"""Landlock leaves a process a few places to read and one folder to write."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import ctypes, json, os, sys
from pathlib import Path
from autograder.worker import landlock

ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)  # no new privileges: the kernel demands it of all but root
root = Path(sys.argv[1])
installed = landlock.install([root / "readable", root / "one.txt", root / "missing"], root / "scratch")

def allowed(attempt):
    try:
        attempt()
    except PermissionError:
        return False
    return True

print(json.dumps({
    "installed": installed,
    "read a readable file": allowed((root / "readable" / "a.txt").read_text),
    "list a readable folder": allowed(lambda: os.listdir(root / "readable")),
    "read a file that is named itself": allowed((root / "one.txt").read_text),
    "write a readable file": allowed(lambda: (root / "readable" / "a.txt").write_text("x")),
    "make a file beside it": allowed(lambda: (root / "readable" / "b.txt").touch()),
    "read elsewhere": allowed((root / "secret" / "a.txt").read_text),
    "list elsewhere": allowed(lambda: os.listdir(root / "secret")),
    "write in the scratch folder": allowed(lambda: (root / "scratch" / "a.txt").write_text("x")),
    "read it back": allowed((root / "scratch" / "a.txt").read_text),
    "remove it": allowed((root / "scratch" / "a.txt").unlink),
    "make a pipe there": allowed(lambda: os.mkfifo(root / "scratch" / "pipe")),
    "make a device there": allowed(lambda: os.mknod(root / "scratch" / "null", 0o20666, os.makedev(1, 3))),
}))
"""
DENIED = {
    *("write a readable file", "make a file beside it", "read elsewhere", "list elsewhere"),
    "make a device there",
}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bool]:
    """Return what a process that Landlock confines may do."""
    root = tmp_path_factory.mktemp("landlock")
    for name in ("readable/a.txt", "secret/a.txt", "scratch/first.txt", "one.txt"):
        path = Path(root / name)
        path.parent.mkdir(exist_ok=True)
        path.write_text("here", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(root)], stdout=subprocess.PIPE, check=True)
    allowed: dict[str, bool] = json.loads(done.stdout)
    return allowed


def test_reading_is_left_where_it_was_granted_and_writing_in_one_folder(outcome: dict[str, bool]) -> None:
    assert {act for act, allowed in outcome.items() if not allowed} == DENIED
