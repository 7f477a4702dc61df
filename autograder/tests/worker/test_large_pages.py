"""Joining memory into large pages: as much as the kernel can, and nothing in it changes."""

import ctypes
import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder.worker.large_pages import join_pages

SIZE = 8 << 20
COLLAPSE = 25


@contextmanager
def small_pages() -> Iterator[tuple[mmap.mmap, int]]:
    """Make a piece of memory of small pages, and return it with its address."""
    with mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.madvise(mmap.MADV_NOHUGEPAGE)
        for place in range(0, SIZE, mmap.PAGESIZE):
            memory[place] = place // mmap.PAGESIZE % 251
        memory.madvise(mmap.MADV_HUGEPAGE)
        start = ctypes.c_char.from_buffer(memory)
        address = ctypes.addressof(start)
        del start  # or the memory could not be given back
        yield memory, address


def large(address: int) -> int:
    """Return how many kilobytes of large pages the memory at an address has."""
    found = False
    for line in Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines():
        name = line.split()[0]
        if "-" in name and ":" not in name:
            begin, end = (int(part, 16) for part in name.split("-"))
            found = begin <= address + (SIZE >> 1) < end
        elif found and name == "AnonHugePages:":
            return int(line.split()[1])
    return 0


def can_join(address: int) -> bool:
    """Whether this kernel joins a piece of memory when it is asked to."""
    place = -(-address // (2 << 20)) * (2 << 20)
    size = ctypes.c_size_t(2 << 20)
    return bool(ctypes.CDLL(None).madvise(ctypes.c_void_p(place), size, COLLAPSE) == 0)


def test_small_pages_become_large_ones_where_the_kernel_joins_any() -> None:
    with small_pages() as (_, address):
        joins = can_join(address)
    with small_pages() as (_, address):
        assert large(address) == 0
        join_pages()
        assert large(address) >= (SIZE - (4 << 20)) >> 10 or not joins


def test_what_is_in_memory_stays_as_it_was() -> None:
    with small_pages() as (memory, _):
        before = bytes(memory)
        join_pages()
        join_pages()
        assert bytes(memory) == before
