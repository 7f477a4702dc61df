"""Runs the hidden tests of a question on code that its author trusts, with a clock for endless loops."""

import contextlib
import signal
import warnings
from collections.abc import Iterator
from types import FrameType

from autograder.grading.verdicts import decide
from autograder.report.report import Verdict
from autograder.testing.exchange import Local
from autograder.testing.inputs import Inputs, numbered_inputs
from autograder.testing.suite import HiddenTest, Suite
from autograder.worker.namespace import Namespace, run_code
from autograder.worker.silence import silence

_SECRET = b"Measuring twice must find the same, so it does not use the course's own secret."
_SECONDS = 20.0  # of processor time, in one test; what only a loop without an end needs


class OutOfTimeError(BaseException):
    """An answer runs on and on; no `except Exception` of its own may keep it running."""


def input_set(suite: Suite, number: int = 0) -> Inputs:
    """Return one of the sets of hidden inputs on which authors' answers are tried."""
    return numbered_inputs(_SECRET, suite.exercise.name, number)


class Trial:
    """Tries answers to one question on its hidden tests, those first that have failed most of them so far."""

    def __init__(self, suite: Suite, question: str) -> None:
        self._suite = suite
        self._times_failed = dict.fromkeys(suite.of(question), 0)

    def fails(self, cells: tuple[str, ...]) -> bool:
        """Whether an answer fails a test, or cannot even be run."""
        order = sorted(self._times_failed, key=lambda test: -self._times_failed[test])
        test = next(self._failing(cells, order, input_set(self._suite)), None)
        if test is not None:
            self._times_failed[test] += 1
        return test is not None

    def failed(self, cells: tuple[str, ...], number: int = 0) -> frozenset[HiddenTest]:
        """Return the tests that an answer fails on one set of inputs: all of them if it cannot be run."""
        return frozenset(self._failing(cells, list(self._times_failed), input_set(self._suite, number)))

    def _failing(
        self, cells: tuple[str, ...], order: list[HiddenTest], inputs: Inputs
    ) -> Iterator[HiddenTest]:
        with _clock(), warnings.catch_warnings(action="ignore"):
            try:
                with silence():
                    namespace = run_code(cells)
            except (Exception, SystemExit, OutOfTimeError):
                yield from order
                return
        for test in order:
            with _clock(), warnings.catch_warnings(action="ignore"):
                fails = self._fails(test, namespace, inputs)
            if fails:
                yield test

    def _fails(self, test: HiddenTest, namespace: Namespace, inputs: Inputs) -> bool:
        (run,) = self._suite.run(Local(namespace), inputs, {test})
        return decide(self._suite, run, inputs).verdict is not Verdict.PASSED


@contextlib.contextmanager
def _clock() -> Iterator[None]:
    """Let what runs too long raise OutOfTimeError, again and again; the clock stands still while it waits."""
    before = signal.signal(signal.SIGVTALRM, _raise)
    signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS, _SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _raise(_: int, __: FrameType | None) -> None:
    raise OutOfTimeError
