"""Keeps every change of a score in audit.jsonl, a file to which lines are only added.

Each line says whose score became what, when, why, and by what it was graded: digests of the notebook, the
exercise's source and suite, its settings, the engine and the environment. The formgrader keeps in a table of
the gradebook who saved which score and when. A line for each save, and for whatever else has changed since
the last line, is added before we go on.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from nbgrader.api import Assignment, BaseCell, Grade, Gradebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import Column, Float, Integer, MetaData, String, Table, event, inspect
from sqlalchemy.orm import Session

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.kept import AUDIT
from autograder.course.names import checked_question
from autograder.files import append_line, read_lines
from autograder.report.gradebook_submission import GradebookSubmission

DATES, BY_HAND = "dates or late policy", "by hand"
Digests = Mapping[str, str]
Line = dict[str, Any]
_SAVES = Table(
    "autograder_save",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("grade_id", String(32), nullable=False, index=True),
    Column("time", String(40), nullable=False),
    Column("grader", String(128), nullable=False),
    Column("score", Float),
    Column("extra_credit", Float),
)
_SAVED = ("manual_score", "extra_credit", "needs_manual_grade")


class Save(NamedTuple):
    """A score that somebody saved in the formgrader, for one graded cell of one student."""

    student: str
    cell: str
    grade: str
    time: str  # in UTC and in ISO's form, so that later times are greater texts
    grader: str
    score: float | None
    extra_credit: float | None


@contextmanager
def recording(session: Session, grader: str) -> Iterator[None]:
    """Keep who saves the scores that are committed meanwhile, in the same transaction."""

    def record(session: Session, *_: object) -> None:
        changed = [grade for grade in session.dirty if isinstance(grade, Grade) and _is_changed(grade)]
        if not changed:
            return
        connection, now = session.connection(), datetime.now(UTC).isoformat(timespec="microseconds")
        _SAVES.create(connection, checkfirst=True)
        for grade in changed:
            score, extra = _number(grade.manual_score), _number(grade.extra_credit)
            row = {"grade_id": grade.id, "time": now, "grader": grader[:128]}
            connection.execute(_SAVES.insert(), {**row, "score": score, "extra_credit": extra})

    event.listen(session, "before_flush", record)
    try:
        yield
    except BaseException:
        session.rollback()
        raise
    finally:
        event.remove(session, "before_flush", record)


def _is_changed(grade: Grade) -> bool:
    """Whether a row will have another score; the formgrader sends the one that it has as text, too."""
    before = {name: inspect(grade).attrs[name].history.deleted for name in _SAVED}
    return any(old and _number(old[0]) != _number(getattr(grade, name)) for name, old in before.items())


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def read_saves(gradebook: Gradebook, exercise: Exercise) -> list[Save]:
    """Return what people have saved in the formgrader for an exercise, in order."""
    if not inspect(gradebook.db.connection()).has_table(_SAVES.name):
        return []
    saved, query = _SAVES.c, gradebook.db.query(SubmittedAssignment.student_id, BaseCell.name, *_SAVES.c[1:])
    query = (
        query.join(Grade, Grade.id == saved.grade_id)
        .join(BaseCell, BaseCell.id == Grade.cell_id)
        .join(SubmittedNotebook, SubmittedNotebook.id == Grade.notebook_id)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
    )
    return [Save(*row) for row in query.filter(Assignment.name == exercise.name).order_by(saved.id)]


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

    def replayed(
        self, submission: GradebookSubmission, saves: Iterable[Save]
    ) -> Iterator[tuple[GradebookSubmission, Save]]:
        """Yield what a submission was after each save since the last line, with today's penalty."""
        last = self._last.get(submission.student)
        if last is None:
            return
        given = {name: tuple(scores[1:]) for name, scores in last.get("questions", {}).items()}
        for save in saves:
            if save.time > last.get("saved", ""):
                given[checked_question(save.cell) or save.cell] = (save.score, save.extra_credit)
                entries = (
                    replace(entry, manual_score=score, extra_credit=extra)
                    for entry in submission.entries
                    for score, extra in [given.get(entry.question, (None, None))]
                )
                yield replace(submission, entries=tuple(entries)), save

    def note(
        self,
        submission: GradebookSubmission,
        why: str,
        digests: Digests | None = None,
        save: Save | None = None,
    ) -> None:
        """Add a line on a submission, unless all of it stands in the last one; a save has its own time."""
        last, now = self._last.get(submission.student, {}), datetime.now(UTC)
        state = _state(submission)
        digests = digests or last.get("digests", {})
        same = {key: last.get(key) for key in state} == state and last.get("digests", {}) == digests
        if same and save is None:
            return
        saved = last.get("saved", "") if last else now.isoformat(timespec="microseconds")
        line = {
            "time": now.isoformat(timespec="seconds") if save is None else save.time,
            **({} if save is None else {"by": save.grader}),
            "student": submission.student,
            "exercise": self._exercise,
            "why": why,
            "before": last.get("score"),
            **state,
            "digests": digests,
            "saved": saved if save is None else save.time,  # up to when saves have a line
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
