"""Reads zip and tar archives and folders as one stream of entries; nothing is extracted or followed."""

import os
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import IO

from autograder.collecting.bounds import EXHAUSTION, TOO_COSTLY, ArchiveError, Bounds
from autograder.collecting.entry import ArchiveEntry, EntryError
from autograder.collecting.folder import open_plain, read_folder
from autograder.collecting.names import is_archive, notebook_stem
from autograder.collecting.tar import read_tar
from autograder.collecting.zip import read_zip

_NOTEBOOK_ALONE = "is a notebook; put it into a folder named by its student's id, collect the one above"
_MAX_NESTED = 64 << 20  # bytes of an archive in an archive, which is held in memory
_NESTED_ENTRIES, _NESTED_UNPACKED = 200, 100 << 20  # a nested archive is of one student among many


def read_entries(path: Path, bounds: Bounds | None = None) -> Iterator[ArchiveEntry]:
    """Yield the files in the archive or folder `path`, and in archives that lie in it, one level deep.

    It raises ArchiveError where it cannot be read, or no further; nothing in it can raise anything else.
    """
    bounds = bounds or Bounds()
    try:
        for entry in read_folder(path, bounds) if path.is_dir() else _read_file(path, bounds):
            nested = not entry.problem and is_archive(entry.name)
            yield from _read_nested(entry, bounds) if nested else (entry,)
    except OSError as error:
        raise ArchiveError(f"cannot be opened: {error.strerror}") from None
    except EntryError as error:
        raise ArchiveError(str(error)) from None
    except EXHAUSTION:
        raise ArchiveError(TOO_COSTLY) from None


def _read_file(path: Path, bounds: Bounds) -> Iterator[ArchiveEntry]:
    if notebook_stem(path.name) is not None:
        raise ArchiveError(_NOTEBOOK_ALONE)
    with open_plain(path) as file:
        yield from _read_archive(file, os.fstat(file.fileno()).st_size, bounds)


def _read_nested(entry: ArchiveEntry, outer: Bounds) -> Iterator[ArchiveEntry]:
    """Yield what an archive in an archive holds; whatever is wrong with it stops nothing else."""
    bounds, empty = Bounds(_NESTED_ENTRIES, _NESTED_UNPACKED, outer), True
    try:
        data = entry.read(_MAX_NESTED)
        for inner in _read_archive(BytesIO(data), len(data), bounds):
            deeper = "is an archive in an archive in an archive" if is_archive(inner.name) else ""
            problem, empty = inner.problem or deeper, False
            yield replace(inner, name=entry.name, inside=inner.name, when=entry.when, problem=problem)
        if empty:
            raise EntryError("holds no files")
    except (ArchiveError, EntryError) as error:
        if outer.entries < 0 or outer.unpacked < 0:
            raise
        yield replace(entry, problem=str(error))
    except EXHAUSTION:
        yield replace(entry, problem=TOO_COSTLY)


def _read_archive(file: IO[bytes], size: int, bounds: Bounds) -> Iterator[ArchiveEntry]:
    start = file.read(4)
    file.seek(0)
    return read_zip(file, bounds) if start in (b"PK\3\4", b"PK\5\6") else read_tar(file, size, bounds)
