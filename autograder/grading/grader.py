"""Grades one submission: runs its notebook in a worker, its hidden tests here, and writes the report."""

import json
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import torch

from autograder.course.building import Building
from autograder.course.exercise import Exercise
from autograder.course.limits import Limits
from autograder.course.names import checked_question
from autograder.course.rule import Rule
from autograder.grading.by_hand import broken_rule
from autograder.grading.carried import Rerun, is_better, reruns, with_note
from autograder.grading.diagnosis import Diagnosis
from autograder.grading.examples import Examples
from autograder.grading.explanation import Explainer
from autograder.grading.graded import Graded, report_on
from autograder.grading.oracle import oracle
from autograder.grading.ran_cell import RanCell, ran_cells
from autograder.grading.session import LOST, ExhaustedError, Session
from autograder.grading.verdicts import decide
from autograder.grading.wording import leading, stated
from autograder.report.report import QuestionReport, Status, TestReport, Verdict, summarize
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook, NotebookCell, UnreadableError
from autograder.testing.inputs import DISCLOSED, Inputs, hidden_inputs
from autograder.testing.suite import HiddenTest, Suite, TestRun
from autograder.worker.namespace import run_code
from autograder.worker.ran import Ran

_ALONE = Building()
_SHARE_AGAIN = 0.25  # of a submission's time, for running questions once more in a worker with right answers


