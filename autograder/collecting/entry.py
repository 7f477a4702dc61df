"""One file in an archive or folder, the errors about it, and the bounds within which archives are read."""

import os
import stat
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from autograder.submission.notebook import MAX_BYTES, MAX_WITH_OUTPUTS, without_large_outputs

_KINDS = {stat.S_IFLNK: "is a link", stat.S_IFIFO: "is a pipe", stat.S_IFSOCK: "is a socket"}
_KINDS |= dict.fromkeys((stat.S_IFCHR, stat.S_IFBLK), "is a device")

MAX_RATIO = 600  # of unpacked bytes to packed ones; one line that is printed again and again reaches 500
UNSUSPICIOUS = 1 << 20  # bytes that may be unpacked whatever their ratio
PIECE = 1 << 16  # bytes that are unpacked at a time
DAMAGE = (OSError, EOFError, ValueError, zlib.error)  # what unpacking damaged bytes raises
EXHAUSTION = (MemoryError, RecursionError)  # what a file that the bounds let through may still cause
TOO_COSTLY = "takes more memory than there is; collect it by hand"


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


def mode_problem(mode: int) -> str:
    """Return why a file of this mode is not read; a mode that names no kind of file is no reason."""
    kind = stat.S_IFMT(mode)
    return "" if kind in (0, stat.S_IFREG) else _KINDS.get(kind, "is no file")


def too_large(limit: int) -> EntryError:
    """Return the error about a file of more than `limit` bytes."""
    return EntryError(f"is larger than {limit >> 20} MB")


def utc(seconds: float) -> datetime | None:
    """Return the time so many seconds after the beginning of 1970, if it is plausible."""
    try:
        return plausible(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def plausible(when: datetime) -> datetime | None:
    """Return `when`, or None for years that archives write where they know no time, such as 1970 or 1980."""
    return when if 1990 < when.year < 2100 else None


def open_plain(path: Path | str, flags: int = 0, folder: int | None = None) -> IO[bytes]:
    """Open a plain file, in an open folder if one is given; O_NONBLOCK lets no pipe keep us waiting."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise EntryError("is neither an archive nor a folder")
    return os.fdopen(descriptor, "rb")
