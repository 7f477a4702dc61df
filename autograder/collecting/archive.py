"""Reads zip and tar archives and folders as one stream of entries.

It extracts no files, and follows no links in archives and folders. An archive in the archive or folder is
called an inner archive, and is read, too. zipfile and tarfile parse the headers; this module limits the
size of headers. Unpacked bytes are counted when they are read, regardless of the sizes in the headers.
"""

import gzip
import io
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, cast

from autograder.collecting.names import MAX_NAME, is_archive, notebook_stem, plausible, with_folders
from autograder.errors import AutograderError
from autograder.submission.notebook import (
    MAX_BYTES,
    MAX_WITH_OUTPUTS,
    open_folder,
    open_plain,
    without_large_outputs,
)

# The most unpacked bytes for each packed byte. A notebook that prints one line many times can reach 500.
_MAX_RATIO = 600
_UNSUSPICIOUS = 1 << 20  # unpacked bytes up to which the ratio is not checked
_CHUNK = 1 << 16  # bytes that are unpacked at a time
_MAX_NESTED = 64 << 20  # the most bytes of an inner archive, which is read into memory
# The most entries and unpacked bytes of an inner archive, which is one student's work.
_NESTED_ENTRIES, _NESTED_UNPACKED = 200, 100 << 20
_MAX_DIRECTORY = 8 << 20  # the most bytes of a zip's list of entries, which is read into memory
# The most bytes of all headers of one entry in a tar. Versions of Python before 3.11.10 may need hours for
# longer headers.
_MAX_HEADERS = 1 << 14
_ENCRYPTED = 0x1 | 0x40 | 0x2000  # each of these flags of a zip's entry means that it is encrypted
# Other compression methods are refused, because zipfile unpacks their data without a limit on memory.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_UNIX_TIME = 0x5455  # id of the part of a zip's header that has the modification time in UTC
_UTF8 = 0x800  # the flag of an entry whose name is in UTF-8
_OLD_ENCODINGS = ("cp850", "cp437", "cp1252")  # encodings of names without this flag, the likeliest first
# Exceptions that zipfile, tarfile and zlib raise for damaged bytes.
_BAD_VALUES = (OSError, EOFError, ValueError, IndexError, RuntimeError, OverflowError)
_DAMAGE = (*_BAD_VALUES, zlib.error, zipfile.BadZipFile, struct.error, tarfile.TarError)
EXHAUSTION = (MemoryError, RecursionError)  # errors that are possible even if a file is within all limits
TOO_COSTLY = "needs more memory than this machine has; collect it manually"
_DAMAGED = "is damaged; download it again"
_NO_ARCHIVE = "is not a zip or tar archive, or is damaged; download it again"
_TOO_MANY = "contains too many entries; collect it in parts"
_ALONE = (
    "is a single notebook, which does not name a student; move it to FOLDER/STUDENT/, with the student's id "
    "for STUDENT, and collect FOLDER"
)
_MAX_DEPTH = 100  # greatest depth of a nested folder; all folders above it stay open
_TOO_DEEP = f"is inside more than {_MAX_DEPTH} nested folders; move it to a folder nearer to the top"
_TOO_NESTED = 'is an archive inside "{0}"; unpack "{0}" before you collect'
_LINK, _NOT_PLAIN = "is a link", "is not a plain file"


class ArchiveError(AutograderError):
    """The archive, or the rest of it, cannot be read. The message gives the reason and a remedy."""


class EntryError(AutograderError):
    """One entry is refused. The message gives the reason."""


@dataclass(slots=True)
class Bounds:
    """The numbers of entries and bytes that may still be read from an archive or folder."""

    entries: int = 20_000
    unpacked: int = 4 << 30  # unpacked bytes; in a .tar.gz, also those of entries that are not read
    outer: "Bounds | None" = None  # for an inner archive: the outer archive's bounds, which also apply

    def count(self) -> None:
        """Count an entry. Raise ArchiveError if more entries are read than allowed."""
        self.entries -= 1
        if self.entries < 0:
            raise ArchiveError(_TOO_MANY)
        if self.outer is not None:
            self.outer.count()

    def spend(self, size: int) -> None:
        """Count unpacked bytes. Raise ArchiveError if there are more than allowed."""
        self.unpacked -= size
        if self.unpacked < 0:
            raise ArchiveError("is too large when unpacked; collect it in parts, without large files")
        if self.outer is not None:
            self.outer.spend(size)


