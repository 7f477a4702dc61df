"""Decides which of a student's attempts counts, and stores how each was graded."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from pathlib import Path

from nbgrader.api import Gradebook, SubmittedAssignment
from nbgrader.utils import parse_utc

from autograder.collecting.archive import EntryError
from autograder.collecting.attempts import (
    COMPANIONS,
    LOCK,
    TIMESTAMP,
    Attempt,
    adopt,
    attempts_of,
    put_forward,
)
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.settings import Counts
from autograder.files import locked
from autograder.gradebook.config import database, gradebook_exists, load
from autograder.gradebook.lateness import Lateness
from autograder.gradebook.rows import rows_of
from autograder.report.report import Report, ShownAttempt, Status
from autograder.submission.digest import digest_of, rules
from autograder.submission.notebook import Notebook, read_notebook
from autograder.submission.store import REPORTS, reading, writing
from autograder.submission.submission import Submission, is_student

MAX_FILES = 200
_MAX_BYTES = 1000
_NO_TIME = (ValueError, OverflowError, TypeError, AttributeError)  # raised by words that are none


def refusal(submission: Submission) -> str:
    """Return why the folder of `submission` is refused and how to fix it; empty where nothing is wrong."""
    if not is_student(submission.student):
        return "is not a student's id; use letters, digits and . _ @ + -, and rename the folder"
    if submission.folder.is_symlink() or submission.folder.parent.is_symlink():
        return "the folder is a link; put the files themselves there"
    if not submission.folder.is_dir():
        return ""
    if sum(1 for _ in submission.folder.iterdir()) > MAX_FILES:
        return f"the folder holds more than {MAX_FILES} files; leave only the notebook in it"
    timestamp = submission.folder / TIMESTAMP
    if os.path.lexists(timestamp) and not _holds_time(timestamp):
        return f"{TIMESTAMP} is not a time; write one such as 2026-01-31 12:00:00 UTC, or delete it"
    return ""


def companions(submission: Submission) -> list[Path]:
    """Return the files that nbgrader needs besides the notebook; it gets to see no others."""
    return [path for name in COMPANIONS if _is_small_file(path := submission.folder / name)]


def handed_in(submission: Submission) -> datetime | None:
    """Return when a submission came, in UTC and without a zone, as nbgrader keeps it."""
    path = submission.folder / TIMESTAMP
    text = path.read_text(encoding="utf-8").strip() if _is_small_file(path) else ""
    return parse_utc(text) if text else None


def known_time(text: str) -> datetime | None:
    """Return the time of an attempt in the same way, and None also for words that are no time."""
    with suppress(*_NO_TIME):
        return parse_utc(text) if text else None
    return None


def _is_small_file(path: Path) -> bool:
    return not path.is_symlink() and path.is_file() and path.stat().st_size <= _MAX_BYTES


def _holds_time(path: Path) -> bool:
    with suppress(*_NO_TIME):
        if _is_small_file(path):
            parse_utc(path.read_text(encoding="utf-8").strip() or None)
            return True
    return False


Eligible = Callable[[Attempt], bool]


@dataclass(frozen=True, slots=True)
class StoredReport:
    """How a notebook was graded last, and a digest of it and of all that graded it."""

    report: Report
    fingerprint: str


def is_final(report: Report, *, unsafe: bool) -> bool:
    """Whether grading need not be repeated: it did not fail, and had the walls that it needs now."""
    return report.status is not Status.GRADER_ERROR and (unsafe or "unsafe" not in report.sandbox)


def store_report(submission: Submission, notebook: Notebook, rules: str, report: Report) -> None:
    """Store how a student's notebook was graded by these rules."""
    whose = {"student": submission.student, "exercise": submission.exercise, "digest": notebook.digest}
    row = {**whose, "fingerprint": digest_of(rules, notebook), "report": report.to_json()}
    with writing(submission.root) as store:
        store.execute(REPORTS.insert().prefix_with("OR REPLACE").values(**row))


def stored_reports(submission: Submission) -> dict[str, StoredReport]:
    """Return how a student's notebooks for an exercise were graded, by their digests."""
    mine = (REPORTS.c.student == submission.student) & (REPORTS.c.exercise == submission.exercise)
    found = {}
    with reading(submission.root) as store:
        for row in store.execute(REPORTS.select().where(mine)):
            with suppress(ValueError, KeyError, TypeError):  # of a version with another form of reports
                report = Report.from_dict(json.loads(row.report))
                found[row.digest] = StoredReport(report, row.fingerprint)
    return found


