"""Archives that mean harm or are merely odd: zips, folders, and zips in them."""

import io
import os
import socket
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.collecting.archive import ArchiveEntry, ArchiveError, Bounds, EntryError, read_entries
from autograder.submission.notebook import MAX_BYTES
from autograder.tests.collecting.archives import (
    MB,
    contents,
    many,
    problems,
    refuses,
    zipped,
)


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_no_archive(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "odd")
    with pytest.raises(ArchiveError, match="neither an archive nor a folder"):
        list(read_entries(tmp_path / "odd"))


def test_too_many_entries_in_a_folder_are_refused(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).touch()
    with pytest.raises(ArchiveError, match="too many entries"):
        list(read_entries(tmp_path, Bounds(entries=1)))


def test_bytes_are_counted_over_all_entries(archive: Callable[[bytes], Path]) -> None:
    path = archive(zipped(a=b"1" * 60, b=b"2" * 60))
    entries = read_entries(path, Bounds(unpacked=100))
    assert next(entries).read(MAX_BYTES) == b"1" * 60
    with pytest.raises(ArchiveError, match="unpacks to too much"):
        next(entries).read(MAX_BYTES)


def test_archives_of_students_are_opened_one_level_deep(archive: Callable[[bytes], Path]) -> None:
    deep = zipped(**{"n.ipynb": b"deep"})
    path = archive(zipped(**{"ada.zip": zipped(**{"n.ipynb": b"1", "more.zip": deep})}))
    assert contents(path) == {"ada.zip/n.ipynb": b"1"}
    assert problems(path)["ada.zip/more.zip"] == "is an archive in an archive in an archive"


@pytest.mark.parametrize(
    ("inner", "problem"),
    [
        (b"no archive", "is no zip archive"),
        (zipped(), "holds no files"),
        (zipped(a=b"1")[:-9], "is damaged"),
        (many(300), "holds too many entries"),
    ],
)
def test_a_student_s_bad_archive_costs_nobody_else(
    archive: Callable[[bytes], Path], inner: bytes, problem: str
) -> None:
    path = archive(zipped(**{"bad.zip": inner, "good.zip": zipped(n=b"1")}))
    assert contents(path)["good.zip/n"] == b"1"
    assert problem in problems(path)["bad.zip"]


def test_the_time_of_a_nested_notebook_is_the_platform_s(archive: Callable[[bytes], Path]) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr(zipfile.ZipInfo("ada.zip", (2026, 3, 2, 18, 0, 0)), zipped(n=b"1"))
    (entry,) = read_entries(archive(file.getvalue()))
    assert entry.when == datetime(2026, 3, 2, 18)  # in a zone that the zip does not name


@pytest.mark.parametrize(
    "content", [b"", b"PK\3\4", b"PK\5\6" + bytes(18), b"\x1f\x8b", b"\0" * 2000, b"text" * 999]
)
def test_any_bytes_end_in_entries_or_one_clear_error(
    archive: Callable[[bytes], Path], content: bytes
) -> None:
    drain(archive(content))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(data=st.data())
def test_damage_ends_in_entries_or_one_clear_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    damaged = bytearray(zipped(**{"a/n.ipynb": b"12" * 99, "b.zip": zipped(n=b"1")}))
    places = st.integers(0, len(damaged) - 1)
    for place, value in data.draw(st.lists(st.tuples(places, st.integers(0, 255)), max_size=4)):
        damaged[place] = value
    cut = data.draw(places)
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(bytes(damaged[: cut or None]))
    drain(path)


def drain(path: Path) -> None:
    def all_of(entries: Iterator[ArchiveEntry]) -> None:
        for entry in entries:
            try:
                assert len(entry.read(MAX_BYTES)) <= MAX_BYTES
            except EntryError:
                continue

    try:
        all_of(read_entries(path))
    except ArchiveError as error:
        assert str(error)  # noqa: PT017 - one of two right endings


def test_a_zip_is_read(archive: Callable[[bytes], Path]) -> None:
    assert contents(archive(zipped(**{"a/b.ipynb": b"1", "c": b""}))) == {"a/b.ipynb": b"1", "c": b""}


