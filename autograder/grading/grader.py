"""Grades one submission: runs its notebook in a worker, its hidden tests here, and writes the report."""

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace

import torch

from autograder.course.exercise import Exercise
from autograder.course.limits import Limits
from autograder.course.names import checked_question
from autograder.grading.diagnosis import Diagnosis
from autograder.grading.explanation import Explainer
from autograder.grading.forbidden import broken_rule
from autograder.grading.graded import Graded, report_on
from autograder.grading.session import LOST, Session
from autograder.grading.verdicts import decide
from autograder.report.report import QuestionReport, Status, TestReport, Verdict, summarize
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook, NotebookCell, UnreadableError
from autograder.testing.inputs import DISCLOSED, Inputs, hidden_inputs
from autograder.testing.suite import HiddenTest, Suite, TestRun


class Grader:
    """Grades submissions of one exercise; what all of them share is computed once.

    1. The notebook runs in a worker, and what its cells show is kept.
    2. The hidden tests run on it, with the inputs that `secret` gives this submission. They decide the score.
    3. The failed ones run again on disclosed inputs, in a new worker after the end of the first. They supply
       what the student reads, and the name of the mistake.
    """

    def __init__(
        self,
        exercise: Exercise,
        forbidden: Mapping[str, Sequence[str]],
        limits: Limits,
        zygote: Zygote,
        secret: bytes,
    ) -> None:
        self.exercise = exercise
        self._forbidden = forbidden
        self._limits = limits
        self._zygote = zygote
        self._secret = secret
        torch.set_num_threads(1)  # the tensors are small: threads would only wait for one another
        if any("torch.optim" in cell.text for cell in exercise.cells):
            zygote.make_optimizer()
        self.suite = Suite(exercise)
        self.diagnosis = Diagnosis(self.suite)

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
        needed = tuple(cell for cell in code if cell.text not in self.exercise.demos)
        with Session(self._zygote, needed, self._limits) as session:
            session.start()
            decided = {run.test: decide(self.suite, run, inputs) for run in self._run(session, inputs)}
        runs = self.disclosed_runs(session, needed, decided)
        explain = Explainer(self.suite, code, session).explain
        failed = (run for run in runs if decided[run.test].verdict is Verdict.FAILED)
        reports = decided | {run.test: explain(run) for run in failed}
        questions = tuple(self._question(name, reports, runs, code) for name in self.exercise.points)
        walls = self._zygote.reported_walls
        return Graded(report_on(self.exercise, questions, walls, _message(session, code)), session.results)

    def _run(
        self, session: Session, inputs: Inputs, chosen: Container[HiddenTest] | None = None
    ) -> Iterator[TestRun]:
        """Run tests; where one of them loses the worker, no more tests of its question are run."""
        lost: dict[str, BaseException] = {}
        for run in self.suite.run(session, inputs, chosen, lost.get):
            if isinstance(run.error, LOST):
                lost.setdefault(run.test.question, run.error)
            yield run

    def disclosed_runs(
        self, first: Session, cells: Sequence[NotebookCell], decided: Mapping[HiddenTest, TestReport]
    ) -> tuple[TestRun, ...]:
        """Run all tests of the failed questions again, on inputs that may be shown.

        All of them, since a known mistake is known by the tests that it passes, too. The worker is new, and
        the one that knows hidden inputs has ended. The visible checks define nothing, so it does without
        them, and without the cells that cost the first one its life.
        """
        failed = {test.question for test, report in decided.items() if report.verdict is Verdict.FAILED}
        if not failed:
            return ()
        chosen = {test for test in decided if test.question in failed}
        defining = [cell for cell in cells if checked_question(cell.name) is None]
        with Session(self._zygote, defining, self._limits, first.lost) as session:
            return tuple(self._run(session, DISCLOSED, chosen))

    def _question(
        self,
        name: str,
        reports: Mapping[HiddenTest, TestReport],
        runs: Sequence[TestRun],
        code: tuple[NotebookCell, ...],
    ) -> QuestionReport:
        tests = tuple(report for test, report in reports.items() if test.question == name)
        question = summarize(name, self.exercise.points[name], tests)
        wrong = {test.verdict for test in tests} & {Verdict.FAILED, Verdict.CRASHED}
        own = [run for run in runs if run.test.question == name]
        if wrong and (mistake := self.diagnosis.name(name, own)):
            question = replace(question, mistake=mistake.name, hint=mistake.hint)
        if question.verdict in (Verdict.NOT_ATTEMPTED, Verdict.NOT_DEFINED):
            return question
        used = broken_rule(name, self._forbidden.get(name, ()), (cell.text for cell in code))
        if used is None:
            return question
        hint = f'This question asks you to do without "{used}". A person will look before it scores.'
        rule = TestReport("Written by hand, as the question asks.", Verdict.REVIEW, 0.0, hint)
        return replace(question, verdict=Verdict.REVIEW, score=0.0, hint=hint, tests=(*question.tests, rule))


def _message(session: Session, code: Sequence[NotebookCell]) -> str:
    """Say which cells were left out, by the numbers that students count."""
    numbers = [cell.number for cell in code]
    return " ".join(f"Code cell {numbers.index(n) + 1} {lost.why}." for n, lost in session.lost.items())
