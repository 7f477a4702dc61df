"""Runs a question's hidden tests on the author's answers, with a time limit for endless loops."""

import contextlib
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import count
from pathlib import Path
from types import FrameType

from autograder.report.report import Verdict
from autograder.report.text import one_line
from autograder.testing.exchange import Local, NotDefinedError
from autograder.testing.expectations import Unmet
from autograder.testing.inputs import Inputs, numbered_inputs
from autograder.testing.suite import HiddenTest, Run, Suite
from autograder.worker.namespace import Namespace, silence

SECRET = b"Verifying twice must find the same, so it does not use the course's own secret."
# The number of sets of hidden inputs on which each answer runs: by default, and with --thorough.
SETS_TRIED, SETS_THOROUGH = 2, 16
# An answer counts as endless if it takes more processor time than this multiple of the reference's time. This
# limit is at least LEAST and at most MOST seconds.
TIMES = 20
LEAST, MOST = 0.5, 20.0
_TICKS = 5  # number of timer signals after which a time limit is reached


def input_sets_for_answer(sets: int, number: int) -> list[int]:
    """Return the indices of the input sets on which answer `number` runs: set 0 and `sets - 1` others.

    The others rotate, so that all answers together use all sets.
    """
    return [0, *(1 + (number + offset) % (SETS_THOROUGH - 1) for offset in range(sets - 1))]


class OutOfTimeError(BaseException):
    """Raised in an answer that takes too long. `except Exception` does not catch it."""


class Trial:
    """Runs the hidden tests of one question on answers: first the basic tests, then all others.

    In both groups, the test that most answers have failed so far comes first.
    """

    def __init__(self, suite: Suite, question: str) -> None:
        self._suite = suite
        self._times_failed = dict.fromkeys(suite.of(question), 0)

    def fails(self, cells: tuple[str, ...]) -> bool:
        """Whether an answer fails a test."""
        return any(True for _ in self.failing(cells))

    def failing(self, cells: tuple[str, ...]) -> Iterator[Run]:
        """Yield the run of each test that an answer fails on the first set of inputs."""
        inputs = numbered_inputs(SECRET, self._suite.exercise.name, 0)
        order = sorted(self._times_failed, key=lambda test: (not test.basic, -self._times_failed[test]))
        for run in failed_runs(self._suite, cells, inputs, order):
            self._times_failed[run.test] += 1
            yield run


def failed_runs(
    suite: Suite, cells: tuple[str, ...], inputs: Inputs, tests: Iterable[HiddenTest]
) -> Iterator[Run]:
    """Yield the run of each test that an answer fails on these inputs.

    If the answer's cells raise an error, every test fails with this error.
    """
    outcome = _run_answer(suite, cells)
    for test in tests:
        if isinstance(outcome, BaseException):
            yield Run(test, Verdict.FAILED, error=outcome)
            continue
        with clock(_test_limit(suite, test)), warnings.catch_warnings(action="ignore"):
            run = suite.run_one(test, Local(outcome), inputs)
        if run.error is not None:
            yield run


@lru_cache(2048)
def _test_limit(suite: Suite, test: HiddenTest) -> float:
    """Return the limit, in processor seconds, for one test of an answer."""
    inputs = numbered_inputs(SECRET, suite.exercise.name, 0)
    return time_limit(lambda: suite.reference_run(test, inputs))


@lru_cache(64)
def _definition_limit(suite: Suite) -> float:
    """Return the limit, in processor seconds, for the cells that define an answer."""
    return time_limit(lambda: suite.namespace(suite.exercise.reference))


def time_limit(run: Callable[[], object]) -> float:
    """Measure `run`, which runs the reference. Return the limit for an answer, in processor seconds."""
    begin = time.process_time()
    run()
    return min(max(LEAST, TIMES * (time.process_time() - begin)), MOST)


def _run_answer(suite: Suite, cells: tuple[str, ...]) -> Namespace | BaseException:
    with clock(_definition_limit(suite)), warnings.catch_warnings(action="ignore"), silence():
        try:
            return suite.namespace(cells)
        except (Exception, SystemExit, OutOfTimeError) as error:
            return error


@contextlib.contextmanager
def clock(seconds: float) -> Iterator[None]:
    """Raise OutOfTimeError after every `seconds` seconds of processor time. Waiting does not count.

    The error is raised more than once, because the answer may catch it. A timer sends _TICKS signals in this
    time, and the last one raises the error. If a virtual machine is suspended, the pause may count, but
    causes only one signal. So the pause alone does not raise the error.
    """
    ticks = count(1)

    def tick(_: int, __: FrameType | None) -> None:
        if next(ticks) % _TICKS == 0:
            raise OutOfTimeError

    before = signal.signal(signal.SIGVTALRM, tick)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds / _TICKS, seconds / _TICKS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


_SHOWN = 300  # the largest number of characters of an error that a message quotes


def failures(suite: Suite, cells: tuple[str, ...], sets: Sequence[Inputs]) -> dict[HiddenTest, str]:
    """Run all tests on trusted cells with each of these inputs; return a message on each failed test."""
    namespace, errors = suite.namespace(cells), dict[HiddenTest, list[str]]()
    for inputs in sets:
        for run in suite.run(Local(namespace), inputs):
            if run.error is not None:
                errors.setdefault(run.test, []).append(located(suite.exercise.suite, run, run.error))
    is_intermittent = {test: len(messages) < len(sets) for test, messages in errors.items()}
    return {
        test: f"{'only with some inputs: ' * is_intermittent[test]}{messages[0]}"
        for test, messages in errors.items()
    }


def lines_of_tests(suite: Suite, titles: Iterable[str], question: str) -> str:
    """Return "path:line" of each test of `question` that has one of these titles."""
    chosen = set(titles)
    tests = [test for test in suite.of(question) if test.title in chosen]
    return ", ".join(f"{suite.exercise.suite}:{test.line}" for test in tests)


def located(path: Path, run: Run, error: BaseException) -> str:
    """Return the error of a run as "path:line: message".

    `path` is the suite's file. The line is that of the file's last entry in the traceback.
    """
    frames = traceback.walk_tb(error.__traceback__)
    line = [run.test.line, *(line for frame, line in frames if frame.f_code.co_filename == str(path))][-1]
    return f"{path}:{line}: {_message(path, line, error)}"


def _message(path: Path, line: int, error: BaseException) -> str:
    text = one_line(str(error).partition("\n")[0], _SHOWN)
    match error:
        case Unmet():
            return str(error)
        case NotDefinedError():
            return f"the name {error.name} is not defined"
        case AssertionError():
            statement = path.read_text(encoding="utf-8").split("\n")[line - 1].strip()
            return f"{statement} does not hold{f': {text}' if text else ''}"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
