"""Grades one submission: runs its notebook in a worker, its hidden tests here, and writes the report."""

import json
import traceback
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from autograder.course.code import bound_names
from autograder.course.course import Course, course_secret
from autograder.course.exercise import Exercise
from autograder.course.names import checked_question
from autograder.course.rule import Rule
from autograder.course.settings import DEFAULT_REPAIRS, Limits, Repairs
from autograder.errors import AutograderError
from autograder.grading.carried import graded_again, reruns
from autograder.grading.diagnosis import Diagnosis
from autograder.grading.examples import Examples
from autograder.grading.explanation import Submitted
from autograder.grading.graded import Graded, failure_report, report_on
from autograder.grading.judge import Judge
from autograder.grading.outcomes import TestOutcome, told_bits
from autograder.grading.session import FORGED, Session
from autograder.report.report import QuestionReport, Report, Status, Verdict
from autograder.report.text import writable
from autograder.sandbox.errors import StarvedError, ZygoteError
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook, NotebookCell, UnreadableError
from autograder.testing.inputs import Inputs, hidden_inputs
from autograder.testing.suite import HiddenTest, Suite, use_one_thread

_BUSY = "The machine was too busy to grade this submission."
_MAX_PROBLEM, _MAX_TRACEBACK = 2000, 20_000  # characters: an error may quote what a submission sent
_ANOTHER_FILE = "This file defines nothing that the exercise asks for. An instructor will look at it."
Outcomes = dict[HiddenTest, TestOutcome]


class Grader:
    """Grades submissions of one exercise; what all of them share is computed once.

    1. The notebook runs in a worker, and what its cells show is kept.
    2. Where a visible check fails, the question's tests run on disclosed inputs; the worker knows no others.
       A test that fails so has failed. Where a check was answered with a forgery, all of them have.
    3. All other tests run on hidden inputs, which `secret` gives this submission. They decide the score.
    4. If a question fails unforeseen, its tests run on disclosed inputs in a new worker, after the end of the
       first. Disclosed runs supply what the student reads, and the name of the mistake.
    5. If a question fails that builds on another one that fails, its tests run once more, on disclosed and
       on hidden inputs, in a new worker in which a right one stands in. The better score counts.
    6. Repairs of the submission's code are looked for in one more worker that knows no hidden inputs. They
       say what is wrong, and change no score. With `marks_only` nobody looks for them.
    """

    def __init__(
        self,
        exercise: Exercise,
        rules: Mapping[str, Rule],
        limits: Limits,
        zygote: Zygote,
        secret: bytes,
        builds_on: Mapping[str, Sequence[str]] = {},
        repairs: Repairs = DEFAULT_REPAIRS,
    ) -> None:
        self.marks_only = False
        self.exercise = exercise
        self.builds_on = builds_on
        self._limits, self._zygote, self._secret = limits, zygote, secret
        use_one_thread(exercise)
        if any("torch.optim" in cell.text for cell in exercise.cells):
            zygote.make_optimizer()
        self.suite = Suite(exercise)
        self._judge = Judge(self.suite, rules, Diagnosis(self.suite, repairs), Examples(self.suite))

    @classmethod
    def of_course(cls, course: Course, exercise: Exercise, zygote: Zygote, secret: bytes) -> "Grader":
        """Make a grader of one of the course's exercises, with all that course.yaml says about it."""
        own, repairs = exercise.settings, course.repairs(exercise)
        return cls(exercise, exercise.rules, own.limits, zygote, secret, own.builds_on, repairs)

    @property
    def told_bits(self) -> int:
        """How many bits about hidden inputs a report can tell, at most."""
        return told_bits(len(self.suite.tests), len(self._judge.rules), len(self.builds_on))

    def grade(self, notebook: Notebook) -> Graded:
        """Grade a submitted file; one that is no notebook gets a report too."""
        try:
            inputs = hidden_inputs(self._secret, self.exercise.name, notebook.digest)
            return self.grade_cells(notebook.cells, inputs)
        except UnreadableError as error:
            points = self.exercise.points.items()
            questions = [QuestionReport(name, Verdict.NOT_ATTEMPTED, 0.0, most) for name, most in points]
            return Graded(replace(self._report(questions, str(error)), status=Status.UNREADABLE))

    def grade_cells(
        self,
        cells: tuple[NotebookCell, ...],
        inputs: Inputs | None = None,
        asked: Container[str] | None = None,
    ) -> Graded:
        """Grade a notebook's cells with these hidden inputs, or those of their code where there is no file.

        Only the questions in `asked` are graded, if it is there, and stand in the report.
        """
        names = [name for name in self.exercise.points if asked is None or name in asked]
        code = tuple(cell for cell in cells if cell.kind == "code")
        if inputs is None:
            text = json.dumps([cell.text for cell in code])
            inputs = hidden_inputs(self._secret, self.exercise.name, text)
        needed = tuple(cell for cell in code if not self.exercise.needs_no_run(cell.text))
        with Session(self._zygote, needed, self._limits) as session:
            session.start()
            outcomes = self._decided(session, inputs, names)
        submitted = Submitted(self.exercise, code, session)
        outcomes = self._with_disclosed(outcomes, submitted, names)
        questions = self._questions(outcomes, submitted, inputs, names)
        message = _message(session, code)
        if asked is None and not any(name in bound_names(cell.text) for cell in code for name in names):
            message = f"{message} {_ANOTHER_FILE}".lstrip()
            questions = [
                replace(question, verdict=Verdict.REVIEW, hint=_ANOTHER_FILE, place=None)
                for question in questions
            ]
        return Graded(self._report(questions, message), session.results)

    def _report(self, questions: Sequence[QuestionReport], message: str) -> Report:
        return report_on(self.exercise, tuple(questions), self._zygote.reported_walls, message)

    def _decided(self, session: Session, inputs: Inputs, names: Sequence[str]) -> Outcomes:
        """Run the tests of these questions until all are decided."""
        judge, errors = self._judge, {number for number, one in session.results.items() if one.error}
        forged = _checked_in(session, {number for number, why in session.lost.items() if why is FORGED})
        outcomes = judge.forged(forged & frozenset(names))
        # Where a visible check raises an error, hidden tests will mostly fail, too.
        disclosed = judge.disclosed(session, (_checked_in(session, errors) - forged) & frozenset(names))
        first = (TestOutcome(test, run, run) for test, run in disclosed.items())
        outcomes |= {outcome.test: outcome for outcome in first if outcome.failed}
        tests = [test for test in self.suite.tests if test.question in names]
        for run in judge.run(session, inputs, set(tests) - outcomes.keys()):
            outcomes[run.test] = TestOutcome(run.test, run, disclosed.get(run.test))
        return {test: outcomes[test] for test in tests}

    def _with_disclosed(self, outcomes: Outcomes, submitted: Submitted, names: Sequence[str]) -> Outcomes:
        """Add disclosed runs of questions that fail or wait for an instructor, and that have none.

        They take place in a new worker: the one that knows hidden inputs has ended.
        """
        ran, judge = submitted.ran, self._judge
        questions = {test.question for test, outcome in outcomes.items() if outcome.failed}
        questions |= {name for name in names if judge.held(name, outcomes.values(), ran) is not None}
        questions -= {test.question for test, outcome in outcomes.items() if outcome.disclosed}
        if not questions:
            return outcomes
        with submitted.open() as later:
            runs = judge.disclosed(later, questions)
        return {test: replace(o, disclosed=runs.get(test, o.disclosed)) for test, o in outcomes.items()}

    def _questions(
        self, outcomes: Outcomes, submitted: Submitted, inputs: Inputs, names: Sequence[str]
    ) -> list[QuestionReport]:
        """Judge and explain these questions, some of them with right earlier answers."""
        judge, repaired = self._judge, not self.marks_only
        standing = {name: judge.question(name, outcomes.values(), submitted) for name in names}
        again: dict[str, QuestionReport] = {}
        for rerun in reruns(self.builds_on, standing, submitted.session.cells):
            again |= graded_again(rerun, standing, judge, inputs, submitted, outcomes, repaired=repaired)
        return [
            again[name] if name in again
            else question if question.verdict is Verdict.PASSED
            else judge.explained(question, outcomes.values(), submitted, repaired=repaired)
            for name, question in standing.items()
        ]  # fmt: skip


