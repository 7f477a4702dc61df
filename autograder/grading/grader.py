"""Grades one submission: runs its notebook in a worker, its hidden tests here, and writes the report."""

import gc
import json
import traceback
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from autograder.course.code import UNREADABLE
from autograder.course.course import Course, course_secret
from autograder.course.exercise import Exercise
from autograder.course.names import checked_question
from autograder.course.rule import Rule
from autograder.course.settings import DEFAULT_REPAIRS, Limits, Repairs
from autograder.course.source import Role
from autograder.errors import AutograderError
from autograder.grading.by_hand import broken_rule
from autograder.grading.carried import Reports, Rerun, compiled, reruns, with_note
from autograder.grading.diagnosis import Diagnosis, Explanation
from autograder.grading.examples import Examples
from autograder.grading.explanation import RunSubmission
from autograder.grading.graded import Graded, failure_report, report_on
from autograder.grading.newer_python import Version, hold_for_newer_python
from autograder.grading.outcomes import (
    TestOutcome,
    attribute_fault,
    drop_follow_up_questions,
    is_better,
    max_leaked_bits,
    most_specific_hint,
    summarize,
)
from autograder.grading.session import Session
from autograder.grading.states import judged_after as judged_after_cells
from autograder.report.report import QuestionReport, Report, Status, TestReport, Verdict
from autograder.report.text import writable
from autograder.sandbox.errors import StarvedError, ZygoteError
from autograder.sandbox.zygote import Zygote
from autograder.submission.matching import defines_any, in_exercise_form
from autograder.submission.notebook import Notebook, NotebookCell, UnreadableError
from autograder.testing.inputs import DISCLOSED, Inputs, hidden_inputs
from autograder.testing.suite import HiddenTest, Run, Suite, use_one_thread

_BUSY = "The machine was too busy to grade this submission."
_MAX_PROBLEM, _MAX_TRACEBACK = 2000, 20_000  # greatest lengths in characters
_ANOTHER_FILE = "This file contains no answer to this exercise. An instructor will look at the file."
_EXPLAINED = (Verdict.FAILED, Verdict.CRASHED, Verdict.NOT_JUDGED)
_RULE_UNCHECKED = (
    "This code contains a very large number or a very long expression. So the grader cannot check which "
    "functions the code uses. An instructor will check it."
)
_NOT_REVIEWED = (Verdict.NOT_ATTEMPTED, Verdict.NOT_DEFINED)
_COMPLETE = (Verdict.FAILED, Verdict.NOT_JUDGED)  # verdicts of runs in which the answer raised no error
Outcomes = dict[HiddenTest, TestOutcome]


