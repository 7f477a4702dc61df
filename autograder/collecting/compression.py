"""Opens files that gzip, bzip2 or xz has packed, and unpacks them within a bound of memory."""

import bz2
import gzip
import io
import lzma
import zlib
from functools import partial
from typing import IO, cast

from autograder.collecting.bounds import PIECE, ArchiveError

UNPACKING_ERRORS = (OSError, EOFError, ValueError, zlib.error)
_MAX_MEMORY = 128 << 20  # bytes; what `xz -9` has packed needs 65 MB, but a file may ask for 4 GB
_xz_stream = partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, _MAX_MEMORY)


def open_compressed(file: IO[bytes]) -> IO[bytes] | None:
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
