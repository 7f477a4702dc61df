"""Reads zip and tar archives and folders as one stream of entries; nothing is extracted or followed.

zipfile and tarfile parse the headers. They believe what a header claims of its own length, so what extends a
header in a tar (long names, pax records, maps of sparse files) is read here. All bytes are counted as they
come, and what gzip, bzip2 or xz has packed is unpacked within a bound of memory.
"""

import bz2
import gzip
import io
import lzma
import os
import re
import struct
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, cast

from autograder.collecting.entry import (
    DAMAGE,
    EXHAUSTION,
    MAX_NAME,
    MAX_RATIO,
    PIECE,
    TOO_COSTLY,
    UNSUSPICIOUS,
    ArchiveEntry,
    ArchiveError,
    Bounds,
    EntryError,
    is_archive,
    mode_problem,
    notebook_stem,
    open_plain,
    plausible,
    too_large,
    utc,
)

_NOTEBOOK_ALONE = "is a notebook; put it into a folder named by its student's id, collect the one above"
_MAX_NESTED = 64 << 20  # bytes of an archive in an archive, which is held in memory
_NESTED_ENTRIES, _NESTED_UNPACKED = 200, 100 << 20  # a nested archive is of one student among many
_MAX_DIRECTORY = 8 << 20  # bytes of the list of entries, which zipfile holds in memory
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # zipfile unpacks the others without any bound
_UNIX_TIME = 0x5455
_ZIP_DAMAGE = (*DAMAGE, zipfile.BadZipFile, struct.error, RuntimeError, IndexError)
_IS_DAMAGED = "is damaged; download it again"
_BLOCK = tarfile.BLOCKSIZE
_MAX_HEADERS = 1 << 16  # bytes of all the headers that describe one entry, its long name among them
_KINDS = {tarfile.LNKTYPE: "is a hard link", tarfile.SYMTYPE: "is a link", tarfile.FIFOTYPE: "is a pipe"}
_KINDS |= dict.fromkeys((tarfile.CHRTYPE, tarfile.BLKTYPE), "is a device")
_PAX = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
_PAX_RECORD = re.compile(rb"(\d{1,9}) ([^=]+)=")
_UNREADABLE = "has a header that cannot be read; download it again"
_MAX_MEMORY = 128 << 20  # bytes; what `xz -9` has packed needs 65 MB, but a file may ask for 4 GB
_xz_stream = partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, _MAX_MEMORY)


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
            problem = _KINDS.get(member.type, "" if member.isreg() else "is of an unknown kind")
            read = partial(stream.content, member.size)
            yield ArchiveEntry(name, utc(member.mtime), read, "is a sparse file" if is_sparse else problem)
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
        unpacked = _unpacked(file)
        self._file = unpacked or file
        self._most = max(UNSUSPICIOUS, packed * MAX_RATIO) if unpacked else packed
        self._bounds = bounds
        self.position = 0

    def take(self, size: int) -> bytes:
        """Return `size` bytes, or fewer at the end."""
        try:
            data = self._file.read(size)
        except DAMAGE:
            raise ArchiveError("is damaged; download it again") from None
        self.position += len(data)
        self._bounds.spend(len(data))
        self._most -= len(data)
        if self._most < 0:
            raise ArchiveError(f"unpacks to more than {MAX_RATIO} times its size; open it by hand, with care")
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
            raise too_large(limit)
        return self.read(size)

    def skip_to(self, position: int) -> None:
        """Pass over everything before `position`."""
        while self.position < position:
            self.read(min(position - self.position, PIECE))


def _unpacked(file: IO[bytes]) -> IO[bytes] | None:
    """Return the unpacked content of `file`, or None where it is not packed."""
    start = file.read(6)
    file.seek(0)
    if start.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.open(file))
    if start.startswith(b"BZh"):
        return bz2.open(file)
    return io.BufferedReader(_Xz(file)) if start == b"\xfd7zXZ\0" else None


class _Xz(io.RawIOBase):
    """Reads one xz stream after another as lzma.LZMAFile does, which cannot be given a bound of memory."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._stream = _xz_stream()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override] # all that BufferedReader gives
        unpacked = b""
        while not unpacked:
            packed = b""
            if self._stream.eof:
                packed = (self._stream.unused_data or self._file.read(PIECE)).lstrip(b"\0")
                if not packed:
                    return 0
                self._stream = _xz_stream()
            elif self._stream.needs_input and not (packed := self._file.read(PIECE)):
                raise EOFError("the file is cut off")
            try:
                unpacked = self._stream.decompress(packed, len(buffer))
            except lzma.LZMAError:  # which does not tell whether the bound has stopped it
                raise ArchiveError("is damaged or unpacks only with much memory; pack it as zip") from None
        buffer[: len(unpacked)] = unpacked
        return len(unpacked)
