"""Reads a folder as a stream of entries, in order and through no link."""

import os
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO

from autograder.collecting.bounds import Bounds
from autograder.collecting.entry import ArchiveEntry, EntryError, mode_problem, too_large, utc


def read_folder(root: Path, bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield the files below `root`; a folder that cannot be opened becomes an entry with a problem."""
    folders = [""]  # still to be read, the next one last
    while folders:
        folder = folders.pop()
        try:
            found = sorted(os.scandir(root / folder), key=lambda item: item.name)
        except OSError as error:
            yield ArchiveEntry(folder, problem=f"cannot be opened: {error.strerror}")
            continue
        for item in found:
            bounds.count()
            if not item.is_dir(follow_symlinks=False):
                yield _entry(item, folder + item.name, bounds)
        inner = (item.name for item in reversed(found) if item.is_dir(follow_symlinks=False))
        folders.extend(f"{folder}{name}/" for name in inner)


def open_plain(path: Path | str, flags: int = 0, folder: int | None = None) -> IO[bytes]:
    """Open a plain file, in an open folder if one is given; O_NONBLOCK lets no pipe keep us waiting."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise EntryError("is neither an archive nor a folder")
    return os.fdopen(descriptor, "rb")


def _entry(item: "os.DirEntry[str]", name: str, bounds: Bounds) -> ArchiveEntry:
    try:
        about = item.stat(follow_symlinks=False)
    except OSError as error:
        return ArchiveEntry(name, problem=f"cannot be opened: {error.strerror}")
    read = partial(_read, item.path, bounds)
    return ArchiveEntry(name, utc(about.st_mtime), read, mode_problem(about.st_mode))


def _read(path: str, bounds: Bounds, limit: int) -> bytes:
    try:
        with open_plain(path, os.O_NOFOLLOW) as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise EntryError(f"cannot be opened: {error.strerror}") from None
    if len(data) > limit:
        raise too_large(limit)
    bounds.spend(len(data))
    return data
