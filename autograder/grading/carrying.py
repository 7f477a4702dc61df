"""Grades questions once more that fail by an earlier one's mistake, with a right one in its place."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from autograder.course.settings import Limits
from autograder.grading.carried import Rerun, is_better, with_note
from autograder.grading.diagnosis import Submitted
from autograder.grading.judge import Judge
from autograder.grading.oracle import oracle
from autograder.grading.outcomes import Running, TestOutcome
from autograder.grading.session import Session
from autograder.report.report import QuestionReport, Verdict
from autograder.testing.inputs import Inputs


@dataclass(frozen=True, slots=True)
class Carrying:
    """Runs questions of one submission again, in workers in which right earlier answers stand in."""

    running: Running
    judge: Judge
    solution: Mapping[str, Any]  # the reference's names, for calls by a submission's later questions
    first: Session  # in which the submission ran before
    inputs: Inputs
    submitted: Submitted

    def again(self, rerun: Rerun, standing: Mapping[str, QuestionReport]) -> dict[str, QuestionReport]:
        """Run questions again with right earlier ones; return their reports, new ones where they are better.

        Of this worker nothing counts but the outcomes of these questions' tests. Where it is better and not
        all right yet, what the student reads comes from another one, as ever.
        """
        running, question = self.running, self.judge.question
        with self._right_answers(rerun) as session:
            runs = list(running.tests(session, self.inputs, running.tests_of(rerun.calls)))
        if any(run.exhausted for run in runs):
            return {}
        outcomes = [TestOutcome(run.test, run) for run in runs]
        limits = running.repair_limits
        submitted = replace(self.submitted, open=partial(self._right_answers, rerun, limits))
        again = {name: question(name, outcomes, submitted) for name in rerun.calls}
        failing = [name for name, new in again.items() if new.verdict is Verdict.FAILED]
        if unsolved := [q for q in failing if is_better(again[q], standing[q])]:
            with self._right_answers(rerun) as session:
                shown = running.disclosed(session, unsolved)
            outcomes = [replace(one, disclosed=shown.get(one.test)) for one in outcomes]
        again |= {q: question(q, outcomes, submitted, repaired=True) for q in unsolved}
        better = {q: new for q, new in again.items() if is_better(new, standing[q])}
        return {q: with_note(new, rerun.calls[q]) for q, new in better.items()}

    @contextmanager
    def _right_answers(self, rerun: Rerun, limits: Limits | None = None) -> Iterator[Session]:
        """Open a session in whose workers right earlier answers stand in."""
        functions = {name: self.solution[name] for name in rerun.earlier}
        with (
            oracle(functions, self.running.limits) as answers,
            self.first.another(self.submitted.cells, answers, limits) as session,
        ):
            yield session
