"""Looks for the smallest edit of a student's code after which every hidden test passes.

Each edited code runs on disclosed inputs, first the tests that have failed most; the first failure ends it.
What passes all tests must pass them on a second set of disclosed inputs, too. Where no single edit is enough,
those that bring failed tests nearer to passing and fail no other are tried with a second edit.

The budget counts what the tests make torch do in a right answer, not seconds: a busy machine finds the same.
"""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import torch
from torch.overrides import TorchFunctionMode

from autograder.diagnosis.code import Code, Edit
from autograder.diagnosis.edits import edits
from autograder.diagnosis.pieces import Pieces
from autograder.testing.exchange import Backend
from autograder.testing.inputs import DISCLOSED, Inputs
from autograder.testing.suite import HiddenTest, Suite, TestRun

SECOND = Inputs(b"disclosed, a second set")
_EACH = 600  # microseconds that it takes to define a candidate,
_REQUEST, _CALL = 650, 3  # for a request, and for a call of torch
_SINGLE, _BETTER = 0.6, 0.8  # of the budget, after which no more single edits are tried, and none for two
_PROBES, _NEARER = 4, 0.2  # failed tests that tell whether an edit brings them nearer, and by how much
_MOST_BETTER = 5  # edits of which each turns some failed tests, with which a second one is tried
_MORE = 40  # candidates that are still tried after the first repair
_REPAIRS = 4  # of which the best is told


class Bench(Backend, Protocol):
    """Where candidates run: a worker that has never met a hidden input."""

    def define(self, code: str) -> bool:
        """Run the code of a candidate; whether it raised no error."""


@dataclass(frozen=True, slots=True)
class Repair:
    """Edits, one after the other, and the code after them; `whole` where every test passes then."""

    edits: tuple[Edit, ...]
    code: Code
    turned: frozenset[int] = frozenset()  # the numbers of the tests that pass now and did not
    whole: bool = True


@dataclass
class Search:
    """One search on one question."""

    suite: Suite
    question: str
    right: Pieces
    bench: Bench
    answer: Callable[[HiddenTest], "RightAnswer"]
    budget: float  # microseconds, as the search counts them
    spent: float = 0.0
    tried: int = 0
    _seen: set[str] = field(default_factory=set)

    def repairs(self, code: Code, failed: Sequence[HiddenTest]) -> list[Repair]:
        """Return the repairs of some code that fails these tests: whole ones, of one edit or two, or a part.

        The first is the best of those that were found.
        """
        self._seen.add(code.text)
        first = _Attempts(self._distances(code, failed))
        limit = self.budget * _SINGLE
        whole = self._single(code, failed, limit, first)
        if whole:
            return whole
        better = self._better(failed, first)
        for one in better[:_MOST_BETTER]:
            left = [test for test in failed if test.number not in one.turned]
            share = (self.budget - self.spent) / _MOST_BETTER
            found = self._single(one.code, left, self.spent + share)
            apart = [two for two in found if _apart(one.edits[0], two.edits[0])]
            if apart:
                return [Repair(one.edits + two.edits, two.code, two.turned) for two in apart]
        return [one for one in better[:1] if one.turned]

    def _single(
        self, code: Code, failed: Sequence[HiddenTest], limit: float, attempts: "_Attempts | None" = None
    ) -> list[Repair]:
        """Return what one edit repairs; after the first, only a few more candidates are tried."""
        order = sorted(failed, key=self._whole_cost)
        others = [test for test in self.suite.of(self.question) if test not in order]
        found: list[Repair] = []
        last = None
        for edit, made in self._candidates(code):
            if self.spent >= limit or (last is not None and self.tried > last):
                break
            if (failing := self._first_failure(order)) is None:
                if self._first_failure(others) is None and self._passes_again():
                    found.append(Repair((edit,), made, frozenset(test.number for test in failed)))
                    last = self.tried + _MORE if last is None else last
                    if len(found) == _REPAIRS:
                        break
                continue
            if attempts is not None:
                attempts.add(
                    edit, made, failing, self.answer(failing.test), was_first=failing.test is order[0]
                )
            if self._whole_cost(failing.test) <= 2 * self._whole_cost(order[0]):
                order.remove(failing.test)
                order.insert(0, failing.test)
        return sorted(found, key=lambda one: (one.edits[0].size, one.edits[0].extent, one.edits[0].rank))

    def _distances(self, code: Code, failed: Sequence[HiddenTest]) -> dict[HiddenTest, float]:
        """Return how far some code is from passing a few failed tests, each of another function."""
        by_function = {test.function: test for test in sorted(failed, key=self._whole_cost, reverse=True)}
        self.bench.define(code.text)
        probes = sorted(by_function.values(), key=self._whole_cost)[:_PROBES]
        return {test: self._distance(test) for test in probes}

    def _better(self, failed: Sequence[HiddenTest], attempts: "_Attempts") -> list[Repair]:
        """Return edits that bring failed tests nearer to passing, and fail no other, the best first.

        An edit counts that turns a test, or after which results have the right form or fewer wrong numbers.
        """
        others = [test for test in self.suite.of(self.question) if test not in failed]
        found: list[tuple[float, Repair]] = []
        for edit, made in attempts.promising():
            if self.spent >= self.budget * _BETTER:
                break
            self.spent += _EACH
            self.bench.define(made.text)
            after = {test: self._distance(test) for test in attempts.before}
            nearer = sum(attempts.before.values()) - sum(after.values())
            if nearer >= _NEARER and self._first_failure(others) is None:
                some = 0.0 in after.values()
                turned = frozenset(test.number for test in failed if some and self._passes(test))
                found.append((nearer, Repair((edit,), made, turned, whole=False)))
        found.sort(key=lambda pair: (-len(pair[1].turned), -pair[0], pair[1].edits[0].rank))
        return [repair for _, repair in found]

    def _distance(self, test: HiddenTest) -> float:
        """Return how far a test is from passing: 0 if it passes, up to 3 where nothing comes out."""
        run = self._run(test)
        return 0.0 if run.error is None else distance(self.answer(test).run, run)

    def _candidates(self, code: Code) -> Iterator[tuple[Edit, Code]]:
        """Yield each edited code once, after the bench has defined it."""
        for edit in edits(code, self.right):
            try:
                made = code.edited(edit)
                text = made.text
                if text in self._seen or made.unused - code.unused:
                    continue  # tried before, or it only bypasses what is wrong
                self._seen.add(text)
                ast.parse(text)
            except (SyntaxError, ValueError, AttributeError, RecursionError):
                continue
            edit = replace(edit, at=code.located(edit.old), cell=code.cell(edit.old))
            self.tried += 1
            self.spent += _EACH
            if self.bench.define(text):
                yield edit, made

    def _whole_cost(self, test: HiddenTest) -> float:
        right = self.answer(test)
        return right.cost + _REQUEST * len(right.run.exchanges)

    def _first_failure(self, tests: Sequence[HiddenTest]) -> TestRun | None:
        return next((run for run in map(self._run, tests) if run.error is not None), None)

    def _passes_again(self) -> bool:
        return all(self._passes(test, SECOND) for test in self.suite.of(self.question))

    def _passes(self, test: HiddenTest, inputs: Inputs = DISCLOSED) -> bool:
        return self._run(test, inputs).error is None

    def _run(self, test: HiddenTest, inputs: Inputs = DISCLOSED) -> TestRun:
        run = self.suite.run_one(test, self.bench, inputs)
        right = self.answer(test)
        share = min(len(run.exchanges) / max(len(right.run.exchanges), 1), 1.0)
        self.spent += _REQUEST * len(run.exchanges) + share * right.cost
        return run


