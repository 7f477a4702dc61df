"""Runs the hidden tests of a question on code that its author trusts, with a clock for endless loops."""

import contextlib
import signal
import warnings
from collections.abc import Iterator, Sequence
from types import FrameType

from autograder.testing.exchange import Local
from autograder.testing.inputs import numbered_inputs
from autograder.testing.suite import HiddenTest, Suite
from autograder.worker.namespace import Namespace, run_code
from autograder.worker.silence import silence

_SECRET = b"Measuring twice must find the same, so it does not use the course's own secret."
_SECONDS = 20.0  # of processor time, in one test; what only a loop without an end needs


class OutOfTimeError(BaseException):
    """An answer runs on and on; no `except Exception` of its own may keep it running."""


class Trial:
    """Tries answers to one question on its hidden tests."""

    def __init__(self, suite: Suite, question: str) -> None:
        self._suite = suite
        self._times_failed = dict.fromkeys(suite.of(question), 0)

    def fails(self, cells: tuple[str, ...]) -> bool:
        """Whether an answer fails a test; those come first that have failed most answers so far."""
        order = sorted(self._times_failed, key=lambda test: -self._times_failed[test])
        for test, _ in self.failing(cells, order=order):
            self._times_failed[test] += 1
            return True
        return False

    def failing(
        self, cells: tuple[str, ...], number: int = 0, order: Sequence[HiddenTest] = ()
    ) -> Iterator[tuple[HiddenTest, BaseException]]:
        """Yield the tests that an answer fails on one set of inputs, and how: all, if it cannot be run."""
        inputs = numbered_inputs(_SECRET, self._suite.exercise.name, number)
        made = _made(cells)
        for test in order or self._times_failed:
            if isinstance(made, BaseException):
                yield test, made
                continue
            with _clock(), warnings.catch_warnings(action="ignore"):
                run = self._suite.run_one(test, Local(made), inputs)
            if run.error is not None:
                yield test, run.error


def _made(cells: tuple[str, ...]) -> Namespace | BaseException:
    """Run an answer, and return what it has defined or raised."""
    with _clock(), warnings.catch_warnings(action="ignore"), silence():
        try:
            return run_code(cells)
        except (Exception, SystemExit, OutOfTimeError) as error:
            return error


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
