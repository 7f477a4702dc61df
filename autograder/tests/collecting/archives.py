"""Archives for tests, made as they should be or as they should not, and what is read of them."""

import io
import struct
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
