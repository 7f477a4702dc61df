"""Reads zip and tar archives and folders as one stream of entries; nothing is extracted or followed.

zipfile and tarfile parse the headers. They believe what a header claims of its own length, so what extends a
header in a tar (long names, pax records, maps of sparse files) is read here. All bytes are counted as they
come.
"""

import gzip
import io
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, cast

from autograder.collecting.names import MAX_NAME, is_archive, notebook_stem, plausible
from autograder.submission.notebook import MAX_BYTES, MAX_WITH_OUTPUTS, without_large_outputs

_KINDS = {stat.S_IFLNK: "is a link", stat.S_IFIFO: "is a pipe", stat.S_IFSOCK: "is a socket"}
_KINDS |= dict.fromkeys((stat.S_IFCHR, stat.S_IFBLK), "is a device")
_MAX_RATIO = 600  # of unpacked bytes to packed ones; one line that is printed again and again reaches 500
_UNSUSPICIOUS = 1 << 20  # bytes that may be unpacked whatever their ratio
_PIECE = 1 << 16  # bytes that are unpacked at a time
# What unpacking damaged bytes raises.
_BAD_VALUES = (OSError, EOFError, ValueError, IndexError, RuntimeError)
_DAMAGE = (*_BAD_VALUES, zlib.error, zipfile.BadZipFile, struct.error)
EXHAUSTION = (MemoryError, RecursionError)  # what a file that the bounds let through may still cause
TOO_COSTLY = "takes more memory than there is; collect it manually"
_NOTEBOOK_ALONE = "is a notebook; put it into a folder named by its student's id, collect the one above"
_MAX_NESTED = 64 << 20  # bytes of an archive in an archive, which is held in memory
_NESTED_ENTRIES, _NESTED_UNPACKED = 200, 100 << 20  # a nested archive is of one student among many
_MAX_DIRECTORY = 8 << 20  # bytes of the list of entries, which zipfile holds in memory
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # zipfile unpacks the others without any bound
_UNIX_TIME = 0x5455
_BLOCK = tarfile.BLOCKSIZE
_MAX_HEADERS = 1 << 16  # bytes of all the headers that describe one entry of a tar, its long name among them
_PAX = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
_PAX_RECORD = re.compile(rb"(\d{1,9}) ([^=]+)=")
_UNREADABLE = "has a header that cannot be read; download it again"
_TAR_KINDS = {tarfile.LNKTYPE: "is a hard link", tarfile.SYMTYPE: "is a link", tarfile.FIFOTYPE: "is a pipe"}
_TAR_KINDS |= dict.fromkeys((tarfile.CHRTYPE, tarfile.BLKTYPE), "is a device")
_IS_DAMAGED = "is damaged; download it again"


class ArchiveError(Exception):
    """The archive cannot be read, or no further; the message says why and what to do."""


class EntryError(Exception):
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
            raise ArchiveError("holds too many entries; collect it in parts")
        if self.outer is not None:
            self.outer.count()

    def spend(self, size: int) -> None:
        """Count bytes that were unpacked."""
        self.unpacked -= size
        if self.unpacked < 0:
            raise ArchiveError("unpacks to too much; collect it in parts, without large files")
        if self.outer is not None:
            self.outer.spend(size)


def _not_open(_: int) -> bytes:
    raise EntryError("is not open")


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """A file, or something in the place of one; `read` works until the next entry is asked for."""

    name: str
    # As the archive says, without a zone if it names none; in a nested archive, the time of that archive.
    when: datetime | None = None
    read: Callable[[int], bytes] = _not_open  # returns at most so many bytes, or raises EntryError
    problem: str = ""  # why it must not be read
    inside: str = ""  # its name in the nested archive `name`

    def read_notebook(self) -> bytes:
        """Return a notebook's bytes, without its outputs where they are large."""
        content = without_large_outputs(self.read(MAX_WITH_OUTPUTS))
        if len(content) > MAX_BYTES:
            raise EntryError(f"is larger than {MAX_BYTES >> 20} MB without its outputs")
        return content

    @property
    def path(self) -> str:
        """Its name for people."""
        return f"{self.name}/{self.inside}" if self.inside else self.name


def _mode_problem(mode: int) -> str:
    """Return why a file of this mode is not read; a mode that names no kind of file is no reason."""
    kind = stat.S_IFMT(mode)
    return "" if kind in (0, stat.S_IFREG) else _KINDS.get(kind, "is no file")


def _too_large(limit: int) -> EntryError:
    """Return the error about a file of more than `limit` bytes."""
    return EntryError(f"is larger than {limit >> 20} MB")


