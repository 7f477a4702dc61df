"""Computes the score and penalty of each submission, and what changed and why.

Both ways into the gradebook, ours and nbgrader's own, come here after the points are recorded.
"""

import logging
from collections import defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass

from nbgrader.api import Gradebook, SubmittedAssignment

from autograder.collecting.archive import EntryError
from autograder.collecting.attempts import LOCK, adopt
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import SubmissionError, skipping
from autograder.files import locked
from autograder.gradebook.attempts import handed_in, name_of_attempt, store_report
from autograder.gradebook.audit import BY_HAND, DATES, Audit
from autograder.gradebook.lateness import Lateness
from autograder.gradebook.rows import SavedScore, read_row, read_saves, rows_of
from autograder.report.report import GradebookSubmission, Report
from autograder.submission.digest import digests_of
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission

NEW, AGAIN = "new", "graded again"
_WORDS = {
    "notebook": "another notebook",
    "source": "changed exercise",
    "suite": "changed tests",
    "settings": "changed course.yaml",
    "inputs": "another secret",
    "engine": "changed engine",
    "environment": "another Python",
}
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """One question whose score changed; `late` is the penalty."""

    name: str
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """A submission whose score, or that of one of its questions, changed."""

    student: str
    exercise: str
    before: float | None
    after: float | None
    why: str
    questions: tuple[QuestionChange, ...]


def grading_lock(course: Course, tell: Callable[[str], None] = _LOG.warning) -> AbstractContextManager[None]:
    """Let one process at a time read scores, change them and keep the changes in the audit.

    Whoever has to wait for another one is told so.
    """
    return locked(course.root / ".grading.lock", tell)


