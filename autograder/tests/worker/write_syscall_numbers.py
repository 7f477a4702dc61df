"""Writes worker/syscall_numbers.py from the kernel's own headers, which come with any C compiler.

Run `python -m autograder.tests.worker.write_syscall_numbers` after a change of the names in syscalls.py.
"""

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

from autograder.worker import syscall_numbers
from autograder.worker.seccomp import ALLOWED, CONDITIONAL, LANDLOCK, REFUSED

TABLE = Path(syscall_numbers.__file__)
_INCLUDE = Path("/usr/include")
# In order of preference, since distributions put the headers of their own architecture into other folders.
HEADERS = {
    "x86_64": (_INCLUDE / "x86_64-linux-gnu/asm/unistd_64.h", _INCLUDE / "asm/unistd_64.h"),
    "aarch64": (_INCLUDE / "asm-generic/unistd.h",),  # aarch64 has the numbers of all newer architectures
}
_NUMBER = re.compile(r"^#define (__NR\w+)[ \t]+(\d+)$", re.MULTILINE)
_TARGET = re.compile(r"^#define (__NR\w+)[ \t]+(__NR\w+)$", re.MULTILINE)
_MODULE = '''\
"""The numbers of the system calls in syscalls.py, as tests/worker/write_syscall_numbers.py writes them.

Beside each call stand its numbers on x86-64 and on aarch64, with a dash where the architecture lacks it.
"""

_TABLE = """
%s
"""
_ROWS = [row.split(":") for row in _TABLE.split()]
NUMBERS = {
    machine: {row[0]: int(row[column]) for row in _ROWS if row[column] != "-"}
    for column, machine in enumerate(("x86_64", "aarch64"), start=1)
}
'''


def read_header(text: str) -> dict[str, int]:
    """Return the number of each system call that a header defines.

    Some are defined by way of a name for 32 and 64 bits alike: __NR_mmap is __NR3264_mmap, which is 222.
    """
    numbers, targets = dict(_NUMBER.findall(text)), dict(_TARGET.findall(text))
    numbers |= {name: numbers[target] for name, target in targets.items() if target in numbers}
    prefix = "__NR_"
    return {name.removeprefix(prefix): int(n) for name, n in numbers.items() if name.startswith(prefix)}


def installed_header(machine: str) -> Path | None:
    """Return the header with the numbers of `machine`, or None where it is not installed."""
    return next((path for path in HEADERS[machine] if path.is_file()), None)


def table(machine: str) -> dict[str, int]:
    """Return the numbers of the calls that syscalls.py names, as the installed headers have them.

    A call that is newer than the headers keeps the number that it has in the written table.
    """
    header = installed_header(machine)
    written = syscall_numbers.NUMBERS.get(machine, {})
    known = written | (read_header(header.read_text(encoding="utf-8")) if header else {})
    names = " ".join((ALLOWED, CONDITIONAL, REFUSED, LANDLOCK)).split()
    return {name: known[name] for name in sorted(names) if name in known}


def module(tables: Mapping[str, Mapping[str, int]]) -> str:
    """Return the text of syscall_numbers.py."""
    x86, arm = tables["x86_64"], tables["aarch64"]
    rows = " ".join(f"{name}:{x86.get(name, '-')}:{arm.get(name, '-')}" for name in sorted({*x86, *arm}))
    indent = "    "
    lines = textwrap.fill(rows, 110, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    return _MODULE % lines


if __name__ == "__main__":
    TABLE.write_text(module({machine: table(machine) for machine in HEADERS}), encoding="utf-8")