@pytest.mark.parametrize(
    ("mode", "problem"),
    [(0o120777, "is a link"), (0o010644, "is a pipe"), (0o020666, "is a device"), (0o160000, "is no file")],
)
def test_zips_hold_plain_files_only(archive: Callable[[bytes], Path], mode: int, problem: str) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        info = zipfile.ZipInfo("odd.ipynb")
        info.external_attr = mode << 16
        made.writestr(info, "/etc/passwd")
        made.writestr("after.ipynb", "2")
    assert problems(archive(file.getvalue())) == {"odd.ipynb": problem, "after.ipynb": ""}


def test_a_bomb_in_a_zip_is_seen_by_its_header(archive: Callable[[bytes], Path]) -> None:
    bomb = zipped(**{"bomb.ipynb": bytes(50 * MB), "after.ipynb": b"2"})
    assert len(bomb) < 52_000
    path = archive(bomb)
    assert problems(path) == {"bomb.ipynb": "unpacks to more than 600 times its size", "after.ipynb": ""}
    assert contents(path) == {"after.ipynb": b"2"}


@pytest.mark.parametrize("claimed", [10, 300_000])
def test_a_bomb_that_lies_about_its_size_is_cut(archive: Callable[[bytes], Path], claimed: int) -> None:
    bomb = bytearray(zipped(**{"bomb.ipynb": bytes(50 * MB)}))
    for start, place in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
        struct.pack_into("<I", bomb, bomb.index(start) + place, claimed)
    (entry,) = read_entries(archive(bytes(bomb)))
    tracemalloc.start()
    try:
        assert refuses(entry) == "is damaged; download it again"
        assert tracemalloc.get_traced_memory()[1] < 5 * MB
    finally:
        tracemalloc.stop()


def test_what_comes_counts_and_not_what_a_header_claims(archive: Callable[[bytes], Path]) -> None:
    (entry,) = read_entries(archive(zipped(**{"n.ipynb": os.urandom(3 * MB)})))
    assert refuses(entry, 2 * MB) == "is larger than 2 MB"


def test_a_zip_of_few_entries_made_that_way_is_read(archive: Callable[[bytes], Path]) -> None:
    assert len(list(read_entries(archive(many(3))))) == 3


@pytest.mark.parametrize("count", [100_000, 2_000_000])
def test_too_many_entries_are_refused(archive: Callable[[bytes], Path], count: int) -> None:
    path = archive(many(count))
    with pytest.raises(ArchiveError, match="too many entries"):
        list(read_entries(path))


@pytest.mark.parametrize(
    ("extra", "when"),
    [
        (struct.pack("<HHBi", 0x5455, 5, 1, 1_700_000_000), datetime.fromtimestamp(1_700_000_000, UTC)),
        (struct.pack("<HHBi", 0x5455, 5, 0, 1_700_000_000), None),  # no modification time in it
        (struct.pack("<HHBi", 0x5455, 5, 1, 0), None),
    ],
)
def test_a_zip_s_own_utc_time_is_preferred(
    archive: Callable[[bytes], Path], extra: bytes, when: datetime | None
) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        info = zipfile.ZipInfo("n")  # of 1980, when nothing was handed in
        info.extra = extra
        made.writestr(info, "1")
    (entry,) = read_entries(archive(file.getvalue()))
    assert entry.when == when


def test_encrypted_and_unusually_packed_entries_are_refused(archive: Callable[[bytes], Path]) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("a", "1")
        made.writestr("b", "2", zipfile.ZIP_BZIP2)
        made.writestr("c", "3", zipfile.ZIP_LZMA)
        made.writestr("d", "4")
    content = bytearray(file.getvalue())
    content[content.index(b"PK\1\2") + 8] |= 1
    found = problems(archive(bytes(content)))
    assert found["a"] == "is encrypted; pack it without a password"
    assert found["b"] == found["c"] == "is packed in an unusual way; make an ordinary zip"
    assert not found["d"]


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
