"""Grades one submission: runs its notebook in a worker, its hidden tests here, and writes the report."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch

from autograder.course.exercise import Exercise
from autograder.course.limits import Limits
from autograder.grading.diagnosis import Diagnosis
from autograder.grading.forbidden import broken_rule
from autograder.grading.graded import Graded
from autograder.grading.session import CodeCell, Session
from autograder.grading.verdicts import Verdicts
from autograder.report.report import (
    Outcome,
    QuestionReport,
    Report,
    Status,
    TestReport,
    Verdict,
    summarize,
    total,
    written,
)
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook, NotebookCell, UnreadableError
from autograder.testing.suite import Suite, TestRun


class Grader:
    """Grades submissions of one exercise; what all of them share is computed once."""

    def __init__(
        self, exercise: Exercise, forbidden: Mapping[str, Sequence[str]], limits: Limits, zygote: Zygote
    ) -> None:
        self.exercise = exercise
        self._forbidden = forbidden
        self._limits = limits
        self._zygote = zygote
        torch.set_num_threads(1)  # the tensors are small: threads would only wait for one another
        if any("torch.optim" in cell.text for cell in exercise.cells):
            zygote.make_optimizer()
        self.suite = Suite(exercise)
        self.diagnosis = Diagnosis(self.suite)

    def grade(self, notebook: Notebook) -> Graded:
        """Return what a submitted file comes to; one that is no notebook gets a report too."""
        try:
            return self.grade_cells(notebook.cells)
        except UnreadableError as error:
            return Graded(self._refused(str(error)), {})

    def grade_cells(self, cells: tuple[NotebookCell, ...]) -> Graded:
        """Return the report on a notebook that has been read."""
        code = tuple(CodeCell(cell.number, cell.text, cell.name) for cell in cells if cell.kind == "code")
        awake = tuple(cell for cell in code if cell.code not in self.exercise.demos)
        with Session(self._zygote, awake, self._limits) as session:
            session.start()
            verdicts = Verdicts(self.suite, code, session)
            runs = self.suite.run(session, refused=verdicts.refused)
            judged = [(run, verdicts.outcome(run)) for run in runs]
            results = dict(session.results)
            message = " ".join(
                f"Code cell {[cell.number for cell in code].index(number) + 1} {left_out.why}."
                for number, left_out in session.lost.items()
            )
        questions = tuple(self._question(name, judged, code) for name in self.exercise.points)
        return Graded(self._report(questions, message), results)

    def _question(
        self, name: str, judged: list[tuple[TestRun, Outcome]], code: tuple[CodeCell, ...]
    ) -> QuestionReport:
        runs = [run for run, _ in judged if run.test.question == name]
        outcomes = [outcome for _, outcome in judged if outcome.question == name]
        question = summarize(name, self.exercise.points[name], outcomes)
        wrong = {outcome.verdict for outcome in outcomes} & {Verdict.FAILED, Verdict.CRASHED}
        if wrong and (mistake := self.diagnosis.name(name, runs)):
            question = replace(question, mistake=mistake.name, hint=mistake.hint)
        used = broken_rule(name, self._forbidden.get(name, ()), (cell.code for cell in code))
        if used is None or question.verdict in (Verdict.NOT_ATTEMPTED, Verdict.NOT_DEFINED):
            return question
        return _for_review(question, used)

    def _report(self, questions: tuple[QuestionReport, ...], message: str) -> Report:
        score, maximum = total(questions)
        status = Status.GRADED if score is not None else Status.GRADER_ERROR
        return Report(
            exercise=self.exercise.name,
            status=status,
            message=message,
            score=score,
            max_score=maximum,
            sandbox=self._zygote.reported_walls,
            questions=questions + self._written(),
        )

    def _refused(self, why: str) -> Report:
        """Return the report on a file that cannot be read: nothing attempted, and why."""
        points = self.exercise.points
        questions = tuple(
            QuestionReport(name, Verdict.NOT_ATTEMPTED, 0.0, points[name], "", None, ()) for name in points
        )
        return replace(self._report(questions, why), status=Status.UNREADABLE)

    def _written(self) -> tuple[QuestionReport, ...]:
        return tuple(written(name, points) for name, points in self.exercise.written.items())


def _for_review(question: QuestionReport, used: str) -> QuestionReport:
    hint = f'This question asks you to do without "{used}". A person will look before it scores.'
    rule = TestReport("Written by hand, as the question asks.", Verdict.REVIEW, 0.0, hint)
    return replace(question, verdict=Verdict.REVIEW, score=0.0, hint=hint, tests=(*question.tests, rule))