class Ledger:
    """The submissions of an exercise as they are now, and what has changed since the ledger was opened.

    Whoever opens it settles what dates, extensions and people have changed meanwhile. A row that cannot be
    read or settled stays as it is, and `failures` says why.
    """

    def __init__(self, course: Course, exercise: Exercise, gradebook: Gradebook) -> None:
        self._course, self._exercise, self._gradebook = course, exercise, gradebook
        self._audit = Audit(course, exercise)
        self._digests = digests_of(course, exercise)
        self._first: dict[str, GradebookSubmission | None] = {}
        self._reasons = defaultdict[str, list[str]](list)
        self.lateness = Lateness(course, exercise)
        self.rows: dict[str, SubmittedAssignment] = {}  # as they were when the ledger was opened
        self.known: dict[str, GradebookSubmission] = {}
        self.failures: dict[str, SubmissionError] = {}
        self._catch_up()

    def _catch_up(self) -> None:
        """Read all submissions, and add a line to the audit for each save and change since its last line."""
        steps, saves = [], defaultdict[str, list[SavedScore]](list)
        for one in read_saves(self._gradebook, self._exercise):
            saves[one.student].append(one)
        self.rows = {row.student_id: row for row in rows_of(self._gradebook, self._exercise)}
        for student, row in self.rows.items():
            with self._skipping(student):
                before = read_row(self._exercise, row)
                self._audit.recover(before)
                after = self.lateness.enter(row, before, row.timestamp)
                for step, save in self._audit.replayed(before, saves[student]):
                    steps.append((self.lateness.reckon(step, row), save))
                self._keep(after if self._is_stale(before, row) else before, after, DATES)
        self._gradebook.db.commit()
        for step, save in steps:
            with self._skipping(step.student):
                self._audit.add(step, BY_HAND, save=save)
        for submission in filter(_has_scores, self.known.values()):
            if submission.student not in self.failures:
                with self._skipping(submission.student):
                    self._audit.catch_up(submission)

    def _skipping(self, student: str) -> AbstractContextManager[None]:
        """Store the failure of the `with` block as this student's."""
        return skipping(
            self._course, self._exercise.name, student, lambda error: self.failures.update({student: error})
        )

    def settle(self, row: SubmittedAssignment, notebook: Notebook, rules: str, report: Report) -> None:
        """Settle a submission whose points were just recorded, and commit.

        The report and the audit's line are stored first. The line counts once the gradebook has the scores.
        """
        submission = Submission(self._course.root, row.student_id, self._exercise.name)
        came = handed_in(submission)
        after = self.lateness.enter(row, read_row(self._exercise, row), came)
        with suppress(EntryError), locked(submission.root / LOCK):
            adopt(submission)
        store_report(submission, notebook, rules, report)
        why = self._cause(submission, notebook)
        digests = {"notebook": notebook.digest, **self._digests}
        self._audit.add(after, why, digests, pending=True)
        self._gradebook.db.commit()
        self._audit.confirm(row.student_id)
        self._keep(self.known.get(row.student_id), after, why)

    def arrived(self, submission: Submission) -> None:
        """Settle a submission that is graded already, if the time when it came has changed."""
        when = handed_in(submission)
        if when != self.rows[submission.student].timestamp:
            (row,) = rows_of(self._gradebook, self._exercise, submission.student)
            after = self.lateness.enter(row, read_row(self._exercise, row), when)
            self._gradebook.db.commit()
            self._keep(self.known.get(submission.student), after, DATES)
            self._audit.add(after, DATES)

    def _is_stale(self, before: GradebookSubmission, row: SubmittedAssignment) -> bool:
        """Whether a row's penalty is that of points before a person gave others, by rules that still hold.

        Pages and exports compute it for the points that there are, so they have never shown such a score.
        """
        points = self._audit.points_before(before)
        if points is None:
            return False
        return self.lateness.penalty(row.student_id, points, row, row.timestamp) == before.penalty

    def _cause(self, submission: Submission, notebook: Notebook) -> str:
        """Return in words what is not as it was when the submission was graded last."""
        if not _has_scores(self.known.get(submission.student)):
            return NEW
        before = self._audit.digests(submission.student)
        now = {"notebook": notebook.digest, **self._digests}
        changed = [word for key, word in _WORDS.items() if before and before.get(key) != now[key]]
        attempt = name_of_attempt(self._course, submission, notebook)
        if attempt and changed[:1] == [_WORDS["notebook"]]:
            changed[0] += f" ({attempt})"
        return ", ".join(changed) or AGAIN

    def _keep(self, before: GradebookSubmission | None, after: GradebookSubmission, why: str) -> None:
        """Keep the submission as it is now, and why it has changed since the ledger was opened."""
        student, before = after.student, before if _has_scores(before) else None
        self.known[student] = after
        self._first.setdefault(student, before)
        if _change(self._exercise, before, after, why):
            self._reasons[student].append(why)

    def change(self, student: str) -> ScoreChange | None:
        """Return what has changed about a submission since the ledger was opened."""
        why = ", ".join(self._reasons[student])
        return _change(self._exercise, self._first[student], self.known[student], why)


def _change(
    exercise: Exercise, before: GradebookSubmission | None, after: GradebookSubmission, why: str
) -> ScoreChange | None:
    """Return what changed, or None where every score is as it was."""
    old, new = _scores(before), _scores(after)
    changed = tuple(
        QuestionChange(name, old.get(name), new.get(name))
        for name in dict.fromkeys((*old, *new))
        if name not in old or old[name] != new.get(name)
    )
    if before is None:
        return ScoreChange(after.student, exercise.name, None, after.score, NEW, changed)
    if not changed and before.score == after.score:
        return None
    return ScoreChange(after.student, exercise.name, before.score, after.score, why, changed)


def _scores(submission: GradebookSubmission | None) -> dict[str, float | None]:
    """Return the score of each question, and what is lost for being late, if anything is."""
    if submission is None:
        return {}
    scores = {entry.question: entry.score for entry in submission.entries}
    return {**scores, "late": -submission.penalty} if submission.penalty else scores


def _has_scores(submission: GradebookSubmission | None) -> bool:
    """Whether anything was scored; nbgrader makes rows for a submission before it is graded."""
    return submission is not None and any(entry.score is not None for entry in submission.entries)
