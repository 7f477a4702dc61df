"""One file in an archive or folder, and the bounds within which strangers' archives are read."""

import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePosixPath

MAX_ENTRIES = 20_000
MAX_UNPACKED = 4 << 30  # bytes of an archive, read or skipped
MAX_NAME = 1000
MAX_RATIO = 600  # of unpacked bytes to packed ones; one line that is printed again and again reaches 500
UNSUSPICIOUS = 1 << 20  # bytes that may be unpacked whatever their ratio
PIECE = 1 << 16  # bytes that are unpacked at a time
EXHAUSTION = (MemoryError, RecursionError)  # what may remain of a file that the bounds let through
TOO_COSTLY = "takes more memory than there is; collect it by hand"
_SUFFIXES = (".zip", ".tar", ".tgz", ".tar.gz", ".tbz2", ".tar.bz2", ".txz", ".tar.xz")
_KINDS = {0: "", stat.S_IFREG: "", stat.S_IFLNK: "is a link", stat.S_IFIFO: "is a pipe"}
_DEVICES = {stat.S_IFCHR: "is a device", stat.S_IFBLK: "is a device", stat.S_IFSOCK: "is a socket"}


class ArchiveError(Exception):
    """The archive cannot be read, or no further; the message says why and what to do."""


class EntryError(Exception):
    """One entry cannot be taken; the message says why."""


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """A file, or something in the place of one; `read` works until the next entry is asked for."""

    name: str
    when: datetime | None  # as the archive tells it; for a file in a nested archive, when that archive came
    read: Callable[[int], bytes]  # returns the content up to a number of bytes, or raises EntryError
    problem: str = ""  # why it must not be read
    inside: str = ""  # its name in the nested archive `name`

    @property
    def path(self) -> str:
        """Its name for people."""
        return f"{self.name}/{self.inside}" if self.inside else self.name


@dataclass(slots=True)
class Bounds:
    """How much may still be read; what is read from a nested archive counts for the outer one too."""

    entries: int = MAX_ENTRIES
    unpacked: int = MAX_UNPACKED
    outer: "Bounds | None" = field(default=None, repr=False)

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


def is_archive(name: str) -> bool:
    """Whether a file of this name is opened as an archive."""
    return name.lower().endswith(_SUFFIXES)


def stem(name: str) -> str:
    """Return the last part of a name, for an archive without its suffix."""
    last = PurePosixPath(name).name
    return next((last[: -len(end)] for end in _SUFFIXES[::-1] if last.lower().endswith(end)), last)


def mode_problem(mode: int) -> str:
    """Return why a file of this mode is not read; a mode that names no kind of file is no reason."""
    return (_KINDS | _DEVICES).get(stat.S_IFMT(mode), "is no file")


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
