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
from autograder.grading.explanation import Submitted
from autograder.grading.graded import Graded, failure_report, report_on
from autograder.grading.newer_python import Version, hold_for_newer_python
from autograder.grading.outcomes import TestOutcome, blamed, is_better, leading, stated, summarize, told_bits
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
_MAX_PROBLEM, _MAX_TRACEBACK = 2000, 20_000  # characters: an error may quote what a submission sent
_ANOTHER_FILE = "This file defines nothing that the exercise asks for. An instructor will look at it."
_EXPLAINED = (Verdict.FAILED, Verdict.CRASHED, Verdict.NOT_JUDGED)
_RULE_UNCHECKED = (
    "The grader cannot read this code well enough to check how it was written, because of a very large "
    "number or a very long expression. Your instructor will check it."
)
_NOTHING_HELD = (Verdict.NOT_ATTEMPTED, Verdict.NOT_DEFINED)
_TOLD = (Verdict.FAILED, Verdict.NOT_JUDGED)  # of runs that end earlier, the words would mislead
Outcomes = dict[HiddenTest, TestOutcome]


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
    6. Repairs of the submission's code are looked for in one more worker that knows no hidden inputs. They
       explain the mistakes and change no score. With `marks_only` this step is left out; if there are wrong
       answers, the report says that they are not explained.
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
        self._is_explained = True  # whether all wrong answers of the current submission have been searched
        self._warnings: dict[str, None] = {}  # tracebacks on the submission that is being graded, in order
        self._diagnosis, self._examples = Diagnosis(self.suite, repairs), Examples(self.suite)

    @classmethod
    def of_course(cls, course: Course, exercise: Exercise, zygote: Zygote, secret: bytes) -> "Grader":
        """Make a grader of one of the course's exercises, with all that course.yaml says about it."""
        own, repairs = exercise.settings, course.repairs(exercise)
        return cls(exercise, exercise.rules, own.limits, zygote, secret, own.builds_on, repairs)

    def share_explanations(self, folder: Path) -> None:
        """Share explanations with other processes that grade the class, by files in a folder."""
        self._diagnosis.shared = folder

    @property
    def told_bits(self) -> int:
        """How many bits about hidden inputs a report can tell, at most."""
        questions = len(self.exercise.points)
        return told_bits(len(self.suite.tests), len(self._rules), len(self.builds_on), questions)

    def grade(self, notebook: Notebook) -> Graded:
        """Grade a submitted file; one that is no notebook gets a report too."""
        try:
            inputs = hidden_inputs(self._secret, self.exercise.name, notebook.digest)
            cells = in_exercise_form(self.exercise.cells, notebook.cells)
            return self.grade_cells(cells, inputs, written_with=notebook.python)
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
        """Grade a notebook's cells with these hidden inputs, or those of their code where there is no file.

        Only the questions in `asked` are graded, if it is there, and stand in the report. The cells were
        `written_with` this version of Python, where it is known.
        """
        self._warnings.clear()
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
            submitted = Submitted(self.exercise, code, session, judged_after=judged_after)
            outcomes = self._decided(session, inputs, names)
        outcomes = self._better_state(outcomes, submitted, inputs)
        outcomes = self._with_disclosed(outcomes, submitted)
        questions = self._questions(outcomes, submitted, inputs, names)
        questions = hold_for_newer_python(questions, written_with, code, session)
        message = _message(session, code)
        if asked is None and not defines_any(names, code):
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
        """Run tests; where one of them loses the worker, no more tests of its question are run.

        Where the sandbox fails, nothing more is run, and no run counts.
        """
        lost: dict[str, BaseException] = {}
        for run in self.suite.run(session, inputs, chosen, lost.get, self._rules):
            if session.failure is not None:
                raise session.failure
            if run.lost and run.error is not None:
                lost.setdefault(run.test.question, run.error)
            run = blamed(self.suite, run, inputs)
            if run.kind is Verdict.GRADER_ERROR and run.error is not None:
                self._warn(run.error)
            yield run

    def _disclosed(self, session: Session, questions: Container[str]) -> dict[HiddenTest, Run]:
        """Run all tests of these questions on inputs that may be shown, in a worker that knows no others.

        All of them, since a known mistake is known by the tests that it passes, too.
        """
        chosen = self._tests_of(questions)
        return {run.test: run for run in self._run(session, DISCLOSED, chosen)} if chosen else {}

    def _tests_of(self, questions: Container[str]) -> dict[HiddenTest, None]:
        return {test: None for test in self.suite.tests if test.question in questions}

    def _decided(self, session: Session, inputs: Inputs, names: Sequence[str]) -> Outcomes:
        """Run the tests of these questions until all are decided."""
        # Where a visible check raises an error, hidden tests will mostly fail, too.
        errors = {number for number, result in session.results.items() if result.error}
        checked = {checked_question(cell.name) or "" for cell in session.cells if cell.number in errors}
        disclosed = self._disclosed(session, checked.intersection(names))
        first = (TestOutcome(test, run, run) for test, run in disclosed.items())
        outcomes = {outcome.test: outcome for outcome in first if outcome.failed}
        tests = self._tests_of(names)
        for run in self._run(session, inputs, tests.keys() - outcomes.keys()):
            outcomes[run.test] = TestOutcome(run.test, run, disclosed.get(run.test))
        return {test: outcomes[test] for test in tests}

    def _better_state(self, outcomes: Outcomes, submitted: Submitted, inputs: Inputs) -> Outcomes:
        """Judge questions without full points at the end, too, if later cells change what they read.

        For each of them, the state that earns more counts, and `judged_at_end` has those of the second.
        The second judgment takes place in a new worker: one that has met the same hidden inputs before could
        answer them by what the first judgment has told it.
        """
        names = dict.fromkeys(test.question for test in outcomes)
        changed = [name for name in names if submitted.later_change(name)]
        first = [self._question(name, outcomes.values(), submitted) for name in changed]
        at_check = {question.name: question for question in first if question.verdict is not Verdict.PASSED}
        if not at_check:
            return outcomes
        judged_at_end = submitted.session.judged_at_end  # which later sessions share
        judged_at_end.update(at_check)
        with submitted.open() as later:
            at_end = self._decided(later, inputs, [*at_check])
        second = [self._question(name, at_end.values(), submitted) for name in at_check]
        better = {question.name for question in second if is_better(question, at_check[question.name])}
        judged_at_end.intersection_update(better)
        return {test: at_end[test] if test.question in better else one for test, one in outcomes.items()}

    def _with_disclosed(self, outcomes: Outcomes, submitted: Submitted) -> Outcomes:
        """Add disclosed runs of questions that fail or wait for an instructor, and that have none.

        They take place in a new worker: the one that knows hidden inputs has ended.
        """
        questions = {test.question for test, outcome in outcomes.items() if outcome.failed}
        asked = {test.question for test in outcomes}
        questions |= {name for name in asked if self._held(name, outcomes.values(), submitted)}
        questions -= {test.question for test, outcome in outcomes.items() if outcome.disclosed}
        if not questions:
            return outcomes
        with submitted.open() as later:
            runs = self._disclosed(later, questions)
        return {test: replace(o, disclosed=runs.get(test, o.disclosed)) for test, o in outcomes.items()}

    def _questions(
        self, outcomes: Outcomes, submitted: Submitted, inputs: Inputs, names: Sequence[str]
    ) -> list[QuestionReport]:
        """Judge and explain these questions, some of them with right earlier answers."""
        standing = {name: self._question(name, outcomes.values(), submitted) for name in names}
        again: dict[str, QuestionReport] = {}
        for rerun in reruns(self.builds_on, standing, submitted.session.cells):
            again |= self._graded_again(rerun, standing, inputs, submitted, outcomes)
        explained = [
            again[name] if name in again
            else question if question.verdict is Verdict.PASSED
            else self._explained(question, outcomes.values(), submitted)
            for name, question in standing.items()
        ]  # fmt: skip
        return [_with_change(question, submitted) for question in explained]

    def _held(self, name: str, outcomes: Iterable[TestOutcome], submitted: Submitted) -> str | None:
        """Return why an instructor has to look at a question, or None.

        The runs that decide do so here, too. Disclosed runs only supply names.
        """
        if (rule := self._rules.get(name)) is None:
            return None
        own = [outcome for outcome in outcomes if outcome.test.question == name]
        ran = [one for outcome in own for one in outcome.decisive.ran]
        shown = [one for outcome in own if outcome.disclosed for one in outcome.disclosed.ran]
        try:
            statements = submitted.judged_statements(name)
            where = partial(submitted.line_of, name)
            return broken_rule(name, rule, statements, ran, shown, where, submitted.unfinished)
        except UNREADABLE as error:
            self._warn(error)
            return _RULE_UNCHECKED

    def _warn(self, error: BaseException) -> None:
        """Keep the traceback of an error for the log."""
        text = "".join(traceback.format_exception(error))
        self._warnings[writable(text[-_MAX_TRACEBACK:])] = None

    def _question(self, name: str, outcomes: Iterable[TestOutcome], submitted: Submitted) -> QuestionReport:
        """Return the verdict on a question and its score; `_explained` adds what a student reads."""
        own = [outcome for outcome in outcomes if outcome.test.question == name]
        told = stated({outcome.test: submitted.explain(outcome) for outcome in own})
        question = summarize(name, self.exercise.points[name], tuple(told.values()))
        if question.verdict is Verdict.CRASHED:
            places = (submitted.place(one) for one in own if told[one.test].hint == question.hint)
            question = replace(question, place=next(places, None))
        held = self._held(name, own, submitted)
        if held is None or question.verdict in _NOTHING_HELD or not question.score:
            return question
        rule = TestReport("Written by hand, as the question asks.", Verdict.REVIEW, 0.0, held)
        return replace(question, verdict=Verdict.REVIEW, score=0.0, hint=held, tests=(*question.tests, rule))

    def _explained(
        self,
        question: QuestionReport,
        outcomes: Iterable[TestOutcome],
        submitted: Submitted,
        named_by: Sequence[Run] = (),
    ) -> QuestionReport:
        """Return the report on a failed question with what is wrong there; disclosed runs supply all words.

        If other runs than these are to name the mistake, they are `named_by`.
        """
        if question.verdict is Verdict.REVIEW:
            return question
        own = [outcome for outcome in outcomes if outcome.test.question == question.name]
        runs = [outcome.disclosed for outcome in own if outcome.disclosed]
        told = {outcome.test: submitted.explain(outcome) for outcome in own}
        failed = [run for run in runs if told[run.test].verdict is Verdict.FAILED]
        question = replace(question, shown=self._examples.of(question.name, failed))
        is_wrong = any(test.verdict in _EXPLAINED for test in question.tests)
        self._is_explained &= not (is_wrong and self.marks_only)
        explains = is_wrong and not self.marks_only
        if explains and (one := self._explanation(question.name, named_by or runs, submitted)):
            named = replace(question, mistake=one.name or None, hint=one.hint, place=one.place)
            return _with_error_first(named, own, told, submitted)
        if question.verdict is Verdict.FAILED:
            shortened = dict(zip(told, question.tests, strict=True))
            words = leading(told, shortened, self._diagnosis.rarity)
            return replace(question, hint=words or question.hint)
        return question

    def _explanation(self, name: str, runs: Sequence[Run], submitted: Submitted) -> Explanation | None:
        """Return what names the mistake, or None, also where Python cannot write or walk the code."""
        try:
            return self._diagnosis.explain(name, runs, submitted)
        except UNREADABLE as error:
            self._warn(error)
            return None

    def _graded_again(
        self, rerun: Rerun, standing: Reports, inputs: Inputs, submitted: Submitted, outcomes: Outcomes
    ) -> dict[str, QuestionReport]:
        """Run questions again with right earlier ones; return their reports where they are better.

        Code in such a worker can read the right answers. So nothing of what it says reaches the student: only
        which hidden tests passed counts, and which edits repair the answer. What is wrong all the same is
        said in the words of the submission as it is, whose `outcomes` these are, unless a repair says it.
        """
        earlier = sorted({name for names in rerun.values() for name in names})
        beside = replace(submitted, given=compiled(self.exercise.reference, earlier, rerun))
        with beside.open() as session:
            runs = list(self._run(session, inputs, self._tests_of(rerun)))
        if any(run.exhausted for run in runs):
            return {}
        words = {test: run for test, one in outcomes.items() if (run := one.disclosed) and run.kind in _TOLD}
        again = [TestOutcome(run.test, run, words.get(run.test)) for run in runs]
        questions = {name: self._question(name, again, beside) for name in rerun}
        better = {name: new for name, new in questions.items() if is_better(new, standing[name])}
        unsolved = [name for name, new in better.items() if new.verdict is not Verdict.PASSED]
        seen: list[Run] = []
        if unsolved and not self.marks_only:
            with beside.open() as session:
                seen = list(self._disclosed(session, unsolved).values())
        for name in unsolved:
            better[name] = self._explained(better[name], again, beside, seen)
        return {name: with_note(new, rerun[name]) for name, new in better.items()}


