"""Confines a submission by Landlock to a few places that it can read and one folder that it can write."""

import ctypes
import os
import struct
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from autograder.worker.syscalls import LANDLOCK, numbered

# Calls as new as these have the same numbers on every architecture.
_CREATE, _ADD, _RESTRICT = numbered(LANDLOCK, "x86_64").values()
_READ = 1 << 2 | 1 << 3  # read a file, list a folder
# The rights that each version of Landlock knows. What a ruleset handles is denied wherever no rule grants it.
_EVERYTHING = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
_SCRATCH = (1 << 13) - 1 | 1 << 14  # all rights of the first version, and truncating
_DEVICES = 1 << 6 | 1 << 11  # making device files, which no notebook needs
_TCP = 1 << 0 | 1 << 1  # bind, connect
_SCOPES = 1 << 0 | 1 << 1  # abstract sockets, signals
_PATH_BENEATH = 1
_VERSION = 1


def install(readable: Iterable[Path], scratch: Path) -> bool:
    """Confine this process for the rest of its life; return whether the kernel was able to."""
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE, None, 0, _VERSION)
    if version < 1:
        return False
    handled = _EVERYTHING[min(version, 5)]
    ruleset = _ruleset(libc, handled, version)
    for path in readable:
        with suppress(FileNotFoundError):
            _allow(libc, ruleset, path, _READ & handled)
    _allow(libc, ruleset, scratch, _SCRATCH & handled & ~_DEVICES)
    restricted: int = libc.syscall(_RESTRICT, ruleset, 0)
    os.close(ruleset)
    return restricted == 0


def _ruleset(libc: ctypes.CDLL, handled: int, version: int) -> int:
    """Create the strictest ruleset that this kernel accepts: some refuse scopes that their version has."""
    for network, scopes in ((_TCP, _SCOPES), (_TCP, 0), (0, 0)):
        if (network and version < 4) or (scopes and version < 6):
            continue
        attributes = struct.pack("QQQ", handled, network, scopes)[: 24 if scopes else 16 if network else 8]
        descriptor: int = libc.syscall(_CREATE, ctypes.c_char_p(attributes), len(attributes), 0)
        if descriptor >= 0:
            return descriptor
    raise OSError(ctypes.get_errno(), "the kernel refused every Landlock ruleset")


def _allow(libc: ctypes.CDLL, ruleset: int, path: Path, access: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not path.is_dir():
            access &= ~(1 << 3)
        rule = struct.pack("=Qi", access, descriptor)
        if libc.syscall(_ADD, ruleset, _PATH_BENEATH, ctypes.c_char_p(rule), 0) != 0:
            raise OSError(ctypes.get_errno(), f"Landlock refused a rule for {path}")
    finally:
        os.close(descriptor)
