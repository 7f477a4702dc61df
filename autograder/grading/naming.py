"""Finds the known wrong answers that explain failed tests of one question: one, two, or a part of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from autograder.grading.evidence import Likeness, asks_for_start, explains, has_numbers, likeness, tells
from autograder.grading.known import Known, Sketch, sketch
from autograder.grading.misconceptions import Catalogue
from autograder.grading.table import Table
from autograder.testing.exchange import StudentError
from autograder.testing.suite import TestRun

_ONE_OF = "One of the things that are wrong: "
_ENOUGH = 0.5  # such a part of the failed tests must be explained before it is said


@dataclass(frozen=True, slots=True)
class Named:
    """What is wrong in an answer: one thing or several, with a hint for the student."""

    names: tuple[str, ...]
    hint: str
    whole: bool = True  # whether it explains all failed tests, and not only some of them

    @property
    def name(self) -> str:
        """All names in one word; the question stands only before the first."""
        first, *others = self.names
        return "+".join([first, *(name.partition("__")[2] for name in others)])


@dataclass(frozen=True)
class Naming:
    """Looks through the table of one question; nothing is run for it."""

    question: str
    catalogue: Catalogue
    table: Table

    def find(self, failed: Sequence[TestRun]) -> Named | None:
        """Return the smallest explanation of all failed tests, or what is known of a part of them."""
        evidence = _Evidence(tuple(sorted(failed, key=lambda run: run.test.number)), self.table)
        whole = [one for one in self.table.by_failed.get(evidence.numbers, ()) if evidence.explained_by(one)]
        alone = [one for one in whole if len(one.answer.names) == 1]
        if alone or all(isinstance(run.error, StudentError) for run in failed):
            return self._best(alone, failed) or self._crash(failed, whole=True)
        partial = evidence.partial()
        if whole:
            return _named(*_likeliest(whole, partial))
        return _together(partial, failed) or self._crash(failed, whole=False)

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
        return _named(found[0].answer.names, found[0].answer.hints)

    def _crash(self, failed: Sequence[TestRun], *, whole: bool) -> Named | None:
        """Name what the words of an error say, where all tests that crashed say the same."""
        crashed = [str(run.error) for run in failed if isinstance(run.error, StudentError)]
        if not crashed or len(crashed) < (1.0 if whole else _ENOUGH) * len(failed):
            return None
        for misconception in self.catalogue.misconceptions:
            if misconception.crash and all(re.search(misconception.crash, words) for words in crashed):
                hint = f"{misconception.sentence} {misconception.hint}"
                name = f"{self.question}__{misconception.name}"
                return Named((name,), hint if whole else _ONE_OF + hint, whole)
        return None


@dataclass(frozen=True)
class _Evidence:
    """The failed tests of one submission, sorted by number."""

    failed: tuple[TestRun, ...]
    table: Table

    @cached_property
    def numbers(self) -> frozenset[int]:
        return frozenset(run.test.number for run in self.failed)

    @cached_property
    def _sketches(self) -> dict[int, Sketch]:
        return {run.test.number: sketch(run) for run in self.failed}

    @cached_property
    def _own_numbers(self) -> frozenset[int]:
        """The tests in which a right answer's numbers are its own affair."""
        asked = {run.test.number for run in self.failed if asks_for_start(run)}
        return self.table.own_numbers - asked

    @cached_property
    def _telling(self) -> tuple[TestRun, ...]:
        return tuple(run for run in self.failed if tells(run))

    def explained_by(self, one: Known) -> bool:
        """Whether a wrong answer, which fails the same tests, says enough about each of them."""
        given = self.numbers - self._own_numbers
        if not all(self._may_be(one, number) for number in given):
            return False
        likes = []
        for run in self.failed:
            number = run.test.number
            likes.append(likeness(one.runs[number], run, number in self._own_numbers))
            if likes[-1] is Likeness.NONE:
                return False
        return explains(likes)

    def partial(self) -> list[tuple[Known, frozenset[int]]]:
        """Return the answers that pass what was passed, with the tests in which they got the same numbers.

        Of each name only the first one that explains most tests is there; those that explain most come first.
        """
        found: dict[str, tuple[Known, frozenset[int]]] = {}
        for one in self.table.answers:
            if len(one.answer.names) > 1 or not one.failed <= self.numbers:
                continue
            name = one.answer.names[0]
            tests = frozenset(run.test.number for run in self._telling if self._same(one, run))
            if tests and (name not in found or len(tests) > len(found[name][1])):
                found[name] = one, tests
        return sorted(found.values(), key=lambda pair: -len(pair[1]))

    def _same(self, one: Known, run: TestRun) -> bool:
        number = run.test.number
        if number not in one.failed or not self._may_be(one, number):
            return False
        return likeness(one.runs[number], run, False) is Likeness.VALUE

    def _may_be(self, one: Known, number: int) -> bool:
        return self._sketches[number].may_be(one.sketches[number])


def _likeliest(
    pairs: Sequence[Known], partial: Sequence[tuple[Known, frozenset[int]]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the first pair with most names that explain some test alone."""
    alone = {one.answer.names[0] for one, _ in partial}
    answer = max(pairs, key=lambda pair: len(alone & set(pair.answer.names))).answer
    return answer.names, answer.hints


def _together(partial: Sequence[tuple[Known, frozenset[int]]], failed: Sequence[TestRun]) -> Named | None:
    """Name two wrong answers that explain all tests between them, or the only one that explains some."""
    numbers = {run.test.number for run in failed}
    for (one, here), (other, there) in combinations(partial, 2):
        if here | there == numbers:
            return _named(one.answer.names + other.answer.names, one.answer.hints + other.answer.hints)
    if partial and all(tests <= partial[0][1] for _, tests in partial):
        best, here = partial[0]
        if len(here) >= _ENOUGH * len(failed):
            return Named(best.answer.names, _ONE_OF + best.answer.hints[0], whole=False)
    return None


def _named(names: tuple[str, ...], hints: tuple[str, ...]) -> Named:
    if len(names) == 1:
        return Named(names, hints[0])
    numbered = " ".join(f"({number}) {hint}" for number, hint in enumerate(hints, 1))
    return Named(names, f"Two things are wrong. {numbered}")
