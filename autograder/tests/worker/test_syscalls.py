"""The lists of system calls say what they mean, and their numbers are those of the kernel's own headers."""

import pytest

from autograder.tests.worker.write_syscall_numbers import read_header, renumbered
from autograder.worker.seccomp import TABLE, numbered

GROUPS = ("allowed", "conditional", "refused", "landlock")
NUMBERED_ALIKE = 424  # from this number on, a call has the same one on every architecture


def test_the_committed_numbers_are_what_the_script_writes() -> None:
    assert TABLE.read_text(encoding="utf-8") == renumbered()


def test_a_header_is_read_with_its_names_for_32_and_64_bits_alike() -> None:
    header = """
#define __NR_read 63
#define __NR3264_mmap 222
__SC_3264(__NR3264_mmap, sys_mmap2, sys_mmap)
#define __NR_mmap __NR3264_mmap
#ifdef __NR3264_stat
#define __NR_stat __NR3264_stat
#endif
"""
    assert read_header(header) == {"read": "63", "mmap": "222"}


def test_no_call_is_named_twice_all_are_known_and_new_ones_have_one_number_everywhere() -> None:
    intel, arm = (
        [call for group in GROUPS for call in numbered(group, machine).items()]
        for machine in ("x86_64", "aarch64")
    )
    assert len(dict(intel)) == len(intel) == TABLE.read_text(encoding="utf-8").count(":") // 2 - 1
    assert set(dict(arm)) < set(dict(intel))
    new = {(name, number) for name, number in intel if number >= NUMBERED_ALIKE}
    assert len(new) > 10
    assert new == {(name, number) for name, number in arm if number >= NUMBERED_ALIKE}


def test_an_unknown_architecture_is_a_key_error_so_that_this_wall_alone_is_missing() -> None:
    with pytest.raises(KeyError):
        numbered("allowed", "riscv64")
