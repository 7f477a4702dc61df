"""Reads zip and tar archives and folders as one stream of entries; nothing is extracted or followed.

zipfile and tarfile parse the headers, from files that give them no more bytes than headers need. All bytes
are counted as they come, whatever a header claims.
"""

import gzip
import io
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, cast

from autograder.collecting.names import MAX_NAME, is_archive, notebook_stem, plausible, with_folders
from autograder.errors import AutograderError
from autograder.submission.notebook import (
    MAX_BYTES,
    MAX_WITH_OUTPUTS,
    open_folder,
    open_plain,
    without_large_outputs,
)

_MAX_RATIO = 600  # of unpacked bytes to packed ones; one line that is printed again and again reaches 500
_UNSUSPICIOUS = 1 << 20  # bytes that may be unpacked whatever their ratio
_PIECE = 1 << 16  # bytes that are unpacked at a time
_MAX_NESTED = 64 << 20  # bytes of an archive in an archive, which is held in memory
_NESTED_ENTRIES, _NESTED_UNPACKED = 200, 100 << 20  # a nested archive is of one student among many
_MAX_DIRECTORY = 8 << 20  # bytes of the list of entries, which zipfile holds in memory
# Bytes of all the headers that describe one entry of a tar. With more, tarfile before 3.11.10 may take hours.
_MAX_HEADERS = 1 << 14
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # zipfile unpacks the others without any bound
_UNIX_TIME = 0x5455
_UTF8 = 0x800
_OLD_ENCODINGS = ("cp850", "cp437", "cp1252")  # in the order in which they are tried
# What reading damaged bytes raises.
_BAD_VALUES = (OSError, EOFError, ValueError, IndexError, RuntimeError, OverflowError)
_DAMAGE = (*_BAD_VALUES, zlib.error, zipfile.BadZipFile, struct.error, tarfile.TarError)
EXHAUSTION = (MemoryError, RecursionError)  # what a file that the bounds let through may still cause
TOO_COSTLY = "takes more memory than there is; collect it manually"
_DAMAGED = "is damaged; download it again"
_NO_ARCHIVE = "is no zip or tar archive, or a damaged one; download it again"
_TOO_MANY = "holds too many entries; collect it in parts"
_NOTEBOOK_ALONE = "is a notebook; put it into a folder named by its student's id, collect the one above"
_MAX_DEPTH = 100  # folders in each other, all of which are open at once
_TOO_DEEP = f"lies in more than {_MAX_DEPTH} folders; put it into fewer"
_LINK, _NO_FILE = "is a link", "is no plain file"


class ArchiveError(AutograderError):
    """The archive cannot be read, or no further; the message says why and what to do."""


class EntryError(AutograderError):
    """One entry cannot be taken; the message says why."""


@dataclass(slots=True)
class Bounds:
    """How much may still be read; what is read from a nested archive counts for the outer one too."""

    entries: int = 20_000
    unpacked: int = 4 << 30  # bytes, read or skipped
    outer: "Bounds | None" = None

    def count(self) -> None:
        """Count an entry."""
        self.entries -= 1
        if self.entries < 0:
            raise ArchiveError(_TOO_MANY)
        if self.outer is not None:
            self.outer.count()

    def spend(self, size: int) -> None:
        """Count bytes that were unpacked."""
        self.unpacked -= size
        if self.unpacked < 0:
            raise ArchiveError("unpacks to too much; collect it in parts, without large files")
        if self.outer is not None:
            self.outer.spend(size)


def unreadable(_: int, problem: str = "is not open") -> bytes:
    """Read nothing."""
    raise EntryError(problem)


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """A file, or something in the place of one; `read` works until the next entry is asked for."""

    name: str
    # As the archive says, without a zone if it names none; in a nested archive, the time of that archive.
    when: datetime | None = None
    read: Callable[[int], bytes] = unreadable  # returns at most so many bytes, or raises EntryError
    problem: str = ""  # why it must not be read
    inside: str = ""  # its name in the nested archive `name`
    others: tuple[str, ...] = ()  # how other old encodings read `name`, if the zip does not tell which it is

    @property
    def path(self) -> str:
        """Its name for people."""
        return f"{self.name}/{self.inside}" if self.inside else self.name

    def read_notebook(self) -> bytes:
        """Return a notebook's bytes, without its outputs where they are large."""
        try:
            content = without_large_outputs(self.read(MAX_WITH_OUTPUTS))
        except EXHAUSTION:
            raise EntryError(TOO_COSTLY) from None
        if len(content) > MAX_BYTES:
            raise EntryError(f"is larger than {MAX_BYTES >> 20} MB without its outputs")
        return content


def _mode_problem(mode: int) -> str:
    """Return why a file of this mode is not read; a mode that names no kind of file is no reason."""
    if stat.S_ISLNK(mode):
        return _LINK
    return "" if stat.S_IFMT(mode) in (0, stat.S_IFREG) else _NO_FILE


def _refuse_size(size: int, limit: int) -> None:
    if size > limit:
        raise EntryError(f"is larger than {limit >> 20} MB")


