"""How many threads, files and bytes a worker may take, which the zygote has to check itself.

The kernel counts processes and disk space for a user, and all workers have the same user.
"""

import os
from contextlib import suppress
from pathlib import Path

MAX_FILE = 16 << 20  # bytes of one file, which the kernel does limit for each process
_MAX_ENTRIES = 2000
_MAX_BYTES = 128 << 20
_MAX_THREADS = 64
_BLOCK = 512  # bytes; stat counts in these, whatever the file system's own blocks are
_DELETED = " (deleted)"


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
