"""What lies around a tar archive is unpacked, but not without bounds."""

import bz2
import gzip
import lzma
import struct
import tarfile
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.collecting.archive import read_entries
from autograder.collecting.entry import ArchiveError
from autograder.tests.collecting.archives import (
    MB,
    contents,
    member,
    tarred,
)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_a_tar_is_read_however_it_is_packed(
    archive: Callable[[bytes], Path], pack: Callable[[bytes], bytes], form: int
) -> None:
    long = "/".join(["ordner"] * 12) + "/b.ipynb"
    path = archive(pack(tarred(member("a.ipynb", size=512), member(long, size=700), form=form)))
    assert contents(path) == {"a.ipynb": b"x" * 512, long: b"x" * 700}


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_bomb_around_a_tar_ends_its_reading(
    archive: Callable[[bytes], Path], pack: Callable[[bytes], bytes]
) -> None:
    whole = tarred(member("before.ipynb", size=2)) + b""
    header = member("bomb.ipynb", size=60 * MB).tobuf()
    bomb = pack(whole[:1024] + header + bytes(60 * MB))
    read: list[str] = []
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveError, match="unpacks to more than 600 times its size"):
            read.extend(entry.name for entry in read_entries(archive(bomb)))
        assert tracemalloc.get_traced_memory()[1] < 30 * MB
    finally:
        tracemalloc.stop()
    assert read == ["before.ipynb", "bomb.ipynb"]


def xz_asking_for(dictionary: int) -> bytes:
    """Return an xz file whose block header asks for a dictionary of this code; 40 means 4 GB."""
    packed = bytearray(lzma.compress(tarred(member("n.ipynb", size=1))))
    header = slice(12, 12 + 4 * packed[12])
    packed[header.start + 4] = dictionary
    struct.pack_into("<I", packed, header.stop, zlib.crc32(packed[header]))
    return bytes(packed)


def test_no_xz_file_can_ask_for_much_memory(archive: Callable[[bytes], Path]) -> None:
    assert contents(archive(xz_asking_for(28))) == {"n.ipynb": b"x"}  # 64 MB, as `xz -9` does
    with pytest.raises(ArchiveError, match="only with much memory"):
        list(read_entries(archive(xz_asking_for(40))))


def test_an_xz_file_of_several_streams_is_read(archive: Callable[[bytes], Path]) -> None:
    whole = tarred(member("n.ipynb", size=70_000))
    parts = [
        lzma.compress(whole[start : start + 30_000]) + bytes(4) for start in range(0, len(whole), 30_000)
    ]
    assert contents(archive(b"".join(parts))) == {"n.ipynb": b"x" * 70_000}