def shown_attempts(
    course: Course, submission: Submission, fingerprint: str, told: Callable[[Attempt], bool] = lambda _: True
) -> Sequence[ShownAttempt]:
    """Return a student's attempts for the page, the newest last; scores only of those that may be `told`.

    The one that counts is the one that was graded with this `fingerprint`.
    """
    attempts, reports, zone = attempts_of(submission), stored_reports(submission), _zone(course, submission)
    known = [reports.get(attempt.digest) for attempt in attempts]
    places = [place for place, one in enumerate(known) if one is not None and one.fingerprint == fingerprint]
    shown = []
    for place, attempt in enumerate(attempts):
        graded = known[place] if told(attempt) else None
        score, points = (None, None) if graded is None else (graded.report.score, graded.report.max_score)
        when = clock(known_time(attempt.time), zone)
        shown.append(ShownAttempt(when, score, points, place in places[-1:]))
    return shown


def name_of_attempt(course: Course, submission: Submission, notebook: Notebook, came: datetime | None) -> str:
    """Return which of several attempts a notebook is, such as "attempt 2 of 3 of 2026-03-01 16:00 CET".

    It is empty where there is but one.
    """
    attempts = attempts_of(submission)
    same = [place for place, one in enumerate(attempts) if one.digest == notebook.digest]
    if len(attempts) < 2 or not same:
        return ""
    place = next((place for place in same if known_time(attempts[place].time) == came), same[-1])
    when = clock(came, _zone(course, submission))
    return f"attempt {place + 1} of {len(attempts)}{f' of {when}' if when else ''}"


def _zone(course: Course, submission: Submission) -> tzinfo | None:
    due = course.due(submission.exercise)
    return due.tzinfo if due is not None else None


def clock(when: datetime | None, zone: tzinfo | None) -> str:
    """Return a time in UTC as a clock in this zone shows it; empty where nobody knows the time."""
    if when is None:
        return ""
    return when.replace(tzinfo=when.tzinfo or UTC).astimezone(zone or UTC).strftime("%Y-%m-%d %H:%M %Z")


class Counting:
    """Which attempts at an exercise count, by the rule in course.yaml; without a rule nothing is moved."""

    def __init__(
        self,
        course: Course,
        exercise: Exercise,
        eligible: Eligible = lambda _: True,
        *,
        unsafe: bool = False,
    ) -> None:
        settings = course.attempts(exercise.name)
        self._rule = settings.counts if settings is not None else None
        self._course, self._exercise, self._eligible, self._unsafe = course, exercise, eligible, unsafe

    def ungraded(self, submissions: Sequence[Submission]) -> Iterator[tuple[Submission, Notebook]]:
        """Yield the attempts that have to be graded before it is known which one is the best."""
        if self._rule is not Counts.BEST:
            return
        for submission in submissions:
            with locked(submission.root / LOCK):
                attempts = self._attempts(submission)
            reports = stored_reports(submission) if len(attempts) > 1 else {}
            for attempt in attempts if len(attempts) > 1 else ():
                notebook = read_notebook(attempt.notebook)
                if self._current(reports.get(attempt.digest), notebook) is None:
                    yield submission, notebook

    def keep(self, submission: Submission, notebook: Notebook, report: Report) -> None:
        """Store how one of those attempts was graded."""
        store_report(submission, notebook, self._rules, report)

    def settle(self, submissions: Sequence[Submission]) -> None:
        """Put the attempts that count into submitted/."""
        if self._rule is None:
            return
        rows, lateness = self._rows(), Lateness(self._course, self._exercise, load(self._course))
        for submission in submissions:
            with suppress(EntryError), locked(submission.root / LOCK):
                if attempts := self._attempts(submission):
                    row = rows.get(submission.student)
                    put_forward(submission, self._counting(submission, attempts, lateness, row))

    def _attempts(self, submission: Submission) -> Sequence[Attempt]:
        """Return the attempts that may count; nothing is touched in a folder that is refused."""
        if refusal(submission):
            return ()
        with suppress(EntryError):
            return [attempt for attempt in adopt(submission) if self._eligible(attempt)]
        return ()

    def _counting(
        self, submission: Submission, attempts: Sequence[Attempt], lateness: Lateness,
        row: SubmittedAssignment | None,
    ) -> Attempt:  # fmt: skip
        student = submission.student
        if self._rule is Counts.BEFORE_DUE:
            in_time = [one for one in attempts if lateness.in_time(student, row, known_time(one.time))]
            return (in_time or attempts)[-1]
        if self._rule is Counts.BEST:
            reports = stored_reports(submission)

            def worth(place: int) -> tuple[float, int]:
                attempt = attempts[place]
                report = self._current(reports.get(attempt.digest), read_notebook(attempt.notebook))
                if report is None or report.score is None:
                    return (-1.0, place)
                loss = lateness.penalty(student, report.score, row, known_time(attempt.time))
                return (round(report.score - loss, 4), place)

            return attempts[max(range(len(attempts)), key=worth)]
        return attempts[-1]

    def _current(self, stored: StoredReport | None, notebook: Notebook) -> Report | None:
        """Return how a notebook was graded, if grading it again, behind the same walls, changes nothing."""
        if stored is None or stored.fingerprint != digest_of(self._rules, notebook):
            return None
        return stored.report if is_final(stored.report, unsafe=self._unsafe) else None

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
