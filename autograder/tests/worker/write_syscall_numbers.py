"""Writes the numbers in worker/syscalls.toml from the kernel's own headers, which come with any C compiler.

Run `python -m autograder.tests.worker.write_syscall_numbers` after a change of the names there.
"""

import re
from pathlib import Path

from autograder.worker.seccomp import TABLE

_INCLUDE = Path("/usr/include")
# In order of preference, since distributions put the headers of their own architecture into other folders.
HEADERS = {
    "x86_64": (_INCLUDE / "x86_64-linux-gnu/asm/unistd_64.h", _INCLUDE / "asm/unistd_64.h"),
    "aarch64": (_INCLUDE / "asm-generic/unistd.h",),  # aarch64 has the numbers of all newer architectures
}
_NUMBER = re.compile(r"^#define (__NR\w+)[ \t]+(\d+)$", re.MULTILINE)
_TARGET = re.compile(r"^#define (__NR\w+)[ \t]+(__NR\w+)$", re.MULTILINE)
_ROW = re.compile(r"\b(\w+):(\d+|-):(\d+|-)")


def read_header(text: str) -> dict[str, str]:
    """Return the number of each system call that a header defines.

    Some are defined by way of a name for 32 and 64 bits alike: __NR_mmap is __NR3264_mmap, which is 222.
    """
    numbers, targets = dict(_NUMBER.findall(text)), dict(_TARGET.findall(text))
    numbers |= {name: numbers[target] for name, target in targets.items() if target in numbers}
    prefix = "__NR_"
    return {name.removeprefix(prefix): number for name, number in numbers.items() if name.startswith(prefix)}


def renumbered() -> str:
    """Return the table with the installed headers' numbers; a call newer than these keeps the one it has."""
    found = [next((path for path in paths if path.is_file()), None) for paths in HEADERS.values()]
    known = [read_header(path.read_text(encoding="utf-8")) if path else {} for path in found]

    def row(old: re.Match[str]) -> str:
        name, *written = old.groups()
        numbers = (one.get(name, number) for one, number in zip(known, written, strict=True))
        return ":".join((name, *numbers))

    return _ROW.sub(row, TABLE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    TABLE.write_text(renumbered(), encoding="utf-8")
