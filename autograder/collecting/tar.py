"""Reads tar archives by tarfile, in one pass forward: nothing is extracted and no link is followed.

tarfile believes what headers claim. So it reads through `_Stream`, which bounds and counts every byte, and
makes its headers by `_Header`, which refuses what tarfile would take for the end of the archive. What gzip,
bzip2 or xz has packed is unpacked within a bound of memory.
"""

import bz2
import gzip
import io
import lzma
import re
import tarfile
from collections.abc import Iterator
from functools import partial
from typing import IO, Any, Self, cast

from autograder.collecting.bounds import DAMAGE, MAX_RATIO, PIECE, UNSUSPICIOUS, ArchiveError, Bounds
from autograder.collecting.entry import ArchiveEntry, too_large, utc
from autograder.collecting.names import MAX_NAME

_MAX_HEADERS = 1 << 16  # bytes of all the headers that describe one entry, its long name among them
_KINDS = {tarfile.LNKTYPE: "is a hard link", tarfile.SYMTYPE: "is a link", tarfile.FIFOTYPE: "is a pipe"}
_KINDS |= dict.fromkeys((tarfile.CHRTYPE, tarfile.BLKTYPE), "is a device")
_PAX = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
_PAX_RECORD = re.compile(rb"(\d{1,9}) [^=]+=")
_MAX_RECORDS = 100
_MAX_MEMORY = 128 << 20  # bytes; what `xz -9` has packed needs 65 MB, but a file may ask for 4 GB
_xz_stream = partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, _MAX_MEMORY)


def read_tar(file: IO[bytes], packed: int, bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield what a tar archive of `packed` bytes, compressed or not, holds besides folders."""
    stream = _Stream(file, packed, bounds)
    for member in _members(stream):
        if member.size < 0:
            raise ArchiveError("has an entry of less than no bytes; it is damaged or made to harm")
        if not member.isdir():
            name = member.name[: MAX_NAME + 1]  # still too long, but thousands of them fill no memory
            read = partial(stream.content, member.size)
            problem = _KINDS.get(member.type, "" if member.isreg() else "is of an unknown kind")
            problem = "is a sparse file" if member.issparse() else problem
            yield ArchiveEntry(name, utc(member.mtime), read, problem)


def _members(stream: "_Stream") -> Iterator[tarfile.TarInfo]:
    try:
        archive = cast(Any, tarfile.TarFile)(fileobj=stream, tarinfo=_Header, encoding="utf-8")
        while (member := archive.next()) is not None:
            archive.members.clear()  # or tarfile would keep all of them in memory
            yield member
            stream.allowed = _MAX_HEADERS
    except (ArchiveError, MemoryError):
        raise
    except Exception:  # tarfile raises a dozen kinds of errors on headers that make no sense
        raise ArchiveError("is no zip or tar archive, or a damaged one; download it again") from None


class _Header(tarfile.TarInfo):
    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        """Read the next header and those that it announces."""
        archive.pax_headers = {}  # or tarfile would copy what a global header says into each entry
        cast(_Stream, archive.fileobj).header_type = b""
        return super().fromtarfile(archive)

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Return the header in this block, or raise ValueError where it is damaged."""
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.TarError:
            if buf.strip(b"\0"):
                raise ValueError("not a header") from None  # tarfile takes a TarError for the archive's end
            raise


class _Stream:
    """The archive's unpacked bytes, which are read forward only and counted."""

    def __init__(self, file: IO[bytes], packed: int, bounds: Bounds) -> None:
        unpacked = _unpacked(file)
        self._file = unpacked or file
        self._most = max(UNSUSPICIOUS, packed * MAX_RATIO) if unpacked else packed
        self._bounds = bounds
        self._position = 0
        self.header_type = b""  # of the header that is being read; empty before its first block
        self.allowed = _MAX_HEADERS  # bytes of headers that tarfile may read until the next entry

    def read(self, size: int) -> bytes:
        """Return `size` bytes of headers to tarfile, which believes what a header says of its own length."""
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
        """Return the content, of this size, of the entry whose header was read last."""
        if size > limit:
            raise too_large(limit)
        return self._whole(size)

    def tell(self) -> int:
        """Return how many bytes have been read."""
        return self._position

    def seek(self, position: int) -> None:
        """Go forward; a damaged header may ask to go back, which changes nothing."""
        while self._position < position:
            self._whole(min(position - self._position, PIECE))

    def _whole(self, size: int) -> bytes:
        data = self._take(size)
        if len(data) < size:
            raise ArchiveError("ends too early; download it again")
        return data

    def _take(self, size: int) -> bytes:
        """Return `size` bytes, or fewer at the end."""
        try:
            data = self._file.read(size)
        except DAMAGE:
            raise ArchiveError("is damaged; download it again") from None
        self._position += len(data)
        self._bounds.spend(len(data))
        self._most -= len(data)
        if self._most < 0:
            raise ArchiveError(f"unpacks to more than {MAX_RATIO} times its size; open it by hand, with care")
        return data


def _check_records(data: bytes) -> None:
    """Refuse pax records that overlap, too many of them, and long numbers: all cost tarfile much time."""
    position = 0
    for _ in range(_MAX_RECORDS):
        record = _PAX_RECORD.match(data, position)
        end = position + int(record[1]) if record else 0
        if record is None or not record.end() < end <= len(data) or data[end - 1 : end] != b"\n":
            break
        position = end
    if re.search(rb"\d{65}", data) or data[position:].strip(b"\0"):
        raise ArchiveError("has a header that cannot be read; download it again")


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
