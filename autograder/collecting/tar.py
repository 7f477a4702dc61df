"""Reads tar archives in one pass forward: nothing is extracted and no link is followed.

tarfile parses the blocks of headers. What extends a header (long names, pax records, maps of sparse files) is
read here, since tarfile believes what a header claims of its own length. All bytes are counted, and what is
packed is unpacked within a bound of memory.
"""

import bz2
import gzip
import io
import lzma
import re
import tarfile
from collections.abc import Iterator, Mapping
from functools import partial
from typing import IO, cast

from autograder.collecting.entry import (
    DAMAGE,
    MAX_RATIO,
    PIECE,
    UNSUSPICIOUS,
    ArchiveEntry,
    ArchiveError,
    Bounds,
    too_large,
    utc,
)
from autograder.collecting.names import MAX_NAME

_BLOCK = tarfile.BLOCKSIZE
_MAX_HEADERS = 1 << 16  # bytes of all the headers that describe one entry, its long name among them
_KINDS = {tarfile.LNKTYPE: "is a hard link", tarfile.SYMTYPE: "is a link", tarfile.FIFOTYPE: "is a pipe"}
_KINDS |= dict.fromkeys((tarfile.CHRTYPE, tarfile.BLKTYPE), "is a device")
_PAX = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
_PAX_RECORD = re.compile(rb"(\d{1,9}) ([^=]+)=")
_UNREADABLE = "has a header that cannot be read; download it again"
_MAX_MEMORY = 128 << 20  # bytes; what `xz -9` has packed needs 65 MB, but a file may ask for 4 GB
_xz_stream = partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, _MAX_MEMORY)


def read_tar(file: IO[bytes], packed: int, bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield what a tar archive of `packed` bytes, compressed or not, holds besides folders."""
    stream = _Stream(file, packed, bounds)
    while (found := _next_member(stream, bounds)) is not None:
        member, is_sparse = found
        end = stream.position + _padded(member.size)
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
    while continues:  # with more of the sparse file's map
        continues = stream.read(_BLOCK)[504]
    return header


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
