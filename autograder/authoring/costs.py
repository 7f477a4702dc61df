"""Says what each known mistake costs of its question: one slip should cost something, but not nearly all."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from autograder.course.exercise import Exercise
from autograder.grading.diagnosis import Diagnosis

FILE = "build/costs.csv"  # of all exercises, in a course's folder
_LEAST, _MOST = 0.10, 0.45  # of a question
_SHOWN = 3  # outliers of a question


@dataclass(frozen=True, slots=True)
class Cost:
    """What a mistake costs of its question, as shares; ways to write it may differ."""

    exercise: str
    question: str
    mistake: str
    least: float
    most: float

    @property
    def is_outlier(self) -> bool:
        """Whether some way to write it costs very little or very much."""
        return self.least < _LEAST or self.most > _MOST

    @property
    def percent(self) -> str:
        """The cost in words: "30 %", or "10 to 30 %"."""
        least, most = round(100 * self.least), round(100 * self.most)
        return f"{most} %" if least == most else f"{least} to {most} %"


def costs(exercise: Exercise, diagnosis: Diagnosis) -> Iterator[Cost]:
    """Yield the cost of each known mistake that is made alone, by question."""
    for question in exercise.points:
        weights = {test.number: test.weight for test in diagnosis.suite.of(question)}
        for name, failures in diagnosis.failures(question).items():
            lost = [sum(weights[number] for number in failed) / sum(weights.values()) for failed in failures]
            yield Cost(exercise.name, question, name.partition("__")[2], min(lost), max(lost))


def summary(found: Sequence[Cost], *, whole: bool = False) -> Iterator[str]:
    """Yield a line on an exercise's costs, and one on each question's outliers, the farthest or all."""
    outliers = [one for one in found if one.is_outlier]
    within = f"{len(found) - len(outliers)} of {len(found)} known mistakes"
    if found:
        yield f"{within} cost {_LEAST:.0%} to {_MOST:.0%} of their question; all are in {FILE}"
    for question in dict.fromkeys(one.question for one in outliers):
        own = sorted((one for one in outliers if one.question == question), key=_distance, reverse=True)
        shown = own if whole else own[:_SHOWN]
        more = f", and {len(own) - len(shown)} more" if len(own) > len(shown) else ""
        yield f"  {question}: " + ", ".join(f"{one.mistake} {one.percent}" for one in shown) + more


def table(found: Iterable[Cost]) -> str:
    """Return all costs as CSV, in percent."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["exercise", "question", "mistake", "least", "most"])
    for one in found:
        percents = round(100 * one.least), round(100 * one.most)
        writer.writerow([one.exercise, one.question, one.mistake, *percents])
    return text.getvalue()


def _distance(cost: Cost) -> float:
    return max(_LEAST - cost.least, cost.most - _MOST)
