"""The system call filter of a submission: a classic BPF program that stays for the life of the process.

syscalls.toml lists allowed calls, calls that are allowed with harmless arguments only, and calls that fail
with EPERM. All other calls fail with ENOSYS, as if the kernel did not have them.
"""

import ctypes
import os
import platform
import struct
import tomllib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
TABLE = Path(__file__).with_name("syscalls.toml")
_CALLS = tomllib.loads(TABLE.read_text(encoding="utf-8"))
_COLUMNS = {"x86_64": 1, "aarch64": 2}


def numbered(group: str, machine: str) -> dict[str, int]:
    """Return {name: number} for the system calls of a group in syscalls.toml.

    Raise KeyError for an unknown `machine`.
    """
    column, rows = _COLUMNS[machine], [row.split(":") for row in _CALLS[group].split()]
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


_LOAD, _JUMP_EQUAL, _JUMP_ABOVE, _JUMP_SET, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_EPERM, _ENOSYS, _ENOTTY = (0x00050000 | error for error in (1, 38, 25))  # actions that let a call fail
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000  # calls from this number on use the x32 calling convention of x86-64
_SET_SECCOMP, _FILTER = 22, 2
_CLONE_THREAD = 0x00010000
_SAFE_IOCTLS = (0x5401, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
_SAFE_PRCTLS = (15, 16, 3, 39)  # set and get a thread's name, get dumpable, get no-new-privs
# These commands duplicate descriptors, read and set flags, and read the size of a pipe. All other
# commands are refused. F_SETOWN can make the kernel send signals to other processes. Locks can carry data to
# other submissions. Larger pipes could use up the 64 MB that the kernel allows for the pipes of all workers.
_SAFE_FCNTLS = (*range(5), 1030, 1032)
# Threads of one process wake each other with private futexes, which are allowed. On shared futexes, only
# waiting is allowed, because joining a thread needs it. If waking were allowed, two submissions could map a
# file that both can read, and exchange data by waking each other.
_PRIVATE, _FUTEX_COMMAND, _FUTEX_WAITS = 128, 0x7F, (0, 9)
# From this number on, clocks measure the processor time of other processes and threads.
_CLOCKS_OF_PROCESSES = 0x80000000
# Opening a file with O_TRUNC but without write access is refused, because it empties the file under early
# versions of Landlock.
_MODE_AND_TRUNCATE, _TRUNCATE_UNWRITTEN = 0o1003, (0o1000, 0o1003)
Instruction = bytes


def install() -> None:
    """Confine this thread, and each thread that it starts later, to the calls that a notebook needs."""
    program = b"".join(build(os.getpid(), platform.machine()))
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(buffer))
    if LIBC.prctl(_SET_SECCOMP, _FILTER, ctypes.c_char_p(header), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the system call filter was refused")


def build(process: int, machine: str) -> list[Instruction]:
    """Return the filter for `process`. Raise KeyError for an unknown `machine`.

    The filter lets the process send signals only to itself.
    """
    special = numbered("conditional", machine)
    program = [
        *unconditional(machine),
        *_for_call(special["kill"], 0, _if_any_of([process], _ALLOW), _EPERM),
        *_for_call(special["tgkill"], 0, _if_any_of([process], _ALLOW), _EPERM),
        *_for_call(special["prlimit64"], 0, _if_any_of([0, process], _ALLOW), _EPERM),
        *_for_call(special["prctl"], 0, _if_any_of(_SAFE_PRCTLS, _ALLOW), _EPERM),
        *_for_call(special["ioctl"], 1, _if_any_of(_SAFE_IOCTLS, _ALLOW), _ENOTTY),
        *_for_call(special["fcntl"], 1, _if_any_of(_SAFE_FCNTLS, _ALLOW), _EPERM),
        *_for_call(special["clone"], 0, _if_any_of([_CLONE_THREAD], _ALLOW, _JUMP_SET), _EPERM),
    ]
    waits = [_do(_AND, _FUTEX_COMMAND), *_if_any_of(_FUTEX_WAITS, _ALLOW)]
    private = _if_any_of([_PRIVATE], _ALLOW, _JUMP_SET)
    program += _for_call(special["futex"], 1, [*private, *waits], _EPERM)
    for name in ("clock_gettime", "clock_nanosleep"):
        others = _if_any_of([_CLOCKS_OF_PROCESSES], _EPERM, _JUMP_ABOVE)
        program += _for_call(special[name], 0, others, _ALLOW)
    unwritten = [_do(_AND, _MODE_AND_TRUNCATE), *_if_any_of(_TRUNCATE_UNWRITTEN, _EPERM)]
    for name, flags in (("open", 1), ("openat", 2)):
        if name in special:  # aarch64 has openat, but not open
            program += _for_call(special[name], flags, unwritten, _ALLOW)
    return [*program, _do(_RETURN, _ENOSYS)]


@lru_cache(1)
def unconditional(machine: str) -> tuple[Instruction, ...]:
    """Return the rules that do not depend on the process. The zygote computes them once for all workers."""
    return (
        _do(_LOAD, _ARCHITECTURE),
        _do(_JUMP_EQUAL, _AUDIT[machine], 1, 0),
        _do(_RETURN, _KILL),
        _do(_LOAD, _NUMBER),
        _do(_JUMP_ABOVE, _X32, 0, 1),
        _do(_RETURN, _ENOSYS),
        *_if_any_of(numbered("allowed", machine).values(), _ALLOW),
        *_if_any_of(numbered("refused", machine).values(), _EPERM),
    )


def _if_any_of(values: Iterable[int], action: int, jump: int = _JUMP_EQUAL) -> list[Instruction]:
    """Return instructions that do `action` if the loaded number equals one of `values`.

    `jump` can be another comparison: _JUMP_SET (has one of these bits) or _JUMP_ABOVE (is at least a value).
    """
    return [part for value in values for part in (_do(jump, value, 0, 1), _do(_RETURN, action))]


def _for_call(number: int, argument: int, rules: list[Instruction], otherwise: int) -> list[Instruction]:
    """Return instructions for a call: apply `rules` to an argument. If no rule fits, do `otherwise`."""
    body = [_do(_LOAD, _ARGUMENTS + 8 * argument), *rules, _do(_RETURN, otherwise)]
    return [_do(_JUMP_EQUAL, number, 0, len(body)), *body]


def _do(code: int, value: int, when_true: int = 0, when_false: int = 0) -> Instruction:
    return struct.pack("HBBI", code, when_true, when_false, value)
