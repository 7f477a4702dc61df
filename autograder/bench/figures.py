"""What a bench has found, as it goes to build/bench.json."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from autograder.bench.desk import Desk
from autograder.bench.machine import Machine
from autograder.bench.ours import Graded
from autograder.bench.stages import Stage
from autograder.bench.stock import Sample


@dataclass(frozen=True, slots=True)
class Other:
    """Another grader, sampled on the same class."""

    name: str
    version: str
    each: float  # seconds for a submission, the median
    sampled: int  # submissions
    peak_mb: float
    agrees: int  # questions that it judges as we do, right or not
    questions: int
    again: float | None = None  # seconds for the sample once more, unchanged


@dataclass(frozen=True, slots=True)
class Class:
    """A class that we graded."""

    count: int
    jobs: int
    seconds: float
    peak_mb: float
    again: float | None = None  # seconds for the same class once more, unchanged

    @property
    def each(self) -> float:
        """Seconds for a submission, the start of the program included."""
        return self.seconds / self.count


@dataclass(frozen=True, slots=True)
class Figures:
    """All that one bench has measured on one exercise."""

    exercise: str
    tests: int
    version: str
    walls: tuple[str, ...]
    machine: Machine
    ours: tuple[Class, ...]  # the compared class, by jobs
    others: tuple[Other, ...]
    growth: tuple[Class, ...]
    stages: tuple[Stage, ...]
    desk: Desk

    def to_json(self) -> str:
        """Return the figures as JSON."""
        return json.dumps(asdict(self), indent=1)


def of_class(graded: Graded) -> Class:
    """Return the figures of a class that we graded."""
    again = graded.again.seconds if graded.again else None
    return Class(graded.count, graded.jobs, graded.run.seconds, graded.run.peak_mb, again)


def of_sample(name: str, sample: Sample, ours: Mapping[str, frozenset[str]], questions: int) -> Other:
    """Return the figures of a sample, with how often it agrees with our judgement of its questions."""
    differ = sum(len(full ^ ours[student]) for student, full in sample.full.items())
    total = questions * len(sample.full)
    return Other(
        name, sample.version, sample.each, sample.count, sample.peak_mb, total - differ, total, sample.again
    )
