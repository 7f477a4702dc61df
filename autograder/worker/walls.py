"""The inner wall, which each child raises between itself and the machine before a student's code arrives."""

import ctypes
import os
import platform
import resource
import signal
import site
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from autograder.worker import landlock, seccomp
from autograder.worker.quota import MAX_FILE

_SET_DEATH_SIGNAL, _SET_DUMPABLE, _DROP_BOUND, _NO_NEW_PRIVILEGES = 1, 4, 24, 38
_CAPABILITY_VERSION = 0x20080522
_LAST_CAPABILITY = 63
_SYSTEM = (
    "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/mime.types",
    "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random",
    "/proc/cpuinfo", "/sys/devices/system/cpu",
)  # fmt: skip


def die_with_parent(by: signal.Signals = signal.SIGKILL) -> None:
    """Have the kernel send this process a signal when its parent dies."""
    _libc().prctl(_SET_DEATH_SIGNAL, int(by), 0, 0, 0)


def confine(limits: dict[str, Any]) -> list[str]:
    """Raise every wall that this kernel offers, and return their names; none can be taken down again.

    A wall that cannot be raised is left out: the grader decides whether the others are enough.
    """
    scratch = Path.cwd()
    _limit(limits)
    walls = ["rlimits"]
    libc = _libc()
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return walls
    _drop_capabilities(libc)
    with suppress(OSError):
        walls += ["landlock"] if landlock.install(readable(), scratch) else []
    if "landlock" not in walls:
        # Keeps other workers from our memory. Landlock does so too, but lets the zygote see our open files.
        libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    with suppress(OSError, KeyError):  # a KeyError where an architecture's system calls are not known
        seccomp.install()
        walls.append("seccomp")
    return walls


def prepare() -> None:
    """Find out once, in the zygote, what raising the walls needs to know in each of its children."""
    tuple(readable())
    _memory()
    with suppress(KeyError):  # where an architecture's system calls are not known
        seccomp.build(os.getpid(), platform.machine())


def readable() -> Iterator[Path]:
    """Yield the places from which Python and its libraries are read; no home and no course is among them."""
    yield from _shared()
    yield Path(f"/proc/{os.getpid()}")


@cache
def _shared() -> tuple[Path, ...]:
    """Return the places that all processes read alike."""
    return tuple(dict.fromkeys((*map(Path, _SYSTEM), *interpreter())))


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
    memory = _memory() + (int(limits["memory_mb"]) << 20)
    bounds = {"AS": memory, "CPU": int(limits["cpu_seconds"]), "FSIZE": MAX_FILE, "NOFILE": 128}
    for name, bound in (bounds | {"CORE": 0, "MEMLOCK": 0, "MSGQUEUE": 0}).items():
        with suppress(ValueError):  # the hard limit is lower already
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (bound, bound))


def _memory() -> int:
    """Return how many bytes this process already has."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    return int(pages) * resource.getpagesize()


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    for capability in range(_LAST_CAPABILITY + 1):
        libc.prctl(_DROP_BOUND, capability, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    libc.capset(header, (ctypes.c_uint32 * 6)())


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
