"""A worker's scratch folder and threads: how much it may take, and a removal that nothing in it can stop."""

import itertools
import os
from pathlib import Path

_MAX_ENTRIES = 2000
_MAX_BYTES = 128 << 20
_MAX_THREADS = 64
_BLOCK = 512


def exceeds(process: int, folder: Path) -> bool:
    """Whether `process` has more threads, or `folder` holds more, than any notebook needs.

    No limit of the kernel's counts these for one process alone, so its parent looks from time to time.
    """
    return _threads(process) > _MAX_THREADS or _overflows(folder)


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


def _threads(process: int) -> int:
    try:
        fields = (
            Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
        )
    except OSError:
        return 0  # this system does not tell
    return int(fields.split()[17])
