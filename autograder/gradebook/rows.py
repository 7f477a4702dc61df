"""Reads nbgrader's rows on students and submissions, and adds missing rows.

A student without a name gets the id as the last name. Otherwise nbgrader's pages would show "None, None".
"""

from collections.abc import Mapping
from typing import Any

from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    Notebook,
    SubmittedAssignment,
    SubmittedNotebook,
    new_uuid,
)
from nbgrader.api import Student as StudentRow
from sqlalchemy import insert, select
from sqlalchemy.orm import joinedload, selectinload

from autograder.course.exercise import Exercise
from autograder.course.names import check_id
from autograder.report.report import Entry, GradebookSubmission
from autograder.submission.students import Student


def add_row(gradebook: Gradebook, exercise: Exercise, student: str) -> SubmittedAssignment:
    """Add nbgrader's rows of a new submission, without scores, in the current transaction.

    Return the row of the submission. nbgrader's `add_submission` would make the same rows, but it commits,
    and runs a query for each cell.
    """
    store = gradebook.db()
    if store.get(StudentRow, student) is None:
        store.add(_named(StudentRow(id=student)))
        store.flush()
    query = select(BaseCell.id, BaseCell.type, BaseCell.notebook_id).join(Notebook).join(Assignment)
    cells = store.execute(query.where(Assignment.name == exercise.name)).all()
    assignment = store.execute(select(Assignment.id).where(Assignment.name == exercise.name)).scalar_one()
    row = {"id": new_uuid(), "assignment_id": assignment, "student_id": student}
    store.execute(insert(SubmittedAssignment), [row])
    notebooks = {notebook: new_uuid() for _, _, notebook in cells}
    about = [{"id": id_, "assignment_id": row["id"], "notebook_id": nb} for nb, id_ in notebooks.items()]
    store.execute(insert(SubmittedNotebook), about)
    for table, types in ((Grade, ("GradeCell", "TaskCell")), (Comment, ("SolutionCell", "TaskCell"))):
        entries = [{"cell_id": id_, "notebook_id": notebooks[nb]} for id_, kind, nb in cells if kind in types]
        store.execute(insert(table), entries)
    return rows_of(gradebook, exercise, student)[0]


def rows_of(
    gradebook: Gradebook, exercise: Exercise, student: str | None = None
) -> list[SubmittedAssignment]:
    """Return nbgrader's submission rows of all students or of `student`, with notebooks and grades."""
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
    """Convert a submission's rows. The result has an entry for each question with a row of type Grade.

    ValueError is raised if a score is not a number. SQLite accepts any text as a score.
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
    """Add the listed students to the gradebook, and update names and e-mail addresses."""
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
    """Replace missing names and e-mail addresses, which nbgrader's pages would show as None."""
    if row.last_name is None:
        row.last_name = "" if row.first_name else row.id
    row.first_name, row.email = row.first_name or "", row.email or ""
    return row
