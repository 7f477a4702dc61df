"""Recognizes a mistake if the student's code gives the same results as a known wrong answer.

Two answers give the same results if they fail the same tests and return the same values in these tests. They
are compared on two sets of disclosed inputs, which students may see.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import compress
from typing import Any, NamedTuple
from warnings import catch_warnings

from autograder.course.answers import Answer
from autograder.diagnosis.misconceptions import Misconception
from autograder.diagnosis.same import close_rows, same_exchanges
from autograder.testing.exchange import Local
from autograder.testing.inputs import DISCLOSED, Inputs
from autograder.testing.suite import HiddenTest, Run, Suite
from autograder.worker.namespace import silence

Mistake = Misconception | Answer
SECOND = Inputs(b"disclosed, a second set")
_LEAST_NUMBERS = 4  # the least number of finite numbers in the replies to a test; fewer can agree by chance


class WrongCode(NamedTuple):
    """The code of a known wrong answer, with its mistake."""

    mistake: Mistake
    code: str
    # Whether few students write such code. `mistakes` prefers other code with the same results.
    late: bool = False


class KnownResults:
    """The results of known wrong answers to a question."""

    def __init__(self, suite: Suite, question: str, wrong_answers: Sequence[WrongCode]) -> None:
        self._suite, self._question, self._wrong_answers = suite, question, wrong_answers
        self._backend = lru_cache(None)(self._define)
        self._run = lru_cache(None)(self._run_code)
        self._numbers_of = lru_cache(None)(self._known_numbers)

    def equal_in(self, failed: Run) -> tuple[int, ...]:
        """Return the indices of the known wrong answers with the same results as a failed run of a test."""
        numbers = _numbers(failed)
        if numbers is None or not isinstance(failed.error, AssertionError):
            return ()
        indices, rows = self._numbers_of(failed.test).get(len(numbers), ((), None))
        close = compress(indices, close_rows(rows, numbers)) if indices else ()
        return tuple(index for index in close if _is_same(self._run_known(index, failed.test), failed))

    def mistakes(self, failed: Run, run: Callable[[HiddenTest, Inputs], Run]) -> tuple[Mistake, ...]:
        """Return the mistakes of the known wrong answers with the same results as a student's code.

        `failed` is the run of a failed test on the student's code, with disclosed inputs. `run` runs a test
        on the same code.
        """
        equal = self.equal_in(failed)
        for inputs in (DISCLOSED, SECOND):
            for test in self._suite.of(self._question):
                if not equal:
                    return ()
                actual = run(test, inputs)
                equal = tuple(one for one in equal if _is_same(self._run_known(one, test, inputs), actual))
        answers = [self._wrong_answers[index] for index in equal]
        common = [answer for answer in answers if not answer.late] or answers
        unique = dict[str, Mistake]()
        for answer in common:
            unique.setdefault(answer.mistake.name.rpartition("__")[2], answer.mistake)
        return tuple(unique.values())

    def _known_numbers(self, test: HiddenTest) -> Mapping[int, tuple[Sequence[int], Any]]:
        """Return the known wrong answers that fail the test, grouped by how many numbers they return.

        A group has the indices of its answers, and a matrix with a row of numbers for each answer.
        """
        import torch

        indices = (at for at, wrong in enumerate(self._wrong_answers) if self._backend(wrong.code))
        runs = [(index, self._run_known(index, test)) for index in indices]
        rows_by_length = defaultdict[int, dict[int, Any]](dict)
        for index, run in runs:
            if run.error is not None and (numbers := _numbers(run)) is not None:
                rows_by_length[len(numbers)][index] = numbers
        return {size: ([*rows], torch.stack([*rows.values()])) for size, rows in rows_by_length.items()}

    def failed_runs(self, code: str) -> tuple[Run, ...] | None:
        """Return the failed runs of wrong code on disclosed inputs, or None if the code raises an error."""
        if self._backend(code) is None:
            return None
        runs = (self._run(code, test, DISCLOSED) for test in self._suite.of(self._question))
        return tuple(run for run in runs if run.error is not None)

    def _run_known(self, index: int, test: HiddenTest, inputs: Inputs = DISCLOSED) -> Run:
        return self._run(self._wrong_answers[index].code, test, inputs)

    def _run_code(self, code: str, test: HiddenTest, inputs: Inputs) -> Run:
        backend = self._backend(code)
        assert backend is not None  # callers skip code that raises an error when it runs
        with catch_warnings(action="ignore"), silence():
            return self._suite.run_one(test, backend, inputs)

    def _define(self, code: str) -> Local | None:
        """Return the wrong code, ready to be tested, or None if the code raises an error."""
        with catch_warnings(action="ignore"), silence():
            try:
                return Local(self._suite.namespace(self._suite.exercise.variant(code)))
            except Exception:  # generated code may raise any error
                return None


def _numbers(run: Run) -> Any:
    """Return all numbers of the tensors in a run's replies as a vector, or None if too few are finite."""
    import torch

    parts = [part for exchange in run.exchanges for part in exchange.reply[1] if hasattr(part, "numel")]
    numbers = torch.cat([part.detach().reshape(-1).double() for part in parts or [torch.empty(0)]])
    return numbers if int(numbers.isfinite().sum()) >= _LEAST_NUMBERS else None


def _is_same(expected: Run, actual: Run) -> bool:
    """Whether two runs of a test both pass, or both fail with the same replies."""
    if expected.error is None or actual.error is None:
        return expected.error is actual.error
    return same_exchanges(expected.exchanges, actual.exchanges)
