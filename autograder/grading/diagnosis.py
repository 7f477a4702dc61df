"""Names what is wrong in a submission, by wrong answers that get the same from the same tests."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, islice
from warnings import catch_warnings

from autograder.course.exercise import Mistake
from autograder.course.reference import reference_errors
from autograder.grading.bank import Bank
from autograder.grading.evidence import (
    Likeness,
    asks_for_start,
    explains,
    fingerprint,
    has_numbers,
    is_accident,
    likeness,
    tells,
)
from autograder.grading.misconceptions import Catalogue, load_catalogue
from autograder.grading.outcomes import Outcomes, tests_of_own_numbers
from autograder.grading.wrong_answers import WrongAnswer
from autograder.testing.exchange import Local, StudentError
from autograder.testing.suite import HiddenTest, Suite, TestRun
from autograder.worker.namespace import run_code

_ONE_OF = "One of the things that are wrong: "
_ENOUGH = 0.5  # such a part of the failed tests must be explained before it is said
_MOST_PAIRS = 300  # so many wrong answers with two misconceptions are tried for one submission


@dataclass(frozen=True, slots=True)
class Named:
    """What is wrong in an answer: one thing or several, with a hint for the student."""

    names: tuple[str, ...]
    hint: str

    @property
    def name(self) -> str:
        """All names in one word; the question stands only before the first."""
        first, *others = self.names
        return "+".join([first, *(name.partition("__")[2] for name in others)])


class Diagnosis:
    """Compares what failed tests got from a submission with what they get from known wrong answers."""

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self.runs = cache(self._runs)
        self._search = cache(self._make_search)

    def name(self, question: str, runs: Sequence[TestRun]) -> Named | None:
        """Return what explains the failed tests of `question`, or None.

        Tests of the question that are not among `runs` count as passed.
        """
        failed = [run for run in runs if run.error is not None and run.test.question == question]
        if not failed:
            return None
        search = self._search(question)
        found = search.find(failed)
        search.outcomes.save()
        return found

    def knows(self, question: str, name: str) -> bool:
        """Whether this is a name that an answer to `question` can get, or several joined by a plus."""
        names = {mistake.name for mistake in self.suite.exercise.mistakes}
        names |= {f"{question}__{misconception.name}" for misconception in self._catalogue.misconceptions}
        first, *others = name.split("+")
        return {first, *(f"{question}__{other}" for other in others)} <= names

    def _make_search(self, question: str) -> "_Search":
        exercise = self.suite.exercise
        folder = exercise.folder.parents[1] / "build" / "diagnosis"
        return _Search(
            tuple(test for test in self.suite.tests if test.question == question),
            self._catalogue,
            Bank(exercise, self._catalogue, question, folder),
            Outcomes(self.suite, question, folder),
            self._own_numbers,
        )

    @cached_property
    def _catalogue(self) -> Catalogue:
        return load_catalogue(self.suite.exercise.catalogue)

    @cached_property
    def _own_numbers(self) -> frozenset[int]:
        return tests_of_own_numbers(self.suite)

    def _runs(self, mistake: Mistake) -> tuple[TestRun, ...]:
        exercise = self.suite.exercise
        with catch_warnings(action="ignore"):  # the mistake may deserve a warning, but nobody here made it
            with reference_errors(exercise, mistake):
                namespace = run_code(exercise.variant(mistake.code))
            return tuple(self.suite.run(Local(namespace), chosen=self.suite.of(mistake.question)))


@dataclass(frozen=True)
class _Search:
    """Looks for what explains failed tests of one question: one wrong answer, a pair, or a part of them."""

    tests: tuple[HiddenTest, ...]
    catalogue: Catalogue
    bank: Bank
    outcomes: Outcomes
    own_numbers: frozenset[int]

    def find(self, failed: Sequence[TestRun]) -> Named | None:
        """Return the smallest explanation of all failed tests, or what is known of a part of them."""
        failed = sorted(failed, key=lambda run: run.test.number)
        whole = [answer for answer in self.bank.answers if self._explains(answer, failed)]
        if whole or all(isinstance(run.error, StudentError) for run in failed):
            return self._best(whole, failed) or self._crash(failed, whole=True)
        possible = list(self._possible(failed))
        if pair := next(
            (pair for pair in self._pairs(possible, failed) if self._explains(pair, failed)), None
        ):
            return _named(pair)
        return self._together(possible, failed) or self._crash(failed, whole=False)

    def _best(self, found: Sequence[WrongAnswer], failed: Sequence[TestRun]) -> Named | None:
        """Return the first name, since all behave in the same way.

        Where no test got numbers, a yes or no must mean one thing only, and so must an error, unless an
        author has written the answer. Who has written it under two names has to say which of them it is.
        """
        if not found:
            return None
        names = {answer.names for answer in found}
        written = {answer.names for answer in found if answer.written}
        told = any(map(has_numbers, failed))
        crashed = all(isinstance(run.error, StudentError) for run in failed)
        if len(written) > 1 or not (len(names) == 1 or (written if crashed else told)):
            return None
        return _named(found[0])

    def _explains(self, answer: WrongAnswer, failed: Sequence[TestRun]) -> bool:
        """Whether an answer passes what was passed, and says enough about each failed test."""
        seen = {run.test.number: run for run in failed}
        likes = []
        for test in self.tests:
            if test.number not in seen:
                if self._outcome(answer, test).error is not None:
                    return False
            elif (like := self._like(answer, seen[test.number])) is Likeness.NONE:
                return False
            else:
                likes.append(like)
        return explains(likes) and (answer.written or not is_accident(self._outcome(answer, failed[0].test)))

    def _like(self, answer: WrongAnswer, run: TestRun) -> Likeness:
        return likeness(self._outcome(answer, run.test), run, self._has_own_numbers(run))

    def _has_own_numbers(self, run: TestRun) -> bool:
        return run.test.number in self.own_numbers and not asks_for_start(run)

    def _outcome(self, answer: WrongAnswer, test: HiddenTest) -> TestRun:
        return self.outcomes.run(answer.code, test)

    def _fails_only(self, answer: WrongAnswer, failed: Sequence[TestRun]) -> bool:
        """Whether an answer is wrong in a way that a student may have meant, and passes what was passed."""
        numbers = {run.test.number for run in failed}
        if any(self._outcome(answer, test).error for test in self.tests if test.number not in numbers):
            return False
        first = self._outcome(answer, failed[0].test)
        return answer.written or not is_accident(first)

    def _possible(self, failed: Sequence[TestRun]) -> Iterator[WrongAnswer]:
        """Yield the wrong answers that may be a part of what is wrong, each behaviour of a name once."""
        seen = set[tuple[object, ...]]()
        for answer in self.bank.answers:
            if self._fails_only(answer, failed):
                likes = (self._outcome(answer, run.test) for run in failed[:2])
                behaviour = (answer.names, *map(fingerprint, likes))
                if behaviour not in seen:
                    seen.add(behaviour)
                    yield answer

    def _pairs(self, possible: Sequence[WrongAnswer], failed: Sequence[TestRun]) -> Iterator[WrongAnswer]:
        """Yield answers with two misconceptions, those first of which one alone explains some test."""
        if all(map(self._has_own_numbers, failed)):
            return iter(())  # no test shows what two wrong answers of different people share
        partly = [a for a in possible if any(self._like(a, run) >= Likeness.CRASH for run in failed)]
        firsts = [*partly, *(answer for answer in possible if answer not in partly)]
        names = {name for answer in possible for name in answer.names}
        made = (pair for first in firsts for pair in self.bank.maker.pairs(first, names))
        return islice(made, _MOST_PAIRS)

    def _crash(self, failed: Sequence[TestRun], *, whole: bool) -> Named | None:
        """Name what the words of an error say, where all tests that crashed say the same."""
        crashed = [str(run.error) for run in failed if isinstance(run.error, StudentError)]
        if not crashed or (whole and len(crashed) < len(failed)):
            return None
        for misconception in self.catalogue.misconceptions:
            if misconception.crash and all(re.search(misconception.crash, words) for words in crashed):
                name = f"{self.bank.maker.question}__{misconception.name}"
                hint = f"{misconception.sentence} {misconception.hint}"
                return Named((name,), hint if whole else _ONE_OF + hint)
        return None

    def _together(self, possible: Sequence[WrongAnswer], failed: Sequence[TestRun]) -> Named | None:
        """Name two wrong answers that explain all tests between them, or the only one that explains some."""
        explained: dict[str, tuple[WrongAnswer, set[int]]] = {}
        for answer in possible:
            tests = {
                run.test.number for run in failed if tells(run) and self._like(answer, run) is Likeness.VALUE
            }
            if tests and len(tests) > len(explained.get(answer.names[0], (answer, set()))[1]):
                explained[answer.names[0]] = answer, tests
        ranked = sorted(explained.values(), key=lambda found: -len(found[1]))
        numbers = {run.test.number for run in failed}
        for (one, here), (other, there) in combinations(ranked, 2):
            if here | there == numbers:
                return _named(WrongAnswer(one.names + other.names, one.hints + other.hints, ""))
        if ranked and all(tests <= ranked[0][1] for _, tests in ranked):
            best, here = ranked[0]
            if len(here) >= _ENOUGH * len(failed):
                return Named(best.names, _ONE_OF + best.hints[0])
        return None


def _named(answer: WrongAnswer) -> Named:
    if len(answer.names) == 1:
        return Named(answer.names, answer.hints[0])
    hints = " ".join(f"({number}) {hint}" for number, hint in enumerate(answer.hints, 1))
    return Named(answer.names, f"Two things are wrong. {hints}")
