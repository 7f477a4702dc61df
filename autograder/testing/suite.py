"""Hidden suites: an exercise's tests, collected once and run against the reference and many submissions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import pytest
import torch

from autograder.course.exercise import Exercise
from autograder.course.reference import reference_errors
from autograder.course.source import SourceError
from autograder.testing.exchange import Backend, Exchange, Local
from autograder.testing.hidden_test import HiddenTest, read_test
from autograder.testing.pytest_internals import CollectedTests, CollectionError
from autograder.testing.student import Student
from autograder.worker.namespace import run_code


@dataclass(frozen=True, slots=True)
class TestRun:
    """One run of a test: what it raised, or None, and all that crossed the pipe."""

    __test__ = False
    test: HiddenTest
    error: BaseException | None
    exchanges: tuple[Exchange, ...]


class Suite:
    """An exercise's hidden tests.

    Making a suite collects the tests and checks that each belongs to a question and each question has one.
    `run` then asks a backend, one test at a time.
    """

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        with reference_errors(exercise):
            self._reference = Local(run_code(exercise.reference))
        self._collected = _collected(exercise)
        self.tests = tuple(
            read_test(exercise, item, number) for number, item in enumerate(self._collected.items)
        )
        for name in exercise.points:
            if name not in {test.question for test in self.tests}:
                fix = f'add one with @question("{name}") or delete the cell'
                raise SourceError(f'{exercise.source}: question "{name}" has no hidden test; {fix}')

    def run(
        self,
        backend: Backend,
        question: str | None = None,
        refused: Callable[[str], BaseException | None] = lambda _: None,
    ) -> Iterator[TestRun]:
        """Run the tests, of one question or of all, and yield each run before the next test starts.

        `refused` is called with a test's question right before the test would start, so it can go by all runs
        that were yielded so far. Where it returns an error, the test is not run: its run holds that error.
        """
        for test, item in zip(self.tests, self._collected.items, strict=True):
            if question not in (None, test.question):
                continue
            if (error := refused(test.question)) is not None:
                yield TestRun(test, error, ())
            else:
                yield self._run(test, item, backend)

    @cached_property
    def reference_runs(self) -> tuple[TestRun, ...]:
        """Every test run against the trusted solution: what right answers look like.

        The solution gets a namespace of its own, since a test may seed `student` and `reference` apart.
        """
        return tuple(self.run(Local(run_code(self.exercise.reference))))

    def _run(self, test: HiddenTest, item: pytest.Function, backend: Backend) -> TestRun:
        student, reference = Student(backend), Student(self._reference)
        student.begin(test.number)
        reference.begin(test.number)
        with _own_random_numbers(test.number):
            error = self._collected.run(item, student, reference)
        return TestRun(test, error, tuple(student.exchanges))


def _collected(exercise: Exercise) -> CollectedTests:
    if not exercise.suite.is_file():
        raise SourceError(f"{exercise.suite}: missing; write the hidden tests there")
    try:
        return CollectedTests(exercise.suite)
    except CollectionError as error:
        raise SourceError(f"{exercise.suite}: cannot be collected: {error}") from None


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
