"""One thing in an archive or folder, and the bounds within which strangers' archives are read."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePosixPath

MAX_ENTRIES = 20_000
MAX_UNPACKED = 4 << 30  # bytes of an archive, read or skipped
MAX_RATIO = 600  # of what comes out to what lies there; one line printed again and again reaches 500
MAX_NESTED = 64 << 20  # bytes of an archive within an archive, which is held in memory
FREE = 1 << 20  # so little may come out of anything
PIECE = 1 << 16
_SUFFIXES = (".zip", ".tar", ".tgz", ".tar.gz", ".tbz2", ".tar.bz2", ".txz", ".tar.xz")


class ArchiveError(Exception):
    """The archive cannot be read, or no further; the message says why and what to do."""


class EntryError(Exception):
    """One entry cannot be taken; the message says why."""


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """A file, or something that should have been one; `read` works until the next entry is asked for."""

    name: str
    when: datetime | None  # as the archive has it; for a nested archive, when that came
    read: Callable[[int], bytes]  # up to so many bytes, or EntryError
    fault: str = ""  # why it must not be read
    inside: str = ""  # its name in the archive `name`

    @property
    def path(self) -> str:
        """Its name for people."""
        return f"{self.name}/{self.inside}" if self.inside else self.name


@dataclass(slots=True)
class Bounds:
    """What may still be read; what is read from a nested archive counts in the outer one too."""

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
        """Count bytes that came out."""
        self.unpacked -= size
        if self.unpacked < 0:
            raise ArchiveError("unpacks to too much; collect it in parts, without large files")
        if self.outer is not None:
            self.outer.spend(size)


def is_archive(name: str) -> bool:
    """Whether a file of this name is opened as an archive."""
    return name.lower().endswith(_SUFFIXES)


def stem(name: str) -> str:
    """Return the name of a file or an archive without what tells its kind."""
    last = PurePosixPath(name).name
    return next((last[: -len(end)] for end in _SUFFIXES[::-1] if last.lower().endswith(end)), last)


def too_large(limit: int) -> EntryError:
    """Return the error about a file that has more than `limit` bytes."""
    return EntryError(f"is larger than {limit >> 20} MB")


def utc(seconds: float) -> datetime | None:
    """Return a time by its seconds since 1970, if it can be one at which something was handed in."""
    try:
        return plausible(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def plausible(when: datetime) -> datetime | None:
    """Return `when`, or None where it is one of the days that stand for no day at all."""
    return when if 1990 < when.year < 2100 else None
