"""The bounds within which strangers' archives are read, and the error that ends the reading of one."""

import zlib
from dataclasses import dataclass

MAX_RATIO = 600  # of unpacked bytes to packed ones; one line that is printed again and again reaches 500
UNSUSPICIOUS = 1 << 20  # bytes that may be unpacked whatever their ratio
PIECE = 1 << 16  # bytes that are unpacked at a time
DAMAGE = (OSError, EOFError, ValueError, zlib.error)  # what unpacking damaged bytes raises
EXHAUSTION = (MemoryError, RecursionError)  # what a file that the bounds let through may still cause
TOO_COSTLY = "takes more memory than there is; collect it by hand"


class ArchiveError(Exception):
    """The archive cannot be read, or no further; the message says why and what to do."""


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
