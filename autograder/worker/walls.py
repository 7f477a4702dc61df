"""The inner wall: what each child puts between itself and the machine before it sees a student's byte."""

import ctypes
import os
import resource
import signal
import site
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from autograder.worker import landlock, seccomp
from autograder.worker.scratch import MAX_FILE

_SET_DEATH_SIGNAL, _SET_DUMPABLE, _DROP_BOUND, _NO_NEW_PRIVILEGES = 1, 4, 24, 38
_CAPABILITY_VERSION = 0x20080522
_LAST_CAPABILITY = 63
_SYSTEM = (
    "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/mime.types",
    "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random",
    "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu",
)  # fmt: skip


def die_with_parent(by: signal.Signals = signal.SIGKILL) -> None:
    """Have the kernel send this process a signal when the one that started it dies."""
    _libc().prctl(_SET_DEATH_SIGNAL, int(by), 0, 0, 0)


def confine(limits: dict[str, Any]) -> list[str]:
    """Raise every wall that the kernel allows, for good, and return their names."""
    scratch = Path.cwd()
    _limit(limits)
    walls = ["rlimits"]
    libc = _libc()
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return walls
    _drop_capabilities(libc)
    with suppress(OSError):
        walls += ["landlock"] if landlock.install(readable(), scratch) else []
    if "landlock" not in walls:  # which keeps neighbours out, and lets the zygote see what files we hold
        libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    with suppress(OSError, KeyError):
        seccomp.install()
        walls.append("seccomp")
    return walls


def readable() -> Iterator[Path]:
    """Yield the places that Python and its libraries are read from: no home, no course."""
    yield from map(Path, _SYSTEM)
    yield Path(f"/proc/{os.getpid()}")
    yield from interpreter()


def interpreter() -> Iterator[Path]:
    """Yield the folders of this interpreter and of the worker's own code."""
    for prefix in (sys.prefix, sys.base_prefix):
        for part in ("lib", "lib64", "share", "pyvenv.cfg", "bin"):
            yield Path(prefix) / part
    yield from (Path(sysconfig.get_path(kind)) for kind in ("stdlib", "platstdlib", "purelib", "platlib"))
    yield from map(Path, site.getsitepackages())
    worker = Path(__file__).parent
    yield worker
    yield worker.parent / "__init__.py"


def _limit(limits: dict[str, Any]) -> None:
    memory = _size() + (int(limits["memory_mb"]) << 20)
    for kind, limit in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, int(limits["cpu_seconds"])),
        (resource.RLIMIT_FSIZE, MAX_FILE),
        (resource.RLIMIT_NOFILE, 128),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        with suppress(ValueError):  # a hard limit that is lower already
            resource.setrlimit(kind, (limit, limit))


def _size() -> int:
    """Return the bytes of address space that this process has already."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    for capability in range(_LAST_CAPABILITY + 1):
        libc.prctl(_DROP_BOUND, capability, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    libc.capset(header, (ctypes.c_uint32 * 6)())


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
