"""Keeps every change of a score in audit.jsonl, a file to which lines are only added.

Each line says whose score became what, when, why, and by what it was graded: digests of the notebook, the
exercise's source and suite, its settings, the engine and the environment. People change scores in the
formgrader without a word to us, so whatever has changed since the last line is added before we go on.
"""

import json
from datetime import UTC, datetime
from typing import Any

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.kept import AUDIT
from autograder.files import append_line, read_lines
from autograder.gradebook.changes import BY_HAND, DATES, Digests
from autograder.report.gradebook_submission import GradebookSubmission

Line = dict[str, Any]


class Audit:
    """The changes of one exercise's scores."""

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self._path = course.root / AUDIT
        self._exercise = exercise.name
        self._last: dict[str, Line] = {}
        for line in read_lines(self._path):
            if line.get("exercise") == self._exercise:
                self._last[str(line.get("student"))] = line

    def digests(self, student: str) -> Digests | None:
        """Return by what this student's submission was graded last, if that is known."""
        found: Digests | None = self._last.get(student, {}).get("digests") or None
        return found

    def differs(self, submission: GradebookSubmission) -> bool:
        """Whether somebody has given points outside our commands since the last line on this submission."""
        last = self._last.get(submission.student)
        return last is not None and last.get("questions") != _state(submission)["questions"]

    def points(self, student: str) -> float | None:
        """Return what the last line's questions scored, before anything was taken off for being late."""
        last = self._last.get(student, {})
        score, penalty = last.get("score"), last.get("penalty")
        return None if score is None or penalty is None else round(score + penalty, 4)

    def note(self, submission: GradebookSubmission, why: str, digests: Digests | None = None) -> None:
        """Add a line on a submission, unless all of it stands in the last one."""
        last = self._last.get(submission.student, {})
        state = _state(submission)
        digests = digests or last.get("digests", {})
        if {key: last.get(key) for key in state} == state and last.get("digests", {}) == digests:
            return
        line = {
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "student": submission.student,
            "exercise": self._exercise,
            "why": why,
            "before": last.get("score"),
            **state,
            "digests": digests,
        }
        append_line(self._path, json.dumps(line))
        self._last[submission.student] = line

    def catch_up(self, submission: GradebookSubmission) -> None:
        """Add what has happened to a submission outside our commands: points that people gave, and dates."""
        if submission.student not in self._last:
            return self.note(submission, "found in the gradebook")
        return self.note(submission, BY_HAND if self.differs(submission) else DATES)

    def rename(self, old: str, new: str) -> None:
        """Go on under another id, where a student has got one."""
        if (last := self._last.pop(old, None)) is not None and new not in self._last:
            now, why = datetime.now(UTC).isoformat(timespec="seconds"), f"renamed from {old}"
            line = {**last, "time": now, "student": new, "why": why, "before": last.get("score")}
            append_line(self._path, json.dumps(line))
            self._last[new] = line


def _state(submission: GradebookSubmission) -> Line:
    scores = {e.question: [e.auto_score, e.manual_score, e.extra_credit] for e in submission.entries}
    return {"score": submission.score, "penalty": submission.penalty, "questions": scores}
