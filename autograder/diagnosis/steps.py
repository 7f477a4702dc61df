"""Finds the one wrong step of an answer, and proves it: with the right result in its place, all tests pass.

What an answer computes on the way is compared with what right answers compute. The first expression counts
that makes everything right if it gives one of their results that the answer never reaches. If all that goes
into it is right, this step is wrong, and it alone. All of this happens on disclosed inputs.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from autograder.diagnosis.code import ALWAYS_THERE, Code, Place
from autograder.diagnosis.making import Edit
from autograder.diagnosis.pieces import operation
from autograder.diagnosis.results import (
    Exchanging,
    Key,
    Recorded,
    Values,
    close,
    equal,
    flat,
    form,
    record,
    together,
)
from autograder.diagnosis.search import SECOND
from autograder.diagnosis.trees import parents
from autograder.testing.exchange import Backend, Local, LostError
from autograder.testing.inputs import DISCLOSED, Inputs
from autograder.testing.suite import HiddenTest, Suite
from autograder.worker.namespace import run_code
from autograder.worker.protocol import ProtocolError

_MOST = 100  # exchanges that are tried
_NO_ANSWER = (LostError, ProtocolError, TypeError, ValueError, RuntimeError, OverflowError)
_FEW = 4  # failed tests in which a step is looked for


@dataclass(frozen=True, slots=True)
class Step:
    """The expression that goes wrong, as if it were edited."""

    edit: Edit
    line: int
    begins: int  # the line from which on something goes wrong; mostly the same
    gives: str  # the name that right answers have for what it should give, if any
    reached: str  # and for the last right result before it
    is_assigned: bool  # whether it is all that its line assigns


@dataclass(eq=False)
class Result:
    """What right answers compute on the way; by answer, the number of the expression that gives it."""

    values: Values
    numbers: dict[int, int] = field(default_factory=dict)
    name: str = ""

    @property
    def is_number(self) -> bool:
        """Whether this is a plain number each time, which may come from anywhere."""
        return not any(hasattr(value, "shape") for values in self.values.values() for value in values)


class Results:
    """The results that right answers to one question compute on the way."""

    def __init__(self, suite: Suite, question: str, trees: Sequence[ast.Module]) -> None:
        self._suite, self._tests = suite, suite.of(question)
        self._answers = [Recorded(Code(tuple(tree.body))) for tree in trees]
        self._asked = cache(lambda test, inputs: suite.reference_run(test, inputs).exchanges)
        self._backend = cache(self._run)
        self._recorded = cache(
            lambda at, test, inputs: record(self._backend(at), test.number, self._asked(test, inputs))
        )
        self._known = cache(self._different)

    def wrong_step(self, code: Code, failed: Sequence[HiddenTest], bench: Backend) -> Step | None:
        """Return the step of some code that alone is wrong, if it can be proven.

        It is looked for in a few of the failed tests, and then in all tests.
        """
        if not self._suite.exercise.has_torch:
            return None
        own, passed = Recorded(code), set[int]()
        few = tuple(sorted(failed, key=lambda test: len(self._asked(test, DISCLOSED)))[:_FEW])
        with suppress(*_NO_ANSWER):
            own.define(bench)
            if self._first(own, few, few, bench, passed):
                others = (test for test in self._tests if test not in few)
                return self._first(own, few, (*few, *others), bench, passed)
        return None

    def _first(
        self,
        own: Recorded,
        few: tuple[HiddenTest, ...],
        tests: tuple[HiddenTest, ...],
        bench: Backend,
        passed: set[int],
    ) -> Step | None:
        """Return the first expression after whose exchange tests pass, if all that goes into it is right.

        In a few tests all expressions are tried, and then those that have `passed` these.
        """
        seen = together(record(bench, test.number, self._asked(test, DISCLOSED)) for test in tests)
        if not all(0 <= number < len(own.places) for number in seen.results):
            raise ProtocolError("an expression has no known number")
        answers = together(self._recorded(0, test, DISCLOSED) for test in tests).answers
        known = self._known(tests)
        is_right = {number: _found(known, values) for number, values in seen.results.items()}
        useful = [
            one
            for one in known
            if (one.is_number or not any(_only_ordered(one, other) for other in is_right.values() if other))
            and not _is_last(one, answers, seen.answers)
        ]
        pairs = (
            (number, one)
            for number, values in seen.results.items()
            if tests == few or number in passed
            for one in useful
            if one is not is_right[number] and _alike(values, one.values)
        )
        after: Place | None = None
        for (number, one), _ in zip(pairs, range(_MOST), strict=False):
            mine, place = is_right[number], own.places[number]
            if (mine and after) or not self._repairs(number, one, few, bench):
                continue
            passed.add(number)
            if tests != few and not self._repairs(number, one, tests, bench, SECOND):
                continue
            if mine and self._leads_to(mine, one, few[0]):  # a step is missing, here or later
                after = place
            elif after or not self._takes_more(place, one, useful, few[0]):
                return _step(own, place, one, is_right, after)
            else:
                return None
        return None

    def _different(self, tests: tuple[HiddenTest, ...]) -> list[Result]:
        """Return different results, in the order of the first answer that computes them."""
        found, right = list[Result](), list[Any]()
        for at, answer in enumerate(self._answers):
            recording = together(self._recorded(at, test, DISCLOSED) for test in tests)
            right = right or [*recording.answers.values()]
            for number, values in (
                recording.results.items() if equal([*recording.answers.values()], right) else ()
            ):
                others = (one for one in found if one.values.keys() == values.keys())
                if (one := _found([*others], values)) is None:
                    found.append(one := Result(values))
                one.numbers.setdefault(at, number)
                one.name = one.name or _name(answer.places[number])
        return found

    def _repairs(
        self, number: int, one: Result, tests: Sequence[HiddenTest], bench: Backend, last: Inputs = DISCLOSED
    ) -> bool:
        """Whether tests pass on disclosed inputs, and then on a last set, if an expression gives a result."""
        at, its = next(iter(one.numbers.items()))
        for inputs in dict.fromkeys((DISCLOSED, last)):
            for test in tests:
                values = self._recorded(at, test, inputs).results.get(its, {})
                backend = Exchanging(bench, number, values, test.number, self._asked(test, inputs))
                if self._suite.run_one(test, backend, inputs).error is not None:
                    return False
        return True

    def _leads_to(self, one: Result, other: Result, test: HiddenTest) -> bool:
        """Whether the other result depends on this one in a right answer, or none computes both."""
        for at in one.numbers.keys() & other.numbers.keys():
            number, its = one.numbers[at], other.numbers[at]
            right = self._recorded(at, test, DISCLOSED).results
            values = {key: [*map(_changed, several)] for key, several in right.get(number, {}).items()}
            asked = self._asked(test, DISCLOSED)
            seen = record(self._backend(at), test.number, asked, number, values).results
            return its not in seen or not _equal(right.get(its, {}), seen[its])
        return True

    def _takes_more(self, place: Place, one: Result, useful: Sequence[Result], test: HiddenTest) -> bool:
        """Whether a result takes more steps than the one that an expression takes."""
        kinds = {operation(self._answers[at].places[its].node) for at, its in one.numbers.items()}
        between = (other for other in useful if other is not one and _alike(other.values, one.values))
        return operation(place.node) not in kinds and any(self._leads_to(two, one, test) for two in between)

    def _run(self, at: int) -> Local:
        local = Local(run_code(self._suite.exercise.reference))
        self._answers[at].define(local)
        return local


def _step(
    own: Recorded, place: Place, one: Result, is_right: Mapping[int, Result | None], after: Place | None
) -> Step | None:
    """Return a step if all that goes into it is right, or an exchange `after` which nothing else is wrong."""
    used, begin = [*_used(own, place.node, is_right)], after or place
    where = [(own.code.cell(x.node), replace(x.scope, names=())) for x in (place, begin)]
    if where[0] != where[1] or (after is None and None in used):
        return None
    named = [one.name for one in is_right.values() if one and one in used and one.name and not one.is_number]
    edit = Edit(place.node, ast.Pass, "step", 0.0, at=place.node, cell=where[0][0])
    line, begins = (getattr(one.node, "lineno", 0) for one in (place, begin))
    gives = "" if one.is_number else one.name  # a number may have another one's name by accident
    return Step(edit, line, begins, gives, named[-1] if named else "", place.slot == ("=", ""))


def _used(own: Recorded, node: ast.AST, is_right: Mapping[int, Result | None]) -> Iterator[Result | None]:
    """Yield the right results that an expression and its conditions use, and None for whatever else."""
    for part in [node] if isinstance(node, ast.Name) else ast.iter_child_nodes(node):
        yield from _read(own, part, {} if part is node else is_right)
    above = next(parents(one) for one in own.code.statements if id(node) in parents(one))
    while not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        node = above[id(node)][0]
        for condition in (getattr(node, name, None) for name in ("test", "iter")):
            if isinstance(condition, ast.AST):
                yield from _read(own, condition, is_right)


def _read(own: Recorded, node: ast.AST, is_right: Mapping[int, Result | None]) -> Iterator[Result | None]:
    if (known := is_right.get(own.numbers.get(id(node), -1))) is not None:
        yield known
        return
    match node:
        case ast.Name(id=name):
            yield from () if name in ALWAYS_THERE else (None,)
        case ast.Attribute(value=ast.Name("self")) | ast.Lambda() | ast.comprehension():
            yield None
        case _:
            for part in ast.iter_child_nodes(node):
                yield from _read(own, part, is_right)


def _name(place: Place) -> str:
    match place.node:
        case ast.Name(id=name) if name not in place.scope.parameters:
            return name
        case ast.Attribute(value=ast.Name("self"), attr=name):
            return name
    return ""


def _found(known: Sequence[Result], values: Values) -> Result | None:
    """Return the right result that some values are, or a part of them."""
    found = (one for one in known if _equal(values, one.values))
    return min(found, key=lambda one: len(one.values), default=None)


def _is_last(one: Result, right: Mapping[Key, Any], seen: Mapping[Key, Any]) -> bool:
    """Whether nothing that is wrong in an answer is computed from a result, or only its order changes."""
    for key, answer in right.items():
        parts, theirs = (list(x) if isinstance(x, tuple | list) else [x] for x in (answer, seen[key]))
        theirs += [None] * (len(parts) - len(theirs))
        numbers = flat(one.values.get(key, [])).sort().values
        for part, other in zip(parts, theirs, strict=False):
            if not equal(part, other) and not close(flat(part).sort().values, numbers):
                return False
    return True


def _only_ordered(one: Result, other: Result) -> bool:
    """Whether two results have the same numbers, in whatever order."""
    pairs = ((flat(one.values[key]), flat(other.values[key])) for key in one.values)
    return one.values.keys() == other.values.keys() and all(
        close(a.sort().values, b.sort().values) for a, b in pairs
    )


def _equal(one: Values, other: Values) -> bool:
    """Whether an expression gives the same as the other whenever it gives something."""
    return one.keys() <= other.keys() and all(equal(one[key], other[key]) for key in one)


def _alike(one: Values, other: Values) -> bool:
    """Whether two expressions give values of the same forms at the same times."""
    return one.keys() == other.keys() and all(form(one[key]) == form(other[key]) for key in one)


def _changed(value: Any) -> Any:
    """Return another value of the same form."""
    if not hasattr(value, "dtype"):
        return not value if isinstance(value, bool) else value * value + 1
    return value.logical_not() if str(value.dtype) == "torch.bool" else value * value + 1
