"""The audit: a line for each change of a score, added in the transaction that makes the change.

Each line names the student, both scores, the time, the reason, and the grader if it was saved in the
formgrader. Its digests identify everything that the score depends on: the notebook, the exercise's source and
suite, its settings, the engine and the environment.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, select

from autograder.course.course import Course
from autograder.records.database import Store, reading
from autograder.records.tables import AUDIT
from autograder.report.report import GradebookSubmission

Line = dict[str, Any]


def last_lines(store: Store, exercise: str, student: str | None = None) -> dict[str, Line]:
    """Return the last line on each submission of `exercise`, or on that of one student, by student."""
    newest = select(func.max(AUDIT.c.id)).where(AUDIT.c.exercise == exercise).group_by(AUDIT.c.student)
    if student is not None:
        newest = newest.where(AUDIT.c.student == student)
    rows = store.execute(AUDIT.select().where(AUDIT.c.id.in_(newest)))
    return {row.student: row._asdict() for row in rows}


def add_line(
    store: Store,
    exercise: str,
    submission: GradebookSubmission,
    why: str,
    last: Line | None,
    *,
    digests: Mapping[str, str] | None = None,
    by: str | None = None,
    question: str | None = None,
) -> None:
    """Add a line on a submission, unless nothing has changed since its `last` line.

    A score that a grader saved for a `question` always gets a line, since saving may confirm a score.
    """
    last = last or {}
    state = {
        "score": submission.score,
        "penalty": submission.penalty,
        "questions": questions_of(submission),
        "digests": dict(digests or last.get("digests") or {}),
    }
    if question is None and all(last.get(key) == value for key, value in state.items()):
        return
    line = {
        "time": _now(),
        "by": by,
        "student": submission.student,
        "exercise": exercise,
        "question": question,
        "why": why,
        "before": last.get("score"),
        **state,
    }
    store.execute(AUDIT.insert().values(line))


def questions_of(submission: GradebookSubmission) -> dict[str, list[float | None]]:
    """Return three scores of each question: the tests' score, a grader's score, and extra credit."""
    return {
        entry.question: [entry.auto_score, entry.manual_score, entry.extra_credit]
        for entry in submission.entries
    }


def with_penalty(scores: Mapping[str, float | None], penalty: float | None) -> dict[str, float | None]:
    """Return the score of each question and, if there is a penalty, its negative value as "late"."""
    return {**scores, "late": -penalty} if penalty else dict(scores)


def add_renaming(store: Store, old: str, new: str) -> None:
    """Add a line on each exercise of a student whose id is about to change."""
    names = store.execute(select(AUDIT.c.exercise).where(AUDIT.c.student == old).distinct()).scalars().all()
    for name in names:
        last = last_lines(store, name, old)[old]
        about = {"by": None, "question": None, "why": f"renamed from {old}", "before": last["score"]}
        line = {**last, **about, "time": _now(), "student": new}
        del line["id"]
        store.execute(AUDIT.insert().values(line))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def audit_lines(course: Course) -> Iterator[Line]:
    """Yield every line in order."""
    with reading(course.root) as store:
        rows = store.execute(AUDIT.select().order_by(AUDIT.c.id)).all()
    for row in rows:
        line = row._asdict()
        del line["id"]
        yield line
