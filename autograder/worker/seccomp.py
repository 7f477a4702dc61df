"""The system call filter of a submission: a classic BPF program, which the kernel never takes off again."""

import ctypes
import os
import platform
import struct
from collections.abc import Sequence

from autograder.worker.syscalls import ALLOWED, CONDITIONAL, REFUSED, numbered

_LOAD, _JUMP_EQUAL, _JUMP_ABOVE, _JUMP_SET, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS, _ENOTTY = 1, 38, 25
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000  # from this number on, a call is of x86-64's other calling convention
_SET_SECCOMP, _FILTER = 22, 2
_CLONE_THREAD = 0x00010000
_SAFE_IOCTLS = (0x5401, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
_SAFE_PRCTLS = (15, 16, 3, 39)  # set and get a thread's name, get dumpable, get no-new-privs
# Descriptors, flags, locks and sizes of pipes; not F_SETOWN, by which the kernel would signal others for us.
_SAFE_FCNTLS = (*range(8), 36, 37, 38, 1030, 1031, 1032)
_MODE_AND_TRUNCATE = 0o1003
# O_TRUNC with a mode that does not write: early versions of Landlock let this empty a file.
_TRUNCATE_UNWRITTEN = (0o1000, 0o1003)
Instruction = bytes


def install() -> None:
    """Confine this process, with every thread that it starts, to the calls that a notebook needs."""
    program = b"".join(build(os.getpid(), platform.machine()))
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_SET_SECCOMP, _FILTER, ctypes.c_char_p(header), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the system call filter was refused")


def build(process: int, machine: str) -> list[Instruction]:
    """Return the filter for `process`, which may signal itself alone; KeyError if `machine` is unknown."""
    special = numbered(CONDITIONAL, machine)
    program = [
        _do(_LOAD, _ARCHITECTURE),
        _do(_JUMP_EQUAL, _AUDIT[machine], 1, 0),
        _do(_RETURN, _KILL),
        _do(_LOAD, _NUMBER),
        _do(_JUMP_ABOVE, _X32, 0, 1),
        _do(_RETURN, _ERRNO | _ENOSYS),
    ]
    for number in numbered(ALLOWED, machine).values():
        program += [_do(_JUMP_EQUAL, number, 0, 1), _do(_RETURN, _ALLOW)]
    for number in numbered(REFUSED, machine).values():
        program += [_do(_JUMP_EQUAL, number, 0, 1), _do(_RETURN, _ERRNO | _EPERM)]
    program += _only(special["kill"], 0, (process,), _EPERM)
    program += _only(special["tgkill"], 0, (process,), _EPERM)
    program += _only(special["prlimit64"], 0, (0, process), _EPERM)
    program += _only(special["prctl"], 0, _SAFE_PRCTLS, _EPERM)
    program += _only(special["ioctl"], 1, _SAFE_IOCTLS, _ENOTTY)
    program += _only(special["fcntl"], 1, _SAFE_FCNTLS, _EPERM)
    program += _if_bit(special["clone"], 0, _CLONE_THREAD)
    for name, flags in (("open", 1), ("openat", 2)):
        if name in special:  # aarch64 has no plain open
            program += _unless(special[name], flags, _MODE_AND_TRUNCATE, _TRUNCATE_UNWRITTEN)
    return [*program, _do(_RETURN, _ERRNO | _ENOSYS)]


def _only(number: int, argument: int, values: Sequence[int], error: int) -> list[Instruction]:
    """Allow call `number` when `argument` is one of `values`."""
    body = [_do(_LOAD, _ARGUMENTS + 8 * argument)]
    for value in values:
        body += [_do(_JUMP_EQUAL, value, 0, 1), _do(_RETURN, _ALLOW)]
    return _when(number, [*body, _do(_RETURN, _ERRNO | error)])


def _if_bit(number: int, argument: int, bit: int) -> list[Instruction]:
    """Allow call `number` when `argument` has `bit` set."""
    body = [
        _do(_LOAD, _ARGUMENTS + 8 * argument),
        _do(_JUMP_SET, bit, 0, 1),
        _do(_RETURN, _ALLOW),
        _do(_RETURN, _ERRNO | _EPERM),
    ]
    return _when(number, body)


def _unless(number: int, argument: int, mask: int, values: Sequence[int]) -> list[Instruction]:
    """Allow call `number` unless the bits of `argument` under `mask` are one of `values`."""
    body = [_do(_LOAD, _ARGUMENTS + 8 * argument), _do(_AND, mask)]
    for value in values:
        body += [_do(_JUMP_EQUAL, value, 0, 1), _do(_RETURN, _ERRNO | _EPERM)]
    return _when(number, [*body, _do(_RETURN, _ALLOW)])


def _when(number: int, body: list[Instruction]) -> list[Instruction]:
    """Run `body` for call `number`, and jump over it for every other call."""
    return [_do(_JUMP_EQUAL, number, 0, len(body)), *body]


def _do(code: int, value: int, when_true: int = 0, when_false: int = 0) -> Instruction:
    return struct.pack("HBBI", code, when_true, when_false, value)
