"""Reads from the gradebook what each submission has scored, by tests and by people."""

from nbgrader.api import Assignment, Comment, Grade, Gradebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy.orm import joinedload, selectinload

from autograder.course.exercise import Exercise
from autograder.course.names import check_id
from autograder.report.gradebook_submission import GradebookEntry, GradebookSubmission


def submissions_in(
    gradebook: Gradebook, exercise: Exercise, student: str | None = None
) -> tuple[GradebookSubmission, ...]:
    """Return the submissions of `exercise`, or one student's, in order of the students' ids."""
    # All at once: one query for each row would take minutes for a large class.
    notebooks = selectinload(SubmittedAssignment.notebooks)
    grades = selectinload(SubmittedNotebook.grades).joinedload(Grade.cell)
    comments = selectinload(SubmittedNotebook.comments).joinedload(Comment.cell)
    query = gradebook.db.query(SubmittedAssignment).join(SubmittedAssignment.assignment)
    query = query.filter(Assignment.name == exercise.name)
    if student is not None:
        query = query.filter(SubmittedAssignment.student_id == student)
    whole = query.options(notebooks.options(grades, comments), joinedload(SubmittedAssignment.assignment))
    found = [_read(exercise, submission) for submission in whole]
    return tuple(sorted(found, key=lambda submission: submission.student))


def _read(exercise: Exercise, submission: SubmittedAssignment) -> GradebookSubmission:
    student, notebooks = submission.student_id, submission.notebooks
    comments = {comment.name: comment for notebook in notebooks for comment in notebook.comments}
    grades = {grade.name: grade for notebook in notebooks for grade in notebook.grades}
    cells = {name: check_id(name) for name in exercise.points} | {name: name for name in exercise.written}
    entries = tuple(
        _entry(student, name, name in exercise.written, grades[cell], comments.get(name))
        for name, cell in cells.items()
        if cell in grades
    )
    penalty = sum(notebook.late_submission_penalty or 0.0 for notebook in notebooks)
    return GradebookSubmission(student, float(submission.total_seconds_late), penalty, entries)


def _entry(student: str, name: str, written: bool, grade: Grade, comment: Comment | None) -> GradebookEntry:
    return GradebookEntry(
        student=student,
        question=name,
        written=written,
        auto_score=grade.auto_score,
        manual_score=grade.manual_score,
        extra_credit=grade.extra_credit,
        max_score=float(grade.cell.max_score),
        needs_person=bool(grade.needs_manual_grade),
        comment=getattr(comment, "auto_comment", None) or "",
        remark=getattr(comment, "manual_comment", None) or "",
    )
