"""Computes the score and penalty of each submission, and reports each change with its reason.

Every change of a score goes through this module, whether the cause is grading, a new due date or extension,
or a grader in the formgrader. Each change is one transaction, which also adds a line to the audit, the log of
score changes.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path

from nbgrader.api import Grade, Gradebook, SubmittedAssignment
from sqlalchemy import event, inspect
from sqlalchemy.orm import Session

from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.course.guard import SubmissionError, skipping
from autograder.course.names import checked_question
from autograder.gradebook.lateness import Lateness
from autograder.gradebook.rows import as_number, read_row, rows_of
from autograder.records.audit import NEW, Line, add_line, last_lines
from autograder.records.database import lock
from autograder.report.report import GradebookSubmission

_SAVED = ("manual_score", "extra_credit", "needs_manual_grade")


@dataclass(frozen=True, slots=True)
class SubmissionLine:
    """The result of one submission, for instructors, and the changes of its scores.

    `score` and `max_score` count only tests. `before` and `after` are the total scores in the gradebook:
    points from tests and graders, minus the penalty. `changes` has the old and new score of each question
    whose score has changed. A changed penalty is in `changes` under the name "late". `why` is the reason for
    the changes, or empty if no score has changed.
    """

    student: str
    exercise: str
    status: str = ""  # a Status, or "refused" or "missing"
    score: float | None = None
    max_score: float | None = None
    seconds_late: float = 0.0
    message: str = ""
    ours: bool = False  # true if the submission was refused or the autograder failed
    graded: bool = True  # whether this run graded the submission
    waiting: tuple[str, ...] = ()  # the questions that an instructor has to check or grade
    open_points: float = 0.0  # points of questions that a grader has yet to score
    held: tuple[str, ...] = ()  # the tested questions in `waiting`
    before: float | None = None
    after: float | None = None
    why: str = ""
    changes: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)


class Ledger:
    """The current scores of all submissions for an exercise, and their changes since the ledger was opened.

    Opening the ledger updates the penalties, since dates, extensions or scores may have changed. If a
    submission's row cannot be read, the row is not changed, and `failures` has the reason.
    """

    def __init__(self, course: Course, exercise: Exercise, gradebook: Gradebook) -> None:
        self._exercise, self._gradebook = exercise, gradebook
        self._store: Session = gradebook.db()
        self._store.expire_on_commit = False  # so that a commit does not cause rows to be read again
        self.lateness = Lateness(course, exercise)
        self._initial: dict[str, GradebookSubmission | None] = {}
        self._reasons = defaultdict[str, list[str]](list)
        self.rows: dict[str, SubmittedAssignment] = {}  # nbgrader's rows, as read when the ledger was opened
        self.current: dict[str, GradebookSubmission] = {}
        self.failures = dict[str, SubmissionError]()
        with self.changing() as rows:
            last = last_lines(self._store, exercise.name)
            for student, row in rows.items():
                with skipping(course, exercise.name, student, partial(self.failures.__setitem__, student)):
                    self._enter(row, row.timestamp, read_row(exercise, row), last.get(student))
        self.rows = rows

    @contextmanager
    def changing(self, student: str | None = None) -> Iterator[dict[str, SubmittedAssignment]]:
        """Yield the rows of all students or of `student`, in a transaction that excludes other writers."""
        try:
            lock(self._store)
            yield {row.student_id: row for row in rows_of(self._gradebook, self._exercise, student)}
            self._store.commit()
        except BaseException:
            self._store.rollback()
            raise
        finally:
            self._store.expunge_all()

    def record_score(
        self,
        row: SubmittedAssignment,
        submitted_at: datetime | None,
        digests: Mapping[str, str] | None = None,
        attempt: str = "",
    ) -> None:
        """Compute a submission's penalty and add a line to the audit, in the caller's transaction.

        If an attempt has just been graded, `attempt` is the attempt's name, and `digests` has the digests of
        the notebook and of everything else that the score depends on.
        """
        student = row.student_id
        last = last_lines(self._store, self._exercise.name, student).get(student)
        self._enter(row, submitted_at, self.current.get(student), last, digests, attempt)

    def update_time(self, student: str, submitted_at: datetime | None) -> None:
        """Compute the penalty of a graded submission again if the time of submission has changed."""
        if submitted_at != self.rows[student].timestamp:
            with self.changing(student) as rows:
                self.record_score(rows[student], submitted_at)

    def _enter(
        self,
        row: SubmittedAssignment,
        submitted_at: datetime | None,
        before: GradebookSubmission | None,
        last: Line | None,
        digests: Mapping[str, str] | None = None,
        attempt: str = "",
    ) -> None:
        """Write the penalty and an audit line. Keep the scores and the reason of the change for `line`."""
        student, exercise = row.student_id, self._exercise
        after = self.lateness.enter(row, read_row(exercise, row), submitted_at)
        why = add_line(self._store, exercise.name, after, last, digests=digests, attempt=attempt)
        before = before if before is not None and before.has_scores else None
        self.current[student] = after
        self._initial.setdefault(student, before)
        if before is None or before.scores != after.scores:
            self._reasons[student].append(why)

    def line(self, student: str) -> SubmissionLine:
        """Return a submission's result, with the changes of its scores since the ledger was opened."""
        before, after = self._initial[student], self.current[student]
        old, new = before.scores if before else {}, after.scores
        waiting = [entry for entry in after.entries if entry.needs_person]
        return SubmissionLine(
            student,
            self._exercise.name,
            seconds_late=after.seconds_late,
            waiting=tuple(entry.question for entry in waiting),
            held=tuple(entry.question for entry in waiting if not entry.written),
            open_points=after.open_points,
            before=None if before is None else before.score,
            after=after.score,
            why=NEW if before is None else ", ".join(self._reasons[student]) if old != new else "",
            changes={
                name: (old.get(name), new.get(name))
                for name in dict.fromkeys((*old, *new))
                if name not in old or old[name] != new.get(name)
            },
        )


@contextmanager
def recording(session: Session, root: Path, grader: str) -> Iterator[None]:
    """For each score saved in the `with` block, compute the penalty and add an audit line with `grader`.

    The transaction that saves the score also writes the penalty and the line.
    """

    def record(session: Session, *_: object) -> None:
        changed = [grade for grade in session.dirty if isinstance(grade, Grade) and _is_rescored(grade)]
        if changed:
            course = load_course(root)
            for grade in changed:
                _record_save(session, course, grade, grader)

    event.listen(session, "before_flush", record)
    try:
        yield
    except BaseException:
        session.rollback()
        raise
    finally:
        event.remove(session, "before_flush", record)


def _record_save(session: Session, course: Course, grade: Grade, grader: str) -> None:
    lock(session)
    row: SubmittedAssignment = grade.notebook.assignment
    for other in grade.notebook.grades:
        if other not in session.dirty:
            session.refresh(other)  # another process may have changed the row before this process locked it
    exercise = course.exercises[row.assignment.name]
    after = Lateness(course, exercise).enter(row, read_row(exercise, row), row.timestamp)
    last = last_lines(session, exercise.name, row.student_id).get(row.student_id)
    question = checked_question(grade.name) or grade.name
    add_line(session, exercise.name, after, last, by=grader[:128], question=question)


def _is_rescored(grade: Grade) -> bool:
    """Whether a save changes a row's score, extra credit or need for review.

    The formgrader sends scores as text, even if they have not changed, so values are compared as numbers.
    """
    before = {name: inspect(grade).attrs[name].history.deleted for name in _SAVED}
    return any(old and as_number(old[0]) != as_number(getattr(grade, name)) for name, old in before.items())
