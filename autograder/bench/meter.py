"""Measures how long a command takes, and how much memory it and all that it starts hold at once."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from autograder.errors import AutograderError

_EVERY = 0.1  # seconds between two looks at the memory, at least
_LOOKING = 50  # looking takes the kernel milliseconds a process: it may take such a part of the time
_SHOWN = 2000  # characters of what a failed command has printed


class BenchError(AutograderError):
    """A command that was to be measured failed; the message ends with what it printed last."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a command took."""

    seconds: float
    peak_mb: float  # of the whole process tree; a page that processes share counts once, in parts
    output: str


def measure(command: Sequence[str], folder: Path, env: Mapping[str, str] | None = None) -> Measured:
    """Run `command` in `folder` and return what it took; an exit code other than 0 is a BenchError."""
    start = time.perf_counter()
    with subprocess.Popen(  # noqa: S603 - only commands that this package makes
        command,
        cwd=folder,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        output, peak, pause = None, 0, _EVERY
        while output is None:
            try:
                output, _ = process.communicate(timeout=pause)
            except subprocess.TimeoutExpired:
                since = time.thread_time()  # what looking takes, and not what a busy machine lets it wait
                peak = max(peak, proportional(process.pid))
                pause = max(_EVERY, _LOOKING * (time.thread_time() - since))
        seconds = time.perf_counter() - start
    if process.returncode != 0:
        last = output[-_SHOWN:].strip()
        raise BenchError(f"{' '.join(command)}: ended with code {process.returncode}\n{last}")
    return Measured(seconds, peak / 1e6, output)


def proportional(root: int) -> int:
    """Return the bytes of process `root` and all its descendants; a page of several counts in parts.

    Where the kernel does not tell a process's parts, all its pages count.
    """
    total = 0
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(root)
        for member in (process, *process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
                total += _parts(member)
    return total


def _parts(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except psutil.AccessDenied:
        return int(process.memory_info().rss)
