"""Reads zip and tar archives and folders as one stream of entries; nothing is extracted or followed."""

import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO

from autograder.collecting.entry import (
    FREE,
    MAX_NESTED,
    MAX_RATIO,
    PIECE,
    ArchiveEntry,
    ArchiveError,
    Bounds,
    EntryError,
    is_archive,
    plausible,
    too_large,
    utc,
)
from autograder.collecting.tar import read_tar

_MAX_DIRECTORY = 8 << 20  # bytes of a zip's list of entries, which zipfile holds in memory
_NESTED_ENTRIES, _NESTED_UNPACKED = 200, 100 << 20  # a student's, who is one of many
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others unpack without any bound
_UNIX_TIME = 0x5455
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,  # NotImplementedError too
    IndexError,
    struct.error,
)


def read_entries(path: Path, bounds: Bounds | None = None) -> Iterator[ArchiveEntry]:
    """Yield the files in the archive or folder `path`, and in archives that lie in it, one level deep.

    ArchiveError says that it cannot be read, or no further; nothing in it can raise anything else.
    """
    bounds = bounds or Bounds()
    try:
        if path.is_dir():
            yield from _unpacked(_folder(path, bounds), bounds)
        else:
            with os.fdopen(_open_plain(path), "rb") as file:
                size = os.fstat(file.fileno()).st_size
                yield from _unpacked(_archive(file, size, bounds), bounds)
    except OSError as error:
        raise ArchiveError(f"cannot be opened: {error.strerror}") from None
    except EntryError as error:
        raise ArchiveError(str(error)) from None


def _unpacked(entries: Iterator[ArchiveEntry], bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield the entries; in the place of an archive, what it holds."""
    for entry in entries:
        if not entry.fault and is_archive(entry.name):
            yield from _nested(entry, bounds)
        else:
            yield entry


def _nested(entry: ArchiveEntry, outer: Bounds) -> Iterator[ArchiveEntry]:
    """Yield what an archive in an archive holds; a fault of it stops nothing else."""
    bounds = Bounds(_NESTED_ENTRIES, _NESTED_UNPACKED, outer)
    try:
        data = entry.read(MAX_NESTED)
        for inner in _archive(BytesIO(data), len(data), bounds):
            deeper = "is an archive in an archive in an archive" if is_archive(inner.name) else ""
            fault = inner.fault or deeper
            yield replace(inner, name=entry.name, inside=inner.name, when=entry.when, fault=fault)
    except (ArchiveError, EntryError) as error:
        if outer.entries < 0 or outer.unpacked < 0:
            raise
        yield replace(entry, fault=str(error))


def _archive(file: IO[bytes], size: int, bounds: Bounds) -> Iterator[ArchiveEntry]:
    start = file.read(4)
    file.seek(0)
    if start in (b"PK\3\4", b"PK\5\6"):
        return _zip(file, bounds)
    return read_tar(file, size, bounds)


class _Bounded:
    """A file that hands out only so much at once: zipfile asks for whatever an archive's end tells it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek = file.seek
        self.tell = file.tell
        self.seekable = file.seekable

    def read(self, size: int = -1) -> bytes:
        """Return so many bytes, or all that are left."""
        if size > _MAX_DIRECTORY:
            raise ArchiveError("holds too many entries; collect it in parts")
        return self._file.read(_MAX_DIRECTORY if size < 0 else size)


def _zip(file: IO[bytes], bounds: Bounds) -> Iterator[ArchiveEntry]:
    try:
        archive = zipfile.ZipFile(_Bounded(file))
    except _DAMAGE:
        raise ArchiveError("is damaged; download it again") from None
    with archive:
        for info in archive.infolist():
            bounds.count()
            name = info.orig_filename  # `filename` has been cut at a NUL
            if not name.endswith("/"):
                read = partial(_read_member, archive, info, bounds)
                yield ArchiveEntry(name, _zip_time(info), read, _zip_fault(info))


def _zip_fault(info: zipfile.ZipInfo) -> str:
    mode = info.external_attr >> 16
    if fault := _kind_fault(mode):
        return fault
    if info.flag_bits & _ENCRYPTED:
        return "is encrypted; pack it without a password"
    if info.compress_type not in _METHODS:
        return "is packed in an unusual way; make an ordinary zip"
    if info.file_size > max(FREE, info.compress_size * MAX_RATIO):
        return f"unpacks to more than {MAX_RATIO} times its size"
    return ""


def _kind_fault(mode: int) -> str:
    """Return what a file's mode says against it; a mode without a kind says nothing."""
    kinds = {0: "", stat.S_IFREG: "", stat.S_IFLNK: "is a link", stat.S_IFIFO: "is a pipe"}
    devices = {stat.S_IFCHR: "is a device", stat.S_IFBLK: "is a device", stat.S_IFSOCK: "is a socket"}
    return (kinds | devices).get(stat.S_IFMT(mode), "is no file")


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, bounds: Bounds, limit: int) -> bytes:
    """Return what a file in a zip holds, counting what comes and not what its header claims."""
    if info.file_size > limit:
        raise too_large(limit)
    pieces, size = [], 0
    try:
        with archive.open(info) as member:
            while piece := member.read(PIECE):
                bounds.spend(len(piece))
                pieces.append(piece)
                size += len(piece)
                if size > limit:
                    raise too_large(limit)
    except _DAMAGE:
        raise EntryError("is damaged; download it again") from None
    return b"".join(pieces)


def _zip_time(info: zipfile.ZipInfo) -> datetime | None:
    """Return when a file was handed in: in UTC where the zip has that, else as if its clock were so."""
    extra, place = info.extra, 0
    while place + 9 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, place)
        if kind == _UNIX_TIME and size >= 5 and extra[place + 4] & 1:
            return utc(struct.unpack_from("<i", extra, place + 5)[0])
        place += 4 + size
    try:
        return plausible(datetime(*info.date_time, tzinfo=UTC))
    except ValueError:
        return None


def _folder(root: Path, bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield the files below `root`, in order; a folder that cannot be read is an entry with a fault."""
    folders = [""]  # the next one last
    while folders:
        below = folders.pop()
        try:
            found = sorted(os.scandir(root / below), key=lambda item: item.name)
        except OSError as error:
            yield ArchiveEntry(below, None, _nothing, f"cannot be opened: {error.strerror}")
            continue
        inner = [item.name for item in found if item.is_dir(follow_symlinks=False)]
        folders.extend(f"{below}{name}/" for name in reversed(inner))
        known = set(inner)
        for name in (item.name for item in found):
            bounds.count()
            if name not in known:
                yield _file(root, below + name, bounds)


def _file(root: Path, name: str, bounds: Bounds) -> ArchiveEntry:
    try:
        about = (root / name).lstat()
    except OSError as error:
        return ArchiveEntry(name, None, _nothing, f"cannot be opened: {error.strerror}")
    read = partial(_read_plain, root / name, bounds)
    return ArchiveEntry(name, utc(about.st_mtime), read, _kind_fault(about.st_mode))


def _read_plain(path: Path, bounds: Bounds, limit: int) -> bytes:
    try:
        with os.fdopen(_open_plain(path, os.O_NOFOLLOW), "rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise EntryError(f"cannot be opened: {error.strerror}") from None
    if len(data) > limit:
        raise too_large(limit)
    bounds.spend(len(data))
    return data


def _open_plain(path: Path, flags: int = 0) -> int:
    """Return a descriptor of a plain file; a pipe makes nobody wait."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise EntryError("is neither an archive nor a folder")


def _nothing(_: int) -> bytes:
    return b""
