"""Names a mistake: an answer that fails as a known mistake fails, value for value, is that mistake."""

from collections.abc import Sequence
from functools import cache
from warnings import catch_warnings

from autograder.course.exercise import Mistake
from autograder.course.reference import reference_errors
from autograder.grading.same_answer import same_exchanges
from autograder.testing.student import Local, StudentError
from autograder.testing.suite import Suite, TestRun
from autograder.worker.namespace import run_code


class Diagnosis:
    """Compares what a submission answered with what each known mistake answers to the same tests."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self.runs = cache(self._runs)

    def name(self, question: str, runs: Sequence[TestRun]) -> Mistake | None:
        """Return the one mistake that explains every failed test of `question`, or None.

        A mistake may be known in several writings, which have one name.
        """
        if all(run.error is None for run in runs):
            return None
        found = [
            mistake
            for mistake in self._suite.exercise.mistakes
            if mistake.question == question and _explains(self.runs(mistake), runs)
        ]
        return found[0] if len({mistake.name for mistake in found}) == 1 else None

    def _runs(self, mistake: Mistake) -> tuple[TestRun, ...]:
        with catch_warnings(action="ignore"):  # mistakes may well deserve them, but nobody here makes one
            with reference_errors(self._suite.exercise, mistake):
                namespace = run_code(self._suite.exercise.variant(mistake.code))
            return tuple(self._suite.run(Local(namespace), mistake.question))


def _explains(known: Sequence[TestRun], seen: Sequence[TestRun]) -> bool:
    """Whether the same tests fail, each after the same answers.

    Shapes that clash do so in many words, which depend on how a product is written: one clash is as good as
    another where at least one failed test got the same value.
    """
    failed = [(a, b) for a, b in zip(known, seen, strict=True) if a.error is not None or b.error is not None]
    if any(a.error is None or b.error is None for a, b in failed):
        return False
    same = [same_exchanges(a.exchanges, b.exchanges, any_misfit=False) for a, b in failed]
    if all(same):
        return True
    certain = any(
        alike and not isinstance(b.error, StudentError) for alike, (_, b) in zip(same, failed, strict=True)
    )
    return certain and all(same_exchanges(a.exchanges, b.exchanges, any_misfit=True) for a, b in failed)
