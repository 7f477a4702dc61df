"""Writes files atomically: readers see either the old content or the new."""

import fcntl
import logging
import os
import secrets
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_DRAFT = ".part"
ANYBODY, OWNER = 0o666, 0o600  # permissions of a new file; the umask may restrict them
_LOG = logging.getLogger(__name__)


def write_whole(path: Path, content: str | bytes, mode: int = ANYBODY) -> Path:
    """Write `content` to `path` and return `path`. Text is written as UTF-8; missing folders are made."""
    draft = path.with_name(f".{secrets.token_hex(8)}{_DRAFT}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    whole = content.encode() if isinstance(content, str) else content
    with _naming(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with os.fdopen(os.open(draft, flags, mode), "wb") as file:
                file.write(whole)
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    return path


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Put `path` into an OSError that names a temporary file or no file."""
    try:
        yield
    except OSError as error:
        if error.filename is None or str(error.filename).endswith(_DRAFT):
            error.filename = str(path)
        raise


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a zip. `content` is its bytes, or the path of a file with these bytes."""

    name: str
    content: bytes | Path
    mode: int = 0o100644  # type and permissions, as Unix stores them
    packing: int = zipfile.ZIP_DEFLATED


def write_zip(path: Path, members: Iterable[Member], mode: int = ANYBODY) -> Path:
    """Write a zip of these files in this order. The same files always give the same bytes."""
    draft = path.with_name(f".{secrets.token_hex(8)}{_DRAFT}")
    with _naming(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            draft.touch(mode, exist_ok=False)
            with zipfile.ZipFile(draft, "w") as archive:
                for member in members:
                    _pack(archive, member)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    return path


def _pack(archive: zipfile.ZipFile, member: Member) -> None:
    about = zipfile.ZipInfo(member.name)  # the default time is constant, so equal files give equal bytes
    about.create_system = 3  # 3 is Unix; other values make programs ignore the mode
    about.external_attr = member.mode << 16
    about.compress_type = member.packing
    if isinstance(member.content, bytes):
        archive.writestr(about, member.content)
    else:
        with member.content.open("rb") as file, archive.open(about, "w", force_zip64=True) as packed:
            shutil.copyfileobj(file, packed)


@contextmanager
def locked(path: Path, tell: Callable[[str], None] = _LOG.warning) -> Iterator[None]:
    """Lock the file `path` during the `with` block, so that only one process at a time runs the block.

    A process that has to wait passes a message to `tell`. If a process dies, the kernel releases its lock.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell(f"another command is working in {path.parent}; waiting until it has finished")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            yield
        finally:
            # Closing is not enough if a process that was forked in the block still has the descriptor.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(descriptor)
