"""A worker's scratch folder, which goes away whatever happens, and how much a worker may put there.

The kernel counts processes and disk space for a user, and all workers have the same user. So the zygote has
to check itself how many threads, files and bytes a worker takes.
"""

import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

MAX_FILE = 16 << 20  # bytes of one file, which the kernel does limit for each process
_MAX_ENTRIES = 2000
_MAX_BYTES = 128 << 20
_MAX_THREADS = 64
_BLOCK = 512  # bytes; stat counts in these, whatever the file system's own blocks are
_DELETED = " (deleted)"


def lay_file(name: str, content: bytes) -> dict[str, None]:
    """Put a file of the exercise into this worker's folder, read-only, and return an empty answer.

    It is a copy: what a submission does to it, no other worker sees. A worker may not change modes later.
    """
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    return {}


def exceeds(process: int, folder: Path) -> bool:
    """Whether `process` has more threads, or its `folder` holds more, than any notebook needs."""
    return (
        _threads(process) > _MAX_THREADS
        or _overflows(folder)
        or _opened(process) + _mapped(process, folder) > _MAX_BYTES
    )


def _overflows(folder: Path) -> bool:
    """Whether `folder` holds too many files or bytes; one that we cannot look through counts as too full."""
    entries = size = 0
    pending = [folder]
    while pending:
        try:
            with os.scandir(pending.pop()) as found:
                for entry in found:
                    entries += 1
                    size += entry.stat(follow_symlinks=False).st_blocks * _BLOCK
                    if entries > _MAX_ENTRIES or size > _MAX_BYTES:
                        return True
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(Path(entry.path))
        except FileNotFoundError:
            continue  # it has been deleted meanwhile
        except OSError:
            return True  # it is nested too deeply, or its modes keep us out
    return False


def _opened(process: int) -> int:
    """Return the bytes of deleted files that `process` still has open."""
    sizes: dict[tuple[int, int], int] = {}
    with suppress(OSError):  # it has ended, or this system has no /proc
        for entry in os.scandir(f"/proc/{process}/fd"):
            with suppress(OSError):  # it has been closed meanwhile
                if Path(entry.path).readlink().name.endswith(_DELETED):
                    status = entry.stat()
                    sizes[status.st_dev, status.st_ino] = status.st_blocks * _BLOCK
    return sum(sizes.values())


def _mapped(process: int, folder: Path) -> int:
    """Return the most bytes that files can take which `process` has mapped and then deleted from `folder`."""
    lines, place = _read(process, "maps").splitlines(), f" {folder}/"
    inodes = {line.split(maxsplit=5)[4] for line in lines if line.endswith(_DELETED) and place in line}
    return len(inodes) * MAX_FILE


def _threads(process: int) -> int:
    fields = _read(process, "stat").rpartition(")")[2].split()
    return int(fields[17]) if fields else 0


def _read(process: int, name: str) -> str:
    """Return a file of /proc about `process`, or nothing if the process has ended or there is no /proc."""
    with suppress(OSError):
        return Path(f"/proc/{process}/{name}").read_text(encoding="utf-8", errors="replace")
    return ""


_PREFIX = "worker-"


@contextmanager
def own_folder(place: Path) -> Iterator[Path]:
    """Make a folder in `place` for the length of a `with` block, and remove those of processes that died.

    Each process holds a lock on its folder. The kernel releases it when the process ends, however it ends, so
    a folder without a lock belongs to nobody.
    """
    for folder in place.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            _remove_unclaimed(folder)
    folder, lock = _claimed(place)
    try:
        yield folder
    finally:
        remove(folder)
        os.close(lock)


def remove(folder: Path) -> None:
    """Remove `folder` with all that is in it, however deeply it is nested and whatever its modes are.

    Every folder inside is first moved to its top, so that no path grows longer than the kernel accepts.
    """
    pending = [folder]
    while pending:
        place = pending.pop()
        place.chmod(0o700)
        for entry in list(os.scandir(place)):
            inner = Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                inner.chmod(0o700)  # also to be moved
                pending.append(inner.rename(tempfile.mkdtemp(dir=folder)))
            else:
                inner.unlink()
        if place != folder:
            place.rmdir()
    folder.rmdir()


def _claimed(place: Path) -> tuple[Path, int]:
    """Make a folder and lock it; make another if a process removed it as unclaimed before the lock."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
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
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # an OSError while its process lives
        remove(folder)
    finally:
        os.close(lock)
