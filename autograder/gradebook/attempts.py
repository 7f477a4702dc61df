"""Says which of a student's attempts counts, puts it into submitted/, and stores what each attempt scored."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from typing import Any

from nbgrader.api import Gradebook, SubmittedAssignment

from autograder.collecting.attempts import Attempt, adopt, attempts_of, attempts_to_be, put_forward
from autograder.collecting.entry import EntryError
from autograder.collecting.placing import LOCK
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.settings import Counts
from autograder.files import locked, write_whole
from autograder.gradebook.config import database, gradebook_exists, load
from autograder.gradebook.folder_check import known_time, refusal
from autograder.gradebook.grades import fingerprinted
from autograder.gradebook.lateness import Lateness
from autograder.gradebook.rows import rows_of
from autograder.report.gradebook_submission import ShownAttempt
from autograder.report.report import Report, Status
from autograder.submission.digest import digest_of, rules
from autograder.submission.notebook import Notebook, read_notebook
from autograder.submission.submission import Submission

_FILE = "graded.json"
Eligible = Callable[[Attempt], bool]


@dataclass(frozen=True, slots=True)
class GradedAttempt:
    """What an attempt came to when it was graded last, and a digest of what it was graded by."""

    report: Report
    fingerprint: str


def keep_graded(submission: Submission, notebook: Notebook, fingerprinted: Mapping[str, Any]) -> None:
    """Keep a notebook that was graded as an attempt, if it is none yet, and its fingerprinted report."""
    with suppress(EntryError), locked(submission.root / LOCK):
        text = json.dumps(fingerprinted)
        for attempt in adopt(submission):
            if attempt.digest == notebook.digest:
                write_whole(attempt.folder / _FILE, text)


def graded_attempt(attempt: Attempt) -> GradedAttempt | None:
    """Return what an attempt came to, or None if it was never graded."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads((attempt.folder / _FILE).read_text(encoding="utf-8"))
        return GradedAttempt(Report.from_dict(kept["report"]), str(kept["fingerprint"]))
    return None


def current_report(attempt: Attempt, rules: str, notebook: Notebook) -> Report | None:
    """Return what an attempt comes to, if that is known and grading again would give the same."""
    graded = graded_attempt(attempt)
    if graded is None or graded.fingerprint != digest_of(rules, notebook):
        return None
    return None if graded.report.status is Status.GRADER_ERROR else graded.report


def shown_attempts(
    course: Course, submission: Submission, fingerprint: str, told: Callable[[Attempt], bool] = lambda _: True
) -> Sequence[ShownAttempt]:
    """Return a student's attempts for the page, the newest last; scores only of those that may be `told`.

    The one that counts is the one that was graded with this `fingerprint`.
    """
    attempts: Sequence[Attempt] = ()
    with suppress(EntryError, ValueError):
        attempts = attempts_of(submission)
    zone = _zone(course, submission)
    known = [graded_attempt(attempt) for attempt in attempts]
    places = [place for place, one in enumerate(known) if one is not None and one.fingerprint == fingerprint]
    shown = []
    for place, attempt in enumerate(attempts):
        graded = known[place] if told(attempt) else None
        when = known_time(attempt.folder)
        score, points = (None, None) if graded is None else (graded.report.score, graded.report.max_score)
        shown.append(ShownAttempt(clock(when, zone), score, points, place in places[-1:]))
    return shown


def name_of_attempt(course: Course, submission: Submission, notebook: Notebook, came: datetime | None) -> str:
    """Return which of several attempts a notebook is, such as "attempt 2 of 3 of 2026-03-01 16:00 CET".

    It is empty where there is but one.
    """
    attempts: Sequence[Attempt] = ()
    with suppress(EntryError, ValueError):
        attempts = attempts_to_be(submission)
    same = [place for place, one in enumerate(attempts) if one.digest == notebook.digest]
    if len(attempts) < 2 or not same:
        return ""
    place = next((place for place in same if known_time(attempts[place].folder) == came), same[-1])
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
