"""A worker's scratch folder and threads: how much it may take, and a removal that nothing in it can stop."""

import fcntl
import itertools
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

MAX_FILE = 16 << 20  # bytes of one file, which the kernel sees to
_MAX_ENTRIES = 2000
_MAX_BYTES = 128 << 20
_MAX_THREADS = 64
_BLOCK = 512
_DELETED = " (deleted)"
_PREFIX = "worker-"


@contextmanager
def own_folder(place: Path) -> Iterator[Path]:
    """Make a folder in `place` for as long as this process needs it, and remove those of processes that died.

    A lock, which the kernel gives back whatever happens, tells the living from the dead.
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


def exceeds(process: int, folder: Path) -> bool:
    """Whether `process` has more threads, or `folder` holds more, than any notebook needs.

    No limit of the kernel's counts these for one process alone, so its parent looks from time to time.
    """
    return (
        _threads(process) > _MAX_THREADS
        or _overflows(folder)
        or _opened(process) + _mapped(process, folder) > _MAX_BYTES
    )


def remove(folder: Path) -> None:
    """Remove `folder` with all that is in it, however deeply nested or hard to open."""
    heap = folder.with_name(f"{folder.name}-removed")
    heap.mkdir()
    names = map(str, itertools.count())
    pending = [_taken(folder, heap / next(names))]
    while pending:
        place = pending.pop()
        with os.scandir(place) as entries:
            found = list(entries)
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                pending.append(_taken(Path(entry.path), heap / next(names)))
            else:
                Path(entry.path).unlink()
        place.rmdir()
    heap.rmdir()


def _claimed(place: Path) -> tuple[Path, int]:
    """Make a folder and lock it; where another process took it for left behind in between, make another."""
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
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # an OSError where its process lives
        remove(folder)
    finally:
        os.close(lock)


def _taken(folder: Path, target: Path) -> Path:
    """Move `folder` to `target`, so that no path ever grows long, and make it open to us."""
    folder.chmod(0o700)
    return folder.rename(target)


def _overflows(folder: Path) -> bool:
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
            continue  # gone since
        except OSError:
            return True  # nested too deeply, or closed to us
    return False


def _opened(process: int) -> int:
    """Return the bytes of files that `process` has open and that no folder holds any more."""
    sizes: dict[tuple[int, int], int] = {}
    with suppress(OSError):  # gone since, or this system does not tell
        for entry in os.scandir(f"/proc/{process}/fd"):
            with suppress(OSError):  # closed since
                if Path(entry.path).readlink().name.endswith(_DELETED):
                    status = entry.stat()
                    sizes[status.st_dev, status.st_ino] = status.st_blocks * _BLOCK
    return sum(sizes.values())


def _mapped(process: int, folder: Path) -> int:
    """Return how many bytes the deleted files of `folder` that `process` has in memory may have at most."""
    try:
        lines = Path(f"/proc/{process}/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return 0
    place = f" {folder}/"
    inodes = {line.split(maxsplit=5)[4] for line in lines if line.endswith(_DELETED) and place in line}
    return len(inodes) * MAX_FILE


def _threads(process: int) -> int:
    try:
        fields = (
            Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
        )
    except OSError:
        return 0  # this system does not tell
    return int(fields.split()[17])
