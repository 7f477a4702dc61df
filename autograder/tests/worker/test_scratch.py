"""Folders of workers: what one may hold, with its threads and deleted files, and that no other is removed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from autograder.worker.scratch import MAX_FILE, exceeds, remove, temporary_folder

MANY_THREADS = """
import threading
for _ in range(70):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
"""


@contextmanager
def running(code: str, folder: Path) -> Iterator[int]:
    """Run `code` in `folder` in another process, and return its id once the code has run."""
    command = [sys.executable, "-c", f"{code}\nprint(1, flush=True); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
        process.kill()


@pytest.mark.parametrize(
    ("count", "name", "size", "too_much"),
    [
        (100, "inside/{}", 1000, False),
        (2001, "{}", 0, True),
        (1001, "{}/inside", 0, True),
        (9, "{}", MAX_FILE - 1, True),
    ],
)
def test_what_a_folder_holds_counts(count: int, name: str, size: int, too_much: bool, tmp_path: Path) -> None:
    for number in range(count):
        path = tmp_path / name.format(number)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes(size))
    (tmp_path / "sparse").touch()
    os.truncate(tmp_path / "sparse", 1 << 30)  # which takes no space
    with running("pass", tmp_path) as process:
        assert exceeds(process, tmp_path) is too_much


def test_too_many_threads_count(tmp_path: Path) -> None:
    """What deleted files count is tried by tests/hostile/files/46_deleted_files.py and the one beside it."""
    with running(MANY_THREADS, tmp_path) as process:
        assert exceeds(process, tmp_path)


def test_a_process_that_has_ended_and_a_folder_that_is_gone_hold_nothing(tmp_path: Path) -> None:
    with running("pass", tmp_path) as process:
        pass
    assert not exceeds(process, tmp_path / "gone")


def test_only_folders_of_our_own_are_removed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (tmp_path / "worker-link").symlink_to(kept)
    (tmp_path / "worker-file").touch()
    left = tmp_path / "worker-left" / "deep"
    left.mkdir(parents=True)
    left.parent.chmod(0o700)
    with temporary_folder(tmp_path) as first, temporary_folder(tmp_path) as second:
        assert first.is_dir()
        assert second.is_dir()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "worker-file", "worker-link"]


def test_a_folder_is_removed_however_deeply_it_is_nested_and_whatever_its_modes_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder := tmp_path / "worker-1").mkdir()
    monkeypatch.chdir(folder)
    for _ in range(300):  # longer than any path may be
        Path("file").touch()
        Path("another folder").mkdir()
        os.chdir("another folder")
    Path().chmod(0)
    monkeypatch.undo()
    folder.chmod(0)
    remove(folder)
    assert list(tmp_path.iterdir()) == []
