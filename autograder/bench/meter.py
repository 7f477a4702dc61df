"""Measures how long a command takes, and how much memory it and all that it starts hold at once."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

import psutil

from autograder.errors import AutograderError

_EVERY = 0.1  # seconds between two looks at the memory
_SHOWN = 2000  # characters of what a failed command has printed


class BenchError(AutograderError):
    """A command that was to be measured failed; the message ends with what it printed last."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a command took."""

    seconds: float
    peak_mb: float  # resident memory of the whole process tree; shared pages count in each process
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
        with _MemoryWatch(process.pid) as watch:
            output, _ = process.communicate()
        seconds = time.perf_counter() - start
    if process.returncode != 0:
        last = output[-_SHOWN:].strip()
        raise BenchError(f"{' '.join(command)}: ended with code {process.returncode}\n{last}")
    return Measured(seconds, watch.peak / 1e6, output)


class _MemoryWatch:
    """Looks at the memory of a process tree at intervals, in a thread of its own."""

    def __init__(self, root: int) -> None:
        self.peak = 0
        self._root = root
        self._over = Event()
        self._thread = Thread(target=self._look)

    def __enter__(self) -> "_MemoryWatch":
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(_EVERY):
            self.peak = max(self.peak, resident(self._root))


def resident(root: int) -> int:
    """Return the resident bytes of process `root` and all its descendants."""
    try:
        process = psutil.Process(root)
        family = [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0
    return sum(map(_memory, family))


def _memory(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:  # it has ended meanwhile
        return 0
