"""Finds the known wrong answers that explain failed tests of one question: one, two, or a part of them."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice

from autograder.grading.evidence import (
    Likeness,
    explained,
    explains,
    has_numbers,
    likeness,
    own_affair,
    tells,
)
from autograder.grading.known import Known, Sketch, sketch
from autograder.grading.misconceptions import Catalogue, Misconception
from autograder.grading.named import Named, both, in_words, one_of, two_things
from autograder.grading.pairs import Pair
from autograder.grading.table import Table
from autograder.testing.student_error import StudentError
from autograder.testing.suite import HiddenTest, TestRun
from autograder.worker.omission import LEFT_OUT

_MOST_PAIRS = 40  # are run for one submission
_SHAPE = "has shape"
_ENOUGH = 0.5  # such a part of the failed tests must be explained before it is said
_Parts = Sequence[tuple[Known, frozenset[int]]]  # wrong answers, with the failed tests that they explain


@dataclass(frozen=True)
class Naming:
    """Looks through the table of one question. Answers with two things wrong are run, but only few."""

    question: str
    catalogue: Catalogue
    table: Table
    tests: Sequence[HiddenTest]  # of the question
    right: Mapping[int, TestRun]  # what a right answer gets from them, by number
    run: Callable[[str, HiddenTest], TestRun | None]  # runs one of them on a wrong answer's code

    def find(self, failed: Sequence[TestRun]) -> Named | None:
        """Return the smallest explanation of all failed tests, or what is known of a part of them."""
        ordered = tuple(sorted(failed, key=lambda run: run.test.number))
        evidence = _Evidence(ordered, self.table, self.right)
        alone = [one for one in self.table.by_failed.get(evidence.numbers, ()) if evidence.explained_by(one)]
        if alone or all(isinstance(run.error, StudentError) for run in failed):
            return self._best(alone, failed) or self._said(ordered) or self._crash(failed)
        partial = evidence.partial()
        pairs = [pair for pair in islice(evidence.pairs(), _MOST_PAIRS) if self._explains(evidence, pair)]
        if pairs and (found := _likeliest(self.table, pairs, partial)):
            return found
        found = _together(partial, evidence.formal(), evidence.numbers)
        return found or self._said(ordered) or self._crash(failed)

    def _explains(self, evidence: "_Evidence", pair: Pair) -> bool:
        """Whether an answer with two things wrong fails the same tests in the same way."""
        likes = []
        for run in evidence.most_telling_first:
            known = self.run(pair.answer.code, run.test)
            likes.append(evidence.like(known, run) if known else Likeness.NONE)
            crashed = isinstance(run.error, StudentError)
            if likes[-1] is Likeness.NONE or (likes[-1] is Likeness.KIND and not crashed):
                return False  # among so many pairs, numbers that are only of one kind tell too little
        return explains(likes) and all(
            self._passes(pair.answer.code, test) for test in self.tests if test.number not in evidence.numbers
        )

    def _passes(self, code: str, test: HiddenTest) -> bool:
        run = self.run(code, test)
        return run is not None and run.error is None

    def _best(self, found: Sequence[Known], failed: Sequence[TestRun]) -> Named | None:
        """Return the first name, since all behave in the same way.

        Where no test got numbers, a yes or no must mean one thing only, and so must an error, unless an
        author has written the answer. Who has written it under two names has to say which of them it is.
        """
        if not found:
            return None
        names = {one.answer.names for one in found}
        written = {one.answer.names for one in found if one.answer.written}
        told = any(map(has_numbers, failed))
        crashed = all(isinstance(run.error, StudentError) for run in failed)
        if len(written) > 1 or not (len(names) == 1 or (written if crashed else told)):
            return None
        return Named(found[0].answer.names, found[0].answer.hints[0])

    def _said(self, failed: Sequence[TestRun]) -> Named | None:
        """Name what the words of a failed test say by themselves; other tests may fail for another reason."""
        words = [str(run.error) for run in failed if not isinstance(run.error, StudentError)]
        for misconception in filter(self._concerns, self.catalogue.misconceptions):
            said = [one for one in words if misconception.says and re.search(misconception.says, one)]
            if said and (len(said) == len(failed) or not misconception.whole):
                return self._in_words(misconception, whole=len(said) == len(failed))
        return None

    def _concerns(self, misconception: Misconception) -> bool:
        """Whether a misconception may show in this question: its rules, if it has any, fit a right answer."""
        return not misconception.changes or f"{self.question}__{misconception.name}" in self.table.hints

    def _in_words(self, misconception: Misconception, *, whole: bool) -> Named:
        hint = f"{misconception.sentence} {misconception.hint}"
        return in_words(f"{self.question}__{misconception.name}", hint, whole=whole)

    def _crash(self, failed: Sequence[TestRun]) -> Named | None:
        """Name what the words of errors say: one thing, or two that explain all failed tests between them."""
        found = [(one, self._crashed_by(one, failed)) for one in self.catalogue.misconceptions if one.crash]
        best, tests = max(found, key=lambda pair: len(pair[1]), default=(None, frozenset()))
        if best is None or len(tests) < _ENOUGH * len(failed):
            return None
        one = self._in_words(best, whole=len(tests) == len(failed))
        for other, there in found if not one.whole else []:
            if len(tests | there) == len(failed) and other.sentence != best.sentence:
                one, two = self._in_words(best, whole=True), self._in_words(other, whole=True)
                return two_things(one.names + two.names, (one.hint, two.hint))
        return one

    @staticmethod
    def _crashed_by(misconception: Misconception, failed: Sequence[TestRun]) -> frozenset[int]:
        """Return the tests that crashed in the words of a misconception; a left-out line says more itself."""
        crashed = {run.test.number: str(run.error) for run in failed if isinstance(run.error, StudentError)}
        own = {number: words for number, words in crashed.items() if LEFT_OUT not in words}
        return frozenset(number for number, words in own.items() if re.search(misconception.crash, words))


@dataclass(frozen=True)
class _Evidence:
    """The failed tests of one submission, sorted by number."""

    failed: tuple[TestRun, ...]
    table: Table
    right: Mapping[int, TestRun]

    @cached_property
    def numbers(self) -> frozenset[int]:
        return frozenset(run.test.number for run in self.failed)

    @cached_property
    def _sketches(self) -> dict[int, Sketch]:
        return {run.test.number: sketch(run, self.right[run.test.number]) for run in self.failed}

    @cached_property
    def _own_numbers(self) -> frozenset[int]:
        return own_affair(self.table.own_numbers, self.failed)

    @cached_property
    def _telling(self) -> tuple[TestRun, ...]:
        return tuple(run for run in self.failed if tells(run))

    def explained_by(self, one: Known) -> bool:
        """Whether a wrong answer, which fails the same tests, says enough about each of them."""
        given = self.numbers - self._own_numbers
        may_be = all(self._may_be(one, number) for number in given)
        return may_be and explained(one.runs, self.failed, self._own_numbers)

    def like(self, known: TestRun, run: TestRun) -> Likeness:
        """Compare what a wrong answer got from a test with what the submission got."""
        return likeness(known, run, run.test.number in self._own_numbers)

    @property
    def most_telling_first(self) -> tuple[TestRun, ...]:
        """The failed tests, those with numbers and few exchanges before all others."""
        return tuple(sorted(self.failed, key=lambda run: (not tells(run), len(run.exchanges))))

    def pairs(self) -> Iterator[Pair]:
        """Yield the answers with two things wrong which the table does not rule out."""
        if any(map(has_numbers, self.failed)):
            yield from self.table.pairs.candidates(self._sketches)

    def partial(self) -> _Parts:
        """Return the answers that pass what was passed, with the tests in which they got the same numbers.

        Of each name only the first one that explains most tests is there; those that explain most come first.
        """
        found: dict[str, tuple[Known, frozenset[int]]] = {}
        for one in self.table.answers:
            if not one.failed <= self.numbers:
                continue
            name = one.answer.names[0]
            tests = frozenset(run.test.number for run in self._telling if self._same(one, run))
            if tests and (name not in found or len(tests) > len(found[name][1])):
                found[name] = one, tests
        return sorted(found.values(), key=lambda pair: -len(pair[1]))

    def formal(self) -> _Parts:
        """Return the answers that alone give results of the submission's form, with the tests where they do.

        They pass what was passed. What is wrong with the numbers may be another thing.
        """
        found: dict[str, tuple[Known, set[int]]] = {}
        for number, seen in self._sketches.items():
            alike = [
                one
                for one in self.table.answers
                if seen.form and one.failed <= self.numbers and one.form(number) == seen.form
            ]
            if alike and all(one.is_like(alike[0]) for one in alike):
                found.setdefault(alike[0].answer.names[0], (alike[0], set()))[1].add(number)
        pairs = [(one, frozenset(tests)) for one, tests in found.values() if self._in_form(one, tests)]
        return sorted(pairs, key=lambda pair: -len(pair[1]))

    def _in_form(self, one: Known, tests: set[int]) -> bool:
        """Whether the form tells enough: sizes may be alike by chance, unless they are so in many tests."""
        got = {run.test.number for run in self.failed if not isinstance(run.error, StudentError)}
        return 2 * len(tests & got) >= len(got) or not any(_SHAPE in one.form(number) for number in tests)

    def _same(self, one: Known, run: TestRun) -> bool:
        number = run.test.number
        if number not in one.failed or not self._may_be(one, number):
            return False
        return likeness(one.runs[number], run, False) is Likeness.VALUE

    def _may_be(self, one: Known, number: int) -> bool:
        return self._sketches[number].may_be(one.sketches[number])


def _likeliest(table: Table, pairs: Sequence[Pair], partial: _Parts) -> Named | None:
    """Name the pair that explains all; of several, the only one of whose names both explain some test alone.

    Names that no test tells apart count as one. Otherwise only what is wrong in all of them is certain.
    """
    found = {frozenset(map(table.first_like, pair.answer.names)): pair.answer for pair in reversed(pairs)}
    alone = {one.answer.names[0] for one, _ in partial}
    likely = {names: one for names, one in found.items() if alone >= names} or found
    if len(likely) == 1:
        (answer,) = likely.values()
        firsts = [table.first_like(name) for name in answer.names]
        hints = [table.hints.get(name, hint) for name, hint in zip(firsts, answer.hints, strict=True)]
        return two_things(tuple(firsts), tuple(hints))
    certain = frozenset.intersection(*likely)
    name = min(certain, default="")
    return in_words(name, table.hints[name], whole=False) if name in table.hints else None


def _together(partial: _Parts, formal: _Parts, numbers: frozenset[int]) -> Named | None:
    """Name two wrong answers that explain all tests between them, or the only one that explains some."""
    for (one, here), (other, there) in combinations(partial, 2):
        if here | there == numbers:
            return both(one, other)
    best = partial[0] if partial and all(tests <= partial[0][1] for _, tests in partial) else None
    for one, tests in formal:
        if best and one.answer.names != best[0].answer.names and best[1] | tests == numbers:
            return both(best[0], one)
    if best and len(best[1]) >= _ENOUGH * len(numbers):
        return one_of(best[0])
    return one_of(formal[0][0]) if formal else None
