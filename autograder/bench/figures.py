"""What the bench has found, as it goes to build/bench.json."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from autograder.bench.machine import Machine
from autograder.bench.ours import GradedClass
from autograder.bench.stages import Stage
from autograder.bench.stock import Sample
from autograder.bench.waiting import Waiting


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
class Figures:
    """All that was measured on one exercise."""

    exercise: str
    tests: int
    version: str
    walls: tuple[str, ...]
    machine: Machine
    ours: tuple[ClassFigures, ...]  # the compared class, by jobs
    others: tuple[OtherGrader, ...]
    growth: tuple[ClassFigures, ...]
    stages: tuple[Stage, ...]
    waiting: Waiting

    def to_json(self) -> str:
        """Return the figures as JSON."""
        return json.dumps(asdict(self), indent=1)


def of_class(graded: GradedClass) -> ClassFigures:
    """Return the figures of a class that we graded."""
    again = graded.again.seconds if graded.again else None
    return ClassFigures(graded.count, graded.jobs, graded.run.seconds, graded.run.peak_mb, again)


def of_sample(name: str, sample: Sample, ours: Mapping[str, frozenset[str]], questions: int) -> OtherGrader:
    """Return the figures of a sample, with how often its judgement agrees with ours."""
    differ = sum(len(full ^ ours[student]) for student, full in sample.full.items())
    total = questions * len(sample.full)
    return OtherGrader(
        name, sample.version, sample.each, sample.count, sample.peak_mb, total - differ, total, sample.again
    )
