"""Reads tar archives as a stream of entries: one pass, nothing extracted, headers of bounded size.

tarfile itself is used for single headers only: its reader believes lengths in extended headers, and
versions without extraction filters follow links.
"""

import bz2
import gzip
import lzma
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Protocol

from autograder.collecting.entry import (
    FREE,
    MAX_RATIO,
    PIECE,
    ArchiveEntry,
    ArchiveError,
    Bounds,
    too_large,
    utc,
)

_MAX_HEADER = 1 << 16
_DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError)
_LINKS = {tarfile.LNKTYPE: "a hard link", tarfile.SYMTYPE: "a link", tarfile.FIFOTYPE: "a pipe"}
_DEVICES = {tarfile.CHRTYPE: "a device", tarfile.BLKTYPE: "a device"}
_FAULTS = {**_LINKS, **_DEVICES}
_PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE)


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


_OPENERS: Mapping[bytes, Callable[[IO[bytes]], _Readable]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}


class _Stream:
    """The unpacked bytes, counted."""

    def __init__(self, file: IO[bytes], packed: int, bounds: Bounds) -> None:
        start = file.read(6)
        file.seek(0)
        opener = next((opener for magic, opener in _OPENERS.items() if start.startswith(magic)), None)
        self._file: _Readable = opener(file) if opener else file
        self._most = max(FREE, packed * MAX_RATIO) if opener else packed
        self._bounds = bounds

    def take(self, size: int) -> bytes:
        """Return so many bytes, or fewer at the end."""
        try:
            data = self._file.read(size)
        except _DAMAGE:
            raise ArchiveError("is damaged; download it again") from None
        self._bounds.spend(len(data))
        self._most -= len(data)
        if self._most < 0:
            raise ArchiveError(f"unpacks to more than {MAX_RATIO} times its size; open it by hand, with care")
        return data

    def whole(self, size: int) -> bytes:
        """Return so many bytes, and pass what fills their last block."""
        data = self.take(size)
        if len(data) < size:
            raise ArchiveError("ends too early; download it again")
        self.take(-size % tarfile.BLOCKSIZE)
        return data

    def skip(self, size: int) -> None:
        """Pass so many bytes."""
        while size > 0:
            passed = len(self.take(min(size, PIECE)))
            if not passed:
                raise ArchiveError("ends too early; download it again")
            size -= passed


class _Content:
    """What an entry holds; whatever is not read is passed."""

    def __init__(self, stream: _Stream, size: int) -> None:
        self._stream = stream
        self._size = size
        self._passed = False

    def read(self, limit: int) -> bytes:
        """Return all of it."""
        if self._size > limit:
            raise too_large(limit)
        self._passed = True
        return self._stream.whole(self._size)

    def close(self) -> None:
        """Go to the next header."""
        if not self._passed:
            self._stream.skip(self._size + -self._size % tarfile.BLOCKSIZE)


def read_tar(file: IO[bytes], packed: int, bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield what a tar archive of `packed` bytes, compressed or not, holds besides folders."""
    stream = _Stream(file, packed, bounds)
    known: dict[str, str] = {}  # what extended headers tell of the next entry
    while (header := _header(stream)) is not None:
        bounds.count()
        match header.type:
            case tarfile.XHDTYPE | tarfile.SOLARIS_XHDTYPE:
                known |= _records(_extension(stream, header))
            case tarfile.GNUTYPE_LONGNAME:
                known["path"] = _text(_extension(stream, header).rstrip(b"\0"))
            case tarfile.GNUTYPE_LONGLINK | tarfile.XGLTYPE:
                _extension(stream, header)
            case tarfile.GNUTYPE_SPARSE:
                raise ArchiveError(f'"{header.name}" is sparse; pack it without the option for that')
            case _:
                yield from _entry(stream, header, known)
                known = {}


def _header(stream: _Stream) -> tarfile.TarInfo | None:
    block = stream.take(tarfile.BLOCKSIZE)
    if not block.strip(b"\0"):
        return None
    try:
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.TarError:
        raise ArchiveError("is no zip or tar archive, or a damaged one; download it again") from None
    if header.size < 0:
        raise ArchiveError("has an entry of less than no bytes; it is damaged or made to harm")
    return header


def _extension(stream: _Stream, header: tarfile.TarInfo) -> bytes:
    if header.size > _MAX_HEADER:
        raise ArchiveError("has a name too long to be one; it is damaged or made to harm")
    return stream.whole(header.size)


def _entry(stream: _Stream, header: tarfile.TarInfo, known: dict[str, str]) -> Iterator[ArchiveEntry]:
    """Yield the entry, unless it is a folder, and pass its content."""
    fault = _FAULTS.get(header.type, "" if header.type in _PLAIN else "of an unknown kind")
    if any(key.startswith("GNU.sparse") for key in known):
        fault = "a sparse file"
    try:
        # A link has no content here, whatever size its header claims.
        size = 0 if header.type in _FAULTS or header.isdir() else int(known.get("size", header.size))
        when = utc(float(known.get("mtime", header.mtime)))
    except ValueError:
        raise ArchiveError("has a header that cannot be read; download it again") from None
    if size < 0:
        raise ArchiveError("has an entry of less than no bytes; it is damaged or made to harm")
    content = _Content(stream, size)
    if not header.isdir():
        yield ArchiveEntry(known.get("path", header.name), when, content.read, fault and f"is {fault}")
    content.close()


def _records(data: bytes) -> dict[str, str]:
    """Return the records of a pax header: length, space, key, "=", value, newline."""
    records = {}
    while data.strip(b"\0"):
        digits, _, _ = data[:10].partition(b" ")
        size = int(digits) if digits.isdigit() else 0
        key, equals, value = data[len(digits) + 1 : size - 1].partition(b"=")
        if not equals or data[size - 1 : size] != b"\n":
            raise ArchiveError("has a header that cannot be read; download it again")
        records[_text(key)] = _text(value)
        data = data[size:]
    return records


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
