"""Holds one exercise's part of the gradebook open while the submissions of a class go into it.

One connection serves all submissions, where nbgrader's autograde opens several for each. Both ways lead
through the same steps and leave the same rows and files. A dry run does that in a copy of the course.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from nbformat import NotebookNode, v4

from autograder.collecting.archive import EntryError
from autograder.collecting.attempts import (
    LOCK,
    SECRET,
    TIMESTAMP,
    Arrival,
    Attempt,
    adopt,
    all_attempts,
    put_forward,
)  # fmt: skip
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import skipping
from autograder.course.kept import FOLDERS, GRADEBOOK, STORE
from autograder.errors import UsageError
from autograder.files import locked
from autograder.gradebook.assignment import register
from autograder.gradebook.attempts import is_final, known_time, name_of_attempt, written_time
from autograder.gradebook.config import open_for_grading, write_folder
from autograder.gradebook.grades import Release, enter_scores, judge, outputs_of, render
from autograder.gradebook.lateness import Lateness
from autograder.gradebook.ledger import Ledger, grading_lock
from autograder.gradebook.rows import enter_students, make_rows
from autograder.gradebook.selection import AttemptSelection
from autograder.grading.graded import Graded
from autograder.records.database import CONFIG, copy_database, database_file, has_database, prepare
from autograder.records.reports import Outputs, store_report, stored_outputs
from autograder.report.report import Report
from autograder.submission.digest import fingerprint_of, rules_and_digests
from autograder.submission.notebook import read_notebook
from autograder.submission.submission import Submission

# Grading neither reads nor changes these.
_LEFT_OUT = ("build", "feedback", "backups", ".git", f"{GRADEBOOK}-journal")
Eligible = Callable[[Attempt], bool]


class ExerciseGradebook:
    """The record of one exercise while the submissions of a class are graded; use it in a `with` block.

    Opening it records the exercise as it is now, with its due date. No other process grades until it is
    closed. Each submission goes through `begin`, which says what has to be graded, `take_in` for each result,
    and `finish`.
    """

    def __init__(
        self, course: Course, exercise: Exercise, eligible: Eligible = lambda _: True, *, unsafe: bool = False
    ) -> None:
        self.exercise, self._eligible, self._unsafe = exercise, eligible, unsafe
        self._release = Release(exercise)
        self._rules, digests = rules_and_digests(course, exercise)
        lateness = Lateness(course, exercise)
        self._selection = AttemptSelection(course, exercise, lateness)
        self._candidates = dict[str, list[str]]()  # digests, the preferred first, by student
        self._opened = ExitStack()
        with ExitStack() as stack:
            stack.enter_context(grading_lock(course))
            self._gradebook, self._autograde = stack.enter_context(open_for_grading(course, exercise))
            register(self._gradebook, exercise)
            enter_students(self._gradebook, course.root)
            self._gradebook.db().expire_on_commit = False  # a submission's rows are read once and let go
            guard = partial(skipping, course, exercise.name)
            self.ledger = Ledger(exercise, self._gradebook, lateness, digests, guard)
            self._attempts = all_attempts(course.root, exercise.name)
            self._opened = stack.pop_all()

    def __enter__(self) -> "ExerciseGradebook":
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def begin(self, submission: Submission, *, force: bool = False) -> list[Attempt] | None:
        """Return the attempts that have to be graded before it is known which one counts, and its score.

        A report that would be the same is not made again, unless `force` says so. None says that nothing was
        submitted.
        """
        if not (attempts := self._adopted(submission)):
            return None
        row = self.ledger.rows.get(submission.student)
        candidates = self._selection.candidates(submission.student, row, attempts)
        self._candidates[submission.student] = [attempt.digest for attempt in candidates]
        ungraded = [attempt for attempt in candidates if force or self._current_report(attempt) is None]
        if lost := [one.notebook for one in ungraded if not os.path.lexists(one.notebook)]:
            raise UsageError(f"{lost[0]} is missing; put it back from a backup")
        return ungraded

    def take_in(self, submission: Submission, attempt: Attempt, graded: Graded) -> None:
        """Store how an attempt was graded; if it is certain to count, record its scores at once."""
        report, outputs = graded.report, outputs_of(graded.results)
        row, candidates = self.ledger.rows.get(submission.student), self._candidates_of(submission)
        if not self._selection.is_certain(submission.student, row, candidates, attempt, report):
            self._store(submission, attempt, report, outputs, recorded=False)
            self._gradebook.db.commit()
        else:
            self._record(submission, attempt, report, outputs)

    def explain(self, submission: Submission, attempt: Attempt, graded: Graded) -> bool:
        """Replace a recorded attempt's report by one with explanations, unless its marks are different."""
        if attempt.report is None or attempt.report.marks != graded.report.marks:
            return False
        self._record(submission, attempt, graded.report, outputs_of(graded.results))
        return True

    def finish(self, submission: Submission) -> tuple[Report, bool]:
        """Let the attempt count that does so by the rule; return its report, and whether that is new.

        A graded notebook that is missing is written again.
        """
        attempt = self._counting(submission)
        if self._selection.rule is not None and not attempt.is_submitted:
            with locked(submission.root / LOCK):
                put_forward(submission, attempt)
        report, student = attempt.report, submission.student
        assert report is not None  # all candidates are graded by now
        outputs = partial(stored_outputs, self._gradebook.db(), submission, attempt.digest)
        if is_new := not attempt.recorded or student not in self.ledger.current:
            self._record(submission, attempt, report, outputs())
        elif not submission.autograded.exists():
            self._write(
                submission, attempt, render(self._release, read_notebook(attempt.notebook), outputs())
            )
        self.ledger.arrived(student, known_time(attempt.time))
        return report, is_new

    def _adopted(self, submission: Submission) -> Sequence[Attempt]:
        """Return the attempts of which one counts, the newest last."""
        with locked(submission.root / LOCK):
            try:
                attempts = adopt(submission, self._attempts.get(submission.student, ()))
            except EntryError:  # no plain file: an attempt of which nothing can be kept, and unreadable
                digest, time = read_notebook(submission.notebook).digest, written_time(submission) or ""
                attempts = (Attempt(0, digest, submission.notebook, time, Arrival(), is_submitted=True),)
        self._attempts[submission.student] = attempts
        eligible = [one for one in attempts if self._eligible(one)]
        if len(eligible) < len(attempts) and self._why_passed_over(submission, eligible[-1]):
            return attempts  # the newest of them counts instead
        return eligible

    def _candidates_of(self, submission: Submission) -> Sequence[Attempt]:
        """Return the attempts of which one counts, with their reports."""
        attempts = {attempt.digest: attempt for attempt in self._attempts[submission.student]}
        return [attempts[digest] for digest in self._candidates[submission.student]]

    def _counting(self, submission: Submission) -> Attempt:
        """Return the attempt that counts."""
        student, candidates = submission.student, self._candidates_of(submission)
        return self._selection.choose(
            student, self.ledger.rows.get(student), candidates, self._current_report
        )

    def passed_over(self, submission: Submission) -> str:
        """Return which attempt counts and why the newest one does not, if it replaces no other.

        Such as "attempt 1 of 2 counts; the newest came so late that it scores 0".
        """
        attempts, counting = self._attempts[submission.student], self._counting(submission)
        if counting.digest == attempts[-1].digest:
            return ""
        why = self._why_passed_over(submission, attempts[-1])
        return f"{name_of_attempt(self.exercise, attempts, counting)} counts; the newest {why}" if why else ""

    def _why_passed_over(self, submission: Submission, attempt: Attempt) -> str:
        row = self.ledger.rows.get(submission.student)
        return self._selection.why_passed_over(submission.student, row, attempt)

    def _current_report(self, attempt: Attempt) -> Report | None:
        """Return the report on an attempt, unless grading it again behind the same walls could change it."""
        if attempt.report is None or attempt.fingerprint != fingerprint_of(self._rules, attempt.digest):
            return None
        return attempt.report if is_final(attempt.report, unsafe=self._unsafe) else None

    def _record(self, submission: Submission, attempt: Attempt, report: Report, outputs: Outputs) -> None:
        """Write report, scores and the audit's line in one transaction, then the graded notebook.

        The old graded notebook goes first, so that one that exists is never of another result.
        """
        notebook = read_notebook(attempt.notebook)
        node = render(self._release, notebook, outputs)
        judged = judge(self._release, node, notebook, report)
        name = name_of_attempt(self.exercise, self._attempts[submission.student], attempt)
        make_rows(self._gradebook, self.exercise, submission.student)
        submission.autograded.unlink(missing_ok=True)
        with self.ledger.changing(submission.student) as row:
            enter_scores(self._gradebook.db(), row, judged)
            self._store(submission, attempt, report, outputs, recorded=True)
            self.ledger.settle(row, known_time(attempt.time), attempt.digest, name)
        self.ledger.rows[submission.student] = row
        self._write(submission, attempt, node)

    def _store(
        self, submission: Submission, attempt: Attempt, report: Report, outputs: Outputs, *, recorded: bool
    ) -> None:
        fingerprint, store = fingerprint_of(self._rules, attempt.digest), self._gradebook.db()
        store_report(store, submission, attempt.digest, fingerprint, report, outputs, recorded=recorded)
        stored = replace(attempt, report=report, fingerprint=fingerprint, recorded=recorded)
        self._attempts[submission.student] = tuple(
            stored if one.digest == attempt.digest else replace(one, recorded=one.recorded and not recorded)
            for one in self._attempts[submission.student]
        )

    def _write(self, submission: Submission, attempt: Attempt, node: NotebookNode) -> None:
        others = {TIMESTAMP: attempt.time.encode(), SECRET: attempt.secret}
        others = {name: content for name, content in others.items() if content}
        write_folder(self._autograde, submission, submission.autograded, f"{v4.writes(node)}\n", others)


@contextmanager
def copied_state(course: Course) -> Iterator[Course]:
    """Yield the course with a copy of its state, in which a dry run grades, and delete the copy."""
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
        copy = Course(root, course.settings)
        copy.marks_only = course.marks_only
        yield copy


def _share(source: str, target: str) -> None:
    """Let a copy share a file if the system allows it: files are replaced and never changed in place."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
