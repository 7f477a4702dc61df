"""Computes due dates with extensions, the delays of submissions, and penalties.

course.yaml has due dates and the late policy. extensions.csv has the extensions; instructors may edit this
file, even before anything is submitted. If course.yaml has no policy, nbgrader's own plugin computes the
penalty, as configured in nbgrader_config.py. A penalty depends on points, which graders change at any time,
so every command that reads the gradebook computes penalties again.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import NamedTuple
from zoneinfo import ZoneInfo

from nbgrader.api import SubmittedAssignment
from nbgrader.plugins import BasePlugin
from nbgrader.preprocessors import AssignLatePenalties

from autograder.collecting.names import plausible
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.kept import EXTENSIONS
from autograder.course.moments import MomentError, read_moment, read_span
from autograder.errors import UsageError
from autograder.gradebook.config import load
from autograder.report.report import GradebookSubmission
from autograder.report.text import one_line
from autograder.submission.students import Students, listed_students, read_rows, write_rows
from autograder.submission.submission import has_come, is_student

HEADER = ["student", "exercise", "until"]
_LONGEST = 200  # the maximum length of a warning, in characters


class Extension(NamedTuple):
    """A row of extensions.csv: the time until which a student may submit an exercise."""

    student: str
    exercise: str
    until: str  # the moment as written in the file
    moment: datetime


def extend(
    course: Course, student: str, exercise: str, until: str | None, *, keep_later: bool = False
) -> str:
    """Store the time until which a student may submit, and return this time as stored.

    A duration such as "+2 days" counts from the due date and is stored as a time. If `until` is None, the
    extension is removed and "" is returned. With `keep_later`, a later extension is not replaced.
    """
    extensions = {(row.student, row.exercise): row for _, row in _read(course)}
    before, students = extensions.pop((student, exercise), None), listed_students(course.root)
    is_removed = before is not None and until is None
    if students is not None and not is_removed and (problem := students.unknown(student)):
        raise UsageError(problem)
    if not is_student(student):
        raise UsageError(f'"{student}" is not a student\'s id; use letters, digits and . _ @ + -')
    if until is not None:
        if (due := course.exercises[exercise].settings.due) is None:
            raise UsageError(f"{exercise} is never due; give it a `due` in course.yaml first")
        until = _after(due, until) if until.startswith("+") else until
        extension = Extension(student, exercise, until, _moment(until, "UNTIL"))
        if extension.moment <= due:
            raise UsageError(f"UNTIL: {until} is not after {due.isoformat()}, when {exercise} is due")
        if keep_later and before is not None and before.moment > extension.moment:
            extension = before
        extensions[student, exercise] = extension
        until = extension.until
    rows = [[row.student, row.exercise, row.until] for _, row in sorted(extensions.items())]
    write_rows(course.root / EXTENSIONS, [HEADER, *rows])
    return until or ""


def read_extensions(course: Course, exercise: str) -> dict[str, datetime] | None:
    """Return the extended due dates of `exercise` by student.

    Return None if there is no extensions.csv. Then extensions in nbgrader's own database apply.
    """
    if not (course.root / EXTENSIONS).is_file():
        return None
    return {row.student: row.moment for _, row in _read(course) if row.exercise == exercise}


def unknown_students(course: Course, students: Students, exercises: Collection[str]) -> Iterator[str]:
    """Yield a warning for each extension of an unknown student who has submitted nothing."""
    for number, row in _read(course):
        problem = students.unknown(row.student)
        if problem and row.exercise in exercises and not has_come(course, row.student):
            yield f"{EXTENSIONS}:{number}: {one_line(problem, _LONGEST)}"


def _read(course: Course) -> Iterator[tuple[int, Extension]]:
    path = course.root / EXTENSIONS
    if not path.is_file():
        return
    header, *rows = [[cell.strip() for cell in row] for row in read_rows(path)] or [[]]
    if header != HEADER:
        raise UsageError(f"{path}:1: must be {','.join(HEADER)}")
    for number, row in enumerate(rows, 2):
        match row:
            case [student, exercise, until] if is_student(student) and exercise in course.exercises:
                yield number, Extension(student, exercise, until, _moment(until, f"{path}:{number}"))
            case _ if any(row):
                fix = "write a student's id, an exercise, and a date with a time"
                raise UsageError(f"{path}:{number}: is not an extension; {fix}")


def _after(due: datetime, text: str) -> str:
    """Return the due date plus a duration such as "+2 days", as text for extensions.csv."""
    try:
        moment = read_span(text.removeprefix("+").strip()).after(due)
    except MomentError as error:
        raise UsageError(f'UNTIL: "{text}" {error}') from None
    zone = moment.tzinfo.key if isinstance(moment.tzinfo, ZoneInfo) else ""
    return f"{moment.replace(tzinfo=None).isoformat(' ')} {zone}" if zone else moment.isoformat(" ")


def _moment(text: str, source: str) -> datetime:
    try:
        return read_moment(text)
    except MomentError as error:
        shown = "2026-03-01 18:00 Europe/Berlin"
        raise UsageError(f'{source}: "{text}" {error}; write it as {shown}') from None


class Lateness:
    """The rules of one exercise for late submissions.

    `submitted_at` is a time in UTC without a zone, as nbgrader stores it, or None if it is unknown.
    """

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self._late = exercise.settings.late
        self._due = exercise.settings.due
        self._points = sum(exercise.points.values()) + sum(exercise.written.values())
        self._extensions = read_extensions(course, exercise.name)
        self._course = course

    def due(self, student: str, row: SubmittedAssignment | None) -> datetime | None:
        """Return a student's due date with any extension, or None if the exercise is never due.

        The result has the time zone of the exercise's due date.
        """
        base = self._base(row)
        if base is None:
            return None
        if self._extensions is None:
            return base + ((row and row.extension) or timedelta())
        return max(base, self._extensions.get(student, base)).astimezone(base.tzinfo)

    def in_time(self, student: str, row: SubmittedAssignment | None, submitted_at: datetime | None) -> bool:
        """Whether a submission came by the due date or in the grace period.

        Also true if the exercise has no due date, or if the time of the submission is unknown.
        """
        due = self.due(student, row)
        if due is None or submitted_at is None or plausible(submitted_at) is None:
            return True
        last = due if self._late is None else self._late.grace.after(due)
        return submitted_at.replace(tzinfo=UTC) <= last

    def penalty(
        self, student: str, score: float, row: SubmittedAssignment | None, submitted_at: datetime | None
    ) -> float:
        """Return the penalty, in points, of a submission with this score."""
        due, when = self.due(student, row), submitted_at and plausible(submitted_at.replace(tzinfo=UTC))
        if due is None or when is None or when <= due:
            return 0.0
        if self._late is not None:
            return self._late.penalty(score, self._points, due, when)
        seconds = (when - due).total_seconds()
        penalty = self._plugin.late_submission_penalty(student, score, seconds) or 0.0
        return round(min(max(penalty, 0.0), max(score, 0.0)), 4)

    def takes_all(
        self, student: str, worth: float, row: SubmittedAssignment | None, submitted_at: datetime | None
    ) -> bool:
        """Whether a submission that earned `worth` points loses all of them because it is late."""
        is_free = self.penalty(student, self._points, row, submitted_at) <= 0
        return not is_free and worth - self.penalty(student, worth, row, submitted_at) <= 0

    def reckon(
        self, submission: GradebookSubmission, row: SubmittedAssignment, submitted_at: datetime | None
    ) -> GradebookSubmission:
        """Return the submission with its extended due date, delay and penalty."""
        student = submission.student
        due = self.due(student, row)
        extended = due if due != self._base(row) else None
        if due is None or submitted_at is None or self.in_time(student, row, submitted_at):
            return replace(submission, extended=extended, seconds_late=0.0, penalty=0.0)
        when, score = (
            submitted_at.replace(tzinfo=UTC),
            sum(entry.score or 0.0 for entry in submission.entries),
        )
        return replace(
            submission,
            extended=extended,
            seconds_late=(when - due).total_seconds(),
            penalty=self.penalty(student, score, row, submitted_at),
            late_rule="" if self._late is None else self._late.reason(self._points, due, when),
        )

    def enter(
        self, row: SubmittedAssignment, submission: GradebookSubmission, submitted_at: datetime | None
    ) -> GradebookSubmission:
        """Write time, due date, extension and penalty into nbgrader's rows. Return the updated submission."""
        reckoned = self.reckon(submission, row, submitted_at)
        base, due = self._base(row), self.due(row.student_id, row)
        row.timestamp = submitted_at
        if self._due:
            row.assignment.duedate = self._due.astimezone(UTC).replace(tzinfo=None)
        if self._extensions is not None and base is not None and due is not None:
            row.extension = due.astimezone(UTC) - base.astimezone(UTC) or None
        for notebook in row.notebooks:
            if (notebook.late_submission_penalty or 0.0) != reckoned.penalty:
                notebook.late_submission_penalty = reckoned.penalty or None
        return reckoned

    def _base(self, row: SubmittedAssignment | None) -> datetime | None:
        """Return the due date without extensions, from course.yaml or else from the formgrader."""
        stored = None if row is None else row.assignment.duedate
        return self._due or (stored and stored.replace(tzinfo=UTC))

    @cached_property
    def _plugin(self) -> BasePlugin:
        step = AssignLatePenalties(config=load(self._course))
        step.init_plugin()
        return step.plugin_inst
