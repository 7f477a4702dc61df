"""Measures what wrong answers cost by hidden tests alone, and holds two principles over that.

Green means nearly right: where the visible check of a question passes, its hidden tests cost at most a
quarter of it. Almost nothing earns almost nothing: answers that return a constant, an argument or one
projection keep at most a quarter.
"""

import csv
import io
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from autograder.authoring.almost_nothing import almost_nothing
from autograder.authoring.equivalent import FILE as DECLARED
from autograder.authoring.equivalent import read_equivalents
from autograder.course.exercise import Exercise
from autograder.course.names import of_mistake
from autograder.files import write_whole
from autograder.grading.misconceptions import load_catalogue
from autograder.grading.namespaces import Namespaces
from autograder.grading.wrong_answers import WrongAnswers
from autograder.testing.exchange import Local
from autograder.testing.student_error import StudentError
from autograder.testing.suite import Suite, TestRun
from autograder.worker.namespace import Namespace
from autograder.worker.silence import silence

FILE = "build/costs.csv"  # of all exercises, in a course's folder
_COLUMNS = "exercise", "question", "kind", "mistake", "percent", "green", "failed"
CATALOGUE, MISTAKES, HELDOUT, ALMOST_NOTHING = "catalogue", "mistakes", "heldout", "almost nothing"
_MOST = 0.25  # of a question: what a green answer may cost, and what one that does almost nothing may keep
_FAIR = 0.10, 0.60  # of a question: what one mistake should cost
_SHOWN, _SHOWN_WHOLE = 5, 40  # misconceptions whose cost differs most between questions
_NOISE = 1e-9
# Where nothing else goes wrong, these say that a change only broke the code: nobody hands that in.
_BREAKS = {"NameError", "UnboundLocalError", "AttributeError", "TypeError", "ValueError"}


@dataclass(frozen=True, slots=True)
class Cost:
    """What a wrong answer costs of its question, as a share, and by which tests."""

    exercise: str
    question: str
    kind: str  # where the answer comes from
    name: str
    share: float
    is_green: (
        bool  # whether the question's visible check passes; False where it costs little, so nobody looked
    )
    failed: tuple[str, ...] = ()  # the functions of the failed tests

    @property
    def is_fair(self) -> bool:
        """Whether it costs as much as one mistake should."""
        return _FAIR[0] - _NOISE <= self.share <= _FAIR[1] + _NOISE


