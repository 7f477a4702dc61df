"""Tar archives that mean harm, and tar archives that are merely odd."""

import gzip
import tarfile
import time
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograder.collecting.archive import read_entries
from autograder.collecting.entry import ArchiveError
from autograder.tests.collecting.archives import (
    MB,
    SPARSE_MAP,
    contents,
    member,
    new_sparse,
    old_sparse,
    problems,
    refuses,
    tarred,
)


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_very_long_names_and_times_come_from_extended_headers(
    archive: Callable[[bytes], Path], form: int
) -> None:
    name = "Zoë/" + "n" * 300
    (entry,) = read_entries(archive(tarred(member(name, size=3, mtime=1_700_000_000), form=form)))
    assert entry.name == name
    assert entry.when == datetime.fromtimestamp(1_700_000_000, UTC)


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (tarfile.SYMTYPE, "is a link"),
        (tarfile.LNKTYPE, "is a hard link"),
        (tarfile.CHRTYPE, "is a device"),
        (tarfile.BLKTYPE, "is a device"),
        (tarfile.FIFOTYPE, "is a pipe"),
        (b"Z", "is of an unknown kind"),
    ],
)
def test_tars_hold_plain_files_only(archive: Callable[[bytes], Path], kind: bytes, problem: str) -> None:
    odd = member("odd.ipynb", kind, linkname="/etc/passwd")
    path = archive(tarred(odd, member("after.ipynb", size=2)))
    assert problems(path) == {"odd.ipynb": problem, "after.ipynb": ""}


def test_a_large_file_in_a_tar_is_passed(archive: Callable[[bytes], Path]) -> None:
    path = archive(tarred(member("data.bin", size=21 * MB), member("n.ipynb", size=1)))
    large, small = read_entries(path)
    found = {}
    for entry in read_entries(path):
        found[entry.name] = refuses(entry) if entry.name == large.name else entry.read(9).decode()
    assert found == {"data.bin": "is larger than 20 MB", "n.ipynb": "x"}
    assert small.name == "n.ipynb"


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_no_header_of_a_tar_can_ask_for_memory(archive: Callable[[bytes], Path], kind: bytes) -> None:
    header = member("n", kind, size=7 << 30).tobuf(tarfile.GNU_FORMAT)
    with pytest.raises(ArchiveError, match="too long"):
        list(read_entries(archive(header + bytes(4096))))


@pytest.mark.parametrize("size", [-512, -1])
def test_no_entry_of_a_tar_leads_backwards(archive: Callable[[bytes], Path], size: int) -> None:
    header = bytearray(member("n").tobuf(tarfile.GNU_FORMAT))
    header[124:136] = (size % (1 << 96)).to_bytes(12, "big")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    with pytest.raises(ArchiveError, match="less than no bytes"):
        list(read_entries(archive(bytes(header) + bytes(4096))))


def test_sparse_files_are_not_read_but_what_follows_is(archive: Callable[[bytes], Path]) -> None:
    path = archive(old_sparse() + new_sparse() + tarred(member("after.ipynb", size=1)))
    assert problems(path) == {"old": "is a sparse file", "new": "is a sparse file", "after.ipynb": ""}
    assert contents(path) == {"after.ipynb": b"x"}


@pytest.mark.parametrize("sparse_map", [b"1\n" * 256, b"9" * 512, b"999999999\n".ljust(512, b"1")])
def test_a_sparse_file_s_map_cannot_ask_for_memory(
    archive: Callable[[bytes], Path], sparse_map: bytes
) -> None:
    header = new_sparse()[: -512 - len(SPARSE_MAP)]
    bomb = gzip.compress(header + sparse_map * 80_000)
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveError):
            list(read_entries(archive(bomb)))
        assert tracemalloc.get_traced_memory()[1] < 20 * MB
    finally:
        tracemalloc.stop()


def pax(records: bytes, kind: bytes = tarfile.XHDTYPE) -> bytes:
    return member("n", kind, size=len(records)).tobuf() + records.ljust(-(-len(records) // 512) * 512, b"\0")


@pytest.mark.parametrize(
    "records",
    [
        b"1" * 64_000,
        b"2 " * 30_000 + b"=",
        b"0" * 60_000 + b" a=",
        b"5 a=b\n",
        b"99999 path=n\n",
        b"path=n\n",
    ],
    ids=["number", "overlap", "zeros", "short", "long", "none"],
)
def test_records_of_a_tar_that_make_no_sense_cost_no_time(
    archive: Callable[[bytes], Path], records: bytes
) -> None:
    began = time.process_time()
    with pytest.raises(ArchiveError, match="header that cannot be read"):
        list(read_entries(archive(pax(records) + tarred(member("n", size=1)))))
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE])
def test_headers_on_headers_end_in_one_clear_error(archive: Callable[[bytes], Path], kind: bytes) -> None:
    with pytest.raises(ArchiveError, match="too long"):
        list(read_entries(archive(pax(b"9 aaa=bb\n", kind) * 5000)))


def test_very_long_names_take_no_memory(archive: Callable[[bytes], Path]) -> None:
    path = archive(gzip.compress(tarred(*[member("n" * 60_000)] * 300, form=tarfile.GNU_FORMAT)))
    tracemalloc.start()
    try:
        assert len({entry.name for entry in [*read_entries(path)]}) == 1
        assert tracemalloc.get_traced_memory()[1] < 2 * MB
    finally:
        tracemalloc.stop()


def test_what_a_global_header_says_is_kept_with_no_entry(archive: Callable[[bytes], Path]) -> None:
    records = b"".join(b"16 k%08d=bb\n" % number for number in range(90))
    one = pax(records, tarfile.XGLTYPE) + tarred(member("n", size=1))[:1024]
    path = archive(gzip.compress(one * 300))
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_entries(path)) == 300
        assert tracemalloc.get_traced_memory()[1] < MB
    finally:
        tracemalloc.stop()


def test_a_damaged_header_does_not_pass_for_the_end(archive: Callable[[bytes], Path]) -> None:
    content = bytearray(tarred(member("a", size=1), member("b", size=1)))
    content[1024] ^= 1
    entries = read_entries(archive(bytes(content)))
    assert next(entries).name == "a"
    with pytest.raises(ArchiveError, match="damaged"):
        next(entries)
