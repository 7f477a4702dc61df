"""Answers with two things wrong: what few tests make of each is kept, and all else is run when it is needed.

There are thousands of pairs, so a table holds their code and a sketch of what they got from one telling test.
It rules out nearly all of them, and the few that are left are run on the tests of a submission.
"""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cached_property
from warnings import catch_warnings

from autograder.grading.evidence import fingerprint, has_numbers, is_accident
from autograder.grading.known import Known, Sketch, sketch
from autograder.grading.namespaces import Namespaces
from autograder.grading.wrong_answers import WrongAnswer
from autograder.testing.exchange import Local
from autograder.testing.suite import HiddenTest, Suite, TestRun

_PROBES = 2  # tests that rule pairs out
_NOTHING = Sketch(0.0, 0.0)
_MOST_REQUESTS = 12  # of such a test; one with more takes long


@dataclass(frozen=True)
class Pair:
    """A wrong answer with two things wrong, and a sketch of what its first failed probe got."""

    answer: WrongAnswer
    failed: int | None  # the number of that probe; None where it passes all of them
    sketch: Sketch


@dataclass(frozen=True)
class Pairs:
    """All pairs of one question."""

    probes: tuple[int, ...] = ()  # numbers of tests
    packed: bytes = b""

    @cached_property
    def all(self) -> tuple[Pair, ...]:
        """The pairs, in the order of their names; read when somebody asks for them."""
        return tuple(_read(self.packed))

    def candidates(self, sketches: Mapping[int, Sketch]) -> Iterator[Pair]:
        """Yield the pairs that may fail the probes like a submission whose failed tests have `sketches`."""
        failed = next((number for number in self.probes if number in sketches), None)
        for pair in self.all:
            if pair.failed == failed and (failed is None or pair.sketch.may_be(sketches[failed])):
                yield pair


def probes(suite: Suite, tests: Sequence[HiddenTest], alone: Sequence[Known]) -> tuple[HiddenTest, ...]:
    """Choose the tests that tell most wrong answers apart: first among all, then among those that pass it."""
    right = {run.test.number: len(run.exchanges) for run in suite.reference_runs}
    left = list(alone)
    chosen: list[HiddenTest] = []
    for _ in range(_PROBES):
        cheap = [test for test in tests if right[test.number] <= _MOST_REQUESTS and test not in chosen]
        told = {test: _told(left, test.number) for test in cheap}
        if not told or not max(told.values()):
            break
        best = max(cheap, key=lambda test: told[test])
        chosen.append(best)
        left = [one for one in left if best.number not in one.failed]
    return tuple(chosen)


def _told(answers: Iterable[Known], number: int) -> int:
    """Return how many wrong answers a test tells apart by numbers."""
    runs = (one.runs[number] for one in answers if number in one.failed)
    return len({fingerprint(run) for run in runs if has_numbers(run)})


def packed(suite: Suite, answers: Iterable[WrongAnswer], chosen: Sequence[HiddenTest]) -> bytes:
    """Run the probes on each answer, and return all of them in the form that `Pairs` reads."""
    make = Namespaces(suite.exercise)
    right = {run.test.number: run for run in suite.reference_runs}
    rows: list[list[object]] = []
    hints: dict[str, str] = {}
    for answer in answers:
        if (namespace := make.quick(answer.code)) is None:
            continue
        run = _first_failed(suite, Local(namespace), chosen)
        if run and is_accident(run):
            continue
        hints |= dict(zip(answer.names, answer.hints, strict=True))
        found = astuple(sketch(run, right[run.test.number])) if run else ()
        rows.append([answer.names, run.test.number if run else None, found, answer.code])
    return zlib.compress(json.dumps([hints, rows]).encode(), 6)


def _first_failed(suite: Suite, backend: Local, tests: Sequence[HiddenTest]) -> TestRun | None:
    with catch_warnings(action="ignore"):
        return next((run for test in tests if (run := suite.run_one(test, backend)).error), None)


def _read(content: bytes) -> Iterator[Pair]:
    if not content:
        return
    hints, rows = json.loads(zlib.decompress(content))
    for names, failed, found, code in rows:
        answer = WrongAnswer(tuple(names), tuple(hints[name] for name in names), code)
        yield Pair(answer, failed, Sketch(*found) if found else _NOTHING)
