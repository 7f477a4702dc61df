"""The mark that assigns a hidden test to a question, and the suite of an exercise's hidden tests."""

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pytest

from autograder.course.exercise import Exercise, in_handout_folder, reference_errors
from autograder.course.source import SourceError
from autograder.report.report import Verdict
from autograder.testing.exchange import (
    Backend,
    Exchange,
    ExhaustedError,
    Local,
    LostError,
    NotDefinedError,
    NotFilledInError,
    StudentError,
)
from autograder.testing.expectations import NotJudged, Unmet
from autograder.testing.inputs import DISCLOSED, Inputs, temporary_seed
from autograder.testing.pytest_internals import CollectedTests
from autograder.testing.student import Student
from autograder.worker.namespace import Namespace, run_code
from autograder.worker.protocol import ProtocolError
from autograder.worker.stand_in import skip_missing_devices

# Takes a question; returns the error that keeps the question's other tests from running, or None.
_PriorError = Callable[[str], BaseException | None]


def question(
    name: str, *, basic: bool = False, weight: float = 1.0, needs_results: bool = False
) -> pytest.MarkDecorator:
    """Mark a hidden test as a test of question `name`.

    Mark tests of results on ordinary inputs as `basic`. Without such a mark, the question's first test is
    basic. The basic tests give half of the points if all of them pass. The other half is divided among the
    tests that are not basic, in proportion to `weight`. If all tests are basic, they give all points. If even
    an answer that does nothing would pass a test, use `needs_results`: the test then gives points only if all
    basic tests pass.
    """
    return pytest.mark.question(name, weight=weight, basic=basic, needs_results=needs_results)


@dataclass(frozen=True, slots=True)
class HiddenTest:
    """A hidden test of one property of an answer."""

    question: str
    title: str  # a text for the student
    weight: float  # the test's weight among the question's tests that are not basic
    number: int  # the test's index in the suite, and the seed of the worker's random generators
    function: str  # the name of the test function; all cases of a parametrized test have the same name
    basic: bool = False
    needs_results: bool = False
    line: int = 0  # the first line of the test function


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a hidden test. The verdict is GRADER_ERROR if the test raised an unexpected error."""

    test: HiddenTest
    kind: Verdict
    detail: str = ""  # a message, which can contain values of the inputs
    exchanges: tuple[Exchange, ...] = ()
    ran: tuple[frozenset[str], ...] = ()  # the operators of each recorded call
    error: BaseException | None = None  # the exception that ended the test

    @classmethod
    def ended(
        cls,
        test: HiddenTest,
        error: BaseException | None,
        exchanges: tuple[Exchange, ...] = (),
        ran: tuple[frozenset[str], ...] = (),
    ) -> "Run":
        """Create the run of a test that ended with `error`, or without an error."""
        kind, detail = _conclusion(error)
        return cls(test, kind, detail, exchanges, ran, error)

    @property
    def has_lost_worker(self) -> bool:
        """Whether the worker has ended or sent a malformed reply."""
        return isinstance(self.error, LostError | ProtocolError)

    @property
    def exhausted(self) -> bool:
        """Whether the submission had no time left."""
        return isinstance(self.error, ExhaustedError)


def _conclusion(error: BaseException | None) -> tuple[Verdict, str]:
    """Return the verdict of a test that ended with `error`, and a message."""
    match error:
        case None:
            return Verdict.PASSED, ""
        case NotJudged():
            return Verdict.NOT_JUDGED, str(error)
        case Unmet():
            return Verdict.FAILED, str(error)
        case AssertionError():
            return Verdict.FAILED, ""
        case StudentError():
            refused = "PermissionError" in error.bases
            return Verdict.BLOCKED if refused else Verdict.CRASHED, str(error)
        case NotDefinedError(name=name):
            return Verdict.NOT_DEFINED, name
        case NotFilledInError():
            return Verdict.NOT_ATTEMPTED, str(error)
        case LostError(verdict=verdict):
            return verdict, str(error)
        case ProtocolError():
            return (
                Verdict.CRASHED,
                "After a call, the program that runs your code sent something that is not a valid reply.",
            )
    return Verdict.GRADER_ERROR, ""


def use_one_thread(exercise: Exercise) -> None:
    """Limit torch, if the course uses it, to one thread, because many processes share the processors."""
    if exercise.has_torch:
        import torch

        torch.set_num_threads(1)


class Suite:
    """An exercise's hidden tests.

    Creating a suite collects the tests. It raises SourceError if a test does not belong to a question, or a
    question has no test.
    """

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        skip_missing_devices()  # makes torch.manual_seed faster
        with reference_errors(exercise):
            self._reference = self._solution()
        with in_handout_folder(exercise):
            self._collected = CollectedTests(exercise.suite)
        self._fair: dict[tuple[int, Inputs], bool] = {}
        items = enumerate(self._collected.items)
        tests = [_read_test(exercise, item, number) for number, item in items]
        self.tests = tuple(_mark_first_tests(tests))
        for name in exercise.points:
            if name not in {test.question for test in self.tests}:
                fix = f'add one with @question("{name}") or delete the cell'
                raise SourceError(f'{exercise.source}: question "{name}" has no hidden test; {fix}')

    def run(
        self,
        backend: Backend,
        inputs: Inputs = DISCLOSED,
        chosen: Container[HiddenTest] | None = None,
        prior_error: _PriorError = lambda _: None,
        recorded: Container[str] = (),
    ) -> Iterator[Run]:
        """Run the `chosen` tests, or all tests, and yield each run before the next test starts.

        If `prior_error` returns an error for a test's question, the test is skipped, and its run has this
        error. For questions in `recorded`, each run lists the torch operators of each call.
        """
        for test in self.tests:
            if chosen is None or test in chosen:
                error = prior_error(test.question)
                record = test.question in recorded
                run = self.run_one(test, backend, inputs, record=record) if error is None else None
                yield run or Run.ended(test, error)

    def of(self, question: str) -> tuple[HiddenTest, ...]:
        """Return a question's tests, in the suite's order."""
        return tuple(test for test in self.tests if test.question == question)

    def run_one(
        self, test: HiddenTest, backend: Backend, inputs: Inputs = DISCLOSED, *, record: bool = False
    ) -> Run:
        """Run one test. Its inputs do not depend on the tests before it."""
        student, reference = Student(backend), Student(self._reference)
        student.begin(test.number, test.question, record=record)
        reference.begin(test.number, test.question)
        seeded = temporary_seed(inputs.seed(test.number), by_torch=self.exercise.has_torch)
        with seeded, in_handout_folder(self.exercise):
            error = self._collected.run(self._collected.items[test.number], student, reference)
        return Run.ended(test, error, tuple(student.exchanges), tuple(student.ran))

    @cached_property
    def reference_runs(self) -> tuple[Run, ...]:
        """The runs of all tests on the solution, with disclosed inputs."""
        return tuple(self.run(self._solution()))

    def reference_run(self, test: HiddenTest, inputs: Inputs) -> Run:
        """Run one test on the solution."""
        return self.run_one(test, self._solution(), inputs)

    def is_fair(self, test: HiddenTest, inputs: Inputs) -> bool:
        """Whether the solution passes a test with these inputs. If not, no submission's failure counts."""
        if (key := (test.number, inputs)) not in self._fair:
            self._fair[key] = self.reference_run(test, inputs).error is None
        return self._fair[key]

    def _solution(self) -> Local:
        return Local(self.namespace(self.exercise.reference))

    def namespace(self, cells: tuple[str, ...]) -> Namespace:
        """Run trusted code cells in the folder of the exercise's files, and return their namespace."""
        with in_handout_folder(self.exercise):
            return run_code(cells)


