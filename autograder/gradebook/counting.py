"""Says which of a student's attempts counts, and puts it into submitted/."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property

from nbgrader.api import Gradebook, SubmittedAssignment

from autograder.collecting.attempts import Attempt, adopt, attempts_of, attempts_to_be, put_forward
from autograder.collecting.entry import EntryError
from autograder.collecting.placing import LOCK
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.settings import Counts
from autograder.files import locked
from autograder.gradebook.config import database, gradebook_exists, load
from autograder.gradebook.folder_check import known_time, refusal
from autograder.gradebook.graded_attempts import current_report, keep_graded
from autograder.gradebook.grades import fingerprinted
from autograder.gradebook.lateness import Lateness
from autograder.gradebook.rows import rows_of
from autograder.report.report import Report
from autograder.submission.digest import rules
from autograder.submission.notebook import Notebook, read_notebook
from autograder.submission.submission import Submission

Eligible = Callable[[Attempt], bool]


class Counting:
    """Which attempts at an exercise count, by the rule in course.yaml; without a rule nothing is moved.

    In a `dry_run` nothing is written, and what attempts came to is known until its end.
    """

    def __init__(
        self,
        course: Course,
        exercise: Exercise,
        eligible: Eligible = lambda _: True,
        *,
        unsafe: bool = False,
        dry_run: bool = False,
    ) -> None:
        settings = course.attempts(exercise.name)
        self._rule = settings.counts if settings is not None else None
        self._course, self._exercise, self._eligible, self._unsafe = course, exercise, eligible, unsafe
        self._dry_run = dry_run
        self._graded: dict[tuple[str, str], Report] = {}  # in a dry run, by student and digest

    def ungraded(self, submissions: Sequence[Submission]) -> Iterator[tuple[Submission, Notebook]]:
        """Yield the attempts that have to be graded before it is known which one is the best."""
        if self._rule is not Counts.BEST:
            return
        for submission in submissions:
            with locked(submission.root / LOCK):
                attempts = self._attempts(submission)
            for attempt in attempts if len(attempts) > 1 else ():
                notebook = read_notebook(attempt.notebook(submission.exercise))
                if self._report(submission, attempt, notebook) is None:
                    yield submission, notebook

    def keep(self, submission: Submission, notebook: Notebook, report: Report) -> None:
        """Keep what one of those attempts came to."""
        if self._dry_run:
            self._graded[submission.student, notebook.digest] = report
            return
        keep_graded(submission, notebook, fingerprinted(self._rules, notebook, report))

    def settle(self, submissions: Sequence[Submission]) -> dict[str, Attempt]:
        """Put the attempts that count into submitted/, and return them by student."""
        if self._rule is None:
            return {}
        rows, lateness = self._rows(), Lateness(self._course, self._exercise, load(self._course))
        counting = {}
        for submission in submissions:
            with suppress(EntryError), locked(submission.root / LOCK):
                if attempts := self._attempts(submission):
                    student = submission.student
                    counting[student] = self._counting(submission, attempts, lateness, rows.get(student))
                    if not self._dry_run:
                        put_forward(submission, counting[student])
        return counting

    def _attempts(self, submission: Submission) -> Sequence[Attempt]:
        """Return the attempts that may count; nothing is touched in a folder that is refused."""
        if refusal(submission):
            return ()
        with suppress(EntryError):
            if not self._dry_run:
                adopt(submission)
            known = attempts_to_be(submission) if self._dry_run else attempts_of(submission)
            return [attempt for attempt in known if self._eligible(attempt)]
        return ()

    def _counting(
        self, submission: Submission, attempts: Sequence[Attempt], lateness: Lateness,
        row: SubmittedAssignment | None,
    ) -> Attempt:  # fmt: skip
        student = submission.student
        if self._rule is Counts.BEFORE_DUE:
            in_time = [one for one in attempts if lateness.in_time(student, row, known_time(one.folder))]
            return (in_time or attempts)[-1]
        if self._rule is Counts.BEST:

            def worth(place: int) -> tuple[float, int]:
                attempt = attempts[place]
                notebook = read_notebook(attempt.notebook(submission.exercise))
                report = self._report(submission, attempt, notebook)
                if report is None or report.score is None:
                    return (-1.0, place)
                loss = lateness.penalty(student, report.score, row, known_time(attempt.folder))
                return (round(report.score - loss, 4), place)

            return attempts[max(range(len(attempts)), key=worth)]
        return attempts[-1]

    def _report(self, submission: Submission, attempt: Attempt, notebook: Notebook) -> Report | None:
        """Return what an attempt comes to, graded behind the walls that it needs now."""
        if report := self._graded.get((submission.student, notebook.digest)):
            return report
        report = current_report(attempt, self._rules, notebook)
        return report if report is None or self._unsafe or "unsafe" not in report.sandbox else None

    @cached_property
    def _rules(self) -> str:
        return rules(self._course, self._exercise)

    def _rows(self) -> dict[str, SubmittedAssignment]:
        """Return nbgrader's rows, which may hold dates and extensions that stand nowhere else."""
        if not gradebook_exists(self._course):
            return {}
        with Gradebook(database(self._course), self._course.settings.course) as gradebook:
            rows = {row.student_id: row for row in rows_of(gradebook, self._exercise)}
            gradebook.db.expunge_all()
        return rows