def _checked_in(session: Session, numbers: Container[int]) -> frozenset[str]:
    """Return the questions that the cells of these numbers check."""
    return frozenset(checked_question(cell.name) or "" for cell in session.cells if cell.number in numbers)


def _message(session: Session, code: Sequence[NotebookCell]) -> str:
    """Say which cells were left out, by the numbers that students count."""
    numbers = [cell.number for cell in code]
    return " ".join(f"Code cell {numbers.index(n) + 1} {lost.why}." for n, lost in session.lost.items())


class CourseGrader:
    """Grades submissions of a course one after another; what fails on our side becomes a report as well."""

    def __init__(self, course: Course, zygote: Zygote) -> None:
        self._course, self._zygote = course, zygote
        self._graders: dict[str, Grader] = {}

    def grade(self, exercise: Exercise, notebook: Notebook) -> Graded:
        """Grade `notebook` as a submission of `exercise`."""
        walls = self._zygote.reported_walls
        try:
            if exercise.name not in self._graders:
                secret = course_secret(self._course)
                made = Grader.of_course(self._course, exercise, self._zygote, secret)
                self._graders[exercise.name] = made
            grader = self._graders[exercise.name]
            grader.marks_only = self._course.marks_only
            graded = grader.grade(notebook)
        except ZygoteError as error:
            report = failure_report(exercise, walls, _BUSY if isinstance(error, StarvedError) else "")
            return Graded(report, problem=str(error), again=True)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"[:_MAX_PROBLEM]
            # A message that tells people what to do needs no traceback beside it.
            details = "" if isinstance(error, AutograderError) else traceback.format_exc()[-_MAX_TRACEBACK:]
            report = failure_report(exercise, walls)
            return Graded(report, problem=writable(problem), traceback=writable(details))
        errors = [q.name for q in graded.report.questions if q.verdict is Verdict.GRADER_ERROR]
        problem = f"grader error in {', '.join(errors)}; see the report" if errors else ""
        return replace(graded, problem=problem)
