"""Reads nbgrader's rows on students and submissions, and makes those that are missing.

A student without a name gets the id as the last name, since nbgrader's pages would show "None, None".
"""

import warnings
from collections.abc import Mapping
from typing import Any

from nbgrader.api import (
    Assignment,
    Comment,
    Grade,
    Gradebook,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.api import Student as StudentRow
from sqlalchemy.exc import SAWarning
from sqlalchemy.orm import joinedload, selectinload

from autograder.course.exercise import Exercise
from autograder.course.names import check_id
from autograder.report.report import Entry, GradebookSubmission
from autograder.submission.students import Student


def make_rows(gradebook: Gradebook, exercise: Exercise, student: str) -> None:
    """Let nbgrader make and commit its rows on a submission, without scores, if they are missing."""
    if not rows_of(gradebook, exercise, student):
        if gradebook.db.get(StudentRow, student) is None:
            gradebook.db.add(_named(StudentRow(id=student)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # nbgrader's own queries cause these
            gradebook.add_submission(exercise.name, student)


def rows_of(
    gradebook: Gradebook, exercise: Exercise, student: str | None = None
) -> list[SubmittedAssignment]:
    """Return nbgrader's rows on the submissions of all students or of one, with notebooks and grades."""
    # Few queries load everything. One query for each row would take minutes for a large class.
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
    """Return one submission from nbgrader's rows, with an entry for each question that has a row.

    A score that is not a number raises ValueError: SQLite stores any text as a score.
    """
    grades, comments = by_cell(row)
    cells = {name: check_id(name) for name in exercise.points} | {name: name for name in exercise.written}
    entries = tuple(
        Entry(
            student=row.student_id,
            question=name,
            written=name in exercise.written,
            auto_score=as_number(grade.auto_score),
            manual_score=as_number(grade.manual_score),
            extra_credit=as_number(grade.extra_credit),
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


def as_number(value: Any) -> float | None:
    """Return a score from nbgrader's rows. ValueError is raised if it is not a number."""
    return None if value is None else float(value)


def enter_students(gradebook: Gradebook, listed: Mapping[str, Student]) -> None:
    """Add the students, by id, to the gradebook, and update names and addresses."""
    rows = {row.id: row for row in gradebook.db.query(StudentRow)}
    added = {id_: StudentRow(id=id_) for id_ in listed if id_ not in rows}
    gradebook.db.add_all(added.values())
    for row in (rows | added).values():
        student = listed.get(row.id, Student(row.id))
        columns = dict(zip(("last_name", "first_name"), student.parts, strict=True), email=student.email)
        for key, value in columns.items():
            if value and getattr(row, key) != value:
                setattr(row, key, value)
        _named(row)
    gradebook.db.commit()


def _named(row: StudentRow) -> StudentRow:
    """Fill a missing name or address, which nbgrader's pages would show as None."""
    if row.last_name is None:
        row.last_name = "" if row.first_name else row.id
    row.first_name, row.email = row.first_name or "", row.email or ""
    return row
