"""Reads from the gradebook what each submission has scored, by tests and by people."""

from collections.abc import Mapping

from nbgrader.api import Comment, Grade, Gradebook, SubmittedAssignment

from autograder.course.exercise import Exercise
from autograder.course.names import check_id
from autograder.gradebook.lateness import Lateness
from autograder.gradebook.rows import by_cell, rows_of
from autograder.report.gradebook_submission import GradebookEntry, GradebookSubmission


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
