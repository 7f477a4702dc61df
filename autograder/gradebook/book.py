"""Keeps the gradebook open for one exercise while the submissions of a class are graded.

One database connection serves all submissions; nbgrader's autograde opens several for each submission. A dry
run takes the same steps in a copy of the course's state.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from nbformat import NotebookNode
from nbgrader.converters import Autograde
from nbgrader.converters.base import BaseConverter

from autograder.collecting.archive import EntryError
from autograder.collecting.attempts import (
    LOCK,
    Arrival,
    Attempt,
    adopt,
    attempts_of,
    expect_stored,
    make_current,
    read_attempts,
    recorded_attempt,
)  # fmt: skip
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.kept import FOLDERS, GRADEBOOK, STORE
from autograder.errors import UsageError
from autograder.files import locked
from autograder.gradebook.assignment import register
from autograder.gradebook.attempts import is_final, known_time, name_of_attempt, written_time
from autograder.gradebook.config import open_converter, open_for_grading, write_folder
from autograder.gradebook.grades import Release, enter_scores, outputs_of, render
from autograder.gradebook.ledger import Ledger, SubmissionLine
from autograder.gradebook.rows import add_row, enter_students
from autograder.gradebook.selection import AttemptSelection
from autograder.grading.graded import Graded
from autograder.records.database import CONFIG, Store, copy_database, database_file, has_database, prepare
from autograder.records.reports import Outputs, report_columns, store_report, stored_outputs
from autograder.report.report import Report, Status
from autograder.submission.digest import fingerprint_of, rules_and_digests
from autograder.submission.notebook import Notebook, read_notebook
from autograder.submission.students import listed_by_id
from autograder.submission.submission import Submission

# Not copied for a dry run, because grading neither reads nor changes them.
_LEFT_OUT = ("feedback", "backups", ".git", f"{GRADEBOOK}-journal")
Eligible = Callable[[Attempt], bool]  # whether an attempt may be graded now


class ExerciseGradebook:
    """The gradebook of one exercise while the submissions of a class are graded; use it in a `with` block.

    The constructor writes the exercise's current questions and due date into the gradebook. Until the
    gradebook is closed, no other process can grade. For each submission, `begin` returns the attempts to
    grade, `take_in` stores the result of an attempt, and `finish` chooses the attempt that counts.
    """

    def __init__(
        self, course: Course, exercise: Exercise, eligible: Eligible = lambda _: True, *, unsafe: bool = False
    ) -> None:
        self._course, self.exercise, self._eligible, self._unsafe = course, exercise, eligible, unsafe
        self._rules, self._digests = rules_and_digests(course, exercise)
        self._release = Release(exercise)
        self._candidates = dict[str, list[str]]()  # digests of the attempts that may count, by student
        self._opened = ExitStack()
        with ExitStack() as stack:
            self._gradebook = stack.enter_context(open_for_grading(course))
            register(self._gradebook, exercise)
            enter_students(self._gradebook, listed_by_id(course.root))
            self._store = self._gradebook.db()
            self.ledger = Ledger(course, exercise, self._gradebook)
            self._selection = AttemptSelection(exercise, self.ledger.lateness, self.ledger.rows)
            self._attempts = read_attempts(self._store, course.root, exercise.name)
            self._opened = stack.pop_all()

    def __enter__(self) -> "ExerciseGradebook":
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    @cached_property
    def _converter(self) -> BaseConverter:
        """Nbgrader's converter that sets the permissions of graded notebooks."""
        return self._opened.enter_context(open_converter(Autograde, self._course, self.exercise))

    def begin(self, submission: Submission, *, force: bool = False) -> list[Attempt] | None:
        """Return the attempts that must be graded before `finish` can choose the attempt that counts.

        Return None if nothing was submitted. An attempt with an up-to-date report is graded again only if
        `force` is true.
        """
        with locked(submission.root / LOCK):
            try:
                attempts = adopt(submission, self._attempts.get(submission.student, ()))
            except EntryError:  # A link, for example, is graded as an unreadable file, but not stored.
                digest, time = read_notebook(submission.notebook).digest, written_time(submission) or ""
                about = report_columns(self._store, submission, digest)
                path = submission.notebook
                attempts = (Attempt(0, digest, path, time, Arrival(), is_submitted=True, **about),)
        if not attempts:
            return None
        self._attempts[submission.student] = attempts
        eligible = [attempt for attempt in attempts if self._eligible(attempt)]
        # If no attempt is eligible, or if the newest eligible attempt cannot count, any attempt may count.
        if len(eligible) < len(attempts) and (
            not eligible or self._selection.why_passed_over(submission.student, eligible[-1])
        ):
            eligible = list(attempts)
        candidates = self._selection.candidates(submission.student, eligible)
        self._candidates[submission.student] = [attempt.digest for attempt in candidates]
        current = {} if force else self._current_reports(candidates)
        ungraded = [attempt for attempt in candidates if attempt.digest not in current]
        for attempt in ungraded:
            expect_stored(attempt)
        return ungraded

    def take_in(self, submission: Submission, attempt: Attempt, notebook: Notebook, graded: Graded) -> None:
        """Store the report on an attempt. If the attempt is certain to count, also record its scores."""
        candidates, outputs = self._candidates_of(submission.student), outputs_of(graded.results)
        if self._selection.is_certain(submission.student, candidates, attempt, graded.report):
            self._record(submission, attempt, notebook, graded.report, outputs)
        else:
            self._store_report(submission, attempt, graded.report, outputs, recorded=False)
            self._store.commit()

    def recorded(self, student: str) -> Attempt | None:
        """Return a student's attempt whose scores are in the gradebook, or None."""
        return recorded_attempt(self._attempts.get(student, ()))

    def explain(self, submission: Submission, notebook: Notebook, graded: Graded) -> bool:
        """Add the explanations of the questions in `graded` to the report on the recorded attempt.

        If `graded` has other marks than this report, do nothing. Return whether the report was changed.
        """
        attempt = self.recorded(submission.student)
        if attempt is None or attempt.report is None:
            return False
        report = attempt.report.with_questions_of(graded.report)
        if report.marks != attempt.report.marks:
            return False
        self._record(submission, attempt, notebook, report, outputs_of(graded.results))
        return True

    def finish(self, submission: Submission, problem: str = "", *, graded: bool = False) -> SubmissionLine:
        """Choose the attempt that counts, record its scores, and return the line on the submission.

        `graded` is true if this run has graded an attempt. `problem` describes a failure of the autograder,
        or is empty. A missing graded notebook is written.
        """
        student, candidates = submission.student, self._candidates_of(submission.student)
        attempt = self._selection.choose(student, candidates, self._current_reports(candidates))
        if self._selection.rule is not None and not attempt.is_submitted:
            with locked(submission.root / LOCK):
                make_current(submission, attempt)
        report, is_new = attempt.report, not attempt.recorded or student not in self.ledger.current
        assert report is not None  # every candidate has been graded
        if is_new:
            outputs = stored_outputs(self._store, submission, attempt.digest)
            self._record(submission, attempt, read_notebook(attempt.notebook), report, outputs)
        elif not submission.autograded.exists():
            _write_from_record(self._converter, self._store, self._release, submission, attempt)
        self.ledger.update_time(student, known_time(attempt.time))
        is_failed = report.status is Status.GRADER_ERROR
        reasons = ((is_failed and problem) or report.message, self._passed_over(student, attempt))
        return replace(
            self.ledger.line(student),
            status=report.status,
            score=report.score,
            max_score=report.max_score,
            message="; ".join(filter(None, reasons)),
            ours=is_failed,
            graded=graded or is_new,
        )

    def _passed_over(self, student: str, attempt: Attempt) -> str:
        """Return a text such as "counted: attempt 1 of 2; the newest attempt came so late that it scores 0".

        Return "" if the newest attempt counts, or if `why_passed_over` has no reason against the attempt.
        """
        attempts = self._attempts[student]
        if attempt.digest == attempts[-1].digest:
            return ""
        why = self._selection.why_passed_over(student, attempts[-1]).rstrip(".")
        name = name_of_attempt(self.exercise, attempts, attempt)
        return f"counted: {name}; the newest attempt {why}" if why else ""

    def _candidates_of(self, student: str) -> Sequence[Attempt]:
        """Return the attempts from which `finish` chooses, the preferred attempt first."""
        attempts = {attempt.digest: attempt for attempt in self._attempts[student]}
        return [attempts[digest] for digest in self._candidates[student]]

    def _current_reports(self, attempts: Sequence[Attempt]) -> dict[str, Report]:
        """Return the reports that are up to date, by the attempt's digest.

        A report is up to date if nothing that it depends on has changed, and `is_final` accepts it.
        """
        return {
            attempt.digest: attempt.report
            for attempt in attempts
            if attempt.report is not None
            and attempt.fingerprint == fingerprint_of(self._rules, attempt.digest)
            and is_final(attempt.report, unsafe=self._unsafe)
        }

    def _record(
        self, submission: Submission, attempt: Attempt, notebook: Notebook, report: Report, outputs: Outputs
    ) -> None:
        """Write the report, the scores and an audit line in one transaction, then the graded notebook.

        The old graded notebook is deleted first. So a graded notebook exists only if its scores are recorded.
        """
        student = submission.student
        node = render(self._release, notebook, outputs)
        name = name_of_attempt(self.exercise, self._attempts[student], attempt)
        submission.autograded.unlink(missing_ok=True)
        with self.ledger.changing(student) as rows:
            row = rows.get(student) or add_row(self._gradebook, self.exercise, student)
            enter_scores(self._store, row, self._release, node, notebook, report)
            self._store_report(submission, attempt, report, outputs, recorded=True)
            digests = {"notebook": attempt.digest, **self._digests}
            self.ledger.record_score(row, known_time(attempt.time), digests, name)
        self.ledger.rows[student] = row
        _write(self._converter, submission, attempt, node)

    def _store_report(
        self, submission: Submission, attempt: Attempt, report: Report, outputs: Outputs, *, recorded: bool
    ) -> None:
        fingerprint = fingerprint_of(self._rules, attempt.digest)
        store_report(self._store, submission, attempt.digest, fingerprint, report, outputs, recorded=recorded)
        stored = replace(attempt, report=report, fingerprint=fingerprint, recorded=recorded)
        attempts = self._attempts[submission.student]
        if recorded:  # at most one attempt of a submission is recorded
            attempts = tuple(replace(each, recorded=False) for each in attempts)
        self._attempts[submission.student] = tuple(
            stored if each.digest == attempt.digest else each for each in attempts
        )


