"""Confines a child of the zygote before student code arrives. docs/walls.md calls this the inner wall.

Landlock lets the child read a few folders and write to its scratch folder. seccomp restricts its system
calls. Resource limits restrict its memory, processor time, files and descriptors.
"""

import ctypes
import os
import resource
import signal
import site
import struct
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from autograder.worker import seccomp
from autograder.worker.scratch import MAX_FILE
from autograder.worker.seccomp import LIBC, numbered

# Like all recent system calls, these have the same numbers on every architecture.
_CREATE, _ADD, _RESTRICT = numbered("landlock", "x86_64").values()
_READ = 1 << 2 | 1 << 3  # read a file, list a folder
# All rights that each version of Landlock can handle. A handled right is denied unless a rule grants it.
_EVERYTHING = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
_SCRATCH = (1 << 13) - 1 | 1 << 14  # rights in the scratch folder: those of version 1, and truncating files
_DEVICES = 1 << 6 | 1 << 11  # making device files, which no notebook needs
_TCP = 1 << 0 | 1 << 1  # bind, connect
_SCOPES = 1 << 0 | 1 << 1  # abstract sockets of other processes, signals to other processes
_PATH_BENEATH = 1
_VERSION = 1


def confine_files(readable: Iterable[Path], scratch: Path) -> bool:
    """Confine this process with Landlock for the rest of its life; return whether the kernel supports it."""
    version = LIBC.syscall(_CREATE, None, 0, _VERSION)
    if version < 1:
        return False
    handled = _EVERYTHING[min(version, 5)]
    ruleset = _ruleset(handled, version)
    for path in readable:
        with suppress(FileNotFoundError):
            _allow(ruleset, path, _READ & handled)
    _allow(ruleset, scratch, _SCRATCH & handled & ~_DEVICES)
    restricted: int = LIBC.syscall(_RESTRICT, ruleset, 0)
    os.close(ruleset)
    return restricted == 0


def _ruleset(handled: int, version: int) -> int:
    """Return the descriptor of the strictest ruleset that this kernel accepts.

    Some kernels report a version of Landlock but refuse a part of it.
    """
    for network, scopes in ((_TCP, _SCOPES), (_TCP, 0), (0, 0)):
        if (network and version < 4) or (scopes and version < 6):
            continue
        attributes = struct.pack("QQQ", handled, network, scopes)[: 24 if scopes else 16 if network else 8]
        descriptor: int = LIBC.syscall(_CREATE, ctypes.c_char_p(attributes), len(attributes), 0)
        if descriptor >= 0:
            return descriptor
    raise OSError(ctypes.get_errno(), "the kernel refused every Landlock ruleset")


def _allow(ruleset: int, path: Path, access: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not path.is_dir():
            access &= ~(1 << 3)
        rule = struct.pack("=Qi", access, descriptor)
        if LIBC.syscall(_ADD, ruleset, _PATH_BENEATH, ctypes.c_char_p(rule), 0) != 0:
            raise OSError(ctypes.get_errno(), f"Landlock refused a rule for {path}")
    finally:
        os.close(descriptor)


_SET_DEATH_SIGNAL, _SET_DUMPABLE, _DROP_BOUND, _NO_NEW_PRIVILEGES = 1, 4, 24, 38
_CAPABILITY_VERSION = 0x20080522
_LAST_CAPABILITY = 63
_SYSTEM = (
    "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/mime.types",
    "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random",
    "/proc/cpuinfo", "/sys/devices/system/cpu",
)  # fmt: skip
# The files of /proc that a process may read about itself. `net` is left out, because even in a network
# namespace it counts the sockets of the whole machine. `mounts` is left out, because it names folders of the
# machine. `task` is left out, because it contains `net` and `mounts`.
_OWN = ("cmdline", "comm", "fd", "fdinfo", "io", "limits", "maps", "mem", "smaps", "stat", "statm", "status")


def die_with_parent(by: signal.Signals = signal.SIGKILL) -> None:
    """Have the kernel send this process a signal when its parent dies."""
    LIBC.prctl(_SET_DEATH_SIGNAL, int(by), 0, 0, 0)


def confine(limits: dict[str, Any]) -> list[str]:
    """Confine this process permanently with each wall that the kernel offers; return their names."""
    scratch = Path.cwd()
    _set_limits(limits)
    walls = ["rlimits"]
    if LIBC.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return walls
    _drop_capabilities()
    with suppress(OSError):
        walls += ["landlock"] if confine_files(readable(), scratch) else []
    if "landlock" not in walls:
        # Without Landlock, only this setting keeps other workers from reading this process's memory. With
        # Landlock, the setting is left out, so that the zygote can list this process's open files.
        LIBC.prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    with suppress(OSError, KeyError):  # a KeyError on an architecture without a table of system calls
        seccomp.install()
        walls.append("seccomp")
    return walls


def readable() -> Iterator[Path]:
    """Yield the files and folders that Python and its libraries need."""
    yield from _SHARED
    yield from (Path(f"/proc/{os.getpid()}", name) for name in _OWN)


def interpreter() -> Iterator[Path]:
    """Yield the files and folders of this interpreter and of the worker's own code."""
    for prefix in (sys.prefix, sys.base_prefix):
        for part in ("lib", "lib64", "share", "pyvenv.cfg", "bin"):
            yield Path(prefix) / part
    yield from (Path(sysconfig.get_path(kind)) for kind in ("stdlib", "platstdlib", "purelib", "platlib"))
    yield from map(Path, site.getsitepackages())
    worker = Path(__file__).parent
    yield worker
    yield worker.parent / "__init__.py"


# Files and folders that all workers may read. The zygote computes this tuple once, before it forks.
_SHARED = tuple(dict.fromkeys((*map(Path, _SYSTEM), *interpreter())))


def _set_limits(limits: dict[str, Any]) -> None:
    pages = Path("/proc/self/statm").read_bytes().split()[0]  # pages of memory already in use
    memory = int(pages) * resource.getpagesize() + (int(limits["memory_mb"]) << 20)
    bounds = {"AS": memory, "CPU": int(limits["cpu_seconds"]), "FSIZE": MAX_FILE, "NOFILE": 128}
    for name, bound in (bounds | {"CORE": 0, "MEMLOCK": 0, "MSGQUEUE": 0}).items():
        with suppress(ValueError):  # the hard limit is lower already
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (bound, bound))


def _drop_capabilities() -> None:
    for capability in range(_LAST_CAPABILITY + 1):
        LIBC.prctl(_DROP_BOUND, capability, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    LIBC.capset(header, (ctypes.c_uint32 * 6)())
