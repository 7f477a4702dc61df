"""Computes the score and penalty of each submission, and reports each change with its reason.

All changes of scores are written here: by grading, by dates and extensions, and by graders in the formgrader.
Each change is one transaction, which also adds the audit's line.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from nbgrader.api import Assignment, Grade, Gradebook, SubmittedAssignment
from sqlalchemy import event, inspect
from sqlalchemy.orm import Session

from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.course.guard import SubmissionError, skipping
from autograder.course.names import checked_question
from autograder.gradebook.lateness import Lateness
from autograder.gradebook.rows import as_number, read_row, rows_of
from autograder.records.audit import Line, add_line, last_lines, questions_of, with_penalty
from autograder.records.database import lock
from autograder.report.report import GradebookSubmission
from autograder.submission.digest import rules_and_digests

NEW, AGAIN = "new", "graded again"
DATES, BY_HAND = "dates or late policy", "by hand"
_WORDS = {
    "notebook": "another notebook",
    "source": "changed exercise",
    "suite": "changed tests",
    "settings": "changed course.yaml",
    "inputs": "another secret",
    "engine": "changed engine",
    "environment": "another Python",
}
_SAVED = ("manual_score", "extra_credit", "needs_manual_grade")


@dataclass(frozen=True, slots=True)
class SubmissionLine:
    """The result of one submission, for those who run the course, and what has changed about its scores.

    `score` and `max_score` count tests alone. `before` and `after` are the whole scores in the gradebook:
    points from tests and graders, less the penalty. `changes` has both scores of each question whose score
    has changed; the penalty is called "late". `why` is empty if no score has changed.
    """

    student: str
    exercise: str
    status: str = ""  # a Status, or "refused" or "missing"
    score: float | None = None
    max_score: float | None = None
    seconds_late: float = 0.0
    message: str = ""
    ours: bool = False  # the submission has no score, and somebody who runs the course has to act
    graded: bool = True  # by this run, not by an earlier one
    waiting: tuple[str, ...] = ()  # the questions at which an instructor has to look
    open_points: float = 0.0  # of questions that a grader has yet to score
    held: tuple[str, ...] = ()  # those of `waiting` that tests grade
    before: float | None = None
    after: float | None = None
    why: str = ""
    changes: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)


class Ledger:
    """The current scores of all submissions for an exercise, and their changes since the ledger was opened.

    Opening it updates the penalties after changes of dates, extensions and scores. If a row cannot be read or
    updated, it is not changed, and `failures` has the reason.
    """

    def __init__(self, course: Course, exercise: Exercise, gradebook: Gradebook) -> None:
        self._course, self._exercise, self._gradebook = course, exercise, gradebook
        self.lateness = Lateness(course, exercise)
        self.rules, self._digests = rules_and_digests(course, exercise)
        self._initial: dict[str, GradebookSubmission | None] = {}
        self._reasons = defaultdict[str, list[str]](list)
        self.rows: dict[str, SubmittedAssignment] = {}  # nbgrader's rows, as read when the ledger was opened
        self.current: dict[str, GradebookSubmission] = {}
        self.failures = dict[str, SubmissionError]()
        for student in self._outdated():
            with self._guard(student), self.changing(student) as row:
                self.record_score(row, row.timestamp)

    def _outdated(self) -> list[str]:
        """Read all submissions, and return the students whose penalty or audit is not up to date."""
        for assignment in self._gradebook.db.query(Assignment).filter_by(name=self._exercise.name):
            self.lateness.enter_due(assignment)
        self._gradebook.db.commit()
        last = last_lines(self._gradebook.db(), self._exercise.name)
        outdated = []
        with self._gradebook.db.no_autoflush:
            for row in rows_of(self._gradebook, self._exercise):
                self.rows[row.student_id] = row
                with self._guard(row.student_id):
                    before = read_row(self._exercise, row)
                    after = self.lateness.enter(row, before, row.timestamp)
                    is_entered = any(map(self._gradebook.db.is_modified, (row, *row.notebooks)))
                    if is_entered or (_has_scores(after) and _differs(after, last.get(row.student_id))):
                        outdated.append(row.student_id)
                    self._keep(before, before if is_entered else after, "")
            self._gradebook.db.expunge_all()  # forgets the changes instead of writing them
        return outdated

    def _guard(self, student: str) -> AbstractContextManager[None]:
        """Store a failure of the `with` block as this student's failure."""
        return skipping(
            self._course, self._exercise.name, student, lambda error: self.failures.update({student: error})
        )

    @contextmanager
    def changing(self, student: str) -> Iterator[SubmittedAssignment]:
        """Yield a submission's row in a transaction in which no other process can change scores."""
        try:
            lock(self._gradebook.db())
            (row,) = rows_of(self._gradebook, self._exercise, student)
            yield row
            self._gradebook.db.commit()
        except BaseException:
            self._gradebook.db.rollback()
            raise
        finally:
            self._gradebook.db.expunge_all()

    def record_score(
        self, row: SubmittedAssignment, submitted_at: datetime | None, digest: str = "", name: str = ""
    ) -> None:
        """Compute a submission's penalty and add a line to the audit, in the caller's transaction.

        `digest` and `name` are those of the attempt, if one has just been graded.
        """
        store, student = self._gradebook.db(), row.student_id
        after = self.lateness.enter(row, read_row(self._exercise, row), submitted_at)
        last = last_lines(store, self._exercise.name, student).get(student)
        if not digest:
            why, digests = _reason(after, last), None
        else:
            digests = {"notebook": digest, **self._digests}
            why = _reason_for_attempt(digests, last, name) if _has_scores(self.current.get(student)) else NEW
        if _has_scores(after):
            add_line(store, self._exercise.name, after, why, last, digests=digests)
        self._keep(self.current.get(student), after, why)

    def update_time(self, student: str, submitted_at: datetime | None) -> None:
        """Compute the penalty of a graded submission again if its time has changed."""
        if submitted_at != self.rows[student].timestamp:
            with self.changing(student) as row:
                self.record_score(row, submitted_at)

    def _keep(self, before: GradebookSubmission | None, after: GradebookSubmission, why: str) -> None:
        """Store the current scores of a submission, and the reason if they have changed."""
        student, before = after.student, before if _has_scores(before) else None
        self.current[student] = after
        self._initial.setdefault(student, before)
        if before is None or _is_changed(before, after):
            self._reasons[student].append(why)

    def line(self, student: str) -> SubmissionLine:
        """Return the line on a submission, with what has changed since the ledger was opened."""
        before, after = self._initial[student], self.current[student]
        is_changed = before is not None and _is_changed(before, after)
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
            why=NEW if before is None else ", ".join(self._reasons[student]) if is_changed else "",
            changes=_changes(before, after),
        )