def write_again(course: Course, exercise: Exercise, submission: Submission) -> None:
    """Write the graded notebook of a submission again, from its recorded attempt and the stored outputs."""
    with open_for_grading(course) as gradebook, open_converter(Autograde, course, exercise) as converter:
        attempt = recorded_attempt(attempts_of(submission))
        if attempt is not None:
            expect_stored(attempt)
            _write_from_record(converter, gradebook.db(), Release(exercise), submission, attempt)


def _write_from_record(
    converter: BaseConverter, store: Store, release: Release, submission: Submission, attempt: Attempt
) -> None:
    outputs = stored_outputs(store, submission, attempt.digest)
    node = render(release, read_notebook(attempt.notebook), outputs)
    _write(converter, submission, attempt, node)


def _write(converter: BaseConverter, submission: Submission, attempt: Attempt, node: NotebookNode) -> None:
    write_folder(converter, submission, submission.autograded, f"{json.dumps(node)}\n", attempt.companions)


@contextmanager
def copied_state(course: Course) -> Iterator[Course]:
    """Yield a copy of the course for a dry run, and delete it after the `with` block."""
    gradebook = database_file(course.root)
    if gradebook is None:
        raise UsageError("--dry-run: the gradebook is on a database server, which cannot be copied")
    course.build.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="dry-run-", dir=course.build) as folder:
        root = Path(folder)
        for path in course.root.absolute().iterdir():
            if path.name in FOLDERS and path.is_dir() and not path.is_symlink():
                shutil.copytree(path, root / path.name, symlinks=True, copy_function=_share)
            elif path.name not in (*_LEFT_OUT, CONFIG, STORE, gradebook.name) and not path.name.endswith(
                ".lock"
            ):
                (root / path.name).symlink_to(path)
        if has_database(course.root):
            prepare(course.root)
            copy_database(gradebook, root / gradebook.name)
        settings = course.root / CONFIG
        text = settings.read_text(encoding="utf-8") if settings.is_file() else "c = get_config()\n"
        text += f"\nc.CourseDirectory.db_url = {f'sqlite:///{root.absolute() / gradebook.name}'!r}\n"
        (root / CONFIG).write_text(text, encoding="utf-8")
        yield Course(root, course.settings)


def _share(source: str, target: str) -> None:
    """Link a file if possible, else copy it. Grading replaces files and never writes into an existing one."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
