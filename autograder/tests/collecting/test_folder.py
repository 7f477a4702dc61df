"""Folders are read in order, and no link in them is followed."""

import os
import socket
from pathlib import Path

from autograder.collecting.archive import read_entries
from autograder.tests.collecting.archives import contents, problems, refuses


def test_a_folder_is_read_in_order(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "n.ipynb").write_bytes(name.encode())
    assert list(contents(tmp_path).items()) == [("a/n.ipynb", b"a"), ("b/n.ipynb", b"b")]


def test_folders_hold_plain_files_only_and_a_pipe_makes_nobody_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "loop").symlink_to(tmp_path)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(tmp_path / "door"))
        found = problems(tmp_path)
    assert found == {
        "pipe": "is a pipe",
        "link": "is a link",
        "loop": "is a link",
        "door": "is a socket",
    }


def test_a_file_that_becomes_a_link_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text("mine", encoding="utf-8")
    (entry,) = read_entries(tmp_path)
    path.unlink()
    path.symlink_to("/etc/passwd")
    assert refuses(entry).startswith("cannot be opened")
