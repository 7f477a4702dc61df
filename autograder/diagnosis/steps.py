"""Finds the one wrong step of an answer, and proves it: with the right result in its place, all tests pass.

What an answer computes on the way is compared with what right answers compute. The first expression counts
that makes everything right if it gives one of their results that the answer never reaches. If all that goes
into it is right, this step is wrong, and it alone.

The code gets a call around each expression, so it runs wherever candidates for repairs run, on disclosed
inputs. A submission that forges its results spoils the explanation of its own mistake, and nothing else.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import islice
from typing import Any

from autograder.diagnosis.code import ALWAYS_THERE, Code, Place
from autograder.diagnosis.pieces import ANYWHERE, Edit
from autograder.diagnosis.same import close, equal, flat, form
from autograder.diagnosis.search import SECOND
from autograder.diagnosis.trees import rewritten
from autograder.testing.exchange import Backend, Exchange, Local, LostError, Reply
from autograder.testing.inputs import DISCLOSED, Inputs
from autograder.testing.suite import HiddenTest, Suite
from autograder.worker.namespace import RECORD, run_code
from autograder.worker.protocol import Header, Parts, ProtocolError
from autograder.worker.remote_function import Answer
from autograder.worker.values import Decoder, Encoder

_MOST = 100  # exchanges that are tried
_NO_ANSWER = (LostError, ProtocolError, TypeError, ValueError, RuntimeError, OverflowError)
_FEW = 4  # failed tests in which a step is looked for
_KINDS = (
    ast.Call, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Subscript, ast.Attribute, ast.Name,
    ast.IfExp,
)  # fmt: skip
Key = tuple[int, int]  # the number of a test, and of a request in it
Values = Mapping[Key, list[Any]]  # what an expression gives during each request, once or several times


@dataclass(frozen=True, slots=True)
class Step:
    """The expression that goes wrong, as if it were edited."""

    edit: Edit
    gives: str  # the name that right answers have for what it should give, if any
    reached: str  # and for the last right result before it
    is_assigned: bool  # whether it is all that its line assigns


@dataclass(frozen=True)
class Recording:
    """What expressions gave, in the order in which they first gave something, and the answers to requests."""

    results: dict[int, dict[Key, list[Any]]] = field(default_factory=dict)
    answers: dict[Key, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Recorded:
    """Code that tells what its expressions give."""

    code: Code

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The expressions in functions that may give numbers, by their own numbers."""
        calls = (one for tree in self.code.statements for one in ast.walk(tree) if isinstance(one, ast.Call))
        no = {id(one.func) for one in calls}
        found = (one for one in self.code.places if isinstance(one.node, _KINDS) and one.scope.function)
        read = (one for one in found if isinstance(getattr(one.node, "ctx", None), ast.Load | None))
        return tuple(
            one for one in read if id(one.node) not in no and getattr(one.node, "id", "") not in ANYWHERE
        )

    @cached_property
    def numbers(self) -> Mapping[int, int]:
        """The number of each expression by the address of its node."""
        return {id(place.node): number for number, place in enumerate(self.places)}

    def define(self, backend: Backend) -> None:
        """Run the code with a call around each of its expressions."""

        def change(old: ast.AST, made: ast.AST) -> ast.AST:
            number = self.numbers.get(id(old))
            if number is None or not isinstance(made, ast.expr):
                return made
            return ast.Call(ast.Name(RECORD, ast.Load()), [ast.Constant(number), made], [])

        statements = tuple(rewritten(one, change) for one in self.code.statements)
        backend.ask({"op": "edit", "source": Code(statements).text}, [])


@dataclass(eq=False)
class Result:
    """What a right answer computes on the way, by an expression of this number."""

    values: Values
    answer: int
    number: int
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
            lambda at, test, inputs: _record(self._backend(at), test.number, self._asked(test, inputs))
        )
        self._known = cache(self._different)

    def wrong_step(self, code: Code, failed: Sequence[HiddenTest], bench: Backend) -> Step | None:
        """Return the step of some code that alone is wrong, if it can be proven.

        It is looked for in a few of the failed tests, and then all tests have to pass.
        """
        if not self._suite.exercise.has_torch:
            return None
        few = tuple(sorted(failed, key=lambda test: len(self._asked(test, DISCLOSED)))[:_FEW])
        with suppress(*_NO_ANSWER):
            return self._first(Recorded(code), few, bench)
        return None

    def _first(self, own: Recorded, few: tuple[HiddenTest, ...], bench: Backend) -> Step | None:
        """Return the first expression after whose exchange tests pass, if all that goes into it is right."""
        own.define(bench)
        seen = _together(_record(bench, test.number, self._asked(test, DISCLOSED)) for test in few)
        if not all(0 <= number < len(own.places) for number in seen.results):
            raise ProtocolError("an expression has no known number")
        answers = _together(self._recorded(0, test, DISCLOSED) for test in few).answers
        known = self._known(few)
        is_right = {number: _found(known, values) for number, values in seen.results.items()}
        reached = {id(one) for one in is_right.values() if one and not one.is_number}
        useful = [one for one in known if id(one) not in reached and not _is_last(one, answers, seen.answers)]
        pairs = (
            (number, one)
            for number, values in seen.results.items()
            if is_right[number] is None
            for one in useful
            if _alike(values, one.values)
        )
        for number, one in islice(pairs, _MOST):
            if self._repairs(number, one, few, bench) and self._repairs(
                number, one, self._tests, bench, (DISCLOSED, SECOND)
            ):
                return _step(own, own.places[number], one, is_right)
        return None

    def _different(self, tests: tuple[HiddenTest, ...]) -> list[Result]:
        """Return different results, in the order of the first answer that computes them."""
        found, right = list[Result](), list[Any]()
        for at, answer in enumerate(self._answers):
            recording = _together(self._recorded(at, test, DISCLOSED) for test in tests)
            right = right or [*recording.answers.values()]
            if not equal([*recording.answers.values()], right):
                continue
            for number, values in recording.results.items():
                others = (one for one in found if one.values.keys() == values.keys())
                if (one := _found([*others], values)) is None:
                    found.append(one := Result(values, at, number))
                one.name = one.name or _name(answer.places[number])
        return found

    def _repairs(
        self,
        number: int,
        one: Result,
        tests: Sequence[HiddenTest],
        bench: Backend,
        sets: Sequence[Inputs] = (DISCLOSED,),
    ) -> bool:
        """Whether tests pass on these inputs if an expression gives a right result."""
        for inputs in sets:
            for test in tests:
                values = self._recorded(one.answer, test, inputs).results.get(one.number, {})
                backend = _Exchanging(bench, number, values, test.number, self._asked(test, inputs))
                if self._suite.run_one(test, backend, inputs).error is not None:
                    return False
        return True

    def _run(self, at: int) -> Local:
        local = Local(run_code(self._suite.exercise.reference))
        self._answers[at].define(local)
        return local


