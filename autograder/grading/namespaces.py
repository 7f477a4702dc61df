"""Puts wrong answers in the place of right ones in an exercise's solution, and runs tests on them."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, lru_cache
from types import CodeType
from typing import Any
from warnings import catch_warnings

from autograder.course.exercise import Exercise
from autograder.testing.exchange import Local
from autograder.testing.suite import HiddenTest, Suite, TestRun
from autograder.worker.description import CELL
from autograder.worker.namespace import Namespace

_KEPT = 64  # namespaces
_KEPT_CELLS = 1024  # compiled: the pairs of a question are compiled to see that they are code, and to run
_KEPT_RUNS = 512  # of wrong answers; submissions of one class often need the same


@lru_cache(_KEPT_CELLS)
def compiled(cell: str, number: int) -> CodeType:
    """Compile a cell under the name that tracebacks show."""
    with catch_warnings(action="ignore"):
        return compile(cell, f"{CELL}{number}", "exec")


class Namespaces:
    """Namespaces of one exercise's solution with other code in it."""

    def __init__(self, exercise: Exercise) -> None:
        self._exercise = exercise

    def __call__(self, code: str) -> Namespace | None:
        """Run all cells, with this code among them; None where it raises an error."""
        return self._ran({"__name__": "__main__"}, self._exercise.variant(code))

    def quick(self, code: str) -> Namespace | None:
        """Run the code after all cells of the solution, which takes less time but sees the right answers."""
        return self._ran(dict(self._solution), [code])

    @cached_property
    def _solution(self) -> dict[str, Any]:
        found = self._ran({"__name__": "__main__"}, self._exercise.reference)
        return found.variables if found else {}

    def _ran(self, variables: dict[str, Any], cells: "tuple[str, ...] | list[str]") -> Namespace | None:
        try:
            for number, cell in enumerate(cells):
                with catch_warnings(action="ignore"):
                    exec(compiled(cell, number), variables)  # noqa: S102 - the course's
        except Exception:  # a change made of it what no student would hand in
            return None
        return Namespace(variables)


@contextmanager
def uncounted() -> Iterator[None]:
    """Stop the clock that bounds what one submission may take: what is computed here serves all of them."""
    left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, left)


class Runner:
    """Runs single tests on wrong answers, and keeps the newest runs."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._made = lru_cache(_KEPT)(Namespaces(suite.exercise))
        self.run = lru_cache(_KEPT_RUNS)(self._run)

    def _run(self, code: str, test: HiddenTest) -> TestRun | None:
        """Run one test on disclosed inputs; None where the code cannot even be defined."""
        if (namespace := self._made(code)) is None:
            return None
        with uncounted(), catch_warnings(action="ignore"):  # nobody here made what it may warn of
            return self._suite.run_one(test, Local(namespace))
