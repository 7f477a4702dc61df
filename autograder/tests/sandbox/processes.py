"""Which processes another one has started, and whether they are gone."""

import time

import psutil


def descendants(process: int) -> set[psutil.Process]:
    """Return every living process that `process` has started, directly or not."""
    return set(filter(lives, psutil.Process(process).children(recursive=True)))


def lives(process: psutil.Process) -> bool:
    """Whether a process runs: one that has ended stays a zombie until its parent looks."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def gone(processes: set[psutil.Process], seconds: float = 60) -> bool:
    """Wait until none of `processes` lives."""
    end = time.monotonic() + seconds
    while (left := any(map(lives, processes))) and time.monotonic() < end:
        time.sleep(0.05)
    return not left
