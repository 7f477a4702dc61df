"""What the bench has found, as it goes to build/bench.json."""

import json
import os
import platform
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import psutil

from autograder.bench.stages import Stage

Full = Mapping[str, frozenset[str]]  # the questions with full marks, by student


@dataclass(frozen=True, slots=True)
class Machine:
    """What a number of seconds depends on, without the machine's name."""

    processor: str
    cores: int
    memory_gb: int
    system: str
    python: str
    torch: str


@dataclass(frozen=True, slots=True)
class OtherGrader:
    """What another grader took for some submissions of the same class."""

    name: str
    version: str
    each: float  # seconds for a submission, the median
    sampled: int  # submissions
    peak_mb: float
    agrees: int  # questions on which it agrees with us whether the answer is right
    questions: int
    again: float | None = None  # seconds for the sample once more, unchanged


@dataclass(frozen=True, slots=True)
class ClassFigures:
    """What we took for a class."""

    count: int
    jobs: int
    seconds: float
    peak_mb: float
    again: float | None = None  # seconds for the same class once more, unchanged

    @property
    def each(self) -> float:
        """Seconds for each submission, with its share of the program's start."""
        return self.seconds / self.count


@dataclass(frozen=True, slots=True)
class Waiting:
    """Seconds that a student waits, each the median of some runs."""

    cells: float  # python alone: it imports torch and runs the notebook's cells without its pictures
    pytest: float
    run: float


@dataclass(frozen=True, slots=True)
class Figures:
    """All that was measured on one exercise."""

    exercise: str
    tests: int
    version: str
    walls: tuple[str, ...]
    machine: Machine
    ours: tuple[ClassFigures, ...]  # the compared class, by jobs
    attacked: ClassFigures  # the same class, of which every tenth tries to bring the grader down
    others: tuple[OtherGrader, ...]
    growth: tuple[ClassFigures, ...]
    stages: tuple[Stage, ...]
    waiting: Waiting

    def to_json(self) -> str:
        """Return the figures as JSON."""
        return json.dumps(asdict(self), indent=1)


def this_machine() -> Machine:
    """Return what this machine is."""
    return Machine(
        processor=_processor() or platform.machine(),
        cores=len(os.sched_getaffinity(0)),
        memory_gb=round(psutil.virtual_memory().total / (1 << 30)),
        system=f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}",
        python=platform.python_version(),
        torch=version("torch").partition("+")[0],
    )


def _processor() -> str:
    """Return the processor's name, for which neither Python nor psutil has a function."""
    found = re.search(r"^model name\s*:(.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    return found[1].strip() if found else ""


def agreement(theirs: Full, ours: Full, questions: int) -> tuple[int, int]:
    """Return how many answers another grader judges as we do, and of how many."""
    differ = sum(len(full ^ ours[student]) for student, full in theirs.items())
    total = questions * len(theirs)
    return total - differ, total
