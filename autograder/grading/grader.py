"""Grades one submission: runs its notebook in a worker, its hidden tests here, and writes the report."""

from collections.abc import Mapping
from dataclasses import replace

import torch

from autograder.course.exercise import Exercise
from autograder.course.limits import Limits
from autograder.course.rule import Rule
from autograder.grading.by_hand import broken_rule
from autograder.grading.diagnosis import Diagnosis
from autograder.grading.graded import Graded, report_on
from autograder.grading.ran_cell import RanCell, ran_cells
from autograder.grading.session import Session
from autograder.grading.verdicts import Verdicts
from autograder.report.report import QuestionReport, Status, TestReport, Verdict, summarize
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook, NotebookCell, UnreadableError
from autograder.testing.suite import Suite, TestRun


class Grader:
    """Grades submissions of one exercise; what all of them share is computed once."""

    def __init__(self, exercise: Exercise, rules: Mapping[str, Rule], limits: Limits, zygote: Zygote) -> None:
        self.exercise = exercise
        self._rules = rules
        self._limits = limits
        self._zygote = zygote
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

    def grade_cells(self, cells: tuple[NotebookCell, ...]) -> Graded:
        """Grade a notebook that has been read."""
        code = tuple(cell for cell in cells if cell.kind == "code")
        needed = tuple(cell for cell in code if cell.text not in self.exercise.demos)
        with Session(self._zygote, needed, self._limits) as session:
            session.start()
            verdicts = Verdicts(self.suite, code, session)
            runs = self.suite.run(session, refused=verdicts.refused, recorded=self._rules)
            reported = [(run, verdicts.report(run)) for run in runs]
        ran = tuple(ran_cells(needed, session.results))
        questions = tuple(self._question(name, reported, ran) for name in self.exercise.points)
        numbers = [cell.number for cell in code]
        message = " ".join(
            f"Code cell {numbers.index(n) + 1} {lost.why}." for n, lost in session.lost.items()
        )
        return Graded(
            report_on(self.exercise, questions, self._zygote.reported_walls, message), session.results
        )

    def _question(
        self, name: str, reported: list[tuple[TestRun, TestReport]], cells: tuple[RanCell, ...]
    ) -> QuestionReport:
        runs = [run for run, _ in reported if run.test.question == name]
        tests = tuple(test for run, test in reported if run.test.question == name)
        question = summarize(name, self.exercise.points[name], tests)
        wrong = {test.verdict for test in tests} & {Verdict.FAILED, Verdict.CRASHED}
        if wrong and (mistake := self.diagnosis.name(name, runs)):
            question = replace(question, mistake=mistake.name, hint=mistake.hint)
        if question.verdict in (Verdict.NOT_ATTEMPTED, Verdict.NOT_DEFINED):
            return question
        said = [ran for run in runs for ran in run.ran]
        hint = broken_rule(name, self._rules.get(name, Rule()), cells, said)
        if hint is None:
            return question
        rule = TestReport("Written by hand, as the question asks.", Verdict.REVIEW, 0.0, hint)
        return replace(question, verdict=Verdict.REVIEW, score=0.0, hint=hint, tests=(*question.tests, rule))