class Grader:
    """Grades submissions of one exercise. What does not depend on a submission is computed once.

    1. The notebook runs in a worker. The outputs of its cells are stored.
    2. If a visible check raises an error, the question's tests run on disclosed inputs, which students may
       see. The worker has not yet received hidden inputs. A test that fails in this step counts as failed.
    3. All other tests run on hidden inputs, which are computed from `secret` and the submission.
    4. If a question fails although its visible check raised no error, its tests run on disclosed inputs in a
       new worker. Runs on disclosed inputs provide the hints and the name of the mistake.
    5. A failed answer may call the answer to an earlier question. If that answer has failed, too, the later
       question's tests run again in a new worker with a right earlier answer. The better score counts.
    6. Another worker without hidden inputs tries repairs of the submission's code. They explain the mistakes
       and change no score. With `marks_only`, this step is left out, and the report says so.
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
        self._limits, self._secret = limits, secret
        self._zygote = zygote.with_files(exercise.handed_out)
        use_one_thread(exercise)
        if any("torch.optim" in cell.text for cell in exercise.cells):
            zygote.make_optimizer()
        self.suite = Suite(exercise)
        self._rules = rules
        self._is_explained = True  # False if `marks_only` left a wrong answer of the submission unexplained
        self._warnings: dict[str, None] = {}  # tracebacks of errors in grading the current submission
        self.broken: dict[HiddenTest, Run] = {}  # tests that could not judge the current submission
        self._diagnosis, self._examples = Diagnosis(self.suite, repairs), Examples(self.suite)

    @classmethod
    def of_course(cls, course: Course, exercise: Exercise, zygote: Zygote, secret: bytes) -> "Grader":
        """Return a grader of one of the course's exercises, with its settings in course.yaml."""
        settings = exercise.settings
        repairs = Repairs(settings.repairs or DEFAULT_REPAIRS.shown, course.settings.repair_seconds)
        return cls(exercise, exercise.rules, settings.limits, zygote, secret, settings.builds_on, repairs)

    def share_explanations(self, folder: Path) -> None:
        """Share explanations with other processes that grade the class."""
        self._diagnosis.shared = folder

    @property
    def max_leaked_bits(self) -> int:
        """The greatest number of bits about hidden inputs that a report can reveal."""
        questions = len(self.exercise.points)
        return max_leaked_bits(len(self.suite.tests), len(self._rules), len(self.builds_on), questions)

    def grade(self, notebook: Notebook, asked: Container[str] | None = None) -> Graded:
        """Grade a file: all questions, or those in `asked`. An unreadable file gets a report, too."""
        try:
            inputs = hidden_inputs(self._secret, self.exercise.name, notebook.digest)
            cells = in_exercise_form(self.exercise.cells, notebook.cells)
            return self.grade_cells(cells, inputs, asked, notebook.python)
        except UnreadableError as error:
            points = self.exercise.points.items()
            questions = [QuestionReport(name, Verdict.NOT_ATTEMPTED, 0.0, most) for name, most in points]
            report = self._report(questions, str(error))
            return Graded(replace(report, status=Status.UNREADABLE, explained=True))

    def grade_cells(
        self,
        cells: tuple[NotebookCell, ...],
        inputs: Inputs | None = None,
        asked: Container[str] | None = None,
        written_with: Version | None = None,
    ) -> Graded:
        """Grade a notebook's cells.

        Without `inputs`, hidden inputs are computed from the secret and the cells' code. With `asked`, only
        these questions are graded. `written_with` is the Python version in the notebook's metadata, if any.
        """
        self._warnings.clear()
        self.broken.clear()
        self._is_explained = True
        names = [name for name in self.exercise.points if asked is None or name in asked]
        code = tuple(cell for cell in cells if cell.kind == "code")
        if inputs is None:
            text = json.dumps([cell.text for cell in code])
            inputs = hidden_inputs(self._secret, self.exercise.name, text)
        needed = tuple(cell for cell in code if not self.exercise.needs_no_run(cell.text))
        answers = (cell for cell in self.exercise.cells if cell.role is Role.SOLUTION)
        stubs = {cell.name: cell.released() for cell in answers if cell.name in names}
        judged_after = judged_after_cells(stubs, code)
        with Session(self._zygote, needed, self._limits, kept_after=judged_after) as session:
            session.start()
            submitted = RunSubmission(self.exercise, code, session, judged_after=judged_after)
            outcomes = self._decide(session, inputs, names)
        outcomes = self._with_better_state(outcomes, submitted, inputs)
        outcomes = self._add_disclosed_runs(outcomes, submitted)
        questions = self._judge_and_explain(outcomes, submitted, inputs, names)
        questions = hold_for_newer_python(questions, written_with, code, session)
        message = _describe_left_out_cells(session, code)
        if not defines_any([*self.exercise.points], code):
            message = f"{message} {_ANOTHER_FILE}".lstrip()
            questions = [
                replace(question, verdict=Verdict.REVIEW, hint=_ANOTHER_FILE, place=None)
                for question in questions
            ]
        return Graded(self._report(questions, message), session.results, warnings=(*self._warnings,))

    def _report(self, questions: Sequence[QuestionReport], message: str) -> Report:
        report = report_on(self.exercise, tuple(questions), self._zygote.reported_walls, message)
        return replace(report, explained=self._is_explained)

    def _run(
        self, session: Session, inputs: Inputs, chosen: Container[HiddenTest] | None = None
    ) -> Iterator[Run]:
        """Run tests and yield the runs.

        If the worker ends during a test, the other tests of the same question are not run. If the sandbox
        itself fails, raise its error, because the runs may be wrong.
        """
        lost: dict[str, BaseException] = {}
        for run in self.suite.run(session, inputs, chosen, lost.get, self._rules):
            if session.failure is not None:
                raise session.failure
            if run.has_lost_worker and run.error is not None:
                lost.setdefault(run.test.question, run.error)
            run = attribute_fault(self.suite, run, inputs)
            if run.kind is Verdict.GRADER_ERROR and run.error is not None:
                self._warn(run.error)
                self.broken.setdefault(run.test, run)
            yield run

    def _disclosed(self, session: Session, questions: Container[str]) -> dict[HiddenTest, Run]:
        """Run all tests of these questions on disclosed inputs, in a worker that received no hidden inputs.

        Passed tests also help to recognise a known mistake.
        """
        tests = self._tests_of(questions)
        return {run.test: run for run in self._run(session, DISCLOSED, tests)} if tests else {}

    def _tests_of(self, questions: Container[str]) -> dict[HiddenTest, None]:
        return {test: None for test in self.suite.tests if test.question in questions}

    def _decide(self, session: Session, inputs: Inputs, names: Sequence[str]) -> Outcomes:
        # If a visible check raised an error, hidden tests probably fail, too. They run on disclosed inputs
        # first: students may see why these runs fail.
        errors = {number for number, result in session.results.items() if result.error}
        checked = {checked_question(cell.name) or "" for cell in session.cells if cell.number in errors}
        disclosed = self._disclosed(session, checked.intersection(names))
        first = (TestOutcome(test, run, run) for test, run in disclosed.items())
        outcomes = {outcome.test: outcome for outcome in first if outcome.failed}
        tests = self._tests_of(names)
        for run in self._run(session, inputs, tests.keys() - outcomes.keys()):
            outcomes[run.test] = TestOutcome(run.test, run, disclosed.get(run.test))
        return {test: outcomes[test] for test in tests}

    def _with_better_state(self, outcomes: Outcomes, submitted: RunSubmission, inputs: Inputs) -> Outcomes:
        """Test a question again if it has not passed and a later cell changes a name that its answer reads.

        The second time, the tests use the variables at the end of the notebook. If this result is better, it
        counts, and the question is in `judged_at_end`. The tests run in a new worker, because the first one
        knows the same hidden inputs and could have prepared results.
        """
        names = dict.fromkeys(test.question for test in outcomes)
        changed = [name for name in names if submitted.later_change(name)]
        first = [self._judge(name, outcomes.values(), submitted) for name in changed]
        at_check = {question.name: question for question in first if question.verdict is not Verdict.PASSED}
        if not at_check:
            return outcomes
        judged_at_end = submitted.session.judged_at_end  # all later sessions share this set
        judged_at_end.update(at_check)
        with submitted.open() as later:
            at_end = self._decide(later, inputs, [*at_check])
        second = [self._judge(name, at_end.values(), submitted) for name in at_check]
        better = {question.name for question in second if is_better(question, at_check[question.name])}
        judged_at_end.intersection_update(better)
        return {test: at_end[test] if test.question in better else outcomes[test] for test in outcomes}

    def _add_disclosed_runs(self, outcomes: Outcomes, submitted: RunSubmission) -> Outcomes:
        """Add runs on disclosed inputs to questions that failed or need a review, unless they have such runs.

        The tests run in a new worker, because the first worker has received hidden inputs.
        """
        questions = {test.question for test, outcome in outcomes.items() if outcome.failed}
        asked = {test.question for test in outcomes}
        questions |= {name for name in asked if self._review_reason(name, outcomes.values(), submitted)}
        questions -= {test.question for test, outcome in outcomes.items() if outcome.disclosed}
        if not questions:
            return outcomes
        with submitted.open() as later:
            runs = self._disclosed(later, questions)
        return {test: replace(o, disclosed=runs.get(test, o.disclosed)) for test, o in outcomes.items()}

    def _judge_and_explain(
        self, outcomes: Outcomes, submitted: RunSubmission, inputs: Inputs, names: Sequence[str]
    ) -> list[QuestionReport]:
        """Judge these questions, some of them again with right earlier answers, and explain failures."""
        first_reports = {name: self._judge(name, outcomes.values(), submitted) for name in names}
        regraded: dict[str, QuestionReport] = {}
        for rerun in reruns(self.builds_on, first_reports, submitted.session.cells):
            regraded |= self._grade_again(rerun, first_reports, inputs, submitted, outcomes)
        explained = [
            regraded[name] if name in regraded
            else question if question.verdict is Verdict.PASSED
            else self._explain(question, outcomes.values(), submitted)
            for name, question in first_reports.items()
        ]  # fmt: skip
        return [submitted.with_change_note(question) for question in explained]

    def _review_reason(
        self, name: str, outcomes: Iterable[TestOutcome], submitted: RunSubmission
    ) -> str | None:
        """Return the reason why an instructor has to look at the answer to a question, or None.

        Of the runs, only those that decide the verdict can give a reason. Runs on disclosed inputs supply the
        names of operators for the text.
        """
        if (rule := self._rules.get(name)) is None:
            return None
        question_outcomes = [outcome for outcome in outcomes if outcome.test.question == name]
        operators = [call for outcome in question_outcomes for call in outcome.decisive.ran]
        disclosed = [outcome.disclosed for outcome in question_outcomes if outcome.disclosed]
        disclosed_operators = [call for run in disclosed for call in run.ran]
        try:
            statements = submitted.judged_statements(name)
            where = partial(submitted.line_of, name)
            unfinished = submitted.unfinished
            return broken_rule(name, rule, statements, operators, disclosed_operators, where, unfinished)
        except UNREADABLE as error:
            self._warn(error)
            return _RULE_UNCHECKED

    def _warn(self, error: BaseException) -> None:
        """Save the traceback of an error for the log."""
        text = "".join(traceback.format_exception(error))
        self._warnings[writable(text[-_MAX_TRACEBACK:])] = None

    def _judge(self, name: str, outcomes: Iterable[TestOutcome], submitted: RunSubmission) -> QuestionReport:
        """Return the report on a question with its verdict and score. `_explain` adds the explanation."""
        question_outcomes = [outcome for outcome in outcomes if outcome.test.question == name]
        explained = {outcome.test: submitted.explain(outcome) for outcome in question_outcomes}
        reports = drop_follow_up_questions(explained)
        question = summarize(name, self.exercise.points[name], tuple(reports.values()))
        if question.verdict is Verdict.CRASHED:
            crashed = (o for o in question_outcomes if reports[o.test].hint == question.hint)
            question = replace(question, place=next(map(submitted.place, crashed), None))
        reason = self._review_reason(name, question_outcomes, submitted)
        if reason is None or question.verdict in _NOT_REVIEWED or not question.score:
            return question
        rule = TestReport("The code uses only what the question allows.", Verdict.REVIEW, 0.0, reason)
        return replace(
            question, verdict=Verdict.REVIEW, score=0.0, hint=reason, tests=(*question.tests, rule)
        )

    def _explain(
        self,
        question: QuestionReport,
        outcomes: Iterable[TestOutcome],
        submitted: RunSubmission,
        named_by: Sequence[Run] = (),
    ) -> QuestionReport:
        """Return the report on a failed question, with an explanation from runs on disclosed inputs.

        If `named_by` has runs, the search for the mistake uses them instead of the runs in `outcomes`.
        """
        if question.verdict is Verdict.REVIEW:
            return question
        question_outcomes = [outcome for outcome in outcomes if outcome.test.question == question.name]
        runs = [outcome.disclosed for outcome in question_outcomes if outcome.disclosed]
        reports = {outcome.test: submitted.explain(outcome) for outcome in question_outcomes}
        failed = [run for run in runs if reports[run.test].verdict is Verdict.FAILED]
        question = replace(question, shown=self._examples.of(question.name, failed))
        is_wrong = any(test.verdict in _EXPLAINED for test in question.tests)
        self._is_explained &= not (is_wrong and self.marks_only)
        explains = is_wrong and not self.marks_only
        if explains and (explanation := self._explanation(question.name, named_by or runs, submitted)):
            name, hint, place = explanation.name or None, explanation.hint, explanation.place
            named = replace(question, mistake=name, hint=hint, place=place)
            return _with_error_first(named, question_outcomes, reports, submitted)
        if question.verdict is Verdict.FAILED:
            shortened = dict(zip(reports, question.tests, strict=True))
            hint = most_specific_hint(reports, shortened, self._diagnosis.count_failing_mistakes)
            return replace(question, hint=hint or question.hint)
        return question

    def _explanation(self, name: str, runs: Sequence[Run], submitted: RunSubmission) -> Explanation | None:
        """Return the explanation of a mistake, or None, for instance if code is too deeply nested."""
        try:
            return self._diagnosis.explain(name, runs, submitted)
        except UNREADABLE as error:
            self._warn(error)
            return None

    def _grade_again(
        self,
        rerun: Rerun,
        first_reports: Reports,
        inputs: Inputs,
        submitted: RunSubmission,
        outcomes: Outcomes,
    ) -> dict[str, QuestionReport]:
        """Run questions again with right answers to earlier questions, and return the better reports.

        The student's code can read the right answers in the worker, so messages from this worker never reach
        the student. Only two things are used: which hidden tests pass, and which edits repair the answer.
        Without a repair, the explanation comes from `outcomes`: runs of the unchanged submission.
        """
        earlier = sorted({name for names in rerun.values() for name in names})
        with_right_answers = replace(submitted, given=compiled(self.exercise.reference, earlier, rerun))
        with with_right_answers.open() as session:
            runs = list(self._run(session, inputs, self._tests_of(rerun)))
        if any(run.exhausted for run in runs):
            return {}
        first_disclosed = ((test, outcome.disclosed) for test, outcome in outcomes.items())
        explaining_runs = {test: run for test, run in first_disclosed if run and run.kind in _COMPLETE}
        new_outcomes = [TestOutcome(run.test, run, explaining_runs.get(run.test)) for run in runs]
        questions = {name: self._judge(name, new_outcomes, with_right_answers) for name in rerun}
        better = {name: new for name, new in questions.items() if is_better(new, first_reports[name])}
        unsolved = [name for name, new in better.items() if new.verdict is not Verdict.PASSED]
        disclosed_runs: list[Run] = []
        if unsolved and not self.marks_only:
            with with_right_answers.open() as session:
                disclosed_runs = list(self._disclosed(session, unsolved).values())
        for name in unsolved:
            better[name] = self._explain(better[name], new_outcomes, with_right_answers, disclosed_runs)
        return {name: with_note(new, rerun[name]) for name, new in better.items()}


