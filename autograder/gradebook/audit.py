"""Records every change of a score in autograder.db; lines are only added.

Each line says whose score became what, when, why, and by what it was graded: digests of the notebook, the
exercise's source and suite, its settings, the engine and the environment. The formgrader keeps in a table of
the gradebook who saved which score and when. A line for each save, and for whatever else has changed since
the last line, is added before we go on.
"""

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
from autograder.course.names import checked_question
from autograder.report.report import GradebookSubmission
from autograder.submission.store import AUDIT, reading, writing

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
        self._root, self._exercise = course.root, exercise.name
        self._last: dict[str, Line] = {}
        self._pending: dict[str, Line] = {}
        with reading(self._root) as store:
            query = AUDIT.select().where(AUDIT.c.exercise == self._exercise).order_by(AUDIT.c.id)
            for row in store.execute(query):
                (self._pending if row.pending else self._last)[row.student] = row._asdict()

    def digests(self, student: str) -> Digests | None:
        """Return by what this student's submission was graded last, if that is known."""
        found: Digests | None = self._last.get(student, {}).get("digests") or None
        return found

    def differs(self, submission: GradebookSubmission) -> bool:
        """Whether somebody has given points outside our commands since the last line on this submission."""
        last = self._last.get(submission.student)
        return last is not None and last["questions"] != _state(submission)["questions"]

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
        given = {name: tuple(scores[1:]) for name, scores in (last["questions"] or {}).items()}
        for save in saves:
            if save.time > last["saved"]:
                given[checked_question(save.cell) or save.cell] = (save.score, save.extra_credit)
                entries = (
                    replace(entry, manual_score=score, extra_credit=extra)
                    for entry in submission.entries
                    for score, extra in [given.get(entry.question, (None, None))]
                )
                yield replace(submission, entries=tuple(entries)), save

    def announce(self, submission: GradebookSubmission, why: str, digests: Digests) -> None:
        """Store the line on a change that the gradebook gets next; `confirm` makes it one that counts.

        So a grader that is killed in between loses no line, and none is about a change that never came.
        """
        if line := self._line(submission, why, digests):
            self._write({**line, "pending": True})

    def confirm(self, student: str) -> None:
        """Let the announced line on a submission count, as the gradebook has the change."""
        if line := self._pending.pop(student, None):
            with writing(self._root) as store:
                store.execute(AUDIT.update().where(AUDIT.c.id == line["id"]).values(pending=False))
            self._last[student] = line

    def recover(self, submission: GradebookSubmission) -> None:
        """Settle what becomes of a line that was announced by a grader that was killed.

        The tests' scores say whether the gradebook has the change: nobody but a grader changes them.
        """
        if line := self._pending.get(submission.student):
            now = _state(submission)["questions"]
            if {name: scores[0] for name, scores in line["questions"].items()} == {
                name: scores[0] for name, scores in now.items()
            }:
                self.confirm(submission.student)

    def note(
        self,
        submission: GradebookSubmission,
        why: str,
        digests: Digests | None = None,
        save: Save | None = None,
    ) -> None:
        """Add a line on a submission, unless all of it stands in the last one; a save has its own time."""
        if line := self._line(submission, why, digests, save):
            self._write(line)

    def catch_up(self, submission: GradebookSubmission) -> None:
        """Add what has happened to a submission outside our commands: points that people gave, and dates."""
        if submission.student not in self._last:
            return self.note(submission, "found in the gradebook")
        return self.note(submission, BY_HAND if self.differs(submission) else DATES)

    def _line(
        self, submission: GradebookSubmission, why: str, digests: Digests | None, save: Save | None = None
    ) -> Line | None:
        last, now = self._last.get(submission.student, {}), datetime.now(UTC)
        state = _state(submission)
        digests = dict(digests or last.get("digests") or {})
        same = {key: last.get(key) for key in state} == state and (last.get("digests") or {}) == digests
        if same and save is None:
            return None
        saved = last["saved"] if last else now.isoformat(timespec="microseconds")
        return {
            "time": now.isoformat(timespec="seconds") if save is None else save.time,
            "by": None if save is None else save.grader,
            "student": submission.student,
            "exercise": self._exercise,
            "why": why,
            "before": last.get("score"),
            **state,
            "digests": digests,
            "saved": saved if save is None else save.time,
            "pending": False,
        }

    def _write(self, line: Line) -> None:
        """Add a line, in the place of one that was announced on the same submission and never confirmed."""
        mine = (AUDIT.c.student == line["student"]) & (AUDIT.c.exercise == self._exercise)
        with writing(self._root) as store:
            store.execute(AUDIT.delete().where(mine & AUDIT.c.pending))
            (id_,) = store.execute(AUDIT.insert().values(**line)).inserted_primary_key or (None,)
        self._pending.pop(line["student"], None)
        (self._pending if line["pending"] else self._last)[line["student"]] = {**line, "id": id_}


def audit_lines(course: Course) -> Iterator[Line]:
    """Yield every change of a score, in order, as it stands in the audit."""
    with reading(course.root) as store:
        rows = store.execute(AUDIT.select().where(~AUDIT.c.pending).order_by(AUDIT.c.id)).all()
    for row in rows:
        line = row._asdict()
        yield {name: line[name] for name in line if name not in ("id", "saved", "pending")}


def _state(submission: GradebookSubmission) -> Line:
    scores = {e.question: [e.auto_score, e.manual_score, e.extra_credit] for e in submission.entries}
    return {"score": submission.score, "penalty": submission.penalty, "questions": scores}
