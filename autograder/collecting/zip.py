"""Reads zip archives as a stream of entries by zipfile, which is held within bounds of memory and time."""

import struct
import zipfile
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import IO

from autograder.collecting.bounds import DAMAGE, MAX_RATIO, PIECE, UNSUSPICIOUS, ArchiveError, Bounds
from autograder.collecting.entry import ArchiveEntry, EntryError, mode_problem, plausible, too_large, utc

_MAX_DIRECTORY = 8 << 20  # bytes of the list of entries, which zipfile holds in memory
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # zipfile unpacks the others without any bound
_UNIX_TIME = 0x5455
_ZIP_DAMAGE = (*DAMAGE, zipfile.BadZipFile, struct.error, RuntimeError, IndexError)
_IS_DAMAGED = "is damaged; download it again"


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
                yield ArchiveEntry(name, _time(info), partial(_read, archive, info, bounds), _problem(info))


class _BoundedFile:
    """A file that returns only so much at once: zipfile reads as many bytes as an archive's end claims."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        if size > _MAX_DIRECTORY:
            raise ArchiveError("holds too many entries; collect it in parts")
        return self._file.read(_MAX_DIRECTORY if size < 0 else size)


def _problem(info: zipfile.ZipInfo) -> str:
    if problem := mode_problem(info.external_attr >> 16):
        return problem
    if info.flag_bits & _ENCRYPTED:
        return "is encrypted; pack it without a password"
    if info.compress_type not in _METHODS:
        return "is packed in an unusual way; make an ordinary zip"
    suspicious = info.file_size > max(UNSUSPICIOUS, info.compress_size * MAX_RATIO)
    return f"unpacks to more than {MAX_RATIO} times its size" if suspicious else ""


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, bounds: Bounds, limit: int) -> bytes:
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


def _time(info: zipfile.ZipInfo) -> datetime | None:
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
