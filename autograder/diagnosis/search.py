"""Looks for the smallest edit of a student's code after which every hidden test passes.

A candidate is the student's code after an edit. Its tests run on disclosed inputs, which students may see,
until a test fails. The first tests are those that the student's code fails, cheap tests before expensive
tests. A candidate that passes all tests must also pass them on a second set of disclosed inputs.

If no single edit is enough, the search tries pairs of the likeliest edits, and then any second edit after a
half repair. A half repair is an edit that brings failed tests nearer to passing and makes no other test fail.

The budget is estimated time, for example a fixed amount for each call of torch. So a busy machine gives the
same results.
"""

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, islice, takewhile

from autograder.diagnosis.candidates import Candidate, CandidateRunner, Repair
from autograder.diagnosis.code import Code
from autograder.diagnosis.distances import RightAnswer, distance
from autograder.diagnosis.edits import edits, edits_by_rules
from autograder.diagnosis.fragments import Edit, RightAnswerFragments
from autograder.diagnosis.known_results import SECOND, KnownResults, Mistake
from autograder.diagnosis.trees import New, walk
from autograder.testing.exchange import (
    Exchange,
    FromMemory,
    LostError,
    Request,
    hands_over_function,
)
from autograder.testing.inputs import DISCLOSED, Inputs
from autograder.testing.suite import HiddenTest, Run, Suite
from autograder.worker.protocol import Header, ProtocolError

_CANDIDATE_COST, _REQUEST_COST = 1500, 60  # the budget that a candidate and a request use, in microseconds
# The fractions of the budget after which the search stops trying single edits, ranking half repairs, and
# trying pairs of edits.
_SINGLE_SHARE, _HALF_SHARE, _PAIR_SHARE = 0.6, 0.7, 0.85
_MOST_PAIRED_EDITS = 36  # the largest number of edits that are combined into pairs
_MOST_PAIRED_AT_NODE = 5  # the largest number of these edits that replace the same node
_MOST_PROBES = 4  # the largest number of failed tests by which half repairs are compared
_LEAST_PROGRESS = 0.2  # the least amount by which a half repair decreases the total distance in these tests
_RIGHT_SHAPE_DISTANCE = 1.5  # the largest distance of a result with the right shape
_WRONG_SHAPE_DISTANCE = 2.0  # the distance of a result with a wrong shape
# Kinds of edits that are paired even if they do not change the first failed test's result.
_KINDS_FOR_OTHER_TESTS = ("error", "statement")
# The largest number of pairs, and of second edits after a half repair, is this fraction of `Search.most`.
_SHARE_FOR_TWO = 0.3
_MOST_RANKED = 48  # the largest number of failed candidates that are ranked as half repairs
_MOST_HALF_REPAIRS = 3  # the largest number of half repairs after which second edits are tried
_BATCH = 16  # the largest number of candidates in one request, and also after the first repair
_MOST_REPAIRS = 4  # the best repair is chosen among at most this many
# In one test, a failed candidate may give the same result as known wrong answers. Then the candidate is
# compared with these answers in all tests.
_MOST_RECOGNIZED = 8  # the largest number of these candidates
_MOST_EQUAL = 2  # at most this many candidates are compared with the same wrong answers
_LONGEST_BATCH = 300_000  # the largest total cost of the tests in one request, in microseconds
_MOST_TESTS_AT_ONCE = 8  # the largest number of tests in one request