def _with_error_first(
    question: QuestionReport,
    outcomes: Iterable[TestOutcome],
    reports: Mapping[HiddenTest, TestReport],
    submitted: RunSubmission,
) -> QuestionReport:
    """Return the report. If the student's code raised an error, the hint begins with it."""
    for outcome in outcomes:
        report = reports[outcome.test]
        if report.verdict is Verdict.CRASHED and (place := submitted.place(outcome)):
            return replace(question, hint=f"{report.hint.rstrip('.')}. {question.hint}", place=place)
    return question


def _describe_left_out_cells(session: Session, code: Sequence[NotebookCell]) -> str:
    """Return a sentence on each cell that was left out, with its position among the code cells."""
    numbers = [cell.number for cell in code]
    return " ".join(f"Code cell {numbers.index(n) + 1} {lost.why}." for n, lost in session.lost.items())


class CourseGrader:
    """Grades submissions of a course, one after another. A failure of the grader also becomes a report.

    Processes that grade the same class exchange explanations through the folder `shared`.
    """

    def __init__(self, course: Course, zygote: Zygote, shared: Path | None = None) -> None:
        self._course, self._zygote, self._shared = course, zygote, shared
        self._graders: dict[str, Grader] = {}

    def grade(
        self, exercise: Exercise, notebook: Notebook, *, marks_only: bool = False, asked: Sequence[str] = ()
    ) -> Graded:
        """Grade the questions `asked` of a submission, or all questions if `asked` is empty.

        With `marks_only`, wrong answers are not explained.
        """
        walls = self._zygote.reported_walls
        try:
            if exercise.name not in self._graders:
                grader = Grader.of_course(self._course, exercise, self._zygote, course_secret(self._course))
                self._graders[exercise.name] = grader
                if self._shared is not None:
                    grader.share_explanations(self._shared)
                gc.freeze()  # the garbage collector then skips the grader's objects, which stay in use
            grader = self._graders[exercise.name]
            grader.marks_only = marks_only
            graded = grader.grade(notebook, asked or None)
        except ZygoteError as error:
            report = failure_report(exercise, walls, _BUSY if isinstance(error, StarvedError) else "")
            return Graded(report, problem=str(error), again=True)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"[:_MAX_PROBLEM]
            # The message of an AutograderError tells an instructor what to do, so its traceback is left out.
            details = "" if isinstance(error, AutograderError) else traceback.format_exc()[-_MAX_TRACEBACK:]
            report = failure_report(exercise, walls)
            return Graded(report, problem=writable(problem), traceback=writable(details))
        errors = [q.name for q in graded.report.questions if q.verdict is Verdict.GRADER_ERROR]
        problem = f"grader error in {', '.join(errors)}; see the report" if errors else ""
        return replace(graded, problem=problem)
