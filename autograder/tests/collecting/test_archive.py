"""Archives in archives, broken ones, and bounds that hold for all kinds."""

import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.collecting.archive import read_entries
from autograder.collecting.entry import ArchiveEntry, ArchiveError, Bounds, EntryError
from autograder.submission.notebook import MAX_BYTES
from autograder.tests.collecting.archives import (
    MB,
    contents,
    many,
    member,
    new_sparse,
    old_sparse,
    packed_tar,
    problems,
    tarred,
    zipped,
)


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_no_archive(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "odd")
    with pytest.raises(ArchiveError, match="neither an archive nor a folder"):
        list(read_entries(tmp_path / "odd"))


def test_too_many_entries_in_a_tar_and_a_folder_are_refused(
    archive: Callable[[bytes], Path], tmp_path: Path
) -> None:
    path = archive(gzip.compress(tarred(*map(member, "abcdef"))))
    for place in (path, tmp_path):
        (tmp_path / "other").touch()
        with pytest.raises(ArchiveError, match="too many entries"):
            list(read_entries(place, Bounds(entries=1)))


def test_bytes_are_counted_over_all_entries(archive: Callable[[bytes], Path]) -> None:
    path = archive(zipped(a=b"1" * 60, b=b"2" * 60))
    entries = read_entries(path, Bounds(unpacked=100))
    assert next(entries).read(MAX_BYTES) == b"1" * 60
    with pytest.raises(ArchiveError, match="unpacks to too much"):
        next(entries).read(MAX_BYTES)


def test_archives_of_students_are_opened_one_level_deep(archive: Callable[[bytes], Path]) -> None:
    deep = zipped(**{"n.ipynb": b"deep"})
    path = archive(
        zipped(**{"ada.zip": zipped(**{"n.ipynb": b"1", "more.zip": deep}), "bob.tgz": packed_tar()})
    )
    assert contents(path) == {"ada.zip/n.ipynb": b"1", "bob.tgz/n.ipynb": b"x"}
    assert problems(path)["ada.zip/more.zip"] == "is an archive in an archive in an archive"


@pytest.mark.parametrize(
    ("inner", "problem"),
    [
        (b"no archive", "is no zip or tar archive"),
        (zipped(a=b"1")[:-9], "is damaged"),
        (many(300), "holds too many entries"),
        (gzip.compress(bytes(512) * 9)[:20], "is damaged"),
        (gzip.compress(member("n", size=90 * MB).tobuf() + bytes(90 * MB)), "600 times"),
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


@pytest.mark.parametrize(
    "whole",
    [
        zipped(**{"a/n.ipynb": b"12" * 99, "b.zip": zipped(n=b"1")}),
        packed_tar(),
        tarred(member("n" * 200, size=1, mtime=1.5)),
        tarred(member("n" * 200, size=1), form=tarfile.GNU_FORMAT),
        old_sparse() + new_sparse(),
        lzma.compress(tarred(member("n"))),
    ],
    ids=["zip", "tar.gz", "pax", "gnu", "sparse", "xz"],
)
@settings(max_examples=150, deadline=None, derandomize=True)
@given(data=st.data())
def test_damage_ends_in_entries_or_one_clear_error(
    whole: bytes, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    damaged = bytearray(whole)
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
