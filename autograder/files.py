"""Writes files whole or not at all: whoever reads one meanwhile gets the old content or the new."""

import fcntl
import logging
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LOG = logging.getLogger(__name__)


def write_whole(path: Path, content: str | bytes) -> Path:
    """Write `content` to `path`, text as UTF-8, make missing folders on the way, and return `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        write_whole_in(folder, path.name, content.encode() if isinstance(content, str) else content)
    finally:
        os.close(folder)
    return path


def write_whole_in(folder: int, name: str, content: bytes) -> None:
    """Write the file `name` in the folder that is open as `folder`, even if that has been moved."""
    draft = f".{secrets.token_hex(8)}.part"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(draft, flags, 0o666, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(draft, dir_fd=folder)
        raise


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let one process at a time through; the lock at `path` ends with its process, however that ends."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _LOG.warning("another autograder is at work in %s; waiting for it", path.parent)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)  # also for processes that were forked meanwhile
    finally:
        os.close(descriptor)
