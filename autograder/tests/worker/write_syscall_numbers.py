"""Writes worker/syscall_numbers.py from the kernel's own headers, which come with any C compiler.

Run `python -m autograder.tests.worker.write_syscall_numbers` after a change of the names in syscalls.py.
"""

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

from autograder.worker import syscall_numbers
from autograder.worker.syscalls import ALLOWED, CONDITIONAL, LANDLOCK, REFUSED

TABLE = Path(syscall_numbers.__file__)
_INCLUDE = Path("/usr/include")
# In order of preference, since distributions put the headers of their own architecture into other folders.
HEADERS = {
    "x86_64": (_INCLUDE / "x86_64-linux-gnu/asm/unistd_64.h", _INCLUDE / "asm/unistd_64.h"),
    "aarch64": (_INCLUDE / "asm-generic/unistd.h",),  # aarch64 has the numbers of all newer architectures
}
_NUMBER = re.compile(r"^#define (__NR\w+)[ \t]+(\d+)$", re.MULTILINE)
_TARGET = re.compile(r"^#define (__NR\w+)[ \t]+(__NR\w+)$", re.MULTILINE)
_HEAD = '''\
"""The numbers of the system calls in syscalls.py, as tests/worker/write_syscall_numbers.py writes them."""

NUMBERS = {
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
    entries = "".join(_entry(machine, numbers) for machine, numbers in tables.items())
    return f"{_HEAD}{entries}}}  # fmt: skip\n"


def _entry(machine: str, numbers: Mapping[str, int]) -> str:
    pairs = " ".join(f'"{name}":{number},' for name, number in numbers.items())
    # The space after each colon comes last, so that no line breaks there.
    lines = textwrap.fill(pairs, 95, initial_indent=" " * 8, subsequent_indent=" " * 8)
    return f'    "{machine}": {{\n{lines.replace(":", ": ")}\n    }},\n'


if __name__ == "__main__":
    TABLE.write_text(module({machine: table(machine) for machine in HEADERS}), encoding="utf-8")