def _step(own: Recorded, place: Place, one: Result, is_right: Mapping[int, Result | None]) -> Step | None:
    """Return a step if all that goes into it is right."""
    used = [*_used(own, place.node, is_right)]
    if None in used:
        return None
    named = [one.name for one in is_right.values() if one in used and one and one.name and not one.is_number]
    edit = Edit(place.node, ast.Pass, "step", 0.0, at=place.node, cell=own.code.cell(place.node))
    gives = "" if one.is_number else one.name  # a number may have another one's name by accident
    reached = named[-1] if named and named[-1] != gives else ""
    return Step(edit, gives, reached, place.slot == ("=", ""))


def _used(own: Recorded, node: ast.AST, is_right: Mapping[int, Result | None]) -> Iterator[Result | None]:
    """Yield the right results that an expression uses, and None for whatever else."""
    for part in [node] if isinstance(node, ast.Name) else ast.iter_child_nodes(node):
        yield from _read(own, part, {} if part is node else is_right)


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
    found = (one for one in known if values.keys() <= one.values.keys())
    same = (one for one in found if all(equal(values[key], one.values[key]) for key in values))
    return min(same, key=lambda one: len(one.values), default=None)


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


def _record(backend: Backend, test: int, exchanges: Sequence[Exchange]) -> Recording:
    """Record what expressions give when a test asks what it has asked of a right answer."""
    found = Recording()
    _take(backend)
    for at, exchange in enumerate(exchanges):
        found.answers[test, at] = _value(backend.ask(*exchange.request))
        for pair in _take(backend) or ():
            match pair:
                case [int(one), list(given)]:
                    found.results.setdefault(one, {})[test, at] = given
    return found


def _together(several: Iterable[Recording]) -> Recording:
    """Return the recordings of several tests as one."""
    found = Recording()
    for one in several:
        found.answers.update(one.answers)
        for number, values in one.results.items():
            found.results.setdefault(number, {}).update(values)
    return found


def _take(backend: Backend, number: int | None = None, values: Sequence[Any] = ()) -> Any:
    """Return what expressions gave in the last request; in the next one, one of them gives these values."""
    encoder = Encoder(lambda _: {"list": []})
    encoded = encoder.encode([*values])
    request = {"op": "results", "number": number, "values": encoded, "keep": number is None}
    return _value(backend.ask(request, encoder.parts))


def _value(reply: Reply) -> Any:
    """Return the value of an answer; None where it holds an error, or instead of what it only refers to."""
    return Decoder(reply[1], lambda _: None).decode(reply[0].get("value"))


@dataclass
class _Exchanging:
    """A backend for one test, in which an expression gives other values."""

    backend: Backend
    number: int
    values: Values
    test: int
    right: Sequence[Exchange]  # what a right answer has answered
    at: int = 0

    def ask(self, header: Header, parts: Parts, answer: Answer | None = None) -> Reply:
        """Return the answer to one request.

        Gradients are those of the right answer, if any reach their place: what is put in has none of its own.
        """
        _take(self.backend, self.number, self.values.get((self.test, self.at), []))
        reply, sent = self.backend.ask(header, parts, answer)
        expected, ours = self.right[self.at].reply if self.at < len(self.right) else ({}, [])
        self.at += 1
        if "gradients" in reply and reply == expected and len(sent) == len(ours):
            first = str([reply["value"], reply["arguments"]]).count("'tensor'")
            for at in range(first, len(sent)):
                if sent[at].shape == ours[at].shape and bool(sent[at].any()) >= bool(ours[at].any()):
                    sent[at] = ours[at]
        return reply, sent


def _alike(one: Values, other: Values) -> bool:
    """Whether two expressions give values of the same forms at the same times."""
    return one.keys() == other.keys() and all(form(one[key]) == form(other[key]) for key in one)
