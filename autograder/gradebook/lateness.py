"""Computes due dates with extensions, how late submissions are, and what that costs.

Due dates and the policy are those of course.yaml. Extensions are those of extensions.csv, which may also be
edited manually: a student may get one long before there is a submission. Where course.yaml has no policy,
nbgrader's own plugin decides, as nbgrader_config.py sets it up. As a penalty depends on points, which people
change in the formgrader at any time, whoever reads the gradebook computes it again.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import NamedTuple
from zoneinfo import ZoneInfo

from nbgrader.api import Assignment, SubmittedAssignment
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
_LONGEST = 200  # letters of a line


class Extension(NamedTuple):
    """Until when a student may hand in an exercise: a row of extensions.csv."""

    student: str
    exercise: str
    until: str  # the moment as it was written
    moment: datetime


def extend(
    course: Course, student: str, exercise: str, until: str | None, *, keep_later: bool = False
) -> str:
    """Let a student hand in until then, or as everybody else if `until` is None; return what was stored.

    A time after the due date, such as "+2 days", is stored as that moment. With `keep_later` a longer
    extension that the student has stays.
    """
    kept = {(one.student, one.exercise): one for _, one in _read(course)}
    before, students = kept.pop((student, exercise), None), listed_students(course.root)
    is_given_back = before is not None and until is None
    if students is not None and not is_given_back and (problem := students.unknown(student)):
        raise UsageError(problem)
    if not is_student(student):
        raise UsageError(f'"{student}" is not a student\'s id; use letters, digits and . _ @ + -')
    if until is not None:
        if (due := course.exercises[exercise].settings.due) is None:
            raise UsageError(f"{exercise} is never due; give it a `due` in course.yaml first")
        until = _after(due, until) if until.startswith("+") else until
        given = Extension(student, exercise, until, _moment(until, "UNTIL"))
        if given.moment <= due:
            raise UsageError(f"UNTIL: {until} is not after {due.isoformat()}, when {exercise} is due")
        if keep_later and before is not None and before.moment > given.moment:
            given = before
        kept[student, exercise] = given
        until = given.until
    rows = [[one.student, one.exercise, one.until] for _, one in sorted(kept.items())]
    write_rows(course.root / EXTENSIONS, [HEADER, *rows])
    return until or ""


def read_extensions(course: Course, exercise: str) -> dict[str, datetime] | None:
    """Return until when students may hand in `exercise`, for those who have an extension.

    It is None where there is no list: then extensions are those that somebody gave through nbgrader.
    """
    if not (course.root / EXTENSIONS).is_file():
        return None
    return {one.student: one.moment for _, one in _read(course) if one.exercise == exercise}


def unknown_students(course: Course, students: Students, exercises: Collection[str]) -> Iterator[str]:
    """Yield a line on each row for somebody who is not in the list and has handed in nothing."""
    for number, one in _read(course):
        problem = students.unknown(one.student)
        if problem and one.exercise in exercises and not has_come(course, one.student):
            yield f"{EXTENSIONS}:{number}: {one_line(problem, _LONGEST)}"


def _read(course: Course) -> Iterator[tuple[int, Extension]]:
    """Yield each extension with the number of its row."""
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
                fix = "write a student's id, an exercise, a moment"
                raise UsageError(f"{path}:{number}: is not an extension; {fix}")


def _after(due: datetime, text: str) -> str:
    """Return the moment that is such a time as "+2 days" after the due date, as it is written in the list."""
    try:
        moment = read_span(text.removeprefix("+").strip()).after(due)
    except MomentError as error:
        raise UsageError(f'UNTIL: "{text}" {error}') from None
    zone = moment.tzinfo.key if isinstance(moment.tzinfo, ZoneInfo) else ""
    return f"{moment.replace(tzinfo=None).isoformat(' ')} {zone}" if zone else moment.isoformat(" ")


def _moment(text: str, place: str) -> datetime:
    try:
        return read_moment(text)
    except MomentError as error:
        shown = "2026-03-01 18:00 Europe/Berlin"
        raise UsageError(f'{place}: "{text}" {error}; write it as {shown}') from None


class Lateness:
    """The rules of one exercise for late work.

    Times at which work was handed in are in UTC and without a zone, as nbgrader keeps them.
    """

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self._late = exercise.settings.late
        self._due = exercise.settings.due
        self._points = sum(exercise.points.values()) + sum(exercise.written.values())
        self._extensions = read_extensions(course, exercise.name)
        self._course = course

    def due(self, student: str, row: SubmittedAssignment | None) -> datetime | None:
        """Return until when a student may hand in, in the zone of the due date."""
        base = self._base(row)
        if base is None:
            return None
        if self._extensions is None:
            return base + ((row and row.extension) or timedelta())
        return max(base, self._extensions.get(student, base)).astimezone(base.tzinfo)

    def in_time(self, student: str, row: SubmittedAssignment | None, handed_in: datetime | None) -> bool:
        """Whether work came in time, or within the grace; where nobody knows when it came, it did."""
        due = self.due(student, row)
        if due is None or handed_in is None or plausible(handed_in) is None:
            return True
        last = due if self._late is None else self._late.grace.after(due)
        return handed_in.replace(tzinfo=UTC) <= last

    def penalty(
        self, student: str, score: float, row: SubmittedAssignment | None, handed_in: datetime | None
    ) -> float:
        """Return what work worth `score` loses."""
        due, came = self.due(student, row), handed_in and plausible(handed_in.replace(tzinfo=UTC))
        if due is None or came is None or came <= due:
            return 0.0
        if self._late is not None:
            return self._late.penalty(score, self._points, due, came)
        seconds = (came - due).total_seconds()
        penalty = self._plugin.late_submission_penalty(student, score, seconds) or 0.0
        return round(min(max(penalty, 0.0), max(score, 0.0)), 4)

    def takes_all(
        self, student: str, worth: float, row: SubmittedAssignment | None, handed_in: datetime | None
    ) -> bool:
        """Whether work worth `worth` points came late and is left with none."""
        is_free = self.penalty(student, self._points, row, handed_in) <= 0
        return not is_free and worth - self.penalty(student, worth, row, handed_in) <= 0

    def reckon(self, submission: GradebookSubmission, row: SubmittedAssignment) -> GradebookSubmission:
        """Return the submission with its delay and penalty."""
        student, handed_in = submission.student, row.timestamp
        due = self.due(student, row)
        extended = due if due != self._base(row) else None
        if due is None or handed_in is None or self.in_time(student, row, handed_in):
            return replace(submission, extended=extended, seconds_late=0.0, penalty=0.0)
        came, score = handed_in.replace(tzinfo=UTC), sum(entry.score or 0.0 for entry in submission.entries)
        return replace(
            submission,
            extended=extended,
            seconds_late=(came - due).total_seconds(),
            penalty=self.penalty(student, score, row, handed_in),
            late_rule="" if self._late is None else self._late.reason(self._points, due, came),
        )

    def enter(
        self, row: SubmittedAssignment, submission: GradebookSubmission, handed_in: datetime | None
    ) -> GradebookSubmission:
        """Put time, extension and penalty into nbgrader's rows; return the submission as it is then.

        SQLAlchemy writes only what has changed.
        """
        self.enter_due(row.assignment)
        row.timestamp = handed_in
        reckoned, base, due = self.reckon(submission, row), self._base(row), self.due(row.student_id, row)
        if self._extensions is not None and base is not None and due is not None:
            row.extension = due.astimezone(UTC) - base.astimezone(UTC) or None
        for notebook in row.notebooks:
            if (notebook.late_submission_penalty or 0.0) != reckoned.penalty:
                notebook.late_submission_penalty = reckoned.penalty or None
        return reckoned

    def enter_due(self, assignment: Assignment) -> None:
        """Put the due date of course.yaml into nbgrader's row."""
        if self._due:
            assignment.duedate = self._due.astimezone(UTC).replace(tzinfo=None)

    def _base(self, row: SubmittedAssignment | None) -> datetime | None:
        """Return when the exercise is due for everybody; course.yaml goes before the formgrader."""
        known = None if row is None else row.assignment.duedate
        return self._due or (known and known.replace(tzinfo=UTC))

    @cached_property
    def _plugin(self) -> BasePlugin:
        step = AssignLatePenalties(config=load(self._course))
        step.init_plugin()
        return step.plugin_inst
