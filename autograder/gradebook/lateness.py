"""Says how late submissions are and what that costs, and keeps it where nbgrader keeps late penalties.

Due dates and the policy are those of course.yaml, extensions those of extensions.csv. Where course.yaml has
no policy, nbgrader's own plugin decides, as nbgrader_config.py sets it up. As a penalty depends on points,
which people change in the formgrader at any time, whoever reads the gradebook reckons it anew.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property

from nbgrader.api import SubmittedAssignment
from nbgrader.plugins import BasePlugin
from nbgrader.preprocessors import AssignLatePenalties
from traitlets.config import Config

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.extensions import read_extensions
from autograder.report.gradebook_submission import GradebookSubmission


class Lateness:
    """The rules of one exercise for late work; `config` holds nbgrader's settings."""

    def __init__(self, course: Course, exercise: Exercise, config: Config) -> None:
        self._config = config
        self._late = course.late(exercise.name)
        self._due = course.due(exercise.name)
        self._points = sum(exercise.points.values()) + sum(exercise.written.values())
        self._extensions = read_extensions(course, exercise.name)

    def reckon(
        self, submission: GradebookSubmission, row: SubmittedAssignment | None, handed_in: datetime | None
    ) -> GradebookSubmission:
        """Return the submission with its delay and penalty, if it came at `handed_in` (in UTC)."""
        due = self.due(submission.student, row)
        extended = due if due is not None and due != self._base(row) else None
        submission = replace(submission, extended=extended)
        if due is None or handed_in is None or self.in_time(submission.student, row, handed_in):
            return replace(submission, seconds_late=0.0, penalty=0.0)
        came = handed_in.replace(tzinfo=UTC)
        score = sum(entry.score or 0.0 for entry in submission.entries)
        penalty = self.penalty(submission.student, score, row, handed_in)
        rule = self._late.reason(self._points, due, came) if self._late is not None else ""
        seconds = (came - due).total_seconds()
        return replace(submission, seconds_late=seconds, penalty=penalty, late_rule=rule)

    def penalty(
        self, student: str, score: float, row: SubmittedAssignment | None, handed_in: datetime | None
    ) -> float:
        """Return what work worth `score` loses, if it came at `handed_in` (in UTC)."""
        due = self.due(student, row)
        came = handed_in and handed_in.replace(tzinfo=UTC)
        return 0.0 if due is None or came is None or came <= due else self._penalty(student, score, due, came)

    def in_time(self, student: str, row: SubmittedAssignment | None, handed_in: datetime | None) -> bool:
        """Whether work came in time, or within the grace; where nobody knows when it came, it did."""
        due = self.due(student, row)
        if due is None or handed_in is None:
            return True
        last = due if self._late is None else self._late.grace.after(due)
        return handed_in.replace(tzinfo=UTC) <= last

    def enter(
        self, row: SubmittedAssignment, submission: GradebookSubmission, handed_in: datetime | None
    ) -> GradebookSubmission:
        """Put time, extension and penalty into nbgrader's rows; return the submission as it is then."""
        reckoned = self.reckon(submission, row, handed_in)
        if self._due and row.assignment.duedate != (due := self._due.astimezone(UTC).replace(tzinfo=None)):
            row.assignment.duedate = due
        if row.timestamp != handed_in:
            row.timestamp = handed_in
        if row.extension != (extension := self._extension(row)):
            row.extension = extension
        for notebook in row.notebooks:
            if (notebook.late_submission_penalty or 0.0) != reckoned.penalty:
                notebook.late_submission_penalty = reckoned.penalty or None
        return reckoned

    def _penalty(self, student: str, score: float, due: datetime, came: datetime) -> float:
        if self._late is not None:
            return self._late.penalty(score, self._points, due, came)
        seconds = (came - due).total_seconds()
        penalty = self._plugin.late_submission_penalty(student, score, seconds) or 0.0
        return round(min(max(penalty, 0.0), max(score, 0.0)), 4)

    def _base(self, row: SubmittedAssignment | None) -> datetime | None:
        """Return when the exercise is due for everybody; course.yaml goes before the formgrader."""
        known = None if row is None else row.assignment.duedate
        return self._due or (known and known.replace(tzinfo=UTC))

    def due(self, student: str, row: SubmittedAssignment | None) -> datetime | None:
        """Return until when a student may hand in, in the zone of the due date."""
        base = self._base(row)
        if base is None:
            return None
        if self._extensions is None:
            return base + ((row and row.extension) or timedelta())
        return max(base, self._extensions.get(student, base)).astimezone(base.tzinfo)

    def _extension(self, row: SubmittedAssignment) -> timedelta | None:
        """Return what nbgrader adds to everybody's due date; extensions.csv goes before the gradebook."""
        base, due = self._base(row), self.due(row.student_id, row)
        if self._extensions is None or base is None or due is None:
            extension: timedelta | None = row.extension
            return extension
        return due.astimezone(UTC) - base.astimezone(UTC) or None

    @cached_property
    def _plugin(self) -> BasePlugin:
        step = AssignLatePenalties(config=self._config)
        step.init_plugin()
        return step.plugin_inst
