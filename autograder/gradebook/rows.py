"""Finds nbgrader's rows on a submission, or makes them as nbgrader does; the caller commits.

nbgrader's own functions commit at each step, and each commit waits for the disk.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from nbgrader.api import (
    Assignment,
    Comment,
    Grade,
    Gradebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from sqlalchemy.orm import joinedload, selectinload

from autograder.course.exercise import Exercise


class Rows(NamedTuple):
    """The rows on one submission; grades and comments by the names of their cells."""

    submission: SubmittedAssignment
    grades: Mapping[str, Grade]
    comments: Mapping[str, Comment]


class _Notebook(NamedTuple):
    """A registered notebook: the ids of the cells that get grades and of those that get comments, by name."""

    id: str
    graded: Mapping[str, str]
    commented: Mapping[str, str]


class ExerciseRows:
    """The rows of one exercise, which is registered in the gradebook."""

    def __init__(self, gradebook: Gradebook, exercise: Exercise) -> None:
        self._gradebook, self._exercise = gradebook, exercise
        assignment = gradebook.find_assignment(exercise.name)
        self._id = assignment.id
        self._notebooks = [
            _Notebook(
                notebook.id,
                {cell.name: cell.id for cell in (*notebook.grade_cells, *notebook.task_cells)},
                {cell.name: cell.id for cell in (*notebook.solution_cells, *notebook.task_cells)},
            )
            for notebook in assignment.notebooks
        ]

    def of(self, student: str) -> Rows:
        """Return the rows on a student's submission, and make those that are missing."""
        self._enter(student)
        return self._found(student) or self._made(student)

    def _enter(self, student: str) -> None:
        row = self._gradebook.db.get(Student, student)
        if row is None:
            row = Student(id=student)
            self._gradebook.db.add(row)
        leave_no_none(row)

    def _found(self, student: str) -> Rows | None:
        found = rows_of(self._gradebook, self._exercise, student)
        return Rows(found[0], *by_cell(found[0].notebooks)) if found else None

    def _made(self, student: str) -> Rows:
        submission = SubmittedAssignment(assignment_id=self._id, student_id=student)
        grades, comments = dict[str, Grade](), dict[str, Comment]()
        for about in self._notebooks:
            notebook = SubmittedNotebook(notebook_id=about.id, assignment=submission)
            grades |= {name: Grade(cell_id=id_, notebook=notebook) for name, id_ in about.graded.items()}
            comments |= {
                name: Comment(cell_id=id_, notebook=notebook) for name, id_ in about.commented.items()
            }
        self._gradebook.db.add(submission)  # only now: then all that hangs on it goes with it
        self._gradebook.db.flush()  # gives them their ids
        return Rows(submission, grades, comments)


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


def leave_no_none(row: Student) -> None:
    """Fill what nobody has given, where nbgrader's pages would show None."""
    if row.last_name is None:
        row.last_name = "" if row.first_name else row.id
    row.first_name, row.email = row.first_name or "", row.email or ""
