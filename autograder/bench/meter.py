"""Runs a command and says how long it took and how much memory it and all it started held at once."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from autograder.errors import AutograderError

_EVERY = 0.1  # seconds between two looks at the memory
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TOLD = 2000  # characters of a failed command's words


class BenchError(AutograderError):
    """A command that was to be measured failed; the message ends with its own last words."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a command took."""

    seconds: float
    peak_mb: float  # resident memory of the whole process tree; shared pages count in each process
    output: str


def measure(command: Sequence[str], folder: Path, env: Mapping[str, str] | None = None) -> Run:
    """Run `command` in `folder` and return what it took; any exit code but 0 is a BenchError."""
    start = time.perf_counter()
    with subprocess.Popen(  # noqa: S603 - commands of this package's own making
        command,
        cwd=folder,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        with _Watch(process.pid) as watch:
            output, _ = process.communicate()
        seconds = time.perf_counter() - start
    if process.returncode != 0:
        told = output[-_TOLD:].strip()
        raise BenchError(f"{' '.join(command)}: ended with code {process.returncode}\n{told}")
    return Run(seconds, watch.peak / 1e6, output)


class _Watch:
    """Looks at the memory of a process tree now and then, from a thread of its own."""

    def __init__(self, root: int) -> None:
        self.peak = 0
        self._root = root
        self._over = Event()
        self._thread = Thread(target=self._look)

    def __enter__(self) -> "_Watch":
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
    parents: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue  # it has ended meanwhile
        fields = status.rpartition(")")[2].split()  # the name before it may hold anything
        parents[int(folder.name)], sizes[int(folder.name)] = int(fields[1]), int(fields[21]) * _PAGE
    return sum(size for process, size in sizes.items() if _descends(process, root, parents))


def _descends(process: int, root: int, parents: Mapping[int, int]) -> bool:
    while process != root and process in parents:
        process = parents[process]
    return process == root