def _utc(seconds: float) -> datetime | None:
    """Return the time so many seconds after the beginning of 1970, if it is plausible."""
    try:
        return plausible(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def read_entries(path: Path, bounds: Bounds | None = None) -> Iterator[ArchiveEntry]:
    """Yield the files in the archive or folder `path`, and in archives that lie in it, one level deep.

    It raises ArchiveError where it cannot be read, or no further; nothing in it can raise anything else.
    """
    bounds = bounds or Bounds()
    try:
        for entry in _read_folder(path, bounds) if path.is_dir() else _read_packed(path, bounds):
            nested = not entry.problem and is_archive(entry.name)
            yield from _read_nested(entry, bounds) if nested else (entry,)
    except OSError as error:
        raise ArchiveError(f"cannot be opened: {error.strerror}") from None
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
        for inner in _read_archive(io.BytesIO(data), len(data), bounds):
            deeper = "is an archive in an archive in an archive" if is_archive(inner.name) else ""
            problem, empty = inner.problem or deeper, False
            yield replace(inner, name=entry.name, inside=inner.name, when=entry.when, problem=problem)
        if empty:
            raise EntryError("holds no files")
    except (ArchiveError, EntryError) as error:
        yield replace(entry, problem=str(error))
    except EXHAUSTION:
        yield replace(entry, problem=TOO_COSTLY)


def _read_archive(file: IO[bytes], size: int, bounds: Bounds) -> Iterator[ArchiveEntry]:
    start = file.read(4)
    file.seek(0)
    if start in (b"PK\3\4", b"PK\5\6"):
        yield from read_zip(file, bounds)
    elif start[:2] == b"\x1f\x8b":
        with _unpacked(file, size, bounds) as whole:
            yield from _read_tar(whole, bounds)
    else:
        yield from _read_tar(file, bounds)


def _read_folder(root: Path, bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield the files below `root`, which may be a link; no other link is followed."""
    try:
        with open_folder(root, 0) as folder:
            yield from _read_opened(folder, "", bounds)
    except OSError as error:
        yield ArchiveEntry("", problem=_unopened(error))


def _read_opened(folder: int, name: str, bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield the files below an open folder, whose `name` ends with a slash, and which stays open meanwhile.

    Each folder is opened once, in the open folder around it: one that is swapped for a link afterwards, at
    any level, leads nowhere else. A folder that cannot be opened becomes an entry with a problem.
    """
    items = sorted(os.scandir(folder), key=lambda item: item.name)
    folders = {item.name: None for item in items if item.is_dir(follow_symlinks=False)}
    for item in items:
        bounds.count()
        if item.name not in folders:
            yield from _folder_entry(item, folder, name, bounds)
    for own in folders:
        path = f"{name}{own}/"
        if path.count("/") > _MAX_DEPTH:
            yield ArchiveEntry(path, problem=_TOO_DEEP)
            continue
        try:
            with open_folder(own, parent=folder) as opened:
                yield from _read_opened(opened, path, bounds)
        except OSError as error:
            yield ArchiveEntry(path, problem=_unopened(error))


def _folder_entry(
    item: "os.DirEntry[str]", folder: int, around: str, bounds: Bounds
) -> Iterator[ArchiveEntry]:
    """Yield a file in an open folder; `read` works until the next entry, as the folder may be closed then."""
    name = around + item.name
    try:
        about = item.stat(follow_symlinks=False)
    except OSError as error:
        yield ArchiveEntry(name, problem=_unopened(error))
        return
    is_open = [True]

    def read(limit: int) -> bytes:
        return _read_file(item.name, folder, bounds, limit) if is_open else unreadable(limit)

    yield ArchiveEntry(name, _utc(about.st_mtime), read, _mode_problem(about.st_mode))
    is_open.clear()


def _read_file(name: str, folder: int, bounds: Bounds, limit: int) -> bytes:
    try:
        with open_plain(name, os.O_NOFOLLOW, folder) as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise EntryError(_unopened(error)) from None
    _refuse_size(len(data), limit)
    bounds.spend(len(data))
    return data


def _unopened(error: OSError) -> str:
    return f"cannot be opened: {error.strerror}"


def read_zip(file: IO[bytes], bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield what a zip archive holds besides folders."""
    try:
        archive = zipfile.ZipFile(_BoundedFile(file))
    except _DAMAGE:
        raise ArchiveError(_DAMAGED) from None
    with archive:
        for info in archive.infolist():
            bounds.count()
            name, *others = map(with_folders, _names_in_zip(info))
            if not name.endswith(("/", "\\")):
                read = partial(_read_zipped, archive, info, bounds)
                yield ArchiveEntry(name, _time_in_zip(info), read, _zip_problem(info), others=tuple(others))


def _names_in_zip(info: zipfile.ZipInfo) -> list[str]:
    """Return the readings of an entry's name: one if the zip says that it is UTF-8, or if it can be UTF-8.

    The Finder of macOS writes UTF-8 without saying so; old programs use the encoding of their system.
    """
    name = info.orig_filename  # `filename` ends at the first NUL
    if name.isascii() or info.flag_bits & _UTF8:
        return [name]
    written = name.encode("cp437")  # as which zipfile has read it
    with suppress(UnicodeDecodeError):
        return [written.decode()]
    readings = []
    for encoding in _OLD_ENCODINGS:
        with suppress(UnicodeDecodeError):
            readings.append(written.decode(encoding))
    return readings


class _BoundedFile:
    """A file that returns only so much at once: zipfile reads as many bytes as an archive's end claims."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        if size > _MAX_DIRECTORY:
            raise ArchiveError(_TOO_MANY)
        return self._file.read(_MAX_DIRECTORY if size < 0 else size)


def _zip_problem(info: zipfile.ZipInfo) -> str:
    if problem := _mode_problem(info.external_attr >> 16):
        return problem
    if info.flag_bits & _ENCRYPTED:
        return "is encrypted; pack it without a password"
    if info.compress_type not in _METHODS:
        return "is packed in an unusual way; make an ordinary zip"
    suspicious = info.file_size > max(_UNSUSPICIOUS, info.compress_size * _MAX_RATIO)
    return f"unpacks to more than {_MAX_RATIO} times its size" if suspicious else ""


def _read_zipped(archive: zipfile.ZipFile, info: zipfile.ZipInfo, bounds: Bounds, limit: int) -> bytes:
    """Return the content, counting the bytes that come rather than those that the header claims."""
    _refuse_size(info.file_size, limit)
    content = bytearray()
    try:
        with archive.open(info) as member:
            while piece := member.read(_PIECE):
                bounds.spend(len(piece))
                content += piece
                _refuse_size(len(content), limit)
    except _DAMAGE:
        raise EntryError(_DAMAGED) from None
    return bytes(content)


def _time_in_zip(info: zipfile.ZipInfo) -> datetime | None:
    """Return when a file was changed: the UTC time if the zip has one, else a local time without a zone."""
    extra, place = info.extra, 0
    while place + 9 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, place)
        if kind == _UNIX_TIME and size >= 5 and extra[place + 4] & 1:
            return _utc(struct.unpack_from("<i", extra, place + 5)[0])
        place += 4 + size
    try:
        return plausible(datetime(*info.date_time))
    except ValueError:
        return None


@contextmanager
def _unpacked(packed: IO[bytes], size: int, bounds: Bounds) -> Iterator[IO[bytes]]:
    """Yield what gzip has packed, in a file without a name."""
    most = max(_UNSUSPICIOUS, size * _MAX_RATIO)
    with TemporaryFile() as whole:
        try:
            with gzip.GzipFile(fileobj=packed) as stream:
                while piece := stream.read(_PIECE):
                    bounds.spend(len(piece))
                    whole.write(piece)
                    if whole.tell() > most:
                        problem = f"unpacks to more than {_MAX_RATIO} times its size"
                        raise ArchiveError(f"{problem}; open it manually, with care")
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise ArchiveError(_DAMAGED) from None
        whole.seek(0)
        yield whole


def _read_tar(file: IO[bytes], bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield what a tar archive holds besides folders."""
    headers = _TarHeaders(file)
    try:
        archive = tarfile.TarFile(fileobj=cast(IO[bytes], headers), encoding="utf-8")
        while (member := archive.next()) is not None:
            bounds.count()
            if member.size < 0 or archive.offset < file.tell():  # where the next header begins
                raise ArchiveError(_DAMAGED)
            if not member.isdir():
                yield _tar_entry(member, file, file.tell())
            headers.left = _MAX_HEADERS
            # Otherwise tarfile would keep all headers in memory, and what global ones say.
            archive.members.clear()  # type: ignore[attr-defined]
            archive.pax_headers = {}
    except _DAMAGE:
        raise ArchiveError(_NO_ARCHIVE) from None
    if headers.last.strip(b"\0"):  # tarfile takes a damaged header for the archive's end
        raise ArchiveError(_NO_ARCHIVE)


class _TarHeaders:
    """A tar that gives tarfile only so many bytes for each entry."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell = file.seek, file.tell
        self.left = _MAX_HEADERS
        self.last = b""

    def read(self, size: int) -> bytes:
        self.left -= size
        if self.left < 0:
            raise ArchiveError("has a name too long to be one; it is damaged or made to harm")
        self.last = self._file.read(size)
        return self.last


def _tar_entry(member: tarfile.TarInfo, file: IO[bytes], place: int) -> ArchiveEntry:
    name = member.name[: MAX_NAME + 1]  # still too long, but thousands of them fill no memory
    plain = "" if member.isreg() and not member.issparse() else _NO_FILE
    problem = _LINK if member.issym() or member.islnk() else plain

    def read(limit: int) -> bytes:
        _refuse_size(member.size, limit)
        file.seek(place)
        if len(data := file.read(member.size)) < member.size:
            raise EntryError(_DAMAGED)
        return data

    return ArchiveEntry(name, _utc(member.mtime), read, problem)
