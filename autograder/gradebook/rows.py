"""Reads nbgrader's rows on students and submissions, or makes them as nbgrader does; the caller commits.

nbgrader's own functions commit at each step, and each commit waits for the disk. New rows are written all
at once, when they are filled. Where nobody has given a name, nbgrader's pages would say "None, None", so the
id stands in its place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
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

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.names import check_id
from autograder.gradebook.lateness import Lateness
from autograder.report.gradebook_submission import GradebookEntry, GradebookSubmission
from autograder.submission.students import listed_students

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


@dataclass(frozen=True, slots=True)
class Person:
    """One student of the class."""

    id: str
    last_name: str = ""
    first_name: str = ""
    email: str = ""

    @property
    def name(self) -> str:
        """The name by which lists are sorted, or the id where there is none."""
        return f"{self.last_name}, {self.first_name}" if self.first_name else self.last_name or self.id


def read_roster(root: Path) -> dict[str, Person]:
    """Return the students in a course's students.csv by id; nobody where there is no such file."""
    listed = listed_students(root)
    students = listed.all if listed else ()
    return {student.id: _person(student.id, student.names, student.email) for student in students}


def enter_students(gradebook: Gradebook, course: Course) -> None:
    """Put the class into the gradebook, with names; an id stands for a name that nobody has given."""
    roster = read_roster(course.root)
    known = {student.id: student for student in gradebook.db.query(Student)}
    for person in roster.values():
        if person.id not in known:
            known[person.id] = Student(id=person.id)
            gradebook.db.add(known[person.id])
    for student in known.values():
        person = roster.get(student.id, Person(student.id))
        given = {"last_name": person.last_name, "first_name": person.first_name, "email": person.email}
        for key, value in given.items():
            if value and getattr(student, key) != value:
                setattr(student, key, value)
        leave_no_none(student)
    gradebook.db.commit()


def read_class(gradebook: Gradebook, course: Course) -> dict[str, Person]:
    """Return the class by id, in order of the ids; without students.csv it is whom the gradebook knows."""
    known, roster = read_recorded(gradebook), read_roster(course.root)
    return {id_: roster.get(id_, known.get(id_, Person(id_))) for id_ in sorted(roster or known)}


def read_recorded(gradebook: Gradebook) -> dict[str, Person]:
    """Return whom the gradebook knows by id, also those who have left the class."""
    return {row.id: _known(row) for row in gradebook.db.query(Student)}


def _known(row: Student) -> Person:
    last, first = row.last_name or "", row.first_name or ""
    return Person(row.id, last if first or last != row.id else "", first, row.email or "")


def _person(id_: str, names: Sequence[str], email: str) -> Person:
    """Return a student by the first of their names, which has the last name first where it has a comma."""
    name = names[0] if names else ""
    last, comma, first = name.partition(",")
    if not comma:
        first, _, last = name.rpartition(" ")
    return Person(id_, last.strip(), first.strip(), email)
