"""Runs wrong answers on the hidden tests of their question, and sorts out those that say nothing."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from warnings import catch_warnings

from autograder.grading.evidence import fingerprint, is_accident
from autograder.grading.known import Known, known
from autograder.grading.namespaces import Namespaces
from autograder.grading.same_answer import same_exchanges
from autograder.grading.wrong_answers import WrongAnswer
from autograder.testing.exchange import Backend, Local, Reply
from autograder.testing.suite import Suite, TestRun
from autograder.worker.namespace import Namespace, run_code
from autograder.worker.protocol import Header, Tensors

_ENOUGH = 5  # failed tests: who gets the same from so many as one of the same name is not run any more


@dataclass
class _Running:
    """A wrong answer on its way through the tests."""

    answer: WrongAnswer
    namespace: Namespace
    failed: list[TestRun] = field(default_factory=list)
    prints: list[str] = field(default_factory=list)

    def meets(self, run: TestRun) -> None:
        """Note one more run."""
        self.prints.append(fingerprint(run) if run.error else "")
        if run.error:
            self.failed.append(run)

    @property
    def is_accident(self) -> bool:
        """Whether a change that nobody has written only broke the code."""
        return bool(self.failed) and not self.answer.written and is_accident(self.failed[0])


def outcomes(suite: Suite, question: str, answers: Iterable[WrongAnswer]) -> Iterator[Known]:
    """Yield each wrong answer that fails, with its failed tests, on disclosed inputs.

    Those of one name that behave alike are yielded once.
    """
    make = Namespaces(suite.exercise)
    running = [_Running(one, namespace) for one in answers if (namespace := make(one.code))]
    tests = suite.of(question)
    for test in tests:
        for one in running:
            with catch_warnings(action="ignore"):  # it may deserve a warning, but nobody here made it
                one.meets(suite.run_one(test, Local(one.namespace)))
        running = list(_different(running, at_end=test is tests[-1]))
    right = {run.test.number: run for run in suite.reference_runs}
    for one in running:
        found = known(one.answer, one.failed, right) if one.failed else None
        if found and (not one.answer.shows or any(one.answer.shows in found.form(n) for n in found.failed)):
            yield found


def _different(running: list[_Running], *, at_end: bool) -> Iterator[_Running]:
    seen = set[tuple[object, ...]]()
    for one in running:
        told = at_end or sum(map(bool, one.prints)) >= _ENOUGH
        behaviour = (one.answer.names, one.answer.written, *one.prints)
        if not one.is_accident and not (told and behaviour in seen):
            seen.add(behaviour)
            yield one


def tests_of_own_numbers(suite: Suite, question: str) -> frozenset[int]:
    """Return the tests, by number, in which the numbers of a right answer depend on its seed."""
    solution, chosen = Local(run_code(suite.exercise.reference)), suite.of(question)
    runs = suite.run(solution, chosen=chosen)
    pairs = zip(runs, suite.run(_SeededApart(solution), chosen=chosen), strict=True)
    return frozenset(
        one.test.number for one, other in pairs if not same_exchanges(one.exchanges, other.exchanges)
    )


@dataclass(frozen=True)
class _SeededApart:
    """A backend that seeds another one with other numbers than it is asked to."""

    backend: Backend

    def ask(self, header: Header, tensors: Tensors) -> Reply:
        """Return the other backend's answer."""
        apart: Header = {key: header[key] + 7919 for key in ("fresh", "seed") if key in header}
        return self.backend.ask({**header, **apart}, tensors)
