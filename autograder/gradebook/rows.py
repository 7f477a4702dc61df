"""Reads nbgrader's rows on students and submissions.

Where nobody has given a name, nbgrader's pages would say "None, None", so the id stands in its place.
"""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from nbgrader.api import (
    Assignment,
    Comment,
    Grade,
    Gradebook,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.api import (
    Student as StudentRow,
)
from sqlalchemy.exc import SAWarning
from sqlalchemy.orm import joinedload, selectinload

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.names import check_id
from autograder.gradebook.lateness import Lateness
from autograder.report.report import GradebookEntry, GradebookSubmission
from autograder.submission.students import Student, listed_students


class Rows(NamedTuple):
    """The rows on one submission; grades and comments by the names of their cells."""

    submission: SubmittedAssignment
    grades: Mapping[str, Grade]
    comments: Mapping[str, Comment]


def rows_on(gradebook: Gradebook, exercise: Exercise, student: str) -> Rows:
    """Return the rows on a student's submission; nbgrader makes and commits those that are missing."""
    found = rows_of(gradebook, exercise, student)
    if not found:
        if gradebook.db.get(StudentRow, student) is None:
            row = StudentRow(id=student)
            leave_no_none(row)
            gradebook.db.add(row)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # from nbgrader's own use of its database
            gradebook.add_submission(exercise.name, student)
        found = rows_of(gradebook, exercise, student)
    return Rows(found[0], *by_cell(found[0].notebooks))


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


def by_cell(notebooks: Sequence[SubmittedNotebook]) -> tuple[dict[str, Grade], dict[str, Comment]]:
    """Return the grades and the comments on a submission's notebooks, by the names of their cells."""
    grades = {grade.name: grade for notebook in notebooks for grade in notebook.grades}
    comments = {comment.name: comment for notebook in notebooks for comment in notebook.comments}
    return grades, comments


def leave_no_none(row: StudentRow) -> None:
    """Fill what nobody has given, where nbgrader's pages would show None."""
    if row.last_name is None:
        row.last_name = "" if row.first_name else row.id
    row.first_name, row.email = row.first_name or "", row.email or ""


def submissions_in(
    gradebook: Gradebook, exercise: Exercise, student: str | None = None, lateness: Lateness | None = None
) -> tuple[GradebookSubmission, ...]:
    """Return the submissions of `exercise`, or one student's, in order of the students' ids.

    With `lateness` what each loses for being late is reckoned anew, since its points may have changed.
    """
    found = []
    for row in rows_of(gradebook, exercise, student):
        submission = read_row(exercise, row)
        found.append(lateness.reckon(submission, row, row.timestamp) if lateness else submission)
    return tuple(sorted(found, key=lambda submission: submission.student))


def points_by_cell(exercise: Exercise) -> dict[str, float]:
    """Return what each graded cell of an exercise is worth now."""
    return {check_id(name): points for name, points in exercise.points.items()} | exercise.written


def read_row(exercise: Exercise, submission: SubmittedAssignment) -> GradebookSubmission:
    """Return what nbgrader's rows say on one submission."""
    student = submission.student_id
    grades, comments = by_cell(submission.notebooks)
    points = {name: float(grade.cell.max_score) for name, grade in grades.items()}
    entries = entries_of(exercise, student, grades, comments, points)
    penalty = sum(notebook.late_submission_penalty or 0.0 for notebook in submission.notebooks)
    return GradebookSubmission(student, float(submission.total_seconds_late), penalty, entries)


def entries_of(
    exercise: Exercise, student: str, grades: Mapping[str, Grade], comments: Mapping[str, Comment],
    points: Mapping[str, float],
) -> tuple[GradebookEntry, ...]:  # fmt: skip
    """Return the entries on those questions that have a row, in the exercise's order; `points` by cell."""
    cells = {name: check_id(name) for name in exercise.points} | {name: name for name in exercise.written}
    return tuple(
        _entry(student, name, name in exercise.written, grades[cell], comments.get(name), points[cell])
        for name, cell in cells.items()
        if cell in grades
    )


def _entry(
    student: str, name: str, written: bool, grade: Grade, comment: Comment | None, points: float
) -> GradebookEntry:
    return GradebookEntry(
        student=student,
        question=name,
        written=written,
        auto_score=grade.auto_score,
        manual_score=grade.manual_score,
        extra_credit=grade.extra_credit,
        max_score=points,
        needs_person=bool(grade.needs_manual_grade),
        comment=getattr(comment, "auto_comment", None) or "",
        remark=getattr(comment, "manual_comment", None) or "",
    )


def listed_by_id(root: Path) -> dict[str, Student]:
    """Return the students in a course's students.csv by id; nobody where there is no such file."""
    listed = listed_students(root)
    return {student.id: student for student in (listed.all if listed else ())}


def enter_students(gradebook: Gradebook, course: Course) -> None:
    """Put the class into the gradebook, with names; an id stands for a name that nobody has given."""
    listed = listed_by_id(course.root)
    known = {row.id: row for row in gradebook.db.query(StudentRow)}
    for id_ in listed:
        if id_ not in known:
            known[id_] = StudentRow(id=id_)
            gradebook.db.add(known[id_])
    for row in known.values():
        student = listed.get(row.id, Student(row.id))
        given = dict(zip(("last_name", "first_name"), student.parts, strict=True), email=student.email)
        for key, value in given.items():
            if value and getattr(row, key) != value:
                setattr(row, key, value)
        leave_no_none(row)
    gradebook.db.commit()


def read_class(gradebook: Gradebook, course: Course) -> dict[str, Student]:
    """Return the class by id, in order of the ids; without students.csv it is whom the gradebook knows."""
    known, listed = read_recorded(gradebook), listed_by_id(course.root)
    return {id_: listed.get(id_) or known[id_] for id_ in sorted(listed or known)}


def read_recorded(gradebook: Gradebook) -> dict[str, Student]:
    """Return whom the gradebook knows by id, also those who have left the class."""
    rows = gradebook.db.query(StudentRow)
    return {row.id: Student(row.id, (_name(row),), row.email or "") for row in rows}


def _name(row: StudentRow) -> str:
    """Return a name as students.csv may have it, with a comma behind the last name."""
    return f"{row.last_name or row.id}, {row.first_name or ''}".strip()
