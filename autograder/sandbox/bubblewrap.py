"""The outer wall: a command line with which bubblewrap runs the zygote in separate namespaces."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.worker.walls import interpreter

_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin")
_SETTINGS = ("/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/mime.types")
_TEMPORARY = "/tmp"  # noqa: S108 - in bubblewrap, this is an empty file system in memory
_TEMPORARY_BYTES = 512 << 20


def program() -> str | None:
    """Return the path of bubblewrap's program, or None if it is not installed."""
    return shutil.which("bwrap")


def wrapped(command: Sequence[str], readable: Sequence[Path]) -> list[str]:
    """Return the arguments with which bubblewrap runs `command`.

    In bubblewrap, `command` can read the system's folders, the interpreter's and the folders in `readable`.
    It can write only to a temporary folder.
    """
    return [
        program() or "bwrap",
        "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
        "--uid", "65534", "--gid", "65534", "--hostname", "worker",
        *_system_options(),
        *(word for path in _SETTINGS for word in ("--ro-bind-try", path, path)),
        # /tmp is mounted before the folders below. Otherwise it would hide a readable folder inside /tmp.
        "--size", str(_TEMPORARY_BYTES), "--tmpfs", _TEMPORARY,
        *(word for path in _folders_outside_system(readable) for word in ("--ro-bind", str(path), str(path))),
        "--proc", "/proc", "--dev", "/dev",
        "--chdir", _TEMPORARY,
        *command,
    ]  # fmt: skip


def _system_options() -> Iterator[str]:
    for folder in map(Path, _SYSTEM):
        if folder.is_symlink():
            yield from ("--symlink", str(folder.readlink()), str(folder))
        elif folder.is_dir():
            yield from ("--ro-bind", str(folder), str(folder))


def _folders_outside_system(readable: Sequence[Path]) -> list[Path]:
    """Return the interpreter's folders and the readable folders.

    Folders inside a system folder, or inside another returned folder, are left out.
    """
    folders: list[Path] = []
    for path in sorted({*interpreter(), *readable}):
        inside = any(path.is_relative_to(other) for other in (*folders, *map(Path, _SYSTEM)))
        if path.exists() and not inside:
            folders.append(path)
    return folders
