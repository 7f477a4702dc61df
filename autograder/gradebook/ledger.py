"""Computes the score and penalty of each submission, and what changed and why.

Both ways into the gradebook, ours and nbgrader's own, come here after the points are recorded.
"""

import hashlib
import logging
import platform
from collections import defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from nbgrader.api import Gradebook, SubmittedAssignment
from traitlets.config import Config

from autograder.collecting.archive import EntryError
from autograder.collecting.attempts import LOCK, adopt
from autograder.course.course import Course, course_secret
from autograder.course.exercise import Exercise, own_files
from autograder.files import locked
from autograder.gradebook.attempts import handed_in, name_of_attempt, store_report
from autograder.gradebook.audit import BY_HAND, DATES, Audit, Digests, Save, read_saves
from autograder.gradebook.lateness import Lateness
from autograder.gradebook.rows import Rows, entries_of, points_by_cell, read_row, rows_of
from autograder.report.report import GradebookSubmission, Report
from autograder.submission.digest import engine, spelt
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


def score_change(
    exercise: str, before: GradebookSubmission | None, after: GradebookSubmission, why: str
) -> ScoreChange | None:
    """Return what changed, or None where every score is as it was."""
    old, new = _scores(before), _scores(after)
    names = dict.fromkeys((*old, *new))
    changed = tuple(
        QuestionChange(n, old.get(n), new.get(n)) for n in names if old.get(n) != new.get(n) or n not in old
    )
    score = None if before is None else before.score
    if before is not None and not changed and score == after.score:
        return None
    return ScoreChange(after.student, exercise, score, after.score, NEW if before is None else why, changed)


def digests_of(course: Course, exercise: Exercise) -> dict[str, str]:
    """Return a digest of each thing that decides a score besides the notebook."""
    name = exercise.name
    settings = (course.limits(name), spelt(course.rules(name)), course.building(name))
    rules = repr((settings, course.settings.walls))
    tests = (exercise.suite, *own_files(exercise.folder, "mistakes/*.py"))
    return {
        "source": _digest(_content(exercise.source)),
        "suite": _digest(*(part for path in tests for part in (path.name.encode(), _content(path)))),
        "settings": _digest(rules.encode()),
        "inputs": _digest(course_secret(course)),
        "engine": engine(),
        "environment": platform.python_version(),
    }


def cause(before: Digests | None, rules: Digests, notebook: Notebook, attempt: str = "") -> str:
    """Return in words what is not as it was when the submission was graded last.

    `attempt` says which of several attempts the notebook is.
    """
    if before is None:
        return AGAIN
    now = {"notebook": notebook.digest, **rules}
    words = _WORDS | ({"notebook": f"{_WORDS['notebook']} ({attempt})"} if attempt else {})
    return ", ".join(word for key, word in words.items() if before.get(key) != now[key]) or AGAIN


def _scores(submission: GradebookSubmission | None) -> dict[str, float | None]:
    if submission is None:
        return {}
    scores = {entry.question: entry.score for entry in submission.entries}
    return {**scores, "late": -submission.penalty} if submission.penalty else scores


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def _digest(*parts: bytes) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()


def turn(course: Course, tell: Callable[[str], None] = _LOG.warning) -> AbstractContextManager[None]:
    """Let one process at a time read scores, change them and keep the changes in the audit.

    Whoever has to wait for another one is told so.
    """
    return locked(course.root / ".grading.lock", tell)