def single_mistakes(exercise: Exercise, question: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the code of answers in which the catalogue's misconceptions are made, each alone.

    A name comes once for each way to write the misconception.
    """
    for answer in WrongAnswers(exercise, load_catalogue(exercise.catalogue), question).single:
        if not answer.written:
            yield of_mistake(answer.names[0])[1], answer.code


def measure(suite: Suite, checks: Mapping[str, str]) -> Iterator[Cost]:
    """Yield the cost of each wrong answer to each question; `checks` are the visible ones, by question.

    Of each misconception the first way counts that fails a test and does not just break the code.
    """
    exercise = suite.exercise
    for question in exercise.points:
        trial = _Trial(suite, question, checks.get(question))
        ways = defaultdict[str, list[str]](list)
        for name, code in single_mistakes(exercise, question):
            ways[name].append(code)
        for name, codes in ways.items():
            yield from trial.first_cost(name, codes)
        for kind, answers in ((MISTAKES, exercise.mistakes), (HELDOUT, exercise.heldout)):
            for answer in answers:
                if answer.question == question:
                    yield trial.cost(kind, answer.path.stem.removeprefix(f"{question}__"), answer.code)
        for name, code in almost_nothing(exercise, question).items():
            yield trial.cost(ALMOST_NOTHING, name, code)


class _Trial:
    """Runs a question's hidden tests and its visible check on wrong answers, on disclosed inputs."""

    def __init__(self, suite: Suite, question: str, check: str | None) -> None:
        self._suite, self._question, self._check = suite, question, check
        self._tests = suite.of(question)
        self._weight = sum(test.weight for test in self._tests)
        self._make = Namespaces(suite.exercise)

    def first_cost(self, name: str, codes: Sequence[str]) -> Iterator[Cost]:
        """Yield the cost of a misconception, if one of these ways to make it costs anything."""
        for code in codes:
            runs = list(self._runs(code, may_break=False))
            if any(run.error for run in runs) and not _is_broken(runs):
                yield self._cost(CATALOGUE, name, code, runs)
                return

    def cost(self, kind: str, name: str, code: str) -> Cost:
        """Return the cost of an answer that counts even if it does not run."""
        return self._cost(kind, name, code, list(self._runs(code)))

    def _cost(self, kind: str, name: str, code: str, runs: Sequence[TestRun]) -> Cost:
        passed = {run.test for run in runs if run.error is None}
        failed = [test for test in self._tests if test not in passed]
        share = sum(test.weight for test in failed) / self._weight
        names = tuple(dict.fromkeys(test.function for test in failed))
        green = share > _MOST + _NOISE and self._passes_check(code)
        return Cost(self._suite.exercise.name, self._question, kind, name, share, green, names)

    def _runs(self, code: str, *, may_break: bool = True) -> Iterator[TestRun]:
        """Run the tests, or those up to the one that shows that the code is broken."""
        with silence():
            namespace = self._make(code)
        if namespace is None:
            return
        with warnings.catch_warnings(action="ignore"):  # it may deserve a warning, but nobody here made it
            for test in self._tests:
                yield (run := self._suite.run_one(test, Local(namespace)))
                if not may_break and run.error:
                    if _is_broken([run]):
                        return
                    may_break = True

    def _passes_check(self, code: str) -> bool:
        return self._check is not None and check_error(self._check, lambda: self._make(code)) is None


def _is_broken(runs: Sequence[TestRun]) -> bool:
    """Whether the first failed test met an error that a change made which does not fit the code."""
    error = next(run.error for run in runs if run.error)
    return isinstance(error, StudentError) and error.type in _BREAKS


def check_error(check: str, make: Callable[[], Namespace | None]) -> BaseException | None:
    """Run a visible check on the trusted code that `make` runs; return what it raises.

    Both see the same random numbers each time.
    """
    with silence(), warnings.catch_warnings(action="ignore"), torch.random.fork_rng([]):
        torch.default_generator.manual_seed(0)
        try:
            if (namespace := make()) is None:
                return NameError("the code cannot be run")
            exec(compile(check, "visible check", "exec"), namespace.variables)  # noqa: S102 - the course's own
        except (Exception, SystemExit) as error:
            return error
    return None


def broken(suite: Suite, costs: Sequence[Cost]) -> Iterator[str]:
    """Yield where a principle does not hold, and declared exceptions that are none."""
    exercise = suite.exercise
    declared = {(one.question, one.green): one.place for one in read_equivalents(exercise) if one.green}
    for one in costs:
        if one.kind == ALMOST_NOTHING and one.share < 1 - _MOST - _NOISE:
            functions = dict.fromkeys(test.function for test in suite.of(one.question))
            passed = ", ".join(name for name in functions if name not in one.failed)
            seen = f"an answer to {one.question} that {one.name} keeps {_percent(1 - one.share)}"
            yield f"{exercise.suite}: {seen}; let these tests ask for more or weigh less: {passed}"
        if one.is_green and declared.pop((one.question, one.name), None) is None:
            seen = f"{one.name} ({one.kind}) passes the check of {one.question} and costs"
            fix = f"let the check see it, let its tests weigh less, or give the reason in {DECLARED}"
            yield f"{exercise.folder}: {seen} {_percent(one.share)}; {fix}"
    for (question, name), place in declared.items():
        yield f"{place}: {name} fails the check of {question} or costs less; take it out"


def summary(costs: Sequence[Cost], *, whole: bool = False) -> Iterator[str]:
    """Yield lines on what mistakes of the catalogue cost, by question if the `whole` is asked for."""
    listed = [one for one in costs if one.kind == CATALOGUE]
    bounds = f"{_percent(_FAIR[0])} to {_percent(_FAIR[1])}"
    if listed:
        yield f"{_share(listed)} of the catalogue's mistakes cost {bounds} of their question; see {FILE}"
    for question in dict.fromkeys(one.question for one in listed) if whole else ():
        own = [one for one in listed if one.question == question]
        more = sum(one.share > _FAIR[1] + _NOISE for one in own)
        less = len(own) - more - sum(one.is_fair for one in own)
        yield f"  {question}: {_share(own)}; {less} cost less, {more} more"


def spread(costs: Iterable[Cost], *, whole: bool = False) -> Iterator[str]:
    """Yield the misconceptions whose cost differs most between questions, or more of them."""
    by_name = defaultdict[str, list[Cost]](list)
    for one in costs:
        if one.kind == CATALOGUE:
            by_name[one.name].append(one)
    ordered = {name: sorted(own, key=lambda one: one.share) for name, own in by_name.items() if len(own) > 1}
    widest = sorted(ordered.items(), key=lambda item: item[1][0].share - item[1][-1].share)
    for name, own in widest[: _SHOWN_WHOLE if whole else _SHOWN]:
        least, most = own[0], own[-1]
        middle = _percent(own[len(own) // 2].share)
        yield (
            f"{name} costs {_percent(least.share)} in {least.question} and {_percent(most.share)} in "
            f"{most.question}, {middle} in the middle of {len(own)} questions"
        )


def keep(root: Path, costs: Sequence[Cost], exercises: Iterable[str]) -> None:
    """Write all costs to the course's table, in place of those of the same exercises; others stay."""
    path, proved = root / FILE, {one.exercise for one in costs}
    rows = [_row(one) for one in costs]
    if path.is_file():
        kept = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
        rows += [row for row in kept if row["exercise"] not in proved]
    order = {name: place for place, name in enumerate(exercises)}
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    known = (row for row in rows if row["exercise"] in order)
    writer.writerows(sorted(known, key=lambda row: order[row["exercise"]]))
    write_whole(path, text.getvalue().encode())


def _row(one: Cost) -> dict[str, str]:
    green = "green" if one.is_green else ""
    share, failed = f"{100 * one.share:.0f}", " ".join(one.failed)
    values = one.exercise, one.question, one.kind, one.name, share, green, failed
    return dict(zip(_COLUMNS, values, strict=True))


def _share(costs: Sequence[Cost]) -> str:
    fair = sum(one.is_fair for one in costs)
    return f"{fair} of {len(costs)} ({_percent(fair / len(costs))})"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
