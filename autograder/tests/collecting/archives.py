"""Archives for tests, made as they should be or as they should not, and what is read of them."""

import gzip
import io
import struct
import tarfile
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from autograder.collecting.archive import ArchiveEntry, EntryError, read_entries
from autograder.submission.notebook import MAX_BYTES

MB = 1 << 20


def zipped(**files: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, **more: object) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type = kind
    for key, value in more.items():
        setattr(made, key, value)
    return made


def tarred(*members: tarfile.TarInfo, form: int = tarfile.PAX_FORMAT) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=form) as archive:
        for each in members:
            archive.addfile(each, io.BytesIO(b"x" * each.size))
    return file.getvalue()


def contents(path: Path) -> dict[str, bytes]:
    found = {}
    for entry in read_entries(path):
        with suppress(EntryError):
            if not entry.problem:
                found[entry.path] = entry.read(MAX_BYTES)
    return found


def problems(path: Path) -> dict[str, str]:
    return {entry.path: entry.problem for entry in read_entries(path)}


def refuses(entry: ArchiveEntry, limit: int = MAX_BYTES) -> str:
    with pytest.raises(EntryError) as caught:
        entry.read(limit)
    return str(caught.value)


def many(count: int) -> bytes:
    """Return a zip of `count` entries that all share one empty file."""
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 33, 0, 0, 0, 1, 0) + b"n"
    one = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 0, 0, 33, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"n"
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0, 0, len(one) * count, len(local), 0)
    return local + one * count + end


def packed_tar() -> bytes:
    return gzip.compress(tarred(member("n.ipynb", size=1)))


SPARSE_MAP = b"1\n0\n512\n".ljust(512, b"\0")


def old_sparse() -> bytes:
    header = bytearray(member("old", tarfile.GNUTYPE_SPARSE, size=512).tobuf(tarfile.GNU_FORMAT))
    header[386:410] = b"%011o\0%011o\0" % (0, 512)
    header[483:495] = b"%011o\0" % (1 << 30)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + bytes(512)


def new_sparse() -> bytes:
    sparse = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(1 << 30)}
    header = member("new", size=1024, pax_headers=sparse).tobuf(tarfile.PAX_FORMAT)
    return header + SPARSE_MAP + bytes(512)
