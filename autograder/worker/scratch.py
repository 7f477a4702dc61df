"""A worker's scratch folder: made when needed, and removed however its process ends and whatever it holds."""

import fcntl
import itertools
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

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
    folder, lock = _claimed(lambda: Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place)))
    try:
        yield folder
    finally:
        remove(folder)
        os.close(lock)


def remove(folder: Path) -> None:
    """Remove `folder` with all that is in it, however deeply it is nested and whatever its modes are.

    Every folder is first moved next to the others, so that no path grows longer than the kernel accepts.
    """
    heap, lock = _claimed(lambda: _made(folder.with_name(f"{folder.name}-removed")))
    try:
        names = map(str, itertools.count())
        pending = [_taken(folder, heap / next(names))]
        while pending:
            place = pending.pop()
            for entry in list(os.scandir(place)):
                if entry.is_dir(follow_symlinks=False):
                    pending.append(_taken(Path(entry.path), heap / next(names)))
                else:
                    Path(entry.path).unlink()
            place.rmdir()
        heap.rmdir()
    finally:
        os.close(lock)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _claimed(make: Callable[[], Path]) -> tuple[Path, int]:
    """Make a folder and lock it; make another if a process removed it as unclaimed before the lock."""
    while True:
        folder = make()
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


def _taken(folder: Path, target: Path) -> Path:
    """Move `folder` to `target`, and give ourselves the right to look into it."""
    folder.chmod(0o700)
    return folder.rename(target)
