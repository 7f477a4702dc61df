"""Says what each known mistake costs of its question: one slip should cost something, but not nearly all."""

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from autograder.course.exercise import Exercise
from autograder.course.names import of_mistake
from autograder.course.slips import SlipSettings
from autograder.grading.known import Known
from autograder.grading.slips import Slips, shows_enough
from autograder.testing.suite import TestRun

FILE = "build/costs.csv"  # of all exercises, in a course's folder
CRASHES = "stops with an error in most tests"
_SHOWN = 3  # outliers of a question
_USUAL = SlipSettings()  # for a course that prices no slips
_NOISE = 1e-9


@dataclass(frozen=True, slots=True)
class Cost:
    """What a mistake costs of its question, as shares; ways to write it may differ."""

    exercise: str
    question: str
    mistake: str
    least: float
    most: float
    because: str = ""  # why it may cost more than a slip
    bounds: SlipSettings = _USUAL

    @property
    def is_outlier(self) -> bool:
        """Whether some way to write it costs very little or very much."""
        return self.least < self.bounds.least - _NOISE or self.most > self.bounds.most + _NOISE

    @property
    def percent(self) -> str:
        """The cost in words: "30 %", or "10 to 30 %"."""
        least, most = round(100 * self.least), round(100 * self.most)
        return f"{most} %" if least == most else f"{least} to {most} %"


def costs(exercise: Exercise, slips: Slips) -> Iterator[Cost]:
    """Yield the cost of each known mistake that is made alone, by question."""
    for question in exercise.points:
        ways = defaultdict[str, list[Known]](list)
        for known in slips.diagnosis.table(question).answers:
            ways[known.answer.names[0]].append(known)
        for name, found in ways.items():
            yield _cost((exercise.name, question, of_mistake(name)[1]), found, slips)


def _cost(names: tuple[str, str, str], ways: Sequence[Known], slips: Slips) -> Cost:
    """Return what a mistake costs; there is a reason only where each way has one that costs too much."""
    bounds = slips.settings or _USUAL
    priced = [_price(names[1], one, slips) for one in ways]
    shares = [share for share, _ in priced]
    dear = [why for share, why in priced if share > bounds.most + _NOISE]
    because = dear[0] if dear and all(dear) else ""
    return Cost(*names, min(shares), max(shares), because, bounds)


def _price(question: str, known: Known, slips: Slips) -> tuple[float, str]:
    """Return what one way to make a mistake costs, and why it may: it is no slip, or like one, or crashes."""
    tests = slips.diagnosis.suite.of(question)
    runs = [known.runs.get(test.number, TestRun(test, None, ())) for test in tests]
    weights = sum(test.weight for test in tests)
    passed = sum(run.test.weight for run in runs if run.error is None) / weights
    answers, alike = shows_enough(runs), slips.alike(question, runs)
    recognised = answers and bool(slips.slips_among(alike))
    price = slips.settings.score(passed, 1.0, recognised=recognised) if slips.settings else passed
    reasons = map(slips.why_no_slip, (known, *alike))
    return 1 - price, next(filter(None, reasons), "" if answers else CRASHES)


def findings(exercise: Exercise, found: Iterable[Cost], slips: Slips) -> Iterator[str]:
    """Yield what costs very little or very much, and neither crashes nor has its author's reason."""
    for one in found if slips.settings else ():
        if one.is_outlier and not one.because:
            fix = "let its tests weigh otherwise, or say why it is no slip, where it is defined"
            yield f"{exercise.folder}: {one.question}__{one.mistake} costs {one.percent}; {fix}"


def summary(found: Sequence[Cost], *, whole: bool = False, kept: bool = True) -> Iterator[str]:
    """Yield a line on an exercise's costs, and one on each question's outliers, the farthest or all.

    The first one says where all costs are `kept`, if they are.
    """
    outliers = [one for one in found if one.is_outlier]
    if found:
        usual = found[0].bounds
        bounds = f"{usual.least:.0%} to {usual.most:.0%}".replace("%", " %")
        within = (
            f"{len(found) - len(outliers)} of {len(found)} known mistakes cost {bounds} of their question"
        )
        crash = sum(one.because == CRASHES for one in outliers)
        excused = sum(bool(one.because) for one in outliers) - crash
        where = f"; all are in {FILE}" if kept else ""
        yield f"{within}, {crash} crash in most tests, {excused} are no slips{where}"
    for question in dict.fromkeys(one.question for one in outliers):
        own = sorted((one for one in outliers if one.question == question), key=_distance, reverse=True)
        shown = own if whole else own[:_SHOWN]
        more = f", and {len(own) - len(shown)} more" if len(own) > len(shown) else ""
        yield f"  {question}: " + ", ".join(f"{one.mistake} {one.percent}" for one in shown) + more


def table(found: Iterable[Cost]) -> str:
    """Return all costs as CSV, in percent."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["exercise", "question", "mistake", "least", "most", "because"])
    for one in found:
        percents = round(100 * one.least), round(100 * one.most)
        writer.writerow([one.exercise, one.question, one.mistake, *percents, one.because])
    return text.getvalue()


def _distance(cost: Cost) -> tuple[bool, float]:
    """Return how far a cost is out of bounds; what has a reason comes last."""
    return not cost.because, max(cost.bounds.least - cost.least, cost.most - cost.bounds.most)
