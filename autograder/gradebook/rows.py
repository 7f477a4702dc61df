"""Reads nbgrader's rows on students and submissions, and keeps two tables of ours beside them.

Where nobody has given a name, nbgrader's pages would say "None, None", so the id stands in its place.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from nbgrader.api import (
    Assignment,
    Base,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.api import Student as StudentRow
from sqlalchemy import Column, Float, Integer, String, event, inspect
from sqlalchemy.exc import SAWarning
from sqlalchemy.orm import Session, joinedload, selectinload

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.names import check_id
from autograder.report.report import GradebookEntry, GradebookSubmission
from autograder.submission.students import Student, listed_students

_SAVED = ("manual_score", "extra_credit", "needs_manual_grade")


class Answer(Base):  # type: ignore[misc]
    """The answer for which a grade was recorded, and why a person was asked to look at it, if one was."""

    __tablename__ = "autograder_answer"
    grade_id = Column(String(32), primary_key=True)
    digest = Column(String(64), nullable=False)
    asked = Column(String(32), nullable=False)


class Save(Base):  # type: ignore[misc]
    """A score that somebody saved in the formgrader; times are in UTC and in ISO's form, to be compared."""

    __tablename__ = "autograder_save"
    id = Column(Integer, primary_key=True)
    grade_id = Column(String(32), nullable=False, index=True)
    time = Column(String(40), nullable=False)
    grader = Column(String(128), nullable=False)
    score = Column(Float)
    extra_credit = Column(Float)


class SavedScore(NamedTuple):
    """What somebody saved in the formgrader, and for which student and graded cell."""

    student: str
    cell: str
    grade: str
    time: str
    grader: str
    score: float | None
    extra_credit: float | None


@contextmanager
def recording(session: Session, grader: str) -> Iterator[None]:
    """Keep who saves the scores that are committed meanwhile, in the same transaction."""

    def record(session: Session, *_: object) -> None:
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        for grade in [one for one in session.dirty if isinstance(one, Grade) and _is_changed(one)]:
            scores = {"score": _number(grade.manual_score), "extra_credit": _number(grade.extra_credit)}
            session.add(Save(grade_id=grade.id, time=now, grader=grader[:128], **scores))

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


def read_saves(gradebook: Gradebook, exercise: Exercise) -> list[SavedScore]:
    """Return what people have saved in the formgrader for an exercise, in order."""
    saved = (Save.grade_id, Save.time, Save.grader, Save.score, Save.extra_credit)
    query = gradebook.db.query(SubmittedAssignment.student_id, BaseCell.name, *saved).select_from(Save)
    query = query.join(Grade, Grade.id == Save.grade_id).join(Grade.cell).join(Grade.notebook)
    query = query.join(SubmittedNotebook.assignment).join(SubmittedAssignment.assignment)
    return [SavedScore(*row) for row in query.filter(Assignment.name == exercise.name).order_by(Save.id)]


def rows_on(gradebook: Gradebook, exercise: Exercise, student: str) -> SubmittedAssignment:
    """Return the row on a student's submission; nbgrader makes and commits what is missing."""
    found = rows_of(gradebook, exercise, student)
    if not found:
        if gradebook.db.get(StudentRow, student) is None:
            gradebook.db.add(_named(StudentRow(id=student)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # from nbgrader's own use of its database
            gradebook.add_submission(exercise.name, student)
        found = rows_of(gradebook, exercise, student)
    return found[0]


def rows_of(
    gradebook: Gradebook, exercise: Exercise, student: str | None = None
) -> list[SubmittedAssignment]:
    """Return nbgrader's rows on the submissions of `exercise`, or one student's, with all that they hold."""
    # All at once: one query for each row would take minutes for a large class.
    notebooks = selectinload(SubmittedAssignment.notebooks)
    grades = selectinload(SubmittedNotebook.grades).joinedload(Grade.cell)
    comments = selectinload(SubmittedNotebook.comments).joinedload(Comment.cell)
    query = gradebook.db.query(SubmittedAssignment).join(SubmittedAssignment.assignment)
    query = query.filter(Assignment.name == exercise.name)
    if student is not None:
        query = query.filter(SubmittedAssignment.student_id == student)
    return list(
        query.options(notebooks.options(grades, comments), joinedload(SubmittedAssignment.assignment))
    )


def by_cell(row: SubmittedAssignment) -> tuple[dict[str, Grade], dict[str, Comment]]:
    """Return the grades and the comments on a submission, by the names of their cells."""
    grades = {grade.name: grade for notebook in row.notebooks for grade in notebook.grades}
    comments = {comment.name: comment for notebook in row.notebooks for comment in notebook.comments}
    return grades, comments


def read_row(exercise: Exercise, row: SubmittedAssignment) -> GradebookSubmission:
    """Return what nbgrader's rows say on one submission: an entry for each question that has a row.

    ValueError says that a score is no number. SQLite stores any text as a score.
    """
    grades, comments = by_cell(row)
    cells = {name: check_id(name) for name in exercise.points} | {name: name for name in exercise.written}
    entries = tuple(
        GradebookEntry(
            student=row.student_id,
            question=name,
            written=name in exercise.written,
            auto_score=_number(grade.auto_score),
            manual_score=_number(grade.manual_score),
            extra_credit=_number(grade.extra_credit),
            max_score=float(grade.cell.max_score),
            needs_person=bool(grade.needs_manual_grade),
            comment=getattr(comments.get(name), "auto_comment", None) or "",
            remark=getattr(comments.get(name), "manual_comment", None) or "",
        )
        for name, cell in cells.items()
        if (grade := grades.get(cell)) is not None
    )
    penalty = sum(notebook.late_submission_penalty or 0.0 for notebook in row.notebooks)
    return GradebookSubmission(row.student_id, float(row.total_seconds_late), penalty, entries)


def listed_by_id(root: Path) -> dict[str, Student]:
    """Return the students in a course's students.csv by id; nobody where there is no such file."""
    listed = listed_students(root)
    return {student.id: student for student in (listed.all if listed else ())}


def enter_students(gradebook: Gradebook, course: Course) -> None:
    """Put the class into the gradebook, with names."""
    listed = listed_by_id(course.root)
    known = {row.id: row for row in gradebook.db.query(StudentRow)}
    added = {id_: StudentRow(id=id_) for id_ in listed if id_ not in known}
    gradebook.db.add_all(added.values())
    for row in (known | added).values():
        student = listed.get(row.id, Student(row.id))
        given = dict(zip(("last_name", "first_name"), student.parts, strict=True), email=student.email)
        for key, value in given.items():
            if value and getattr(row, key) != value:
                setattr(row, key, value)
        _named(row)
    gradebook.db.commit()


def _named(row: StudentRow) -> StudentRow:
    """Fill what nobody has given, where nbgrader's pages would show None."""
    if row.last_name is None:
        row.last_name = "" if row.first_name else row.id
    row.first_name, row.email = row.first_name or "", row.email or ""
    return row
