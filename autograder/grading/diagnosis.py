"""Names the mistake in a submission that fails as a known mistake does, value for value."""

from collections.abc import Sequence
from functools import cache
from warnings import catch_warnings

from autograder.course.exercise import Mistake
from autograder.course.reference import reference_errors
from autograder.grading.same_answer import same_exchanges
from autograder.testing.exchange import Local, StudentError
from autograder.testing.suite import Suite, TestRun
from autograder.worker.namespace import run_code


class Diagnosis:
    """Compares a submission's answers with those that each known mistake gives to the same tests."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self.runs = cache(self._runs)

    def name(self, question: str, runs: Sequence[TestRun]) -> Mistake | None:
        """Return the one mistake that explains every failed test of `question`, or None.

        Several files may hold one mistake in different writings; they share a name.
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
        exercise = self._suite.exercise
        with catch_warnings(action="ignore"):  # the mistake may deserve a warning, but nobody here made it
            with reference_errors(exercise, mistake):
                namespace = run_code(exercise.variant(mistake.code))
            return tuple(self._suite.run(Local(namespace), chosen=self._suite.of(mistake.question)))


def _explains(known: Sequence[TestRun], seen: Sequence[TestRun]) -> bool:
    """Whether the same tests fail, each after the same answers.

    The words of a clash of shapes depend on how the product is written. So any two clashes count as the same,
    but only where at least one failed test got the same value.
    """
    if [run.error is None for run in known] != [run.error is None for run in seen]:
        return False
    failed = [(a, b) for a, b in zip(known, seen, strict=True) if a.error is not None]
    same = [same_exchanges(a.exchanges, b.exchanges) for a, b in failed]
    same_value = any(
        ok and not isinstance(b.error, StudentError) for ok, (_, b) in zip(same, failed, strict=True)
    )
    clashes_aside = (same_exchanges(a.exchanges, b.exchanges, ignore_shape_wording=True) for a, b in failed)
    return all(same) or (same_value and all(clashes_aside))
