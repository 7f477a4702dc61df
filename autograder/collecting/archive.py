"""Reads zip and tar archives and folders as one stream of entries; nothing is extracted or followed."""

import os
import struct
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO

from autograder.collecting.entry import (
    DAMAGE,
    EXHAUSTION,
    MAX_RATIO,
    PIECE,
    TOO_COSTLY,
    UNSUSPICIOUS,
    ArchiveEntry,
    ArchiveError,
    Bounds,
    EntryError,
    mode_problem,
    open_plain,
    plausible,
    too_large,
    utc,
)
from autograder.collecting.names import is_archive, notebook_stem
from autograder.collecting.tar import read_tar

_NOTEBOOK_ALONE = "is a notebook; put it into a folder named by its student's id, collect the one above"
_MAX_NESTED = 64 << 20  # bytes of an archive in an archive, which is held in memory
_NESTED_ENTRIES, _NESTED_UNPACKED = 200, 100 << 20  # a nested archive is of one student among many
_MAX_DIRECTORY = 8 << 20  # bytes of the list of entries, which zipfile holds in memory
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # zipfile unpacks the others without any bound
_UNIX_TIME = 0x5455
_ZIP_DAMAGE = (*DAMAGE, zipfile.BadZipFile, struct.error, RuntimeError, IndexError)
_IS_DAMAGED = "is damaged; download it again"


def read_entries(path: Path, bounds: Bounds | None = None) -> Iterator[ArchiveEntry]:
    """Yield the files in the archive or folder `path`, and in archives that lie in it, one level deep.

    It raises ArchiveError where it cannot be read, or no further; nothing in it can raise anything else.
    """
    bounds = bounds or Bounds()
    try:
        for entry in read_folder(path, bounds) if path.is_dir() else _read_packed(path, bounds):
            nested = not entry.problem and is_archive(entry.name)
            yield from _read_nested(entry, bounds) if nested else (entry,)
    except OSError as error:
        raise ArchiveError(f"cannot be opened: {error.strerror}") from None
    except EntryError as error:
        raise ArchiveError(str(error)) from None
    except EXHAUSTION:
        raise ArchiveError(TOO_COSTLY) from None


def _read_packed(path: Path, bounds: Bounds) -> Iterator[ArchiveEntry]:
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


def read_folder(root: Path, bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield the files below `root`; a folder that cannot be opened becomes an entry with a problem."""
    folders = [""]  # still to be read, the next one last
    while folders:
        folder = folders.pop()
        try:
            found = sorted(os.scandir(root / folder), key=lambda item: item.name)
        except OSError as error:
            yield ArchiveEntry(folder, problem=f"cannot be opened: {error.strerror}")
            continue
        for item in found:
            bounds.count()
            if not item.is_dir(follow_symlinks=False):
                yield _folder_entry(item, folder + item.name, bounds)
        inner = (item.name for item in reversed(found) if item.is_dir(follow_symlinks=False))
        folders.extend(f"{folder}{name}/" for name in inner)


def _folder_entry(item: "os.DirEntry[str]", name: str, bounds: Bounds) -> ArchiveEntry:
    try:
        about = item.stat(follow_symlinks=False)
    except OSError as error:
        return ArchiveEntry(name, problem=f"cannot be opened: {error.strerror}")
    read = partial(_read_file, item.path, bounds)
    return ArchiveEntry(name, utc(about.st_mtime), read, mode_problem(about.st_mode))


def _read_file(path: str, bounds: Bounds, limit: int) -> bytes:
    try:
        with open_plain(path, os.O_NOFOLLOW) as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise EntryError(f"cannot be opened: {error.strerror}") from None
    if len(data) > limit:
        raise too_large(limit)
    bounds.spend(len(data))
    return data


def read_zip(file: IO[bytes], bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield what a zip archive holds besides folders."""
    try:
        archive = zipfile.ZipFile(_BoundedFile(file))
    except _ZIP_DAMAGE:
        raise ArchiveError(_IS_DAMAGED) from None
    with archive:
        for info in archive.infolist():
            bounds.count()
            name = info.orig_filename  # `filename` ends at the first NUL
            if not name.endswith("/"):
                yield ArchiveEntry(
                    name, _time_in_zip(info), partial(_read_zipped, archive, info, bounds), _zip_problem(info)
                )


class _BoundedFile:
    """A file that returns only so much at once: zipfile reads as many bytes as an archive's end claims."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        if size > _MAX_DIRECTORY:
            raise ArchiveError("holds too many entries; collect it in parts")
        return self._file.read(_MAX_DIRECTORY if size < 0 else size)


def _zip_problem(info: zipfile.ZipInfo) -> str:
    if problem := mode_problem(info.external_attr >> 16):
        return problem
    if info.flag_bits & _ENCRYPTED:
        return "is encrypted; pack it without a password"
    if info.compress_type not in _METHODS:
        return "is packed in an unusual way; make an ordinary zip"
    suspicious = info.file_size > max(UNSUSPICIOUS, info.compress_size * MAX_RATIO)
    return f"unpacks to more than {MAX_RATIO} times its size" if suspicious else ""


def _read_zipped(archive: zipfile.ZipFile, info: zipfile.ZipInfo, bounds: Bounds, limit: int) -> bytes:
    """Return the content, counting the bytes that come rather than those that the header claims."""
    if info.file_size > limit:
        raise too_large(limit)
    content = bytearray()
    try:
        with archive.open(info) as member:
            while piece := member.read(PIECE):
                bounds.spend(len(piece))
                content += piece
                if len(content) > limit:
                    raise too_large(limit)
    except _ZIP_DAMAGE:
        raise EntryError(_IS_DAMAGED) from None
    return bytes(content)


def _time_in_zip(info: zipfile.ZipInfo) -> datetime | None:
    """Return when a file was changed: the UTC time if the zip has one, else a local time without a zone."""
    extra, place = info.extra, 0
    while place + 9 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, place)
        if kind == _UNIX_TIME and size >= 5 and extra[place + 4] & 1:
            return utc(struct.unpack_from("<i", extra, place + 5)[0])
        place += 4 + size
    try:
        return plausible(datetime(*info.date_time))
    except ValueError:
        return None
