"""Grades questions once more that fail by an earlier one's mistake, with a right one in its place."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from autograder.course.settings import Limits
from autograder.grading.carried import Rerun, is_better, with_note
from autograder.grading.diagnosis import Submitted
from autograder.grading.judge import Judge
from autograder.grading.oracle import oracle
from autograder.grading.running import Running, defining
from autograder.grading.session import ExhaustedError, Session
from autograder.grading.verdicts import decide
from autograder.report.report import QuestionReport, TestReport, Verdict
from autograder.submission.notebook import NotebookCell
from autograder.testing.inputs import Inputs
from autograder.testing.suite import HiddenTest, TestRun
from autograder.worker.ran import Ran


@dataclass(frozen=True, slots=True)
class Carrying:
    """Runs questions of one submission again, in workers in which right earlier answers stand in."""

    running: Running
    judge: Judge
    solution: Mapping[str, Any]  # the reference's names, for calls by a submission's later questions
    first: Session  # in which the submission ran before
    cells: Sequence[NotebookCell]
    inputs: Inputs
    read: Sequence[str]  # the code cells that ran
    explain: Callable[[TestRun], TestReport]
    open_reference: Callable[[], Session]

    def again(self, rerun: Rerun, standing: Mapping[str, QuestionReport]) -> dict[str, QuestionReport]:
        """Run questions again with right earlier ones; return their reports, new ones where they are better.

        Of this worker nothing counts but the outcomes of these questions' tests. Where it is better and not
        all right yet, what the student reads comes from another one, as ever.
        """
        running, judge = self.running, self.judge
        with self._right_answers(rerun) as session:
            runs = list(running.tests(session, self.inputs, running.tests_of(rerun.calls)))
        if any(isinstance(run.error, ExhaustedError) for run in runs):
            return {}
        ran, reports = defaultdict[str, list[Ran]](list), dict[HiddenTest, TestReport]()
        for run in runs:
            reports[run.test] = decide(running.suite, run, self.inputs)
            ran[run.test.question] += run.ran
        held, shown = judge.held(self.read, ran), list[TestRun]()
        again = {name: judge.question(name, reports, shown, held.get(name)) for name in rerun.calls}
        failing = [name for name, new in again.items() if new.verdict is Verdict.FAILED]
        if unsolved := [q for q in failing if is_better(again[q], standing[q])]:
            with self._right_answers(rerun) as session:
                shown = running.disclosed(session, unsolved)
        failed = {test for test, report in reports.items() if report.verdict is Verdict.FAILED}
        reports |= {run.test: self.explain(run) for run in shown if run.test in failed}
        submitted = Submitted(
            defining(self.cells),
            partial(self._right_answers, rerun, running.repair_limits),
            self.open_reference,
        )
        again |= {q: judge.question(q, reports, shown, held.get(q), submitted) for q in unsolved}
        better = {q: new for q, new in again.items() if is_better(new, standing[q])}
        return {q: with_note(new, rerun.calls[q]) for q, new in better.items()}

    @contextmanager
    def _right_answers(self, rerun: Rerun, limits: Limits | None = None) -> Iterator[Session]:
        """Open a session in whose workers right earlier answers stand in."""
        functions = {name: self.solution[name] for name in rerun.earlier}
        with (
            oracle(functions, self.running.limits) as answers,
            self.first.another(defining(self.cells), answers, limits) as session,
        ):
            yield session