@contextmanager
def recording(session: Session, root: Path, grader: str) -> Iterator[None]:
    """Compute the penalty for each score saved in the block, and add an audit line that names `grader`.

    Both are written in the transaction that saves the score.
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
            session.refresh(other)  # another process may have changed it before the lock
    exercise = course.exercises[row.assignment.name]
    after = Lateness(course, exercise).enter(row, read_row(exercise, row), row.timestamp)
    last = last_lines(session, exercise.name, row.student_id).get(row.student_id)
    question = checked_question(grade.name) or grade.name
    add_line(session, exercise.name, after, BY_HAND, last, by=grader[:128], question=question)


def _is_rescored(grade: Grade) -> bool:
    """Whether saving changes a row's score. The formgrader also sends unchanged scores, as text."""
    before = {name: inspect(grade).attrs[name].history.deleted for name in _SAVED}
    return any(old and as_number(old[0]) != as_number(getattr(grade, name)) for name, old in before.items())


def _differs(submission: GradebookSubmission, last: Line | None) -> bool:
    """Whether the audit's last line has other scores than the submission."""
    now = submission.score, submission.penalty, questions_of(submission)
    return last is None or now != (last["score"], last["penalty"], last["questions"])


def _reason_for_attempt(digests: Mapping[str, str], last: Line | None, attempt: str) -> str:
    """Describe the changes since the submission was last graded."""
    before = (last or {}).get("digests") or {}
    changed = [word for key, word in _WORDS.items() if before and before.get(key) != digests[key]]
    if attempt and changed[:1] == [_WORDS["notebook"]]:
        changed[0] += f" ({attempt})"
    return ", ".join(changed) or AGAIN


def _reason(after: GradebookSubmission, last: Line | None) -> str:
    """Return the reason for a change that was made outside grading, in words."""
    if last is None:
        return "found in the gradebook"
    return DATES if last["questions"] == questions_of(after) else BY_HAND


def _is_changed(before: GradebookSubmission, after: GradebookSubmission) -> bool:
    return before.score != after.score or bool(_changes(before, after))


def _changes(
    before: GradebookSubmission | None, after: GradebookSubmission
) -> dict[str, tuple[float | None, float | None]]:
    """Return the score before and after of each question whose score has changed."""
    old, new = _scores(before), _scores(after)
    return {
        name: (old.get(name), new.get(name))
        for name in dict.fromkeys((*old, *new))
        if name not in old or old[name] != new.get(name)
    }


def _scores(submission: GradebookSubmission | None) -> dict[str, float | None]:
    entries, penalty = (submission.entries, submission.penalty) if submission else ((), 0.0)
    return with_penalty({entry.question: entry.score for entry in entries}, penalty)


def _has_scores(submission: GradebookSubmission | None) -> bool:
    """Whether any question has a score. nbgrader makes rows for a submission before it is graded."""
    return submission is not None and any(entry.score is not None for entry in submission.entries)
