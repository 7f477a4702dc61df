"""Hidden suites: the `@question` mark that authors write, and running a suite against a submission."""

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

import pytest
import torch
from _pytest.config import Config, _prepareconfig
from _pytest.python import get_direct_param_fixture_func

from autograder.course.exercise import Exercise
from autograder.course.reference import reference_errors
from autograder.course.source import SourceError
from autograder.testing.student import Backend, Exchange, Local, Student
from autograder.worker.namespace import run_code

_Function = TypeVar("_Function", bound=Callable[..., None])
_UNUSED = (
    "cacheprovider", "capture", "debugging", "doctest", "faulthandler", "junitxml", "logging", "monkeypatch",
    "nose", "pastebin", "recwarn", "setuponly", "setupplan", "stepwise", "terminal", "terminalreporter",
    "threadexception", "tmpdir", "unittest", "unraisableexception", "warnings",
)  # fmt: skip


def question(name: str, *, weight: float = 1.0) -> Callable[[_Function], _Function]:
    """Mark a hidden test as belonging to question `name`, with its share of the question's points."""
    return pytest.mark.question(name, weight=weight)


@dataclass(frozen=True, slots=True)
class Test:
    """One hidden test: a property of one question, with the title that the student sees."""

    __test__ = False
    question: str
    title: str
    weight: float
    number: int


@dataclass(frozen=True, slots=True)
class TestRun:
    """What came of one test: what it raised, or None, and all that crossed the pipe."""

    __test__ = False
    test: Test
    error: BaseException | None
    exchanges: tuple[Exchange, ...]


class Suite:
    """An exercise's hidden tests, collected once and run against many submissions."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        with reference_errors(exercise):
            self._reference = Local(run_code(exercise.reference))
        self._plugin = _Plugin()
        self._items = _collect(exercise.suite, self._plugin)
        self.tests = tuple(_test(exercise, item, number) for number, item in enumerate(self._items))
        for name in exercise.points:
            if name not in {test.question for test in self.tests}:
                mend = f'add one with @question("{name}") or delete the cell'
                raise SourceError(f'{exercise.source}: question "{name}" has no hidden test; {mend}')

    def run(
        self,
        backend: Backend,
        question: str | None = None,
        refused: Mapping[str, BaseException] = MappingProxyType({}),
    ) -> Iterator[TestRun]:
        """Run the tests, of one question or all, one at a time; what is `refused` by then is not run."""
        for test, item in zip(self.tests, self._items, strict=True):
            if question not in (None, test.question):
                continue
            if test.question in refused:
                yield TestRun(test, refused[test.question], ())
            else:
                yield self._run(test, item, backend)

    @cached_property
    def reference_runs(self) -> tuple[TestRun, ...]:
        """Every test run against the trusted solution: what right answers look like."""
        return tuple(self.run(Local(run_code(self.exercise.reference))))  # as tests seed it and a submission

    def _run(self, test: Test, item: pytest.Function, backend: Backend) -> TestRun:
        student, reference = Student(backend), Student(self._reference)
        self._plugin.student, self._plugin.reference = student, reference
        student.begin(test.number)
        reference.begin(test.number)
        with _own_random_numbers(test.number):
            error = _raised(item, student, reference)
        return TestRun(test, error, tuple(student.exchanges))


class _Plugin:
    """Gives tests their `student` and `reference`, and keeps what they raise."""

    student: Student | None = None
    reference: Student | None = None
    fault = ""

    @pytest.fixture(name="student")
    def student_fixture(self) -> Student | None:
        """Return the submission under test."""
        return self.student

    @pytest.fixture(name="reference")
    def reference_fixture(self) -> Student | None:
        """Return the trusted solution."""
        return self.reference

    def pytest_configure(self, config: Config) -> None:
        """Make the `question` mark known."""
        config.addinivalue_line("markers", "question(name, weight=1): the question that a test belongs to")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep why a suite cannot be collected: the last line says it."""
        if report.failed:
            self.fault = str(report.longrepr).strip().splitlines()[-1]


def _collect(path: Path, plugin: _Plugin) -> list[pytest.Function]:
    """Collect the suite in a pytest session of its own, without plugins, configuration or conftest files."""
    if not path.is_file():
        raise SourceError(f"{path}: missing; write the hidden tests there")
    arguments = [
        str(path), "-c", "/dev/null", f"--rootdir={path.parent}", "--noconftest", "--import-mode=importlib",
        "--assert=plain", "--strict-markers", "--disable-plugin-autoload",
        *(word for name in _UNUSED for word in ("-p", f"no:{name}")),
    ]  # fmt: skip
    config = _prepareconfig(arguments, [plugin])
    config._do_configure()
    session = pytest.Session.from_config(config)
    config.hook.pytest_sessionstart(session=session)
    sys.modules.pop(path.stem, None)  # all suites have one name: pytest must not take another's for this one
    items = [item for item in session.perform_collect() if isinstance(item, pytest.Function)]
    if plugin.fault:
        raise SourceError(f"{path}: cannot be collected: {plugin.fault}")
    return items


def _raised(item: pytest.Function, student: Student, reference: Student) -> BaseException | None:
    """Run a test and return what it raised."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they would show the test's own lines
            arguments = {"student": student, "reference": reference, **_parameters(item)}
            if set(item.fixturenames) <= set(arguments):
                item.obj(**{name: arguments[name] for name in item.fixturenames})
            else:
                _call_with_fixtures(item)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # pytest's own outcomes, such as a skip, are no Exception
        return error
    return None


def _parameters(item: pytest.Function) -> dict[str, object]:
    """Return the values that a test is parametrized with, but none that is a fixture's to make."""
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    maker = {name: found[-1].func for name, found in item._fixtureinfo.name2fixturedefs.items()}
    direct = (get_direct_param_fixture_func, None)
    return {name: value for name, value in parameters.items() if maker.get(name) in direct}


def _call_with_fixtures(item: pytest.Function) -> None:
    """Run a test that has fixtures of its own: pytest's protocol, less its reports, dearer than any test."""
    setup = item.session._setupstate
    item._initrequest()
    try:
        setup.setup(item)
        item.runtest()
    finally:
        setup.teardown_exact(None)


def _test(exercise: Exercise, item: pytest.Function, number: int) -> Test:
    place = f"{exercise.suite}: {item.name}"
    mark = item.get_closest_marker("question")
    if mark is None:
        raise SourceError(f'{place} belongs to no question; put @question("...") above it')
    name, weight = mark.args[0], float(mark.kwargs.get("weight", 1.0))
    if name not in exercise.points:
        raise SourceError(
            f'{place} tests "{name}", which is no question; use one of {", ".join(exercise.points)}'
        )
    doc = (getattr(item.obj, "__doc__", None) or "").strip()
    if not doc:
        raise SourceError(f"{place} has no docstring; it is the title that students read")
    if weight <= 0:
        raise SourceError(f"{place} has weight {weight:g}; it must be above 0")
    return Test(name, doc.splitlines()[0], weight, number)


@contextmanager
def _own_random_numbers(seed: int) -> Iterator[None]:
    """Seed this process's generator for a test's inputs, and put it back afterwards."""
    generator = torch.default_generator
    before = generator.get_state()
    generator.manual_seed(1000 + seed)
    try:
        yield
    finally:
        generator.set_state(before)