def _read_test(exercise: Exercise, item: pytest.Function, number: int) -> HiddenTest:
    """Return the test in `item`; raise SourceError if it has a wrong mark, no mark or no docstring."""
    line = (item.reportinfo()[1] or 0) + 1
    where = f"{exercise.suite}:{line}: {item.name}"
    if (mark := item.get_closest_marker("question")) is None:
        raise SourceError(f'{where} has no question; put @question("...") above it')
    name, weight = mark.args[0], float(mark.kwargs.get("weight", 1.0))
    if name not in exercise.points:
        questions = ", ".join(exercise.points)
        raise SourceError(f'{where} tests "{name}", which is not a question; use one of {questions}')
    if not (doc := (getattr(item.obj, "__doc__", None) or "").strip()):
        raise SourceError(f"{where} has no docstring; write one, which students read as the title")
    if weight <= 0:
        raise SourceError(f"{where} has weight {weight:g}; it must be above 0")
    basic, needs_results = (bool(mark.kwargs.get(option)) for option in ("basic", "needs_results"))
    if basic and (weight != 1 or needs_results):
        fix = "delete them, or delete basic=True"
        raise SourceError(f"{where} has basic=True, but weight and needs_results are for other tests; {fix}")
    return HiddenTest(
        name, doc.splitlines()[0], weight, number, item.originalname, basic, needs_results, line
    )


def _mark_first_tests(tests: Sequence[HiddenTest]) -> Iterator[HiddenTest]:
    """Yield the tests. Mark a question's first test as basic if the question has no basic test."""
    marked = {test.question for test in tests if test.basic}
    for test in tests:
        yield test if test.question in marked else replace(test, basic=True)
        marked.add(test.question)