def _utc(seconds: float) -> datetime | None:
    """Return the time so many seconds after the beginning of 1970, if it is plausible."""
    try:
        return plausible(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def open_plain(path: Path | str, flags: int = 0) -> IO[bytes]:
    """Open a plain file; O_NONBLOCK lets no pipe keep us waiting."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise EntryError("is neither an archive nor a folder")
    return os.fdopen(descriptor, "rb")


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
        for inner in _read_archive(io.BytesIO(data), len(data), bounds):
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


def _read_folder(root: Path, bounds: Bounds) -> Iterator[ArchiveEntry]:
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
    return ArchiveEntry(name, _utc(about.st_mtime), read, _mode_problem(about.st_mode))


def _read_file(path: str, bounds: Bounds, limit: int) -> bytes:
    try:
        with open_plain(path, os.O_NOFOLLOW) as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise EntryError(f"cannot be opened: {error.strerror}") from None
    if len(data) > limit:
        raise _too_large(limit)
    bounds.spend(len(data))
    return data


def read_zip(file: IO[bytes], bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield what a zip archive holds besides folders."""
    try:
        archive = zipfile.ZipFile(_BoundedFile(file))
    except _DAMAGE:
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
    if info.file_size > limit:
        raise _too_large(limit)
    content = bytearray()
    try:
        with archive.open(info) as member:
            while piece := member.read(_PIECE):
                bounds.spend(len(piece))
                content += piece
                if len(content) > limit:
                    raise _too_large(limit)
    except _DAMAGE:
        raise EntryError(_IS_DAMAGED) from None
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


def read_tar(file: IO[bytes], packed: int, bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield what a tar archive of `packed` bytes, compressed or not, holds besides folders."""
    stream = _Stream(file, packed, bounds)
    while (found := _next_member(stream, bounds)) is not None:
        member, is_sparse = found
        has_content = (
            member.isreg() or member.type not in tarfile.SUPPORTED_TYPES
        )  # a link only states a size
        end = stream.position + (_padded(member.size) if has_content else 0)
        if not member.isdir():
            name = member.name[: MAX_NAME + 1]  # still too long, but thousands of them fill no memory
            problem = _TAR_KINDS.get(member.type, "" if member.isreg() else "is of an unknown kind")
            read = partial(stream.content, member.size)
            yield ArchiveEntry(name, _utc(member.mtime), read, "is a sparse file" if is_sparse else problem)
        stream.skip_to(end)


def _next_member(stream: "_Stream", bounds: Bounds) -> tuple[tarfile.TarInfo, bool] | None:
    """Return the next entry, and whether it is a sparse file; None at the archive's end."""
    records: dict[bytes, bytes] = {}
    allowed = _MAX_HEADERS
    while (header := _header(stream)) is not None:
        bounds.count()
        if header.type not in (*_PAX, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK):
            _extend(header, records)
            is_sparse = any(key.startswith(b"GNU.sparse") for key in records)
            return header, is_sparse or header.type == tarfile.GNUTYPE_SPARSE
        allowed -= _BLOCK + header.size
        if allowed < 0:
            raise ArchiveError("has a name too long to be one; it is damaged or made to harm")
        data = stream.read(_padded(header.size))[: header.size]
        if header.type == tarfile.GNUTYPE_LONGNAME:
            records[b"path"] = data.partition(b"\0")[0]
        elif header.type in _PAX:
            found = _pax_records(data)
            records |= {} if header.type == tarfile.XGLTYPE else found
    return None


def _header(stream: "_Stream") -> tarfile.TarInfo | None:
    """Return the next header; None at the archive's end, which a block of zeros marks."""
    began = stream.position > 0
    block = stream.take(_BLOCK)
    if not block.strip(b"\0") and (block or began):
        return None
    try:
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.TarError, ValueError):
        raise ArchiveError("is no zip or tar archive, or a damaged one; download it again") from None
    continues = header.type == tarfile.GNUTYPE_SPARSE and block[482]
    for _ in range(_MAX_HEADERS // _BLOCK):
        if not continues:
            return header
        continues = stream.read(_BLOCK)[504]  # more of the sparse file's map
    raise ArchiveError(_UNREADABLE)


def _extend(header: tarfile.TarInfo, records: Mapping[bytes, bytes]) -> None:
    """Put into a header what the headers before it say of the same entry."""
    try:
        if b"path" in records:
            header.name = records[b"path"].decode("utf-8", "surrogateescape")
        header.size = int(records.get(b"size", header.size))
        header.mtime = float(records.get(b"mtime", header.mtime))
    except ValueError:
        raise ArchiveError(_UNREADABLE) from None


def _pax_records(data: bytes) -> dict[bytes, bytes]:
    """Return the values by their names; NULs may stand at the end."""
    found, position, end = {}, 0, len(data.rstrip(b"\0"))
    while position < end:
        record = _PAX_RECORD.match(data, position)
        after = position + int(record[1]) if record else 0
        if record is None or not record.end() < after <= len(data) or data[after - 1 : after] != b"\n":
            raise ArchiveError(_UNREADABLE)
        found[record[2]] = data[record.end() : after - 1]
        position = after
    return found


def _padded(size: int) -> int:
    """Return how much of the archive `size` bytes take, which end with a whole block."""
    if size < 0:
        raise ArchiveError("has an entry of less than no bytes; it is damaged or made to harm")
    return -(-size // _BLOCK) * _BLOCK


class _Stream:
    """The archive's unpacked bytes, which are read forward only and counted."""

    def __init__(self, file: IO[bytes], packed: int, bounds: Bounds) -> None:
        is_packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        self._file = cast(IO[bytes], gzip.GzipFile(fileobj=file)) if is_packed else file
        self._most = max(_UNSUSPICIOUS, packed * _MAX_RATIO) if is_packed else packed
        self._bounds = bounds
        self.position = 0

    def take(self, size: int) -> bytes:
        """Return `size` bytes, or fewer at the end."""
        try:
            data = self._file.read(size)
        except _DAMAGE:
            raise ArchiveError("is damaged; download it again") from None
        self.position += len(data)
        self._bounds.spend(len(data))
        self._most -= len(data)
        if self._most < 0:
            raise ArchiveError(
                f"unpacks to more than {_MAX_RATIO} times its size; open it by hand, with care"
            )
        return data

    def read(self, size: int) -> bytes:
        """Return `size` bytes."""
        data = self.take(size)
        if len(data) < size:
            raise ArchiveError("ends too early; download it again")
        return data

    def content(self, size: int, limit: int) -> bytes:
        """Return the content, of this size, of the entry whose header was read last."""
        if size > limit:
            raise _too_large(limit)
        return self.read(size)

    def skip_to(self, position: int) -> None:
        """Pass over everything before `position`."""
        while self.position < position:
            self.read(min(position - self.position, _PIECE))
