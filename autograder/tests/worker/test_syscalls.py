"""The lists of system calls say what they mean, and their numbers are those of the kernel's own headers."""

from collections import Counter

import pytest

from autograder.tests.worker.write_syscall_numbers import (
    HEADERS,
    TABLE,
    module,
    read_header,
    table,
)
from autograder.worker.seccomp import ALLOWED, CONDITIONAL, LANDLOCK, REFUSED, numbered
from autograder.worker.syscall_numbers import NUMBERS

NAMES = f"{ALLOWED} {CONDITIONAL} {REFUSED} {LANDLOCK}".split()
NUMBERED_ALIKE = 424  # from this number on, a call has the same one on every architecture


def test_the_committed_numbers_are_what_the_script_writes() -> None:
    assert TABLE.read_text(encoding="utf-8") == module({machine: table(machine) for machine in HEADERS})


def test_new_calls_have_one_number_everywhere() -> None:
    new = {name: number for name, number in NUMBERS["x86_64"].items() if number >= NUMBERED_ALIKE}
    assert len(new) > 10
    assert new == {name: number for name, number in NUMBERS["aarch64"].items() if number >= NUMBERED_ALIKE}


def test_a_header_is_read_with_its_names_for_32_and_64_bits_alike() -> None:
    header = """
#define __NR_read 63
#define __NR_name_to_handle_at         264
#define __NR3264_mmap 222
__SC_3264(__NR3264_mmap, sys_mmap2, sys_mmap)
#define __NR_mmap __NR3264_mmap
#ifdef __NR3264_stat
#define __NR_stat __NR3264_stat
#endif
"""
    assert read_header(header) == {"read": 63, "name_to_handle_at": 264, "mmap": 222}


def test_no_call_is_named_twice_and_all_are_known_on_x86_64() -> None:
    assert [name for name, count in Counter(NAMES).items() if count > 1] == []
    assert set(NAMES) == set(NUMBERS["x86_64"])


def test_a_call_that_an_architecture_lacks_has_no_number_there() -> None:
    assert numbered("open openat", "x86_64") == {"open": 2, "openat": 257}
    assert numbered("open openat", "aarch64") == {"openat": 56}


def test_an_unknown_architecture_is_a_key_error_so_that_this_wall_alone_is_missing() -> None:
    with pytest.raises(KeyError):
        numbered(ALLOWED, "riscv64")
