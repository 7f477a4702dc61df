"""Zip archives that mean harm, and zip archives that are merely odd."""

import io
import os
import struct
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograder.collecting.archive import read_entries
from autograder.collecting.entry import ArchiveError
from autograder.tests.collecting.archives import MB, contents, many, problems, refuses, zipped


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
def test_too_many_entries_are_refused_soon(archive: Callable[[bytes], Path], count: int) -> None:
    path = archive(many(count))
    began = time.process_time()
    with pytest.raises(ArchiveError, match="too many entries"):
        list(read_entries(path))
    assert time.process_time() - began < 5


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