def unreadable(_: int, problem: str = "is not open") -> bytes:
    """Raise EntryError. An entry that cannot be read has this function as its `read`."""
    raise EntryError(problem)


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """A file in an archive or folder, or a refused entry, such as a link."""

    name: str
    # The file's modification time, without a zone if the archive gives none. A file in an inner archive has
    # that archive's time.
    when: datetime | None = None
    # Returns the content. Works only until the next entry is requested. Raises EntryError if the content has
    # more bytes than the argument allows.
    read: Callable[[int], bytes] = unreadable
    problem: str = ""  # the reason why the entry must not be read
    inside: str = ""  # the file's name, if it is in an inner archive; then `name` is that archive's name
    others: tuple[str, ...] = ()  # `name` decoded with other encodings, if the zip does not give the encoding

    @property
    def path(self) -> str:
        """The path for messages. In an inner archive, it begins with that archive's name."""
        return f"{self.name}/{self.inside}" if self.inside else self.name

    def read_notebook(self) -> bytes:
        """Return a notebook's bytes, without its outputs if they are large."""
        try:
            content = without_large_outputs(self.read(MAX_WITH_OUTPUTS))
        except EXHAUSTION:
            raise EntryError(TOO_COSTLY) from None
        if len(content) > MAX_BYTES:
            raise EntryError(f"is larger than {MAX_BYTES >> 20} MB, even without its outputs")
        return content


def _mode_problem(mode: int) -> str:
    """Return the reason why a file of this mode is refused, or "". A mode without a file type is accepted."""
    if stat.S_ISLNK(mode):
        return _LINK
    return "" if stat.S_IFMT(mode) in (0, stat.S_IFREG) else _NOT_PLAIN


def _refuse_size(size: int, limit: int) -> None:
    if size > limit:
        raise EntryError(f"is larger than {limit >> 20} MB")