@dataclass
class Search:
    """A search for repairs of one answer to a question."""

    suite: Suite
    question: str
    right: RightAnswerFragments
    runner: CandidateRunner
    answer: Callable[[HiddenTest, Inputs], RightAnswer]  # returns the reference's run of a test
    budget: float  # in microseconds, as counted by the costs above
    most: int  # the largest number of candidates with one edit
    # Returns the code in the forms for which the catalogue's rules are written.
    rewrite: Callable[[Code], Sequence[Code]]
    known_results: KnownResults
    spent: float = 0.0
    tried: int = 0
    _tried_texts: set[str] = field(default_factory=set)
    # Cached runs, by test, inputs and packed replies. Many candidates give equal replies to a test.
    _runs: dict[tuple[int, Inputs, bytes], Run] = field(default_factory=dict)
    _failures: Counter[HiddenTest] = field(default_factory=Counter)  # how many candidates failed each test
    # For a few failed tests: how far the student's code is from passing, and the code's packed replies.
    _distances_before: dict[HiddenTest, float] = field(default_factory=dict)
    _replies_before: dict[HiddenTest, bytes] = field(default_factory=dict)
    # Failed candidates that may be half repairs: the likely ones, and the others.
    _half_repairs: tuple[list[Candidate], list[Candidate]] = field(default_factory=lambda: ([], []))
    # Failed candidates with one edit, except those with a new error, a new wrong shape or unchanged numbers.
    _failed: list[Candidate] = field(default_factory=list)

    def repairs(self, code: Code, failed: Sequence[HiddenTest]) -> Iterator[Repair]:
        """Yield repairs of code that fails the tests `failed`. The best repair comes first.

        Two edits are tried only if one is not enough. If no candidate passes all tests, the result may be
        code with known mistakes (`Repair.remaining`). Repairs after the first are tested completely
        only when the caller asks for them.
        """
        self._tried_texts.add(code.text)
        self._distances_before = self._distances(code, failed)
        edited = self._edited([*edits_by_rules(self.rewrite(code), self.right), *edits(code, self.right)])
        if candidates := self._try_edits(edited, code, failed, self.budget * _SINGLE_SHARE, self.most):
            yield from self._proven_repairs(candidates, failed)
            return
        halves = self._recognized(code, failed)
        repairs = self._repairs_by_two_edits(code, failed, [half for half in halves if half.edits])
        if first := next(repairs, None):
            yield first
            yield from repairs
        elif halves and (not halves[0].edits or self._passes_any(halves[0].code, failed)):
            yield halves[0]

    def _repairs_by_two_edits(
        self, code: Code, failed: Sequence[HiddenTest], recognized: Sequence[Repair]
    ) -> Iterator[Repair]:
        for candidates in self._candidates_with_two_edits(code, failed, recognized):
            repairs = self._proven_repairs(candidates, failed)
            if first := next(repairs, None):
                yield self._with_known_mistakes(first, failed)
                yield from repairs
                return

    def _candidates_with_two_edits(
        self, code: Code, failed: Sequence[HiddenTest], recognized: Sequence[Repair]
    ) -> Iterator[list[Candidate]]:
        """Yield lists of candidates that pass `failed` with two edits. Edits of `recognized` come first."""
        for first, second in combinations(recognized, 2):
            pair = self._pair(first.edits[0], second.edits[0])
            yield self._try_edits(pair, code, failed, self.budget, 1)
        most = round(self.most * _SHARE_FOR_TWO)
        half_repairs = self._rank_half_repairs(failed)[:_MOST_HALF_REPAIRS]
        for half in recognized[:1]:
            names = {mistake.name for mistake in half.remaining}
            new_edits = [*edits_by_rules(self.rewrite(half.code), self.right), *edits(half.code, self.right)]
            new_edits = [replace(edit, rank=edit.rank - (edit.misconception in names)) for edit in new_edits]
            edited = self._edited(new_edits, half.edits)
            yield self._try_edits(edited, half.code, failed, self.budget, most)
        yield self._try_edits(self._pairs_of_edits(), code, failed, self.budget * _PAIR_SHARE, most)
        for half_repair in half_repairs:
            limit = self.spent + (self.budget - self.spent) / _MOST_HALF_REPAIRS
            edited = self._edited(edits(half_repair.code, self.right), half_repair.edits)
            candidates = self._try_edits(edited, half_repair.code, failed, limit, most)
            # Two edits of the same node would repair one mistake, not two.
            old = half_repair.edits[0].old
            yield [candidate for candidate in candidates if candidate.edits[-1].old is not old]

    def _recognized(self, code: Code, failed: Sequence[HiddenTest]) -> list[Repair]:
        """Return the student's code if it has the same results as known wrong answers.

        Otherwise return the candidates with the same results as known wrong answers. They must pass all tests
        that the student's code passes.
        """
        original = Candidate(self.runner, code)
        original.failure = self._run(min(failed, key=self._whole_cost), original)
        edited = sorted(self._failed, key=lambda candidate: candidate.edits[0].rank)
        others = [test for test in self.suite.of(self.question) if test not in failed]
        recognized, verified = list[Repair](), Counter[tuple[int, ...]]()
        for candidate in (original, *edited):
            equal = self.known_results.equal_in(candidate.failure) if candidate.failure else ()
            if not equal or verified[equal] == _MOST_EQUAL or verified.total() == _MOST_RECOGNIZED:
                continue
            verified[equal] += 1
            again = Candidate(self.runner, candidate.code)
            fails_others = candidate.code.unused - code.unused or self._first_failure(others, again)
            mistakes = () if fails_others else self._known_mistakes(candidate)
            if mistakes:
                recognized.append(Repair(candidate.edits, candidate.code, mistakes))
                if candidate is original:
                    break
        return recognized

    def _known_mistakes(self, failed: Candidate) -> tuple[Mistake, ...]:
        """Return the mistakes of the known wrong answers with the same results as a failed candidate."""
        run = partial(self._run_alone, Candidate(self.runner, failed.code))
        return self.known_results.mistakes(failed.failure, run) if failed.failure else ()

    def _run_alone(self, candidate: Candidate, test: HiddenTest, inputs: Inputs) -> Run:
        """Run a test on a candidate. All its replies are requested at once."""
        self._ask([candidate], [test], inputs)
        return self._run(test, candidate, inputs)

    def _with_known_mistakes(self, repair: Repair, failed: Sequence[HiddenTest]) -> Repair:
        """Return a repair of two edits with the known mistakes that each edit repairs."""
        codes = [edit.within.edited(edit.changes) for edit in repair.edits if edit.within]
        after_one = [Candidate(self.runner, code) for code in codes]
        for candidate in after_one:
            candidate.failure = self._first_failure(sorted(failed, key=self._whole_cost), candidate)
        return replace(repair, repaired=tuple(map(self._known_mistakes, reversed(after_one))))

    def _passes_any(self, code: Code, failed: Sequence[HiddenTest]) -> bool:
        candidate = Candidate(self.runner, code)
        return any(self._run(test, candidate).error is None for test in failed)

    def _proven_repairs(
        self, candidates: Sequence[Candidate], failed: Sequence[HiddenTest]
    ) -> Iterator[Repair]:
        """Yield a repair for each candidate that passes all tests.

        All candidates pass `failed`, the tests that the student's code fails.
        """
        for candidate in candidates:
            # A new Candidate runs its code again: other candidates have replaced the code in the worker.
            if candidate.is_proven or self._passes_all(
                Candidate(self.runner, candidate.code, candidate.edits), failed
            ):
                yield Repair(candidate.edits, candidate.code)

    def _try_edits(
        self, edited: Iterable[Candidate], code: Code, failed: Sequence[HiddenTest], limit: float, most: int
    ) -> list[Candidate]:
        """Return the candidates that pass the tests `failed`, the best first.

        The first candidate found must pass all tests (`is_proven`). Then only a few more edits are tried.
        """
        order = sorted(failed, key=self._whole_cost)
        repairing: list[Candidate] = []
        last = self.tried + most
        for candidate in self._candidates(edited, order):
            if self.spent >= limit or self.tried > last or len(repairing) == _MOST_REPAIRS:
                break
            failing = self._first_failure(order, candidate)
            if failing is None:
                # An edit that leaves a variable unread is not a repair, unless the edit removes a step.
                is_removal = [edit.kind for edit in candidate.edits] == ["too much"]
                if candidate.code.unused - code.unused and not is_removal:
                    continue
                if repairing or self._passes_all(candidate, failed):
                    candidate.is_proven = not repairing
                    repairing.append(candidate)
                    last = min(last, self.tried + _BATCH)
                continue
            self._save_half_repair(candidate, failing, was_first=failing.test is order[0])
            if self._whole_cost(failing.test) <= 2 * self._whole_cost(order[0]):
                order.remove(failing.test)
                order.insert(0, failing.test)
        return sorted(repairing, key=_preference)

    def _save_half_repair(self, candidate: Candidate, run: Run, *, was_first: bool) -> None:
        """Save a failed candidate for pairs of edits, and as a possible half repair.

        If the code has two mistakes, the first failed test shows one of them. So a half repair must change
        the replies to this test, without making them worse.
        """
        if len(candidate.edits) > 1:
            return
        distance_before, distance_now = self._distances_before.get(run.test), self._distance(run)
        cached = candidate.cached_exchanges.get((run.test, DISCLOSED))
        is_same = was_first and cached is not None and cached[1] == self._replies_before.get(run.test)
        may_be_same = (
            distance_before is None
            or distance_before >= _WRONG_SHAPE_DISTANCE
            or candidate.edits[0].kind in _KINDS_FOR_OTHER_TESTS
        )
        if (may_be_same or not is_same) and (
            distance_before is None or distance_now <= max(distance_before, _RIGHT_SHAPE_DISTANCE)
        ):
            self._failed.append(candidate)
            candidate.failure = run
        if is_same:
            return
        is_likely = not was_first or (distance_before is not None and distance_now < distance_before)
        if is_likely or distance_before is None or distance_now == distance_before:
            self._half_repairs[not is_likely].append(candidate)

    def _pairs_of_edits(self) -> Iterator[Candidate]:
        """Yield candidates with two of the likeliest edits."""
        at_node, paired = Counter[int](), list[Edit]()
        for edit in sorted((candidate.edits[0] for candidate in self._failed), key=lambda edit: edit.rank):
            at_node[id(edit.old)] += 1
            if at_node[id(edit.old)] <= _MOST_PAIRED_AT_NODE:
                paired.append(edit)
        pairs = combinations(paired[:_MOST_PAIRED_EDITS], 2)
        for first, second in sorted(pairs, key=lambda pair: pair[0].rank + pair[1].rank):
            yield from self._pair(first, second)

    def _pair(self, first: Edit, second: Edit) -> Iterator[Candidate]:
        """Yield the candidate with both edits, unless they overlap or edit different forms of the code."""
        if (code := first.within) is not None and code is second.within and _are_disjoint(first, second):
            yield from self._candidate(code, [*first.changes, *second.changes], (first, second))

    def _passes_all(self, candidate: Candidate, failed: Sequence[HiddenTest]) -> bool:
        """Whether a candidate that passes the tests `failed` passes all tests, with both sets of inputs."""
        tests = sorted(self.suite.of(self.question), key=lambda test: -self._failures[test])
        others = [test for test in tests if test not in failed]
        if self._first_failure(others, candidate) is not None:
            return False
        return self._first_failure(tests, candidate, SECOND) is None

    def _distances(self, code: Code, failed: Sequence[HiddenTest]) -> dict[HiddenTest, float]:
        """Return how far the code is from passing cheap failed tests, at most one of each test function."""
        by_function = {test.function: test for test in sorted(failed, key=self._whole_cost, reverse=True)}
        probes = sorted(by_function.values(), key=self._whole_cost)[:_MOST_PROBES]
        (candidate,) = self._answered([Candidate(self.runner, code)], probes)
        self._replies_before = {
            test: written for (test, _), (_, written) in candidate.cached_exchanges.items()
        }
        return {test: self._distance(self._run(test, candidate)) for test in probes}

    def _rank_half_repairs(self, failed: Sequence[HiddenTest]) -> list[Candidate]:
        """Return the saved candidates that are half repairs. Candidates with more progress come first."""
        others = [test for test in self.suite.of(self.question) if test not in failed]
        ranked: list[tuple[float, Candidate]] = []
        promising = (
            Candidate(self.runner, saved.code, saved.edits, cached_exchanges={**saved.cached_exchanges})
            for saved in [*self._half_repairs[0], *self._half_repairs[1]][:_MOST_RANKED]
        )
        for candidate in self._answered(promising, [*self._distances_before]):
            if self.spent >= self.budget * _HALF_SHARE:
                break
            self.spent += _CANDIDATE_COST
            distances = {test: self._distance(self._run(test, candidate)) for test in self._distances_before}
            progress = sum(self._distances_before.values()) - sum(distances.values())
            if progress >= _LEAST_PROGRESS and self._first_failure(others, candidate) is None:
                ranked.append((progress, candidate))
        ranked.sort(key=lambda pair: (-pair[0], pair[1].edits[0].rank))
        return [candidate for _, candidate in ranked]

    def _distance(self, run: Run) -> float:
        """Return the distance of a run from passing: from 0 for a passed test to 3 for an error."""
        return 0.0 if run.error is None else distance(self.answer(run.test, DISCLOSED).run, run)

    def _candidates(self, edited: Iterable[Candidate], order: list[HiddenTest]) -> Iterator[Candidate]:
        """Yield candidates that run without an error, with cached replies to the first test in `order`."""
        for candidate in self._answered(edited, order, 1):
            self.tried += 1
            self.spent += _CANDIDATE_COST
            if candidate.is_code:
                yield candidate

    def _edited(self, new_edits: Sequence[Edit], before: tuple[Edit, ...] = ()) -> Iterator[Candidate]:
        """Yield a candidate for each edit, likeliest first. The edits in `before` are already in the code."""
        for edit in sorted(new_edits, key=lambda edit: edit.rank):
            if edit.within is not None:
                code = edit.within
                placed = replace(edit, at=code.located(edit.old), cell=code.cell(edit.old))
                yield from self._candidate(code, edit.changes, (*before, placed))

    def _candidate(
        self, code: Code, changes: Sequence[tuple[ast.AST, New]], edits: tuple[Edit, ...]
    ) -> Iterator[Candidate]:
        try:
            edited = code.edited(changes)
            text = edited.text
        except (SyntaxError, ValueError, AttributeError, RecursionError):
            return
        if text not in self._tried_texts:
            self._tried_texts.add(text)
            yield Candidate(self.runner, edited, edits)

    def _answered(
        self, candidates: Iterable[Candidate], tests: Sequence[HiddenTest], most: int | None = None
    ) -> Iterator[Candidate]:
        """Yield candidates with cached replies to these tests. One request runs many candidates."""
        left = iter(candidates)
        while batch := [*islice(left, _BATCH)]:
            by_missing = defaultdict[tuple[HiddenTest, ...], list[Candidate]](list)
            for candidate in batch:
                cached = candidate.cached_exchanges
                missing = tuple(test for test in tests[:most] if (test, DISCLOSED) not in cached)
                by_missing[missing].append(candidate)
            for missing, group in by_missing.items():
                if missing:
                    self._ask(group, missing, DISCLOSED)
            yield from batch

    def _ask(self, candidates: Sequence[Candidate], tests: Sequence[HiddenTest], inputs: Inputs) -> None:
        statements = {text: None for candidate in candidates for text in candidate.code.texts}
        numbers = {text: at for at, text in enumerate(statements)}
        codes = [[numbers[text] for text in candidate.code.texts] for candidate in candidates]
        requests_of = {
            test: _requests_before_functions(self.answer(test, inputs).run.exchanges) for test in tests
        }
        header: Header = {"op": "try", "source": "\0".join(statements), "codes": codes}
        header["tests"] = [
            [(head, len(tensors_sent)) for head, tensors_sent in requests]
            for requests in requests_of.values()
        ]
        tensors_sent = [
            tensor for requests in requests_of.values() for _, tensors in requests for tensor in tensors
        ]
        # After one of these errors, nothing is cached, and each request of a test is later sent separately.
        with suppress(LostError, ValueError, TypeError, ProtocolError):
            match self.runner.ask(header, tensors_sent):
                case ({"value": list(answers)}, tensors) if len(answers) == len(candidates):
                    left = iter(tensors)
                    for candidate, replies in zip(candidates, answers, strict=True):
                        candidate.take(replies, requests_of, inputs, left)

    def _whole_cost(self, test: HiddenTest) -> float:
        right = self.answer(test, DISCLOSED)
        return right.cost + _REQUEST_COST * len(right.run.exchanges)

    def _first_failure(
        self, tests: Sequence[HiddenTest], candidate: Candidate, inputs: Inputs = DISCLOSED
    ) -> Run | None:
        """Return the run of the first test that fails, or None. Replies that are not cached are requested."""
        size = 1  # most candidates fail early, so the first requests have few tests
        for at, test in enumerate(tests):
            if (test, inputs) not in candidate.cached_exchanges and not candidate.live_request_count:
                batch = tests[at : at + size]
                if sum(map(self._whole_cost, batch)) > _LONGEST_BATCH:
                    batch = batch[:1]
                self._ask([candidate], batch, inputs)
                size = min(2 * size, _MOST_TESTS_AT_ONCE)
            if (run := self._run(test, candidate, inputs)).error is not None:
                self._failures[test] += 1
                return run
        return None

    def _run(self, test: HiddenTest, candidate: Candidate, inputs: Inputs = DISCLOSED) -> Run:
        cached, requests_before = candidate.cached_exchanges.get((test, inputs)), candidate.live_request_count
        run = self._runs.get((test.number, inputs, cached[1])) if cached else None
        if run is None:
            backend = FromMemory(candidate, cached[0]) if cached else candidate
            run = self.suite.run_one(test, backend, inputs)
            if run.error is not None:
                run.error.__traceback__ = None  # a traceback keeps all variables of the test in memory
            if cached and candidate.live_request_count == requests_before:  # all replies were cached
                self._runs[test.number, inputs, cached[1]] = run
        right = self.answer(test, DISCLOSED)
        share = min(len(run.exchanges) / max(len(right.run.exchanges), 1), 1.0)
        self.spent += _REQUEST_COST * len(run.exchanges) + share * right.cost
        return run


def _preference(candidate: Candidate) -> tuple[float, ...]:
    """Return the sort key of a repair. Small edits come first."""
    edits = candidate.edits
    sizes = sum(edit.size for edit in edits), sum(edit.extent for edit in edits)
    return *sizes, sum(edit.rank for edit in edits)


def _are_disjoint(first: Edit, second: Edit) -> bool:
    replaced = [{id(old): old for old, _ in edit.changes} for edit in (first, second)]
    contained = [{id(part) for node in nodes.values() for part in walk(node)} for nodes in replaced]
    return contained[0].isdisjoint(replaced[1]) and contained[1].isdisjoint(replaced[0])


def _requests_before_functions(exchanges: Sequence[Exchange]) -> list[Request]:
    """Return the requests before the first request that passes a function as an argument.

    The worker may call this function, and only a running test can answer that call.
    """
    requests = (exchange.request for exchange in exchanges)
    return [*takewhile(lambda request: not hands_over_function(request[0]), requests)]
