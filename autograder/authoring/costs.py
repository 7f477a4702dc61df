"""Says what wrong answers cost by hidden tests alone, and holds authors to three principles.

Green means nearly right: where a question's visible check passes, hidden tests cost at most a quarter of it.
Almost nothing earns almost nothing: an answer that does next to no work keeps at most a quarter. And the same
answer fails the same tests, whichever set of hidden inputs it meets.
"""

import csv
import io
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import median

import torch

from autograder.authoring.almost_nothing import almost_nothing
from autograder.authoring.equivalent import FILE as REASONS
from autograder.authoring.equivalent import read_equivalents
from autograder.authoring.trials import Trial
from autograder.course.exercise import Exercise
from autograder.course.names import of_mistake
from autograder.grading.diagnosis import Diagnosis
from autograder.grading.wrong_answers import WrongAnswers
from autograder.worker.namespace import run_code
from autograder.worker.silence import silence

FILE = "build/costs.csv"  # of all exercises, in a course's folder
QUARTER = 0.25
USUAL = (0.1, 0.6)  # what a single mistake should cost of its question
_NOISE = 1e-9
_SPREAD = 0.4  # by which one mistake's costs may differ from question to question without a line about it
_SHOWN = 6  # lines of one kind


@dataclass(frozen=True, slots=True)
class Cost:
    """What a wrong answer costs of its question, as a share, and whether its visible check passes."""

    exercise: str
    question: str
    kind: str  # misconception, mistake, held out, almost nothing
    mistake: str
    share: float
    is_green: bool = False
    place: str = ""  # the author's file, where there is one

    @property
    def is_usual(self) -> bool:
        """Whether a single mistake costs something, and leaves something."""
        return USUAL[0] - _NOISE <= self.share <= USUAL[1] + _NOISE

    def __str__(self) -> str:
        return f"{self.question}: {self.mistake} costs {_percent(self.share)}"


@dataclass(frozen=True, slots=True)
class Costs:
    """What an exercise's wrong answers cost, and what its author must change."""

    costs: tuple[Cost, ...] = ()
    findings: tuple[str, ...] = ()

    def __str__(self) -> str:
        single = [one for one in self.costs if one.kind == "misconception"]
        usual = sum(one.is_usual for one in single)
        bounds = " to ".join(f"{bound:.0%}".removesuffix("%") for bound in USUAL)
        return f"{usual} of {len(single)} misconceptions cost {bounds} %"


def measure(exercise: Exercise, diagnosis: Diagnosis, checks: Mapping[str, str], sets: int) -> Costs:
    """Run each wrong answer on the hidden tests of its question, and on its visible check where it is dear.

    `checks` are the visible checks that the reference passes, by question. Answers that an author has written
    run on several `sets` of hidden inputs.
    """
    costs, findings = list[Cost](), list[str]()
    for question in exercise.points:
        trial = Trial(diagnosis.suite, question)
        weights = sum(test.weight for test in diagnosis.suite.of(question))
        for answer in _answers(exercise, diagnosis, question):
            cells = exercise.variant(answer.code)
            failed = trial.failed(cells)
            share = sum(test.weight for test in failed) / weights
            check = checks.get(question) if share > QUARTER + _NOISE else None
            is_green = check is not None and check_error(check, cells) is None
            what = answer.kind, answer.name, share, is_green, answer.place
            costs.append(Cost(exercise.name, question, *what))
            other_sets = range(1, sets if answer.kind == "mistake" else 1)
            differing = (failed ^ trial.failed(cells, number) for number in other_sets)
            if tests := next(filter(None, differing), None):
                titles = ", ".join(f'"{test.title}"' for test in tests)
                findings.append(f"{answer.place}: the set of hidden inputs decides whether it fails {titles}")
    findings += [*_green(exercise, costs), *_kept(exercise, costs)]
    return Costs(tuple(costs), tuple(findings))


def _green(exercise: Exercise, costs: Sequence[Cost]) -> Iterator[str]:
    """Yield the mistakes that cost much and that no visible check sees, but for those that have a reason."""
    reasons = {(one.question, one.green): one.place for one in read_equivalents(exercise) if one.green}
    found = {(one.question, one.mistake): one for one in costs if one.is_green}
    fix = f"let the check see it, let it cost less, or give a reason in {REASONS}"
    for key, one in found.items():
        if key not in reasons:
            yield f"{one.place or exercise.source}: {one}, but the visible check passes; {fix}"
    for (question, green), place in reasons.items():
        if (question, green) not in found:
            yield f"{place}: the check of {question} sees {green}, or it costs little; take this out"


