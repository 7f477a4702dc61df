"""Holds one exercise's part of the gradebook open while the submissions of a class go into it.

One connection serves all submissions, where nbgrader's autograde opens several for each. Both ways lead
through the same steps and leave the same rows and files. A dry run does that in a copy of the course.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from nbformat import NotebookNode, v4
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde

from autograder.collecting.archive import EntryError
from autograder.collecting.attempts import LOCK, Attempt, adopt, put_forward
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.kept import FOLDERS, GRADEBOOK, STORE
from autograder.course.settings import Counts
from autograder.errors import UsageError
from autograder.files import locked
from autograder.gradebook.assignment import register
from autograder.gradebook.attempts import companions, handed_in, is_final, known_time, refusal
from autograder.gradebook.config import converting, database, open_converter, write_folder
from autograder.gradebook.grades import Release, enter_scores, judge, outputs_of, render
from autograder.gradebook.ledger import Ledger
from autograder.gradebook.rows import enter_students, make_rows
from autograder.grading.graded import Graded
from autograder.records.database import CONFIG, Store, copy_database, database_file, has_database, prepare
from autograder.records.reports import Outputs, StoredReport, store_report, stored_outputs, stored_reports
from autograder.report.report import Report
from autograder.submission.digest import digest_of
from autograder.submission.notebook import Notebook, read_notebook
from autograder.submission.submission import Submission

# Grading neither reads nor changes these.
_LEFT_OUT = ("build", "feedback", "backups", ".git", f"{GRADEBOOK}-journal")
Eligible = Callable[[Attempt], bool]


class ExerciseGradebook:
    """Takes graded submissions of one exercise in; use it in a `with` block.

    Entering the block records the exercise as it is now, with its due date.
    """

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self._course, self._exercise = course, exercise
        self._release = Release(course, exercise)
        self._open = ExitStack()
        self.rules = self._release.rules

    def __enter__(self) -> "ExerciseGradebook":
        course, exercise = self._course, self._exercise
        register(course, exercise)
        self._gradebook = self._open.enter_context(Gradebook(database(course), course.settings.course))
        self._autograde = self._open.enter_context(open_converter(Autograde, course, exercise))
        enter_students(self._gradebook, course)
        self._gradebook.db().expire_on_commit = False  # a submission's rows are read once and let go
        self.ledger = Ledger(course, exercise, self._gradebook)
        self._reports = stored_reports(self._gradebook.db(), exercise.name)
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def current(self, submission: Submission, notebook: Notebook) -> StoredReport | None:
        """Return the report on a notebook, if grading it again would give the same report."""
        stored = self._reports.get((submission.student, notebook.digest))
        return stored if stored and stored.fingerprint == digest_of(self.rules, notebook) else None

    def store(self, submission: Submission, notebook: Notebook, graded: Graded) -> None:
        """Store how an attempt was graded that may come to count."""
        store, outputs = self._gradebook.db(), outputs_of(graded.results)
        self._store(store, submission, notebook, graded.report, outputs, recorded=False)
        store.commit()

    def take_in(self, submission: Submission, notebook: Notebook, graded: Graded) -> None:
        """Record the result of grading a submission, and write its graded notebook."""
        self._record(submission, notebook, graded.report, outputs_of(graded.results))

    def take_stored(self, submission: Submission, notebook: Notebook, stored: StoredReport) -> None:
        """Record a report that was stored before, or write its graded notebook again if that is missing."""
        outputs = stored_outputs(self._gradebook.db(), submission, notebook.digest)
        if not stored.recorded or submission.student not in self.ledger.current:
            self._record(submission, notebook, stored.report, outputs)
            return
        if not submission.autograded.exists():
            with converting(self._course, self._autograde.log, submission.exercise, submission.student):
                self._write(submission, render(self._release, notebook, outputs))
        self.ledger.arrived(submission)

    def _record(self, submission: Submission, notebook: Notebook, report: Report, outputs: Outputs) -> None:
        """Write report, scores and the audit's line in one transaction, then the graded notebook.

        The old graded notebook goes first, so that one that exists is never of another result.
        """
        with converting(self._course, self._autograde.log, submission.exercise, submission.student):
            with suppress(EntryError), locked(submission.root / LOCK):
                adopt(submission)
            node = render(self._release, notebook, outputs)
            judged = judge(self._release, node, notebook, report)
            make_rows(self._gradebook, self._exercise, submission.student)
            submission.autograded.unlink(missing_ok=True)
            with self.ledger.changing(submission.student) as row:
                store = self._gradebook.db()
                enter_scores(store, row, judged)
                self._store(store, submission, notebook, report, outputs, recorded=True)
                self.ledger.settle(row, handed_in(submission), notebook)
            self._write(submission, node)

    def _store(
        self, store: Store, submission: Submission, notebook: Notebook, report: Report, outputs: Outputs,
        *, recorded: bool,
    ) -> None:  # fmt: skip
        fingerprint = digest_of(self.rules, notebook)
        store_report(store, submission, notebook.digest, fingerprint, report, outputs, recorded=recorded)
        self._reports[submission.student, notebook.digest] = StoredReport(report, fingerprint, recorded)

    def _write(self, submission: Submission, node: NotebookNode) -> None:
        others = {path.name: path for path in companions(submission)}
        write_folder(self._autograde, submission, submission.autograded, f"{v4.writes(node)}\n", others)


class Counting:
    """Which attempts at an exercise count, by the rule in course.yaml; without a rule nothing is moved."""

    def __init__(
        self,
        exercise: Exercise,
        gradebook: ExerciseGradebook,
        eligible: Eligible = lambda _: True,
        *,
        unsafe: bool = False,
    ) -> None:
        settings = exercise.settings.attempts
        self._rule = settings.counts if settings is not None else None
        self._gradebook, self._eligible, self._unsafe = gradebook, eligible, unsafe

    def ungraded(self, submissions: Sequence[Submission]) -> Iterator[tuple[Submission, Notebook]]:
        """Yield the attempts that have to be graded before it is known which one is the best."""
        for submission in submissions if self._rule is Counts.BEST else ():
            with locked(submission.root / LOCK):
                attempts = self._attempts(submission)
            for attempt in attempts if len(attempts) > 1 else ():
                notebook = read_notebook(attempt.notebook)
                if self._report(submission, notebook) is None:
                    yield submission, notebook

    def settle(self, submission: Submission) -> None:
        """Put the attempt that counts into submitted/."""
        if self._rule is None:
            return
        with suppress(EntryError), locked(submission.root / LOCK):
            if attempts := self._attempts(submission):
                put_forward(submission, self._counting(submission, attempts))

    def _attempts(self, submission: Submission) -> Sequence[Attempt]:
        """Return the attempts that may count; nothing is touched in a folder that is refused."""
        if refusal(submission):
            return ()
        with suppress(EntryError):
            return [attempt for attempt in adopt(submission) if self._eligible(attempt)]
        return ()

    def _counting(self, submission: Submission, attempts: Sequence[Attempt]) -> Attempt:
        """Return the attempt that counts; ties go to the newest."""
        student, ledger = submission.student, self._gradebook.ledger
        row = ledger.rows.get(student)
        if self._rule is Counts.BEFORE_DUE:
            in_time = [one for one in attempts if ledger.lateness.in_time(student, row, known_time(one.time))]
            return (in_time or attempts)[-1]
        if self._rule is not Counts.BEST:
            return attempts[-1]

        def worth(attempt: Attempt) -> float:
            report = self._report(submission, read_notebook(attempt.notebook))
            if report is None or report.score is None:
                return -1.0
            loss = ledger.lateness.penalty(student, report.score, row, known_time(attempt.time))
            return round(report.score - loss, 4)

        return max(reversed(attempts), key=worth)

    def _report(self, submission: Submission, notebook: Notebook) -> Report | None:
        """Return how a notebook was graded, if grading it again, behind the same walls, changes nothing."""
        stored = self._gradebook.current(submission, notebook)
        return stored.report if stored and is_final(stored.report, unsafe=self._unsafe) else None


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
