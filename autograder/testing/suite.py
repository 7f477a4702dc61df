"""The mark that assigns a hidden test to a question, and the suite of an exercise's hidden tests."""

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pytest

from autograder.course.exercise import Exercise, beside_handout, reference_errors
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
from autograder.testing.inputs import DISCLOSED, Inputs, drawing
from autograder.testing.pytest_internals import CollectedTests
from autograder.testing.student import Student
from autograder.worker.namespace import Namespace, run_code
from autograder.worker.protocol import ProtocolError
from autograder.worker.stand_in import seed_the_processor_alone

# Returns the error that keeps a question's tests from running, or None.
_Refused = Callable[[str], BaseException | None]


def question(
    name: str, *, basic: bool = False, weight: float = 1.0, needs_results: bool = False
) -> pytest.MarkDecorator:
    """Mark a hidden test as a test of question `name`.

    A `basic` test computes results on ordinary inputs. If all basic tests pass, they give half of the
    question's points. If no test is marked as basic, the question's first test is basic. The other tests
    share the other half in proportion to `weight`. Use `needs_results` for a test that an answer passes even
    if it does nothing, such as a test for unchanged inputs. Such a test gives points only if all basic tests
    pass.
    """
    return pytest.mark.question(name, weight=weight, basic=basic, needs_results=needs_results)


@dataclass(frozen=True, slots=True)
class HiddenTest:
    """One hidden test: a property of one question, with the title that the student sees."""

    question: str
    title: str
    weight: float  # its weight among the question's tests that are not basic
    number: int  # its index in the suite; also the seed in the submission's process
    function: str  # the name of the test function; all cases of a parametrized test have the same name
    basic: bool = False  # whether it is basic; all basic tests together give half of the points
    needs_results: bool = False  # whether it gives points only if all basic tests pass
    line: int = 0  # the line on which the test function begins


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a hidden test: its verdict, and its requests and replies.

    The verdict is GRADER_ERROR if the test itself raised an unexpected error.
    """

    test: HiddenTest
    kind: Verdict
    detail: str = ""  # a message for the student, if the inputs may be shown
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
        """Return the run of a test. `error` is the exception that ended the test, or None."""
        kind, detail = _conclusion(error)
        return cls(test, kind, detail, exchanges, ran, error)

    @property
    def lost(self) -> bool:
        """Whether the worker has ended, or sends malformed answers."""
        return isinstance(self.error, LostError | ProtocolError)

    @property
    def exhausted(self) -> bool:
        """Whether the submission had no time left."""
        return isinstance(self.error, ExhaustedError)


def _conclusion(error: BaseException | None) -> tuple[Verdict, str]:
    """Return the verdict of a test that ended with `error`, and the message for the student."""
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
    """If the course uses torch, limit torch to one thread, because many processes share the processors."""
    if exercise.has_torch:
        import torch

        torch.set_num_threads(1)


class Suite:
    """An exercise's hidden tests.

    Creating a suite collects the tests, and checks that each test belongs to a question and that each
    question has a test. `run` then runs the tests on a backend, one at a time.
    """

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        seed_the_processor_alone()  # makes torch.manual_seed faster; workers do the same
        with reference_errors(exercise):
            self._reference = self._solution()
        with beside_handout(exercise):
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
        refused: _Refused = lambda _: None,
        recorded: Container[str] = (),
    ) -> Iterator[Run]:
        """Run the `chosen` tests, or all tests, and yield each run before the next test starts.

        Before each test, `refused` gets the name of the test's question. If `refused` returns an error, the
        test is skipped, and the yielded run has this error. For questions in `recorded`, each run lists the
        torch operators of each call.
        """
        for test in self.tests:
            if chosen is None or test in chosen:
                error = refused(test.question)
                record = test.question in recorded
                run = self.run_one(test, backend, inputs, record=record) if error is None else None
                yield run or Run.ended(test, error)

    def of(self, question: str) -> tuple[HiddenTest, ...]:
        """Return the tests of one question."""
        return tuple(test for test in self.tests if test.question == question)

    def run_one(
        self, test: HiddenTest, backend: Backend, inputs: Inputs = DISCLOSED, *, record: bool = False
    ) -> Run:
        """Run one of the tests. Its inputs do not depend on the tests before it."""
        student, reference = Student(backend), Student(self._reference)
        student.begin(test.number, test.question, record=record)
        reference.begin(test.number, test.question)
        seeded = drawing(inputs.seed(test.number), by_torch=self.exercise.has_torch)
        with seeded, beside_handout(self.exercise):
            error = self._collected.run(self._collected.items[test.number], student, reference)
        return Run.ended(test, error, tuple(student.exchanges), tuple(student.ran))

    @cached_property
    def reference_runs(self) -> tuple[Run, ...]:
        """The runs of all tests with the trusted solution on disclosed inputs."""
        return tuple(self.run(self._solution()))

    def reference_run(self, test: HiddenTest, inputs: Inputs) -> Run:
        """Return the run of one test with the trusted solution."""
        return self.run_one(test, self._solution(), inputs)

    def is_fair(self, test: HiddenTest, inputs: Inputs) -> bool:
        """Whether the trusted solution passes a test with these inputs."""
        if (key := (test.number, inputs)) not in self._fair:
            self._fair[key] = self.reference_run(test, inputs).error is None
        return self._fair[key]

    def _solution(self) -> Local:
        """Return a backend with the solution in a new namespace. It has random generators of its own."""
        return Local(self.namespace(self.exercise.reference))

    def namespace(self, cells: tuple[str, ...]) -> Namespace:
        """Run trusted code cells in the folder of the exercise's files, and return their namespace."""
        with beside_handout(self.exercise):
            return run_code(cells)


def _read_test(exercise: Exercise, item: pytest.Function, number: int) -> HiddenTest:
    """Return the test that pytest collected as `item`; raise SourceError for a wrong mark or no docstring."""
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
        raise SourceError(f"{where} has basic=True; delete its weight and needs_results, or basic=True")
    return HiddenTest(
        name, doc.splitlines()[0], weight, number, item.originalname, basic, needs_results, line
    )


def _mark_first_tests(tests: Sequence[HiddenTest]) -> Iterator[HiddenTest]:
    """Yield the tests. If a question has no basic test, its first test becomes a basic test."""
    marked = {test.question for test in tests if test.basic}
    for test in tests:
        yield test if test.question in marked else replace(test, basic=True)
        marked.add(test.question)
