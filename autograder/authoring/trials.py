"""Runs a question's hidden tests on code that its author trusts, with a time limit for endless loops."""

import contextlib
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
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
SETS_TRIED, SETS_THOROUGH = 2, 16  # sets of hidden inputs that each answer of an author meets
LEAST, MOST = 0.5, 20.0  # processor seconds of one test before an answer counts as endless
TIMES = 20  # and so many times what the reference takes, within these bounds


def met(sets: int, number: int) -> list[int]:
    """Return the numbers of the sets that an answer meets: the first, and others for each answer in turn.

    So an exercise's answers meet all sets together, although each of them meets few.
    """
    return [0, *(1 + (number + further) % (SETS_THOROUGH - 1) for further in range(sets - 1))]


class OutOfTimeError(BaseException):
    """An answer runs on and on; no `except Exception` of its own may keep it running."""


class Trial:
    """Tries answers to one question on its hidden tests: first on the basic ones, then on all others.

    Of each kind, the test that has failed most answers so far comes first.
    """

    def __init__(self, suite: Suite, question: str) -> None:
        self._suite = suite
        self._times_failed = dict.fromkeys(suite.of(question), 0)

    def fails(self, cells: tuple[str, ...]) -> bool:
        """Whether an answer fails a test."""
        return any(True for _ in self.failing(cells))

    def failing(self, cells: tuple[str, ...]) -> Iterator[Run]:
        """Yield the runs in which an answer fails on the first set of inputs; if it cannot be run, all."""
        inputs = numbered_inputs(SECRET, self._suite.exercise.name, 0)
        order = sorted(self._times_failed, key=lambda test: (not test.basic, -self._times_failed[test]))
        for run in failed_runs(self._suite, cells, inputs, order):
            self._times_failed[run.test] += 1
            yield run


def failed_runs(
    suite: Suite, cells: tuple[str, ...], inputs: Inputs, tests: Iterable[HiddenTest]
) -> Iterator[Run]:
    """Yield the run of each test that an answer fails: of all, if it cannot be run."""
    made = _made(suite, cells)
    for test in tests:
        if isinstance(made, BaseException):
            yield Run(test, Verdict.FAILED, error=made)
            continue
        with clock(_test_limit(suite, test)), warnings.catch_warnings(action="ignore"):
            run = suite.run_one(test, Local(made), inputs)
        if run.error is not None:
            yield run


@lru_cache(2048)
def _test_limit(suite: Suite, test: HiddenTest) -> float:
    """Return the processor time after which an answer counts as endless, by what the reference takes."""
    inputs = numbered_inputs(SECRET, suite.exercise.name, 0)
    return time_limit(lambda: suite.reference_run(test, inputs))


@lru_cache(64)
def _definition_limit(suite: Suite) -> float:
    """Return the processor time after which the cells of an answer count as endless."""
    return time_limit(lambda: suite.namespace(suite.exercise.reference))


def time_limit(run: Callable[[], object]) -> float:
    """Run trusted code; return the processor time after which an answer counts as endless in its place."""
    begin = time.process_time()
    run()
    return min(max(LEAST, TIMES * (time.process_time() - begin)), MOST)


def _made(suite: Suite, cells: tuple[str, ...]) -> Namespace | BaseException:
    """Run an answer, and return what it has defined or raised."""
    with clock(_definition_limit(suite)), warnings.catch_warnings(action="ignore"), silence():
        try:
            return suite.namespace(cells)
        except (Exception, SystemExit, OutOfTimeError) as error:
            return error


@contextlib.contextmanager
def clock(seconds: float) -> Iterator[None]:
    """Raise OutOfTimeError after these seconds of processor time, and again after each further `seconds`.

    The answer may catch it. Waiting does not count.
    """
    before = signal.signal(signal.SIGVTALRM, _raise)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _raise(_: int, __: FrameType | None) -> None:
    raise OutOfTimeError


_SHOWN = 300  # characters


def failures(suite: Suite, cells: tuple[str, ...], sets: Sequence[Inputs]) -> dict[HiddenTest, str]:
    """Run all tests on trusted cells with each of these sets; return what is wrong, by test."""
    namespace, found = suite.namespace(cells), dict[HiddenTest, list[str]]()
    for inputs in sets:
        for run in suite.run(Local(namespace), inputs):
            if run.error is not None:
                found.setdefault(run.test, []).append(_said(suite.exercise.suite, run, run.error))
    several = {test: len(said) < len(sets) for test, said in found.items()}
    return {test: f"{'with some inputs only, ' * several[test]}{said[0]}" for test, said in found.items()}


def stands(suite: Suite, titles: Iterable[str], question: str) -> str:
    """Return where the tests of a question with these titles stand in their suite."""
    named = set(titles)
    tests = [test for test in suite.of(question) if test.title in named]
    return ", ".join(f"{suite.exercise.suite}:{test.line}" for test in tests)


def _said(path: Path, run: Run, error: BaseException) -> str:
    """Return the place of an error in the suite at `path`, and what it says."""
    frames = traceback.walk_tb(error.__traceback__)
    line = [run.test.line, *(line for frame, line in frames if frame.f_code.co_filename == str(path))][-1]
    return f"{path}:{line}: {_words(path, line, error)}"


def _words(path: Path, line: int, error: BaseException) -> str:
    said = one_line(str(error).partition("\n")[0], _SHOWN)
    match error:
        case Unmet():
            return str(error)
        case NotDefinedError():
            return f"nothing is called {error.name}"
        case AssertionError():
            stands = path.read_text(encoding="utf-8").split("\n")[line - 1].strip()
            return f"{stands} does not hold{f': {said}' if said else ''}"
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
