"""One file in an archive or folder: its name, its time, and what is wrong with it."""

import stat
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from autograder.submission.notebook import MAX_BYTES, MAX_WITH_OUTPUTS, without_large_outputs

_KINDS = {stat.S_IFLNK: "is a link", stat.S_IFIFO: "is a pipe", stat.S_IFSOCK: "is a socket"}
_KINDS |= dict.fromkeys((stat.S_IFCHR, stat.S_IFBLK), "is a device")


class EntryError(Exception):
    """One entry cannot be taken; the message says why."""


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