class Grader:
    """Grades submissions of one exercise; what all of them share is computed once.

    1. The notebook runs in a worker, and what its cells show is kept.
    2. Where a visible check fails, the question's tests run on disclosed inputs; the worker knows no others.
       A test that fails so has failed.
    3. All other tests run on hidden inputs, which `secret` gives this submission. They decide the score.
    4. If a question fails unforeseen, its tests run on disclosed inputs in a new worker, after the end of the
       first. Disclosed runs supply what the student reads, and the name of the mistake.
    5. If a question fails that builds on another one that fails, its tests run once more, on disclosed and
       on hidden inputs, in a new worker in which a right one stands in. The better score counts.
    """

    def __init__(
        self,
        exercise: Exercise,
        rules: Mapping[str, Rule],
        limits: Limits,
        zygote: Zygote,
        secret: bytes,
        building: Building = _ALONE,
        no_examples: Container[str] = (),
    ) -> None:
        self.exercise = exercise
        self.rules = rules
        self.building = building
        self._limits = limits
        self._zygote = zygote
        self._secret = secret
        torch.set_num_threads(1)  # the tensors are small: threads would only wait for one another
        if any("torch.optim" in cell.text for cell in exercise.cells):
            zygote.make_optimizer()
        self.suite = Suite(exercise)
        self.diagnosis = Diagnosis(self.suite)
        self._examples = Examples(self.suite, no_examples)

    def grade(self, notebook: Notebook) -> Graded:
        """Grade a submitted file; one that is no notebook gets a report too."""
        try:
            return self.grade_cells(notebook.cells)
        except UnreadableError as error:
            points = self.exercise.points.items()
            questions = tuple(QuestionReport(name, Verdict.NOT_ATTEMPTED, 0.0, most) for name, most in points)
            report = report_on(self.exercise, questions, self._zygote.reported_walls, str(error))
            return Graded(replace(report, status=Status.UNREADABLE), {})

    def grade_cells(self, cells: tuple[NotebookCell, ...], inputs: Inputs | None = None) -> Graded:
        """Grade a notebook that has been read, with the hidden inputs that belong to its code, or others."""
        code = tuple(cell for cell in cells if cell.kind == "code")
        if inputs is None:
            text = json.dumps([cell.text for cell in code])
            inputs = hidden_inputs(self._secret, self.exercise.name, text)
        needed = tuple(cell for cell in code if not self.exercise.only_draws(cell.text))
        with Session(self._zygote, needed, self._limits) as session:
            session.start()
            early = _fails_its_check(needed, session)
            runs = self._disclosed_runs(session, early)
            ran, known = defaultdict[str, list[Ran]](list), dict[HiddenTest, TestReport]()
            for run in runs:
                ran[run.test.question] += run.ran
                if (report := decide(self.suite, run, DISCLOSED)).verdict is Verdict.FAILED:
                    known[run.test] = report
            for run in self._run(session, inputs, set(self.suite.tests) - known.keys()):
                ran[run.test.question] += run.ran
                known[run.test] = decide(self.suite, run, inputs)
        decided = {test: known[test] for test in self.suite.tests}
        read = tuple(ran_cells(needed, session.results))
        held = self._held(read, ran)
        questions = {test.question for test, report in decided.items() if report.verdict is Verdict.FAILED}
        if late := (questions | held.keys()) - early:
            runs += self.runs_in_new_worker(session, needed, late)
        explain = Explainer(self.suite, code, session).explain
        failed = (run for run in runs if decided[run.test].verdict is Verdict.FAILED)
        reports = decided | {run.test: explain(run) for run in failed}
        standing = {n: self._question(n, reports, runs, held.get(n)) for n in self.exercise.points}
        for rerun in reruns(self.building, standing, needed):
            standing |= self._carried(rerun, standing, session, needed, inputs, read, explain)
        walls, message = self._zygote.reported_walls, _message(session, code)
        return Graded(report_on(self.exercise, tuple(standing.values()), walls, message), session.results)

    def _run(
        self, session: Session, inputs: Inputs, chosen: Container[HiddenTest] | None = None
    ) -> Iterator[TestRun]:
        """Run tests; where one of them loses the worker, no more tests of its question are run."""
        lost: dict[str, BaseException] = {}
        for run in self.suite.run(session, inputs, chosen, lost.get, self.rules):
            if isinstance(run.error, LOST):
                lost.setdefault(run.test.question, run.error)
            yield run

    def _disclosed_runs(self, session: Session, questions: Container[str]) -> list[TestRun]:
        """Run all tests of these questions on inputs that may be shown, in a worker that knows no others.

        All of them, since a known mistake is known by the tests that it passes, too.
        """
        chosen = self._tests_of(questions)
        return list(self._run(session, DISCLOSED, chosen)) if chosen else []

    def _tests_of(self, questions: Container[str]) -> set[HiddenTest]:
        return {test for test in self.suite.tests if test.question in questions}

    def runs_in_new_worker(
        self, first: Session, cells: Sequence[NotebookCell], questions: Container[str]
    ) -> list[TestRun]:
        """Make disclosed runs after hidden ones; the worker that knows hidden inputs has ended.

        The visible checks define nothing, so the new worker does without them, and without the cells that
        cost the first one its life.
        """
        with Session(self._zygote, _defining(cells), self._limits, first.lost) as session:
            return self._disclosed_runs(session, questions)

    @cached_property
    def _solution(self) -> Mapping[str, Any]:
        """The reference's names, for calls by a submission's later questions."""
        return run_code(self.exercise.reference).variables

    def _carried(
        self,
        rerun: Rerun,
        standing: Mapping[str, QuestionReport],
        first: Session,
        cells: Sequence[NotebookCell],
        inputs: Inputs,
        read: Sequence[RanCell],
        explain: Callable[[TestRun], TestReport],
    ) -> dict[str, QuestionReport]:
        """Run questions again with right earlier ones; return their reports, new ones where they are better.

        Of this worker nothing counts but the outcomes of these questions' tests. Where it is better and not
        all right yet, what the student reads comes from another one, as ever.
        """
        with self._right_answers(rerun, first, cells) as session:
            runs = list(self._run(session, inputs, self._tests_of(rerun.calls)))
        if any(isinstance(run.error, ExhaustedError) for run in runs):
            return {}
        ran, reports = defaultdict[str, list[Ran]](list), dict[HiddenTest, TestReport]()
        for run in runs:
            reports[run.test] = decide(self.suite, run, inputs)
            ran[run.test.question] += run.ran
        held, shown = self._held(read, ran), list[TestRun]()
        again = {name: self._question(name, reports, shown, held.get(name)) for name in rerun.calls}
        better = {q: new for q, new in again.items() if is_better(new, standing[q])}
        if unsolved := [q for q, new in better.items() if new.verdict is Verdict.FAILED]:
            with self._right_answers(rerun, first, cells) as session:
                shown = self._disclosed_runs(session, unsolved)
        failed = {test for test, report in reports.items() if report.verdict is Verdict.FAILED}
        reports |= {run.test: explain(run) for run in shown if run.test in failed}
        better |= {q: self._question(q, reports, shown, held.get(q)) for q in unsolved}
        return {q: with_note(new, rerun.calls[q]) for q, new in better.items()}

    @contextmanager
    def _right_answers(
        self, rerun: Rerun, first: Session, cells: Sequence[NotebookCell]
    ) -> Iterator[Session]:
        """Open a session in whose workers right earlier answers stand in."""
        functions = {name: self._solution[name] for name in rerun.earlier}
        limits = replace(self._limits, total_seconds=self._limits.total_seconds * _SHARE_AGAIN)
        with (
            oracle(functions, limits) as answers,
            Session(self._zygote, _defining(cells), limits, first.lost, answers) as session,
        ):
            yield session

    def _held(
        self, cells: Sequence[RanCell], ran: Mapping[str, Sequence[Ran]]
    ) -> dict[str, Callable[[Sequence[Ran]], str | None]]:
        """Return the questions whose rules seem broken, each with what says why, given the disclosed runs."""
        why = {n: partial(broken_rule, n, r, cells, ran.get(n, ())) for n, r in self.rules.items()}
        return {name: say for name, say in why.items() if say(()) is not None}

    def _question(
        self,
        name: str,
        reports: Mapping[HiddenTest, TestReport],
        runs: Sequence[TestRun],
        why_held: Callable[[Sequence[Ran]], str | None] | None,
    ) -> QuestionReport:
        explained = {test: report for test, report in reports.items() if test.question == name}
        told = stated(explained)
        question = summarize(name, self.exercise.points[name], tuple(told.values()))
        wrong = {test.verdict for test in question.tests} & {Verdict.FAILED, Verdict.CRASHED}
        own = [run for run in runs if run.test.question == name]
        if wrong and (mistake := self.diagnosis.name(name, own)):
            question = replace(question, mistake=mistake.name, hint=mistake.hint)
        elif question.verdict is Verdict.FAILED:
            words = leading(explained, told, self.diagnosis.rarity)
            question = replace(question, hint=words or question.hint)
        if why_held is None or question.verdict in (Verdict.NOT_ATTEMPTED, Verdict.NOT_DEFINED):
            return replace(question, shown=self._examples.of(name, explained, own))
        hint = why_held([shown for run in own for shown in run.ran]) or ""
        rule = TestReport("Written by hand, as the question asks.", Verdict.REVIEW, 0.0, hint)
        return replace(question, verdict=Verdict.REVIEW, score=0.0, hint=hint, tests=(*question.tests, rule))


def _defining(cells: Sequence[NotebookCell]) -> list[NotebookCell]:
    """Return the cells without the visible checks, which define nothing."""
    return [cell for cell in cells if checked_question(cell.name) is None]


def _fails_its_check(cells: Sequence[NotebookCell], session: Session) -> frozenset[str]:
    """Return the questions whose visible checks raise an error: hidden tests will mostly fail, too."""
    failed = {number for number, result in session.results.items() if result.error}
    return frozenset(checked_question(cell.name) or "" for cell in cells if cell.number in failed)


def _message(session: Session, code: Sequence[NotebookCell]) -> str:
    """Say which cells were left out, by the numbers that students count."""
    numbers = [cell.number for cell in code]
    return " ".join(f"Code cell {numbers.index(n) + 1} {lost.why}." for n, lost in session.lost.items())
