"""Reads tar archives by tarfile, in one pass forward: nothing is extracted and no link is followed.

tarfile believes what headers claim. So it reads through `_Stream`, which bounds and counts every byte, and
makes its headers by `_Header`, which refuses what tarfile would take for the end of the archive.
"""

import re
import tarfile
from collections.abc import Iterator
from functools import partial
from typing import IO, Any, Self, cast

from autograder.collecting.compression import UNPACKING_ERRORS, open_compressed
from autograder.collecting.entry import (
    MAX_NAME,
    MAX_RATIO,
    PIECE,
    UNSUSPICIOUS,
    ArchiveEntry,
    ArchiveError,
    Bounds,
    too_large,
    utc,
)

_MAX_HEADERS = 1 << 16  # bytes of all the headers that describe one entry, its long name among them
_LINKS = {tarfile.LNKTYPE: "is a hard link", tarfile.SYMTYPE: "is a link", tarfile.FIFOTYPE: "is a pipe"}
_SPECIAL = {**_LINKS, tarfile.CHRTYPE: "is a device", tarfile.BLKTYPE: "is a device"}
_PAX = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
_PAX_RECORD = re.compile(rb"(\d{1,9}) [^=]+=")
_MAX_RECORDS = 100
_LONG_NUMBER = re.compile(rb"\d{65}")


def read_tar(file: IO[bytes], packed: int, bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield what a tar archive of `packed` bytes, compressed or not, holds besides folders."""
    stream = _Stream(file, packed, bounds)
    for member in _members(stream):
        if member.size < 0:
            raise ArchiveError("has an entry of less than no bytes; it is damaged or made to harm")
        if not member.isdir():
            read = partial(stream.content, member.size)
            name = member.name[: MAX_NAME + 1]  # which is refused; thousands of longer ones fill the memory
            yield ArchiveEntry(name, utc(member.mtime), read, _kind_problem(member))


def _members(stream: "_Stream") -> Iterator[tarfile.TarInfo]:
    try:
        archive = cast(Any, tarfile.TarFile)(fileobj=stream, tarinfo=_Header, encoding="utf-8")
        while (member := archive.next()) is not None:
            archive.members.clear()  # tarfile would keep all of them
            yield member
            stream.allowed = _MAX_HEADERS
    except (ArchiveError, MemoryError):
        raise
    except Exception:  # tarfile raises a dozen kinds of errors on headers that make no sense
        raise ArchiveError("is no zip or tar archive, or a damaged one; download it again") from None


def _kind_problem(member: tarfile.TarInfo) -> str:
    if member.issparse():
        return "is a sparse file"
    return _SPECIAL.get(member.type, "" if member.isreg() else "is of an unknown kind")


class _Header(tarfile.TarInfo):
    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        """Read the next header and those that it announces."""
        archive.pax_headers = {}  # tarfile would copy what a global header says into each entry
        cast(_Stream, archive.fileobj).header_type = b""
        return super().fromtarfile(archive)

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Return the header in this block, or raise ValueError where it is damaged."""
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.TarError:
            if buf.strip(b"\0"):
                raise ValueError("not a header") from None  # a TarError would pass for the archive's end
            raise


class _Stream:
    """The unpacked bytes, which are read forward only; each one is counted."""

    def __init__(self, file: IO[bytes], packed: int, bounds: Bounds) -> None:
        unpacked = open_compressed(file)
        self._file = unpacked or file
        self._most = max(UNSUSPICIOUS, packed * MAX_RATIO) if unpacked else packed
        self._bounds = bounds
        self._position = 0
        self.header_type = b""  # of the header that is being read; empty before its first block
        self.allowed = _MAX_HEADERS  # bytes of headers that tarfile may read until the next entry

    def read(self, size: int) -> bytes:
        """Return `size` bytes of headers to tarfile, which asks for as many as a header claims to have."""
        self.allowed -= size
        if size < 0 or self.allowed < 0:
            raise ArchiveError("has a name too long to be one; it is damaged or made to harm")
        data = self._take(size)
        if self.header_type in _PAX:
            _check_records(data)
        elif not self.header_type and data.strip(b"\0"):
            self._bounds.count()
            self.header_type = data[156:157]
        return data

    def content(self, size: int, limit: int) -> bytes:
        """Return what the entry of this size holds whose header was read last."""
        if size > limit:
            raise too_large(limit)
        return self._whole(size)

    def tell(self) -> int:
        """Return how many bytes have come."""
        return self._position

    def seek(self, position: int) -> None:
        """Go forward; a header that leads backwards leads nowhere."""
        while self._position < position:
            self._whole(min(position - self._position, PIECE))

    def _whole(self, size: int) -> bytes:
        data = self._take(size)
        if len(data) < size:
            raise ArchiveError("ends too early; download it again")
        return data

    def _take(self, size: int) -> bytes:
        """Return so many bytes, or fewer at the end."""
        try:
            data = self._file.read(size)
        except UNPACKING_ERRORS:
            raise ArchiveError("is damaged; download it again") from None
        self._position += len(data)
        self._bounds.spend(len(data))
        self._most -= len(data)
        if self._most < 0:
            raise ArchiveError(f"unpacks to more than {MAX_RATIO} times its size; open it by hand, with care")
        return data


def _check_records(data: bytes) -> None:
    """Refuse pax records that overlap, many ones and long numbers: they cost tarfile much time."""
    position, sound = 0, not _LONG_NUMBER.search(data)
    for _ in range(_MAX_RECORDS):
        if not sound or (record := _PAX_RECORD.match(data, position)) is None:
            break
        position += int(record[1])
        sound = record.end() < position <= len(data) and data[position - 1 : position] == b"\n"
    if not sound or data[position:].strip(b"\0"):
        raise ArchiveError("has a header that cannot be read; download it again")
