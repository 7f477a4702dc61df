"""Looks for the smallest edit of a student's code after which every hidden test passes.

Each edited code runs on disclosed inputs, first the tests that have failed most; the first failure ends it.
The worker answers one further test first, then two, four and eight, since most codes fail soon. What passes
all tests must pass them on a second set of disclosed inputs, too. Where no single edit is enough,
those that bring failed tests nearer to passing and fail no other are tried with a second edit. A test runs
once for all candidates that answer it alike.

The budget counts what the tests make torch do in a right answer, not seconds: a busy machine finds the same.
"""

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import combinations, islice, takewhile
from typing import Any, Protocol

from autograder.diagnosis.code import Code
from autograder.diagnosis.edits import edits, edits_by_rules
from autograder.diagnosis.fragments import Edit, RightAnswerFragments
from autograder.diagnosis.trees import New
from autograder.testing.exchange import (
    Backend,
    Exchange,
    FromMemory,
    LostError,
    Reply,
    Request,
    hands_over_function,
)
from autograder.testing.inputs import DISCLOSED, Inputs
from autograder.testing.suite import HiddenTest, Run, Suite
from autograder.worker.protocol import Header, Parts, ProtocolError, pack
from autograder.worker.remote_function import Answer

SECOND = Inputs(b"disclosed, a second set")
# Microseconds charged to the budget for each.
_CANDIDATE_COST, _REQUEST_COST, _TORCH_CALL_COST = 1500, 60, 3
# Shares of the budget after which no more single edits are tried, no half repairs ranked, and no pairs tried.
_SINGLE, _BETTER, _PAIRS = 0.6, 0.7, 0.85
_MOST_PAIRED, _MOST_AT_A_NODE = 36, 5  # edits that are tried in pairs, and of these at one node
_PROBES, _NEARER = 4, 0.2  # failed tests that tell whether an edit brings them nearer, and by how much
_RIGHT_FORM, _OTHER_FORM = 1.5, 2.0  # the distance of an answer of the right form, at most, and of others
_FOR_OTHER_TESTS = ("error", "statement")  # kinds of edits that may change no answer to the first test
_MOST_BETTER = 5  # edits with which a second one is tried
# Candidates for which the worker answers one request, or that are still tried after the first repair.
_AT_ONCE = 16
_REPAIRS = 4  # of which the best is told
_MOST_BYTES = 1 << 16  # of an array, to say how near it is
_LONG = 300_000  # microseconds, from which on each test is a request of its own
_MOST_TESTS = 8  # for which the worker answers one request


class CandidateRunner(Backend, Protocol):
    """Where candidates run: a worker that has never met a hidden input."""

    def define(self, code: str) -> bool:
        """Run the code of a candidate; whether it raised no error."""


@dataclass(frozen=True, slots=True)
class Repair:
    """Edits, one after the other, and the code after them, which passes every test."""

    edits: tuple[Edit, ...]
    code: Code


@dataclass
class Candidate:
    """Edited code, and what it has answered; whatever else a test asks, it answers in the worker."""

    runner: CandidateRunner
    code: Code
    edits: tuple[Edit, ...] = ()
    is_code: bool = True
    is_proven: bool = False  # whether it has passed all tests, on both sets of inputs
    live_request_count: int = 0  # requests by themselves; before the first, the worker runs the code
    # What it has answered to all that a test asks, and the same as bytes.
    cached_exchanges: dict[tuple[HiddenTest, Inputs], tuple[list[Exchange], bytes]] = field(
        default_factory=dict
    )

    def ask(self, header: Header, tensors: Parts, answer: Answer | None = None) -> Reply:
        """Return the answer to one request."""
        if not self.live_request_count:
            self.runner.define(self.code.text)
        self.live_request_count += 1
        return self.runner.ask(header, tensors, answer)

    def take(
        self,
        answers: object,
        asked: Mapping[HiddenTest, Sequence[Request]],
        inputs: Inputs,
        parts: Iterator[Any],
    ) -> None:
        """Keep answers to what tests asked; ValueError where they have another form than a worker's."""
        self.is_code = isinstance(answers, list)
        for (test, requests), replies in zip(
            asked.items(), answers if isinstance(answers, list) else [], strict=False
        ):
            exchanges, sent = list[Exchange](), Parts()
            for request, one in zip(requests, replies, strict=False):
                match one:
                    case [dict() as reply, int(count)]:
                        exchanges.append(Exchange(request, (reply, [*islice(parts, count)])))
                        sent += exchanges[-1].reply[1]
                    case _:
                        raise ValueError("an answer has no known form")
            self.cached_exchanges[test, inputs] = exchanges, pack({"value": replies}, sent)