def _kept(exercise: Exercise, costs: Sequence[Cost]) -> Iterator[str]:
    """Yield the answers that do almost nothing and keep more than a quarter."""
    for one in costs:
        if one.kind == "almost nothing" and one.share < 1 - QUARTER - _NOISE:
            kept = f"{one.question}: an answer that {one.mistake} keeps {_percent(1 - one.share)}"
            yield f"{exercise.suite}: {kept}; let its tests ask for more, or weigh less"


@dataclass(frozen=True, slots=True)
class _Answer:
    """A wrong answer to a question."""

    kind: str
    name: str
    code: str
    place: str = ""  # the author's file, where there is one


def _answers(exercise: Exercise, diagnosis: Diagnosis, question: str) -> Iterator[_Answer]:
    """Yield every wrong answer to a question that is known or can be made."""
    for name, code in single_mistakes(exercise, diagnosis, question):
        yield _Answer("misconception", name, code)
    for kind, written in (("mistake", exercise.mistakes), ("held out", exercise.heldout)):
        for one in written:
            if one.question == question:
                yield _Answer(kind, of_mistake(one.name)[1], one.code, str(one.path))
    for does, code in almost_nothing(exercise, question):
        yield _Answer("almost nothing", does, code)


def single_mistakes(exercise: Exercise, diagnosis: Diagnosis, question: str) -> Iterator[tuple[str, str]]:
    """Yield one wrong answer for each misconception that fits a question: its name, and the code."""
    first: dict[str, str] = {}
    for answer in WrongAnswers(exercise, diagnosis.catalogue, question).single:
        if not answer.written:
            first.setdefault(of_mistake(answer.names[0])[1], answer.code)
    yield from first.items()


def check_error(check: str, cells: tuple[str, ...]) -> BaseException | None:
    """Run a visible check after these trusted cells, with the same seed each time; return what it raises."""
    with silence(), warnings.catch_warnings(), torch.random.fork_rng([]):
        warnings.simplefilter("ignore")
        torch.default_generator.manual_seed(0)
        try:
            variables = run_code(cells).variables
            exec(compile(check, "visible check", "exec"), variables)  # noqa: S102 - the course's own code
        except (Exception, SystemExit) as error:
            return error
    return None


def summary(found: Sequence[Cost], *, whole: bool = False) -> Iterator[str]:
    """Yield lines on the single mistakes of a course: by question, and how far each one's costs differ."""
    single = [one for one in found if one.kind == "misconception"]
    if whole:
        yield from _by_question(single)
    yield from islice(_by_mistake(single), None if whole else _SHOWN)


def _by_question(single: Sequence[Cost]) -> Iterator[str]:
    of = defaultdict[tuple[str, str], list[Cost]](list)
    for one in single:
        of[one.exercise, one.question].append(one)
    for (exercise, question), costs in of.items():
        usual = sum(one.is_usual for one in costs)
        dear = sum(one.share > USUAL[1] + _NOISE for one in costs)
        middle = _percent(median(one.share for one in costs))
        yield f"{exercise} {question}: {usual} of {len(costs)} as usual, {dear} dearer; median {middle}"


def _by_mistake(single: Sequence[Cost]) -> Iterator[str]:
    """Yield the mistakes that cost very differently in different questions, the farthest apart first."""
    of = defaultdict[str, dict[str, float]](dict)
    for one in single:
        of[one.mistake].setdefault(one.question, one.share)
    apart = {name: max(shares.values()) - min(shares.values()) for name, shares in of.items()}
    for name in sorted(apart, key=lambda name: -apart[name]):
        if apart[name] > _SPREAD:
            low, high = (pick(of[name], key=of[name].__getitem__) for pick in (min, max))
            costs = f"{_percent(of[name][low])} of {low} and {_percent(of[name][high])} of {high}"
            yield f"{name} costs {costs}"


def table(found: Iterable[Cost]) -> str:
    """Return all costs as CSV, in percent."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["exercise", "question", "kind", "mistake", "percent", "check passes"])
    for one in found:
        green = "yes" if one.is_green else ""
        writer.writerow([one.exercise, one.question, one.kind, one.mistake, round(100 * one.share), green])
    return text.getvalue()


def _percent(share: float) -> str:
    return f"{round(100 * share)} %"
