"""A worker's temporary folder, which is always removed, and the limits on its contents.

The kernel counts threads and disk space by user, and all workers run as the same user. Therefore the zygote
checks how many threads, files and bytes each worker uses.
"""

import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

MAX_FILE = 16 << 20  # bytes of one file; the kernel enforces this limit
_MAX_ENTRIES = 2000
_MAX_BYTES = 128 << 20
_MAX_THREADS = 64
_BLOCK = 512  # bytes of a block in `st_blocks`, on every file system
_DELETED = " (deleted)"


def lay_file(name: str, content: bytes) -> dict[str, None]:
    """Write a file of the exercise into this worker's folder, read-only, and return an empty reply.

    Each worker has its own copy, so submissions cannot exchange data through it. The file stays read-only,
    because a worker may not change modes.
    """
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    return {}


def exceeds(process: int, folder: Path) -> bool:
    """Whether `process` has too many threads, or too many files or bytes in its `folder`."""
    return (
        _count_threads(process) > _MAX_THREADS
        or _overflows(folder)
        or _opened(process) + _mapped(process, folder) > _MAX_BYTES
    )


def _overflows(folder: Path) -> bool:
    """Whether `folder` contains too many files or bytes, or a folder that cannot be listed."""
    entries = size = 0
    pending = [folder]
    while pending:
        try:
            with os.scandir(pending.pop()) as listing:
                for entry in listing:
                    entries += 1
                    size += entry.stat(follow_symlinks=False).st_blocks * _BLOCK
                    if entries > _MAX_ENTRIES or size > _MAX_BYTES:
                        return True
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(Path(entry.path))
        except FileNotFoundError:
            continue  # the folder has been deleted since its parent was listed
        except OSError:
            return True  # the folder's path is too long, or its mode forbids listing it
    return False


def _opened(process: int) -> int:
    """Return how many bytes of disk space are used by deleted files that `process` still has open."""
    sizes: dict[tuple[int, int], int] = {}
    with suppress(OSError):  # the process has ended, or this system has no /proc
        for entry in os.scandir(f"/proc/{process}/fd"):
            with suppress(OSError):  # the file has been closed since it was listed
                if Path(entry.path).readlink().name.endswith(_DELETED):
                    status = entry.stat()
                    sizes[status.st_dev, status.st_ino] = status.st_blocks * _BLOCK
    return sum(sizes.values())


def _mapped(process: int, folder: Path) -> int:
    """Return an upper bound, in bytes, for the deleted files of `folder` that `process` still maps."""
    lines, inside = _read(process, "maps").splitlines(), f" {folder}/"
    inodes = {line.split(maxsplit=5)[4] for line in lines if line.endswith(_DELETED) and inside in line}
    return len(inodes) * MAX_FILE


def _count_threads(process: int) -> int:
    fields = _read(process, "stat").rpartition(")")[2].split()
    return int(fields[17]) if fields else 0


def _read(process: int, name: str) -> str:
    """Return the text of a file of /proc about `process`. It is "" if the process or /proc does not exist."""
    with suppress(OSError):
        return Path(f"/proc/{process}/{name}").read_text(encoding="utf-8", errors="replace")
    return ""


_PREFIX = "worker-"


@contextmanager
def temporary_folder(parent: Path) -> Iterator[Path]:
    """Make a folder in `parent` for a `with` block. First remove the folders of processes that have ended.

    Each process locks its folder. The kernel releases the lock when the process ends for any reason, so a
    folder without a lock can be removed.
    """
    for folder in parent.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            _remove_unclaimed(folder)
    folder, lock = _claimed(parent)
    try:
        yield folder
    finally:
        remove(folder)
        os.close(lock)


def remove(folder: Path) -> None:
    """Remove `folder` and its contents, at any depth and with any modes.

    Every folder inside is first moved up into `folder` itself, so that no path becomes too long for the
    kernel.
    """
    pending = [folder]
    while pending:
        current = pending.pop()
        current.chmod(0o700)
        for entry in list(os.scandir(current)):
            inner = Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                inner.chmod(0o700)  # moving a folder needs write permission on the folder itself, too
                pending.append(inner.rename(tempfile.mkdtemp(dir=folder)))
            else:
                inner.unlink()
        if current != folder:
            current.rmdir()
    folder.rmdir()


def _claimed(parent: Path) -> tuple[Path, int]:
    """Make a folder and lock it. If another process removes it before it is locked, make a new one."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        with suppress(FileNotFoundError):
            lock = os.open(folder, os.O_RDONLY)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if folder.exists():
                return folder, lock
            os.close(lock)


def _remove_unclaimed(folder: Path) -> None:
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        return
    lock = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails if the process of this folder still runs
        remove(folder)
    finally:
        os.close(lock)
