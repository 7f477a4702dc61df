"""Finds nbgrader's rows on a submission, or makes them as nbgrader does; the caller commits.

nbgrader's own functions commit at each step, and each commit waits for the disk. New rows are written all
at once, when they are filled.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

from nbgrader.api import (
    Assignment,
    Comment,
    Grade,
    Gradebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    new_uuid,
)
from sqlalchemy.orm import joinedload, selectinload
from sqlalchemy.orm.attributes import set_committed_value

from autograder.course.exercise import Exercise

_Kind = TypeVar("_Kind", Grade, Comment)


class Rows(NamedTuple):
    """The rows on one submission; grades and comments by the names of their cells."""

    submission: SubmittedAssignment
    grades: Mapping[str, Grade]
    comments: Mapping[str, Comment]
    new: bool = False  # whether the gradebook has none of them yet

    def save(self, gradebook: Gradebook) -> None:
        """Write the rows that the gradebook does not have yet."""
        if self.new:
            rows = [
                self.submission,
                *self.submission.notebooks,
                *self.grades.values(),
                *self.comments.values(),
            ]
            gradebook.db.flush()  # the student's row, on which a server insists
            gradebook.db.bulk_save_objects(rows)


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
        self._assignment = assignment
        _ = assignment.duedate, assignment.id  # are still to be read when the session has let go of it
        # Nobody else makes rows meanwhile, see `autograder.gradebook.ledger.turn`.
        self._students = {row.id for row in gradebook.db.query(Student.id)}
        graded = gradebook.db.query(SubmittedAssignment.student_id)
        self._with_rows = {row.student_id for row in graded.filter_by(assignment_id=assignment.id)}
        self._notebooks = [
            _Notebook(
                notebook.id,
                {cell.name: cell.id for cell in (*notebook.grade_cells, *notebook.task_cells)},
                {cell.name: cell.id for cell in (*notebook.solution_cells, *notebook.task_cells)},
            )
            for notebook in assignment.notebooks
        ]

    def of(self, student: str) -> Rows:
        """Return the rows on a student's submission; those that are missing are made and not saved."""
        self._enter(student)
        known = student in self._with_rows
        self._with_rows.add(student)
        return (self._found(student) if known else None) or self._made(student)

    def _enter(self, student: str) -> None:
        """Put a student into the gradebook whom nobody has entered before."""
        if student not in self._students:
            row = Student(id=student)
            leave_no_none(row)
            self._gradebook.db.merge(row)

    def _found(self, student: str) -> Rows | None:
        found = rows_of(self._gradebook, self._exercise, student)
        return Rows(found[0], *by_cell(found[0].notebooks)) if found else None

    def _made(self, student: str) -> Rows:
        """Make rows with ids of their own, so that they can refer to each other before they are written."""
        submission = SubmittedAssignment(id=new_uuid(), assignment_id=self._assignment.id, student_id=student)
        set_committed_value(submission, "assignment", self._assignment)
        grades, comments = dict[str, Grade](), dict[str, Comment]()
        for about in self._notebooks:
            notebook = SubmittedNotebook(
                id=new_uuid(), notebook_id=about.id, assignment_id=submission.id, assignment=submission
            )
            grades |= {n: _row(Grade, notebook, cell) for n, cell in about.graded.items()}
            comments |= {n: _row(Comment, notebook, cell) for n, cell in about.commented.items()}
        return Rows(submission, grades, comments, new=True)


def _row(kind: type[_Kind], notebook: SubmittedNotebook, cell: str) -> _Kind:
    return kind(id=new_uuid(), notebook_id=notebook.id, cell_id=cell)


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
