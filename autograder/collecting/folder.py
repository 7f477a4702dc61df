"""Reads a folder as a stream of entries, in order and through no link."""

import os
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from autograder.collecting.entry import ArchiveEntry, Bounds, EntryError, mode_problem, too_large, utc


def read_folder(root: Path, bounds: Bounds) -> Iterator[ArchiveEntry]:
    """Yield the files below `root`; a folder that cannot be opened becomes an entry with a problem."""
    folders = [""]  # still to be read, the next one last
    while folders:
        folder = folders.pop()
        try:
            found = sorted(os.scandir(root / folder), key=lambda item: item.name)
        except OSError as error:
            yield _unreadable(folder, error)
            continue
        inner = [item.name for item in found if item.is_dir(follow_symlinks=False)]
        folders.extend(f"{folder}{name}/" for name in reversed(inner))
        known = set(inner)
        for name in (item.name for item in found):
            bounds.count()
            if name not in known:
                yield _entry(root, folder + name, bounds)


def open_plain(path: Path, flags: int = 0) -> int:
    """Return a descriptor of a plain file; without O_NONBLOCK a pipe would make us wait for its writer."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise EntryError("is neither an archive nor a folder")


def _entry(root: Path, name: str, bounds: Bounds) -> ArchiveEntry:
    try:
        about = (root / name).lstat()
    except OSError as error:
        return _unreadable(name, error)
    return ArchiveEntry(
        name, utc(about.st_mtime), partial(_read, root / name, bounds), mode_problem(about.st_mode)
    )


def _read(path: Path, bounds: Bounds, limit: int) -> bytes:
    try:
        with os.fdopen(open_plain(path, os.O_NOFOLLOW), "rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise EntryError(f"cannot be opened: {error.strerror}") from None
    if len(data) > limit:
        raise too_large(limit)
    bounds.spend(len(data))
    return data


def _unreadable(name: str, error: OSError) -> ArchiveEntry:
    return ArchiveEntry(name, None, lambda _: b"", f"cannot be opened: {error.strerror}")
