"""Reads the gradebook: what each submission has come to, by our scores and by people's."""

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
    comments = {c.name: c for notebook in submission.notebooks for c in notebook.comments}
    grades = {grade.name: grade for notebook in submission.notebooks for grade in notebook.grades}
    entries = []
    for name in (*exercise.points, *exercise.written):
        grade = grades.get(name if name in exercise.written else check_id(name))
        if grade is not None:
            entries.append(_entry(exercise, name, submission.student_id, grade, comments.get(name)))
    penalty = sum(notebook.late_submission_penalty or 0.0 for notebook in submission.notebooks)
    return GradebookSubmission(
        submission.student_id, float(submission.total_seconds_late), penalty, tuple(entries)
    )


def _entry(
    exercise: Exercise, name: str, student: str, grade: Grade, comment: Comment | None
) -> GradebookEntry:
    return GradebookEntry(
        student=student,
        question=name,
        written=name in exercise.written,
        auto_score=grade.auto_score,
        manual_score=grade.manual_score,
        extra_credit=grade.extra_credit,
        max_score=float(grade.cell.max_score),
        needs_person=bool(grade.needs_manual_grade),
        comment=(comment.auto_comment or "") if comment is not None else "",
        remark=(comment.manual_comment or "") if comment is not None else "",
    )