@dataclass
class _Attempts:
    """Single edits that repair nothing, by what the first failed test says of each."""

    before: dict[HiddenTest, float]  # how far the student's code is from passing
    _nearer: list[tuple[Edit, Code]] = field(default_factory=list)
    _unlike: list[tuple[Edit, Code]] = field(default_factory=list)

    def add(self, edit: Edit, made: Code, run: TestRun, right: "RightAnswer", *, was_first: bool) -> None:
        """Keep an edit unless it has led further away from what is right."""
        now, before = distance(right.run, run), self.before.get(run.test)
        if not was_first or (before is not None and now < before):
            self._nearer.append((edit, made))
        elif before is None or now == before:
            self._unlike.append((edit, made))

    def promising(self) -> list[tuple[Edit, Code]]:
        """Return the edits with which a second one may repair all, the likeliest first."""
        return self._nearer + self._unlike


def distance(right: TestRun, run: TestRun) -> float:
    """Return how far a failed run is from a right one: an error, another form, a share of the numbers."""
    for one, other in zip(right.exchanges, run.exchanges, strict=False):
        (expected, ours), (seen, theirs) = one.reply, other.reply
        if "value" not in seen:
            return 3.0
        if len(ours) != len(theirs) or any(a.shape != b.shape for a, b in zip(ours, theirs, strict=True)):
            return 2.0
        wrong = [_wrong(a, b) for a, b in zip(ours, theirs, strict=True)]
        if any(wrong) or expected.get("value") != seen.get("value"):
            return 0.5 + max(wrong, default=1.0)
    return 0.5


def _wrong(one: torch.Tensor, other: torch.Tensor) -> float:
    """Return the share of numbers that differ."""
    if not one.numel():
        return 0.0
    close = torch.isclose(
        one.detach().double(), other.detach().double(), rtol=1e-3, atol=1e-4, equal_nan=True
    )
    return 1.0 - float(close.double().mean())


def _apart(one: Edit, other: Edit) -> bool:
    """Whether two edits change different places, so that they are two mistakes and not one."""
    return one.old is not other.old


class _Calls(TorchFunctionMode):
    """Counts calls of torch's functions."""

    count = 0

    def __torch_function__(self, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        self.count += 1
        return function(*args, **(kwargs or {}))


@dataclass(frozen=True, slots=True)
class RightAnswer:
    """A right answer's run of a test, and the microseconds that it computes: so many a call of torch."""

    run: TestRun
    cost: int


def right_answer(suite: Suite, test: HiddenTest) -> RightAnswer:
    """Run a test on the reference, and count what that computes."""
    with _Calls() as calls:
        run = suite.reference_run(test, DISCLOSED)
    return RightAnswer(run, _CALL * int(calls.count))