def _utc(seconds: float) -> datetime | None:
    try:
        return plausible(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def read_entries(path: Path, bounds: Bounds | None = None) -> Iterator[ArchiveEntry]:
    """Yield the files in the archive or folder `path` and in its inner archives.

    Archives inside inner archives are refused. ArchiveError is raised if `path` cannot be read to its end. No
    content of `path` causes any other exception.
    """
    bounds = bounds or Bounds()
    try:
        for entry in _read_folder(path, bounds) if path.is_dir() else _read_packed(path, bounds):
            nested = not entry.problem and is_archive(entry.name)
            yield from _read_nested(entry, bounds) if nested else (entry,)
    except OSError as error:
        raise ArchiveError(f"cannot be opened: {error.strerror}") from None
    except EXHAUSTION:
        raise ArchiveError(TOO_COSTLY) from None


def _read_packed(path: Path, bounds: Bounds) -> Iterator[ArchiveEntry]:
    if notebook_stem(path.name) is not None:
        raise ArchiveError(_ALONE)
    with open_plain(path) as file:
        yield from _read_archive(file, os.fstat(file.fileno()).st_size, bounds)


def _read_nested(entry: ArchiveEntry, outer: Bounds) -> Iterator[ArchiveEntry]:
    """Yield the files in an inner archive.

    If it is empty or cannot be read to its end, the last entry is the archive itself, with a `problem`.
    """
    bounds, empty = Bounds(_NESTED_ENTRIES, _NESTED_UNPACKED, outer), True
    try:
        data = entry.read(_MAX_NESTED)
        for inner in _read_archive(io.BytesIO(data), len(data), bounds):
            deeper = _TOO_NESTED.format(entry.name) if is_archive(inner.name) else ""
            problem, empty = inner.problem or deeper, False
            yield replace(inner, name=entry.name, inside=inner.name, when=entry.when, problem=problem)
        if empty:
            raise EntryError("contains no files")
    except (ArchiveError, EntryError) as error:
        yield replace(entry, problem=str(error))
    except EXHAUSTION:
        yield replace(entry, problem=TOO_COSTLY)


def _read_archive(file: IO[bytes], size: int, bounds: Bounds) -> Iterator[ArchiveEntry]:
    start = file.read(4)
    file.seek(0)
    if start in (b"PK\3\4", b"PK\5\6"):
        yield from read_zip(file, bounds)
    elif start[:2] == b"\x1f\x8b":
        with _unpacked(file, size, bounds) as whole:
            yield from _read_tar(whole, bounds)
    else:
        yield from _read_tar(file, bounds)


def _read_folder(root: Path, bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield the files below `root`, which may itself be a link."""
    try:
        with open_folder(root, 0) as folder:
            yield from _read_opened(folder, "", bounds)
    except OSError as error:
        yield ArchiveEntry("", problem=_open_problem(error))


def _read_opened(folder: int, name: str, bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield the files below an open folder. Its path `name` is empty or ends with a slash.

    Each folder is opened only once, relative to its open parent. So if somebody replaces a folder by a link
    during the reading, the link is not followed. A folder that cannot be opened yields a refused entry.
    """
    items = sorted(os.scandir(folder), key=lambda item: item.name)
    folders = {item.name: None for item in items if item.is_dir(follow_symlinks=False)}
    for item in items:
        bounds.count()
        if item.name not in folders:
            yield from _folder_entry(item, folder, name, bounds)
    for inner in folders:
        path = f"{name}{inner}/"
        if path.count("/") > _MAX_DEPTH:
            yield ArchiveEntry(path, problem=_TOO_DEEP)
            continue
        try:
            with open_folder(inner, parent=folder) as opened:
                yield from _read_opened(opened, path, bounds)
        except OSError as error:
            yield ArchiveEntry(path, problem=_open_problem(error))


def _folder_entry(
    item: "os.DirEntry[str]", folder: int, parent: str, bounds: Bounds
) -> Iterator[ArchiveEntry]:
    name = parent + item.name
    try:
        status = item.stat(follow_symlinks=False)
    except OSError as error:
        yield ArchiveEntry(name, problem=_open_problem(error))
        return
    is_open = [True]

    def read(limit: int) -> bytes:
        return _read_file(item.name, folder, bounds, limit) if is_open else unreadable(limit)

    yield ArchiveEntry(name, _utc(status.st_mtime), read, _mode_problem(status.st_mode))
    is_open.clear()


def _read_file(name: str, folder: int, bounds: Bounds, limit: int) -> bytes:
    try:
        with open_plain(name, os.O_NOFOLLOW, folder) as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise EntryError(_open_problem(error)) from None
    _refuse_size(len(data), limit)
    bounds.spend(len(data))
    return data


def _open_problem(error: OSError) -> str:
    return f"cannot be opened: {error.strerror}"


def read_zip(file: IO[bytes], bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield the entries of a zip archive, except folders."""
    try:
        archive = zipfile.ZipFile(_BoundedFile(file))
    except _DAMAGE:
        raise ArchiveError(_DAMAGED) from None
    with archive:
        for info in archive.infolist():
            bounds.count()
            name, *others = map(with_folders, _names_in_zip(info))
            if not name.endswith(("/", "\\")):
                read = partial(_read_zipped, archive, info, bounds)
                yield ArchiveEntry(name, _time_in_zip(info), read, _zip_problem(info), others=tuple(others))


def _names_in_zip(info: zipfile.ZipInfo) -> list[str]:
    """Return the possible decodings of an entry's name, or only one if the name is valid UTF-8.

    The Finder of macOS writes UTF-8 without the flag for it. Old programs use the encoding of their system.
    """
    name = info.orig_filename  # the whole name; zipfile cuts `filename` at the first NUL
    if name.isascii() or info.flag_bits & _UTF8:
        return [name]
    encoded = name.encode("cp437")  # the original bytes, because zipfile has decoded them with cp437
    with suppress(UnicodeDecodeError):
        return [encoded.decode()]
    decodings = []
    for encoding in _OLD_ENCODINGS:
        with suppress(UnicodeDecodeError):
            decodings.append(encoded.decode(encoding))
    return decodings


class _BoundedFile:
    """A zip file with a limit on each `read`.

    zipfile reads the whole list of entries at once. The zip gives the size of this list, which may be wrong.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        if size > _MAX_DIRECTORY:
            raise ArchiveError(_TOO_MANY)
        return self._file.read(_MAX_DIRECTORY if size < 0 else size)


def _zip_problem(info: zipfile.ZipInfo) -> str:
    if problem := _mode_problem(info.external_attr >> 16):
        return problem
    if info.flag_bits & _ENCRYPTED:
        return "is encrypted; pack it without a password"
    if info.compress_type not in _METHODS:
        return "has an unsupported compression method; pack it as an ordinary zip"
    is_suspicious = info.file_size > max(_UNSUSPICIOUS, info.compress_size * _MAX_RATIO)
    return f"unpacks to more than {_MAX_RATIO} times its size" if is_suspicious else ""


def _read_zipped(archive: zipfile.ZipFile, info: zipfile.ZipInfo, bounds: Bounds, limit: int) -> bytes:
    _refuse_size(info.file_size, limit)
    content = bytearray()
    try:
        with archive.open(info) as member:
            while chunk := member.read(_CHUNK):
                bounds.spend(len(chunk))
                content += chunk
                _refuse_size(len(content), limit)
    except _DAMAGE:
        raise EntryError(_DAMAGED) from None
    return bytes(content)


def _time_in_zip(info: zipfile.ZipInfo) -> datetime | None:
    """Return the modification time: in UTC if the zip has it, else a local time without a zone."""
    extra, offset = info.extra, 0
    while offset + 9 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, offset)
        if kind == _UNIX_TIME and size >= 5 and extra[offset + 4] & 1:
            return _utc(struct.unpack_from("<i", extra, offset + 5)[0])
        offset += 4 + size
    try:
        return plausible(datetime(*info.date_time))
    except ValueError:
        return None


@contextmanager
def _unpacked(packed: IO[bytes], size: int, bounds: Bounds) -> Iterator[IO[bytes]]:
    """Yield a temporary file with the unpacked content of a gzip file of `size` bytes."""
    max_size = max(_UNSUSPICIOUS, size * _MAX_RATIO)
    with TemporaryFile() as unpacked:
        try:
            with gzip.GzipFile(fileobj=packed) as stream:
                while chunk := stream.read(_CHUNK):
                    bounds.spend(len(chunk))
                    unpacked.write(chunk)
                    if unpacked.tell() > max_size:
                        problem = f"unpacks to more than {_MAX_RATIO} times its size"
                        raise ArchiveError(f"{problem}; open it manually, with care")
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise ArchiveError(_DAMAGED) from None
        unpacked.seek(0)
        yield unpacked


def _read_tar(file: IO[bytes], bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield the entries of a tar archive, except folders."""
    headers = _TarHeaders(file)
    try:
        archive = tarfile.TarFile(fileobj=cast(IO[bytes], headers), encoding="utf-8")
        while (member := archive.next()) is not None:
            bounds.count()
            # After a header with a damaged size, tarfile would go back and read the same headers again.
            if member.size < 0 or archive.offset < file.tell():
                raise ArchiveError(_DAMAGED)
            if not member.isdir():
                yield _tar_entry(member, file, file.tell())
            headers.left = _MAX_HEADERS
            # Otherwise tarfile would keep all headers in memory. As a side effect, a global header affects
            # only the next entry.
            archive.members.clear()  # type: ignore[attr-defined]
            archive.pax_headers = {}
    except _DAMAGE:
        raise ArchiveError(_NO_ARCHIVE) from None
    # At a damaged header, tarfile stops without an error, as it does at the zeros at the end of a tar.
    if headers.last.strip(b"\0"):
        raise ArchiveError(_NO_ARCHIVE)


class _TarHeaders:
    """A tar file from which tarfile can read at most _MAX_HEADERS bytes of headers for each entry."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell = file.seek, file.tell
        self.left = _MAX_HEADERS
        self.last = b""

    def read(self, size: int) -> bytes:
        self.left -= size
        if self.left < 0:
            raise ArchiveError("has an entry whose header is too large; the archive is damaged or malicious")
        self.last = self._file.read(size)
        return self.last


def _tar_entry(member: tarfile.TarInfo, file: IO[bytes], offset: int) -> ArchiveEntry:
    name = member.name[: MAX_NAME + 1]  # saves memory; a name of this length is refused
    file_problem = "" if member.isreg() and not member.issparse() else _NOT_PLAIN
    problem = _LINK if member.issym() or member.islnk() else file_problem

    def read(limit: int) -> bytes:
        _refuse_size(member.size, limit)
        file.seek(offset)
        if len(data := file.read(member.size)) < member.size:
            raise EntryError(_DAMAGED)
        return data

    return ArchiveEntry(name, _utc(member.mtime), read, problem)