@dataclass
class Search:
    """One search on one question."""

    suite: Suite
    question: str
    right: RightAnswerFragments
    runner: CandidateRunner
    answer: Callable[[HiddenTest, Inputs], "RightAnswer"]
    budget: float  # microseconds, as the search counts them
    most: int  # candidates that are tried alone
    rewrite: Callable[[Code], Sequence[Code]]  # returns the code in the writings that rules know
    spent: float = 0.0
    tried: int = 0
    _seen: set[str] = field(default_factory=set)
    # Runs by the answers that decided them: most candidates answer a test as others have.
    _runs: dict[tuple[int, Inputs, bytes], Run] = field(default_factory=dict)
    _failures: Counter[HiddenTest] = field(default_factory=Counter)  # how many candidates failed each test
    # How far the student's code is from passing.
    _before: dict[HiddenTest, float] = field(default_factory=dict)
    _own: dict[HiddenTest, bytes] = field(default_factory=dict)  # what that code answers to the same tests
    # What repairs nothing and may be half a repair: likely, or less so.
    _half_repairs: tuple[list[Candidate], list[Candidate]] = field(default_factory=lambda: ([], []))
    # Single edits that repair nothing, but lead to no other error.
    _failed: list[Candidate] = field(default_factory=list)

    def repairs(self, code: Code, failed: Sequence[HiddenTest]) -> Iterator[Repair]:
        """Yield repairs of some code that fails these tests, by one edit or else two, the best first.

        All tests are run on the best; on each other repair only when the caller asks for it.
        """
        self._seen.add(code.text)
        self._before = self._distances(code, failed)
        edited = self._edited([*edits_by_rules(self.rewrite(code), self.right), *edits(code, self.right)])
        if found := self._try(edited, code, failed, self.budget * _SINGLE, self.most):
            yield from self._proven(found, failed)
            return
        better = self._rank_half_repairs(failed)[:_MOST_BETTER]
        if pairs := self._try(self._pairs(), code, failed, self.budget * _PAIRS, self.most):
            yield from self._proven(pairs, failed)
            return
        for one in better:
            limit = self.spent + (self.budget - self.spent) / _MOST_BETTER
            edited = self._edited(edits(one.code, self.right), one.edits)
            found = self._try(edited, one.code, failed, limit, self.most // 2)
            # Two edits of one place would be one mistake.
            apart = [two for two in found if two.edits[-1].old is not one.edits[0].old]
            repairs = self._proven(apart, failed)
            if best := next(repairs, None):
                yield from (best, *repairs)
                return

    def _proven(self, found: Sequence[Candidate], failed: Sequence[HiddenTest]) -> Iterator[Repair]:
        """Yield those that pass all tests, of candidates that pass the failed ones."""
        for one in found:
            # A candidate that the worker knew has been redefined there by later ones.
            if one.is_proven or self._passes_all(Candidate(self.runner, one.code, one.edits), failed):
                yield Repair(one.edits, one.code)

    def _try(
        self, edited: Iterable[Candidate], code: Code, failed: Sequence[HiddenTest], limit: float, most: int
    ) -> list[Candidate]:
        """Return the candidates that repair some code. After the first, only a few more are tried.

        The first passes all tests, the others those that have failed.
        """
        order = sorted(failed, key=self._whole_cost)
        found: list[Candidate] = []
        last = self.tried + most
        for candidate in self._candidates(edited, order):
            if self.spent >= limit or self.tried > last or len(found) == _REPAIRS:
                break
            failing = self._first_failure(order, candidate)
            if failing is None:
                # A variable that is then computed for nothing: the edit goes round what is wrong.
                if candidate.code.unused - code.unused:
                    continue
                if found or self._passes_all(candidate, failed):
                    candidate.is_proven = not found
                    found.append(candidate)
                    last = min(last, self.tried + _AT_ONCE)
                continue
            self._save_half_repair(candidate, failing, was_first=failing.test is order[0])
            if self._whole_cost(failing.test) <= 2 * self._whole_cost(order[0]):
                order.remove(failing.test)
                order.insert(0, failing.test)
        return sorted(found, key=_preference)

    def _save_half_repair(self, candidate: Candidate, run: Run, *, was_first: bool) -> None:
        """Save a failed candidate as a possible first half of a two-edit repair.

        Not if it changes no answer to the first test or fails that test by more than before. Of two
        mistakes, the one that the first test sees is mended first; to mend the other changes nothing.
        """
        if len(candidate.edits) > 1:
            return
        before, now = self._before.get(run.test), self._distance(run)
        known = candidate.cached_exchanges.get((run.test, DISCLOSED))
        is_same = was_first and known is not None and known[1] == self._own.get(run.test)
        may_be_same = before is None or before >= _OTHER_FORM or candidate.edits[0].kind in _FOR_OTHER_TESTS
        if (may_be_same or not is_same) and (before is None or now <= max(before, _RIGHT_FORM)):
            self._failed.append(candidate)
        if is_same:
            return
        is_likely = not was_first or (before is not None and now < before)
        if is_likely or before is None or now == before:
            self._half_repairs[not is_likely].append(candidate)

    def _pairs(self) -> Iterator[Candidate]:
        """Yield candidates with two of the likeliest edits of what right answers do not have."""
        at_node, chosen = Counter[int](), list[Edit]()
        for edit in sorted((one.edits[0] for one in self._failed), key=_rank_in_pairs):
            at_node[id(edit.old)] += 1
            if at_node[id(edit.old)] <= _MOST_AT_A_NODE:
                chosen.append(edit)
        pairs = combinations(chosen[:_MOST_PAIRED], 2)
        for one, other in sorted(pairs, key=lambda pair: sum(map(_rank_in_pairs, pair))):
            if (code := one.within) is not None and code is other.within and _are_apart(one, other):
                yield from self._candidate(code, [*one.changes, *other.changes], (one, other))

    def _passes_all(self, candidate: Candidate, failed: Sequence[HiddenTest]) -> bool:
        """Whether a candidate that passes the failed tests passes the others, and all on other inputs."""
        tests = self._by_failures(self.suite.of(self.question))
        others = [test for test in tests if test not in failed]
        if self._first_failure(others, candidate) is not None:
            return False
        return self._first_failure(tests, candidate, SECOND) is None

    def _distances(self, code: Code, failed: Sequence[HiddenTest]) -> dict[HiddenTest, float]:
        """Return how far some code is from passing a few failed tests, each of another function."""
        by_function = {test.function: test for test in sorted(failed, key=self._whole_cost, reverse=True)}
        probes = sorted(by_function.values(), key=self._whole_cost)[:_PROBES]
        (candidate,) = self._answered([Candidate(self.runner, code)], probes)
        self._own = {test: written for (test, _), (_, written) in candidate.cached_exchanges.items()}
        return {test: self._distance(self._run(test, candidate)) for test in probes}

    def _rank_half_repairs(self, failed: Sequence[HiddenTest]) -> list[Candidate]:
        """Return edited codes that are nearer to passing failed tests, and fail no other, the best first.

        Results then have the right form, or fewer wrong numbers.
        """
        others = [test for test in self.suite.of(self.question) if test not in failed]
        found: list[tuple[float, Candidate]] = []
        promising = (
            Candidate(self.runner, one.code, one.edits) for several in self._half_repairs for one in several
        )
        for candidate in self._answered(promising, [*self._before]):
            if self.spent >= self.budget * _BETTER:
                break
            self.spent += _CANDIDATE_COST
            after = {test: self._distance(self._run(test, candidate)) for test in self._before}
            nearer = sum(self._before.values()) - sum(after.values())
            if nearer >= _NEARER and self._first_failure(others, candidate) is None:
                found.append((nearer, candidate))
        found.sort(key=lambda pair: (-pair[0], pair[1].edits[0].rank))
        return [candidate for _, candidate in found]

    def _distance(self, run: Run) -> float:
        """Return how far a test is from passing: 0 if it passes, up to 3 where nothing comes out."""
        return 0.0 if run.error is None else distance(self.answer(run.test, DISCLOSED).run, run)

    def _candidates(self, edited: Iterable[Candidate], order: list[HiddenTest]) -> Iterator[Candidate]:
        """Yield each edited code once, with its answers to the test that is then the first."""
        for candidate in self._answered(edited, order, 1):
            self.tried += 1
            self.spent += _CANDIDATE_COST
            if candidate.is_code:
                yield candidate

    def _edited(self, several: Sequence[Edit], before: tuple[Edit, ...] = ()) -> Iterator[Candidate]:
        """Yield the code after each edit, the likeliest first; other edits came `before`."""
        for edit in sorted(several, key=lambda edit: edit.rank):
            if edit.within is not None:
                code = edit.within
                placed = replace(edit, at=code.located(edit.old), cell=code.cell(edit.old))
                yield from self._candidate(code, edit.changes, (*before, placed))

    def _candidate(
        self, code: Code, changes: Sequence[tuple[ast.AST, New]], edits: tuple[Edit, ...]
    ) -> Iterator[Candidate]:
        try:
            made = code.edited(changes)
            text = made.text
        except (SyntaxError, ValueError, AttributeError, RecursionError):
            return
        if text not in self._seen:
            self._seen.add(text)
            yield Candidate(self.runner, made, edits)

    def _answered(
        self, candidates: Iterable[Candidate], tests: Sequence[HiddenTest], most: int | None = None
    ) -> Iterator[Candidate]:
        """Yield candidates after the worker has answered, for many at once, what these tests ask."""
        left = iter(candidates)
        while several := [*islice(left, _AT_ONCE)]:
            self._ask(several, tests[:most], DISCLOSED)
            yield from several

    def _ask(self, several: Sequence[Candidate], tests: Sequence[HiddenTest], inputs: Inputs) -> None:
        statements = {text: None for one in several for text in one.code.texts}
        numbers = {text: at for at, text in enumerate(statements)}
        codes = [[numbers[text] for text in one.code.texts] for one in several]
        asked = {test: _requests(self.answer(test, inputs).run.exchanges) for test in tests}
        header: Header = {"op": "try", "source": "\0".join(statements), "codes": codes}
        header["tests"] = [[(head, len(sent)) for head, sent in requests] for requests in asked.values()]
        sent = [tensor for requests in asked.values() for _, tensors in requests for tensor in tensors]
        with suppress(LostError, ValueError, TypeError, ProtocolError):  # then each is asked by itself
            match self.runner.ask(header, sent):
                case ({"value": list(answers)}, tensors) if len(answers) == len(several):
                    left = iter(tensors)
                    for candidate, answered in zip(several, answers, strict=True):
                        candidate.take(answered, asked, inputs, left)

    def _whole_cost(self, test: HiddenTest) -> float:
        right = self.answer(test, DISCLOSED)
        return right.cost + _REQUEST_COST * len(right.run.exchanges)

    def _first_failure(
        self, tests: Sequence[HiddenTest], candidate: Candidate, inputs: Inputs = DISCLOSED
    ) -> Run | None:
        """Return the run of the first test that fails; what it has not answered, it answers now."""
        size = 1
        for at, test in enumerate(tests):
            if (test, inputs) not in candidate.cached_exchanges and not candidate.live_request_count:
                self._ask_some(candidate, tests[at : at + size], inputs)
                size = min(2 * size, _MOST_TESTS)
            if (run := self._run(test, candidate, inputs)).error is not None:
                self._failures[test] += 1
                return run
        return None

    def _ask_some(self, candidate: Candidate, tests: Sequence[HiddenTest], inputs: Inputs) -> None:
        """Let the worker answer at once what several tests ask, unless that takes long."""
        together = sum(map(self._whole_cost, tests)) <= _LONG
        self._ask([candidate], tests if together else tests[:1], inputs)

    def _by_failures(self, tests: Iterable[HiddenTest]) -> list[HiddenTest]:
        """Return tests in the order in which they are run: first those that most candidates have failed."""
        return sorted(tests, key=lambda test: -self._failures[test])

    def _run(self, test: HiddenTest, candidate: Candidate, inputs: Inputs = DISCLOSED) -> Run:
        known, asked = candidate.cached_exchanges.get((test, inputs)), candidate.live_request_count
        run = self._runs.get((test.number, inputs, known[1])) if known else None
        if run is None:
            backend = FromMemory(candidate, known[0]) if known else candidate
            run = self.suite.run_one(test, backend, inputs)
            if known and candidate.live_request_count == asked:  # what it answered before has decided the run
                self._runs[test.number, inputs, known[1]] = run
        right = self.answer(test, DISCLOSED)
        share = min(len(run.exchanges) / max(len(right.run.exchanges), 1), 1.0)
        self.spent += _REQUEST_COST * len(run.exchanges) + share * right.cost
        return run


def _preference(candidate: Candidate) -> tuple[float, ...]:
    """Return what is compared to choose the best repair: small edits of what right answers do not have."""
    edits = candidate.edits
    familiar = sum(not edit.is_suspicious for edit in edits)
    sizes = sum(edit.size for edit in edits), sum(edit.extent for edit in edits)
    return familiar, *sizes, sum(edit.rank for edit in edits)


def _rank_in_pairs(edit: Edit) -> float:
    return edit.rank + 0.5 * (not edit.is_suspicious)


def _are_apart(one: Edit, other: Edit) -> bool:
    """Whether none of the nodes that one edit changes is part of a node that the other one changes."""
    ones, others = ({id(old): old for old, _ in edit.changes} for edit in (one, other))
    within = [{id(part) for node in nodes.values() for part in ast.walk(node)} for nodes in (ones, others)]
    return within[0].isdisjoint(others) and within[1].isdisjoint(ones)


def _requests(exchanges: Sequence[Exchange]) -> list[Request]:
    """Return requests up to the first that hands over a function, which the test itself has to answer for."""
    requests = (one.request for one in exchanges)
    return [*takewhile(lambda request: not hands_over_function(request[0]), requests)]


def distance(right: Run, run: Run) -> float:
    """Return how far a failed run is from a right one: an error, another form, a share of the numbers."""
    for one, other in zip(right.exchanges, run.exchanges, strict=False):
        (expected, ours), (seen, theirs) = one.reply, other.reply
        if "value" not in seen:
            return 3.0
        if list(map(_form, ours)) != list(map(_form, theirs)):
            return 2.0
        wrong = [_wrong(a, b) for a, b in zip(ours, theirs, strict=True)]
        if any(wrong) or expected.get("value") != seen.get("value"):
            return 0.5 + max(wrong, default=1.0)
    return 0.5


def _form(part: Any) -> object:
    """Return what is compared before the numbers of two parts are: a tensor's shape, or a number of bytes."""
    return len(part) if isinstance(part, bytes) else part.shape


def _wrong(one: Any, other: Any) -> float:
    """Return the share of numbers that differ; of an array, the first ones count, of eight bytes each."""
    if isinstance(one, bytes):
        places = range(0, min(len(one), _MOST_BYTES), 8)
        return float(sum(one[at : at + 8] != other[at : at + 8] for at in places)) / max(len(places), 1)
    if not one.numel():
        return 0.0
    one, other = one.detach().double(), other.detach().double()
    return 1.0 - float(one.isclose(other, rtol=1e-3, atol=1e-4, equal_nan=True).double().mean())


@dataclass(frozen=True, slots=True)
class RightAnswer:
    """A right answer's run of a test, and the microseconds that it computes: so many a call of torch."""

    run: Run
    cost: int


def right_answer(suite: Suite, test: HiddenTest, inputs: Inputs) -> RightAnswer:
    """Run a test on the reference, and count what that computes."""
    if not suite.exercise.has_torch:
        return RightAnswer(suite.reference_run(test, inputs), 0)
    from torch.overrides import TorchFunctionMode

    class Calls(TorchFunctionMode):
        """Counts calls of torch's functions."""

        count = 0

        def __torch_function__(self, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            self.count += 1
            return function(*args, **(kwargs or {}))

    with Calls() as calls:
        run = suite.reference_run(test, inputs)
    return RightAnswer(run, _TORCH_CALL_COST * int(calls.count))
