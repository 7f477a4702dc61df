"""Folders of workers: none stays behind, however the processes that made them end."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autograder.course.settings import Limits
from autograder.sandbox.errors import ZygoteError
from autograder.sandbox.process import Worker
from autograder.sandbox.zygote import Zygote
from autograder.worker.scratch import own_folder, remove

pytestmark = pytest.mark.usefixtures("born_alone")

GRADER = """
from autograder.course.settings import Limits
from autograder.sandbox.zygote import Zygote
from autograder.tests.worker.test_scratch import folder_of
zygote = Zygote(outer=False)
worker, folder = folder_of(zygote)
print(folder, flush=True)
worker.ask({"op": "cell", "number": 0, "code": "while True: pass"}, [], 600)
"""


def folder_of(zygote: Zygote) -> tuple[Worker, Path]:
    """Return a worker, and the folder in which its zygote keeps those of its workers."""
    worker = zygote.fork(Limits())
    code = "import os; open('left', 'w').close(); print(os.getcwd())"
    reply, _ = worker.ask({"op": "cell", "number": 0, "code": code}, [], 60)
    return worker, Path(reply["outputs"][0]["text"].strip()).parent


def gone(folder: Path, seconds: float = 20) -> bool:
    """Wait until there is no such folder."""
    end = time.monotonic() + seconds
    while folder.exists() and time.monotonic() < end:
        time.sleep(0.05)
    return not folder.exists()


def test_a_grader_that_is_killed_leaves_no_folder() -> None:
    command = [sys.executable, "-c", GRADER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as grader:
        assert grader.stdout is not None
        folder = Path(grader.stdout.readline().strip())
        assert folder.is_dir()
        grader.kill()
    assert gone(folder)


def test_what_a_killed_zygote_leaves_the_next_one_removes_and_nothing_else() -> None:
    with Zygote(outer=False) as alive:
        worker, used = folder_of(alive)
        dead = Zygote(outer=False)
        lost, left = folder_of(dead)
        os.killpg(dead.process_id, signal.SIGKILL)
        with pytest.raises(ZygoteError):
            lost.close()
        dead.close()
        assert left.is_dir()
        Zygote(outer=False).close()
        assert not left.exists()
        assert (used / "matplotlib").is_dir()
        worker.close()


def test_only_folders_of_our_own_are_removed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (tmp_path / "worker-link").symlink_to(kept)
    (tmp_path / "worker-file").touch()
    left = tmp_path / "worker-left" / "deep"
    left.mkdir(parents=True)
    left.parent.chmod(0o700)
    with own_folder(tmp_path) as first, own_folder(tmp_path) as second:
        assert first.is_dir()
        assert second.is_dir()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "worker-file", "worker-link"]


def test_a_folder_is_removed_though_another_process_clears_up_in_between(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, cleared = tmp_path / "worker-1", list[Path]()
    (folder / "below").mkdir(parents=True)
    mkdir = Path.mkdir

    def made_and_cleared(path: Path) -> None:
        mkdir(path)
        if not cleared:
            cleared.append(path)
            path.rmdir()

    monkeypatch.setattr(Path, "mkdir", made_and_cleared)
    remove(folder)
    assert cleared
    assert list(tmp_path.iterdir()) == []
