"""A file is written whole or not at all, and never through a link."""

import os
import resource
import signal
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from unittest.mock import Mock

import pytest

from autograder.files import OWNER, Member, locked, write_whole, write_zip


@contextmanager
def full_disk(size: int = 1000) -> Iterator[None]:
    """Let no file grow beyond `size` bytes, as if the disk were full then."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


@pytest.mark.parametrize(
    ("content", "expected"),
    [("Zeile\r\nä\n", b"Zeile\r\n\xc3\xa4\n"), (b"\x00\xff\r\n", b"\x00\xff\r\n"), ("", b"")],
)
def test_text_is_written_as_utf_8_and_bytes_as_they_are(
    tmp_path: Path, content: str | bytes, expected: bytes
) -> None:
    path = tmp_path / "file"
    assert write_whole(path, content) == path
    assert path.read_bytes() == expected


def test_what_was_there_is_replaced_and_nothing_else_lies_beside_it(tmp_path: Path) -> None:
    path = write_whole(tmp_path / "a" / "b" / "file.txt", "a long content")
    (tmp_path / "second.txt").hardlink_to(path)
    write_whole(path, "short")
    assert path.read_text(encoding="utf-8") == "short"
    assert list(path.parent.iterdir()) == [path]
    assert (tmp_path / "second.txt").read_text(encoding="utf-8") == "a long content"
    (tmp_path / "plain.txt").touch()
    assert path.stat().st_mode == (tmp_path / "plain.txt").stat().st_mode


@pytest.mark.parametrize(
    ("content", "replace", "error"),
    [
        ("x" * 1_000_000, os.replace, OSError),  # the disk is full
        ("lone surrogate \ud800", os.replace, UnicodeEncodeError),
        ("new", Mock(side_effect=OSError), OSError),
        ("new", Mock(side_effect=KeyboardInterrupt), KeyboardInterrupt),
    ],
    ids=["full disk", "no text", "the last step fails", "interrupted"],
)
def test_whatever_stops_it_leaves_the_old_content_and_no_draft(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    content: str,
    replace: Callable[..., None],
    error: type[BaseException],
) -> None:
    path = write_whole(tmp_path / "file.txt", "old")
    monkeypatch.setattr(os, "replace", replace)
    with full_disk(), pytest.raises(error):
        write_whole(path, content)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("target", ["other.txt", "nowhere.txt"])
def test_a_link_is_replaced_and_not_followed(tmp_path: Path, target: str) -> None:
    other = write_whole(tmp_path / "other.txt", "another's")
    path = tmp_path / "file.txt"
    path.symlink_to(tmp_path / target)
    write_whole(path, "mine")
    assert not path.is_symlink()
    assert path.read_text(encoding="utf-8") == "mine"
    assert other.read_text(encoding="utf-8") == "another's"
    assert sorted(tmp_path.iterdir()) == [path, other]


def test_whoever_comes_second_waits_and_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    order: list[str] = []
    begun = Event()

    def second() -> None:
        begun.set()
        with locked(tmp_path / ".lock"):
            order.append("second")

    with locked(tmp_path / ".lock"):
        other = Thread(target=second)
        other.start()
        begun.wait(60)
        while "waiting until it has finished" not in caplog.text:
            begun.wait(0.01)
        order.append("first")
    other.join(60)
    assert order == ["first", "second"]


def test_a_lock_ends_with_its_block_though_a_process_was_forked_in_it(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    with locked(tmp_path / ".lock"):
        child = os.fork()
        if child == 0:
            os.close(writer)
            os.read(reader, 1)  # until the parent is done
            os._exit(0)
    with locked(tmp_path / ".lock"):
        os.close(writer)
    os.waitpid(child, 0)
    os.close(reader)


def test_a_zip_of_the_same_files_has_the_same_bytes_and_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    large = write_whole(tmp_path / "large", b"x" * 1_000_000)
    members = [Member("b.txt", b"b"), Member("a/run", large, 0o100755, zipfile.ZIP_STORED)]
    path = write_zip(tmp_path / "new" / "one.zip", members, OWNER)
    assert path.stat().st_mode & 0o777 == 0o600
    large.touch()
    assert write_zip(tmp_path / "two.zip", members).read_bytes() == path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        assert [(one.filename, one.external_attr >> 16) for one in archive.infolist()] == [
            ("b.txt", 0o100644),
            ("a/run", 0o100755),
        ]
        assert archive.read("a/run") == large.read_bytes()
    before = path.read_bytes()
    with pytest.raises(FileNotFoundError):
        write_zip(path, [*members, Member("gone", tmp_path / "gone")])
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