class Ledger:
    """The submissions of an exercise as they are now, and what has changed since the ledger was opened."""

    def __init__(self, course: Course, exercise: Exercise, config: Config) -> None:
        self._course, self._exercise = course, exercise
        self._lateness = Lateness(course, exercise, config)
        self._audit = Audit(course, exercise)
        self._digests = digests_of(course, exercise)
        self._times: dict[str, datetime | None] = {}
        self._first: dict[str, GradebookSubmission | None] = {}
        self._reasons: dict[str, list[str]] = {}
        self.known: dict[str, GradebookSubmission] = {}
        self.changes: dict[str, ScoreChange] = {}

    def open(self, gradebook: Gradebook) -> None:
        """Read all submissions, and settle what dates, extensions and people have changed meanwhile."""
        steps, saves = [], defaultdict[str, list[Save]](list)
        for save in read_saves(gradebook, self._exercise):
            saves[save.student].append(save)
        for row in rows_of(gradebook, self._exercise):
            before = read_row(self._exercise, row)
            self._audit.recover(before)
            self._times[row.student_id] = row.timestamp
            after = self._lateness.enter(row, before, row.timestamp)
            self._keep(after if self._is_stale(before, row) else before, after, DATES)
            for step, save in self._audit.replayed(before, saves[row.student_id]):
                steps.append((self._lateness.reckon(step, row, row.timestamp), save))
        gradebook.db.commit()
        for step, save in steps:
            self._audit.note(step, BY_HAND, save=save)
        for submission in filter(_has_scores, self.known.values()):
            self._audit.catch_up(submission)

    def settle(
        self, gradebook: Gradebook, submission: Submission, notebook: Notebook, rows: Rows, report: Report,
        rules: str,
    ) -> GradebookSubmission:  # fmt: skip
        """Settle a submission that was just recorded, commit, and return it as it is now.

        The report and the audit's line are stored first. The line counts once the gradebook has the scores.
        """
        student, points = submission.student, points_by_cell(self._exercise)
        entries = entries_of(self._exercise, student, rows.grades, rows.comments, points)
        came = handed_in(submission)
        after = self._lateness.enter(rows.submission, GradebookSubmission(student, 0.0, 0.0, entries), came)
        with suppress(EntryError), locked(submission.root / LOCK):
            adopt(submission)
        store_report(submission, notebook, rules, report)
        why = self._cause(submission, notebook, came)
        self._audit.announce(after, why, {"notebook": notebook.digest, **self._digests})
        gradebook.db.commit()
        self._audit.confirm(student)
        self._keep(self.known.get(student), after, why)
        return after

    def arrived(self, gradebook: Gradebook, submission: Submission) -> None:
        """Settle a submission that is graded already, if the time when it came has changed."""
        when = handed_in(submission)
        if when != self._times.get(submission.student):
            (row,) = rows_of(gradebook, self._exercise, submission.student)
            after = self._lateness.enter(row, read_row(self._exercise, row), when)
            gradebook.db.commit()
            self._keep(self.known.get(submission.student), after, DATES)
            self._audit.note(after, DATES)

    def _is_stale(self, before: GradebookSubmission, row: SubmittedAssignment) -> bool:
        """Whether a row's penalty is that of points before a person gave others, by rules that still hold.

        Pages and exports reckon it for the points that there are, so they have never shown such a score.
        """
        points = self._audit.points(row.student_id)
        if points is None or not self._audit.differs(before):
            return False
        return self._lateness.penalty(row.student_id, points, row, row.timestamp) == before.penalty

    def _cause(self, submission: Submission, notebook: Notebook, came: datetime | None) -> str:
        if not _has_scores(self.known.get(submission.student)):
            return NEW
        attempt = name_of_attempt(self._course, submission, notebook, came)
        return cause(self._audit.digests(submission.student), self._digests, notebook, attempt)

    def _keep(self, before: GradebookSubmission | None, after: GradebookSubmission, why: str) -> None:
        """Keep the submission as it is now, and what has changed since the ledger was opened."""
        student, name = after.student, self._exercise.name
        self.known[student] = after
        before = before if _has_scores(before) else None
        first = self._first.setdefault(student, before)
        if score_change(name, before, after, why):
            self._reasons[student] = [*self._reasons.get(student, ()), why]
        if change := score_change(name, first, after, ", ".join(self._reasons.get(student, ()))):
            self.changes[student] = change
        else:
            self.changes.pop(student, None)


def _has_scores(submission: GradebookSubmission | None) -> bool:
    """Whether anything was scored; nbgrader makes rows for a submission before it is graded."""
    return submission is not None and any(entry.score is not None for entry in submission.entries)