def _with_error_first(
    question: QuestionReport,
    outcomes: Iterable[TestOutcome],
    told: Mapping[HiddenTest, TestReport],
    submitted: Submitted,
) -> QuestionReport:
    """Return a report that begins with an error in the student's own code, if a test raises one there."""
    for outcome in outcomes:
        report = told[outcome.test]
        if report.verdict is Verdict.CRASHED and (place := submitted.place(outcome)):
            return replace(question, hint=f"{report.hint.rstrip('.')}. {question.hint}", place=place)
    return question


def _with_change(question: QuestionReport, submitted: Submitted) -> QuestionReport:
    """Return a report that says which later cell changes what the answer reads, if that matters."""
    at_end = question.name in submitted.session.judged_at_end
    if question.verdict is Verdict.PASSED and not at_end:
        return question
    if not (change := submitted.later_change(question.name)):
        return question
    told = "without that change."
    if at_end:
        told = "with that change, because the result is better."
    return replace(question, hint=f"{change} The tests ran {told} {question.hint}".rstrip())


def _message(session: Session, code: Sequence[NotebookCell]) -> str:
    """Say which cells were left out, by the numbers that students count."""
    numbers = [cell.number for cell in code]
    return " ".join(f"Code cell {numbers.index(n) + 1} {lost.why}." for n, lost in session.lost.items())


class CourseGrader:
    """Grades submissions of a course one after another; what fails on our side becomes a report as well.

    Processes that grade the same class share explanations in a folder.
    """

    def __init__(self, course: Course, zygote: Zygote, shared: Path | None = None) -> None:
        self._course, self._zygote, self._shared = course, zygote, shared
        self._graders: dict[str, Grader] = {}

    def grade(self, exercise: Exercise, notebook: Notebook) -> Graded:
        """Grade `notebook` as a submission of `exercise`."""
        walls = self._zygote.reported_walls
        try:
            if exercise.name not in self._graders:
                secret = course_secret(self._course)
                made = Grader.of_course(self._course, exercise, self._zygote, secret)
                self._graders[exercise.name] = made
                if self._shared is not None:
                    made.share_explanations(self._shared)
                gc.freeze()  # collections while it grades need not look through what stays
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
