"""The system call filter, run here as the kernel would run it, and the lists of calls that it is made of."""

import struct

import pytest

from autograder.tests.worker.write_syscall_numbers import read_header, renumbered
from autograder.worker.seccomp import TABLE, build, numbered

OURSELVES = 4321
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW, KILL = 0x7FFF0000, 0x80000000
NOT_PERMITTED, UNKNOWN, NO_TERMINAL = (0x00050000 | number for number in (1, 38, 25))
MACHINES = pytest.mark.parametrize("machine", AUDIT)


def decision(machine: str, number: int, *arguments: int, architecture: int = 0) -> int:
    """Return what the filter says of a call, by running its instructions one after another."""
    program = build(OURSELVES, machine)
    words = [number, architecture or AUDIT[machine], 0, 0]
    for argument in (*arguments, 0, 0, 0):
        words += [argument & 0xFFFFFFFF, argument >> 32]
    value = place = 0
    while True:
        code, when_true, when_false, operand = struct.unpack("HBBI", program[place])
        place += 1
        match code:
            case 0x20:  # load
                value = words[operand // 4]
            case 0x54:  # and
                value &= operand
            case 0x06:  # return
                return int(operand)
            case 0x15 | 0x35 | 0x45:  # jump if equal, if at least, if a bit is set
                holds = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}[code]
                place += when_true if holds else when_false
            case _:
                raise AssertionError(f"an instruction {code:#x} that the filter never uses")


@MACHINES
def test_every_listed_call_is_decided_as_its_list_says(machine: str) -> None:
    assert {decision(machine, number) for number in numbered("allowed", machine).values()} == {ALLOW}
    assert {decision(machine, number) for number in numbered("refused", machine).values()} == {NOT_PERMITTED}


@MACHINES
def test_every_other_call_looks_unknown(machine: str) -> None:
    groups = ("allowed", "conditional", "refused")
    listed = {number for group in groups for number in numbered(group, machine).values()}
    assert {decision(machine, number) for number in range(600) if number not in listed} == {UNKNOWN}


@MACHINES
def test_another_architecture_s_calls_end_the_process(machine: str) -> None:
    read = numbered("allowed", machine)["read"]
    assert decision(machine, read, architecture=0x40000003) == KILL


def test_the_other_calling_convention_of_x86_64_is_unknown() -> None:
    assert decision("x86_64", 0x40000000) == UNKNOWN


@MACHINES
@pytest.mark.parametrize(
    ("call", "arguments", "expected"),
    [
        ("kill", (OURSELVES, 9), ALLOW),
        ("futex", (0, 1 | 128), ALLOW),  # wake a thread of this process
        ("futex", (0, 9 | 256), ALLOW),  # wait for the end of a thread
        ("futex", (0, 1), NOT_PERMITTED),  # wake whoever waits on a file's page
        ("futex", (0, 10), NOT_PERMITTED),
        ("futex", (0, 5 | 256), NOT_PERMITTED),
        ("kill", (OURSELVES + 1, 9), NOT_PERMITTED),
        ("kill", (0, 9), NOT_PERMITTED),
        ("tgkill", (OURSELVES, 1, 9), ALLOW),
        ("tgkill", (1, 1, 9), NOT_PERMITTED),
        ("prlimit64", (0,), ALLOW),
        ("prlimit64", (1,), NOT_PERMITTED),
        ("prctl", (15,), ALLOW),
        ("prctl", (4,), NOT_PERMITTED),  # may others trace this process?
        ("ioctl", (1, 0x5401), ALLOW),
        ("ioctl", (1, 0x5412), NO_TERMINAL),  # put characters into a terminal's input
        ("clock_gettime", (2,), ALLOW),  # our own time
        ("clock_gettime", ((~OURSELVES << 3 | 2) & 0xFFFFFFFF,), NOT_PERMITTED),
        ("clock_nanosleep", (1,), ALLOW),
        ("clock_nanosleep", ((~OURSELVES << 3 | 2) & 0xFFFFFFFF,), NOT_PERMITTED),
        ("fcntl", (1, 1030), ALLOW),
        ("fcntl", (1, 1031), NOT_PERMITTED),  # how large a pipe shall be
        ("fcntl", (1, 8), NOT_PERMITTED),  # whom the kernel signals
        ("clone", (0x00010000,), ALLOW),  # a thread
        ("clone", (17,), NOT_PERMITTED),  # a process
        ("openat", (0, 0, 0o1001), ALLOW),  # empty a file that is opened to write
        ("openat", (0, 0, 0o1000), NOT_PERMITTED),
        ("openat", (0, 0, 0o101003), NOT_PERMITTED),
    ],
)
def test_some_calls_are_decided_by_an_argument(
    machine: str, call: str, arguments: tuple[int, ...], expected: int
) -> None:
    assert decision(machine, numbered("conditional", machine)[call], *arguments) == expected


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
