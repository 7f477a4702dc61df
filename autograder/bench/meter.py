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
        output, peak = None, 0
        while output is None:
            try:
                output, _ = process.communicate(timeout=_EVERY)
            except subprocess.TimeoutExpired:
                peak = max(peak, resident(process.pid))
        seconds = time.perf_counter() - start
    if process.returncode != 0:
        last = output[-_SHOWN:].strip()
        raise BenchError(f"{' '.join(command)}: ended with code {process.returncode}\n{last}")
    return Measured(seconds, peak / 1e6, output)


def resident(root: int) -> int:
    """Return the resident bytes of process `root` and all its descendants."""
    total = 0
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(root)
        for member in (process, *process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
                total += member.memory_info().rss
    return total
