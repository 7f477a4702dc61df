"""The audit: a line for each change of a score, added in the transaction that makes the change.

Each line has the student, the score before and after, the time and the reason. If a grader saved the score in
the formgrader, the line also has the grader's name. The line's digests identify everything that the score
depends on: the notebook, the exercise's source, tests and settings, the autograder, and the environment.
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


def last_lines(store: Store, exercise: str, student: str | None = None) -> dict[str, Line]:
    """Return the last line on each submission for `exercise`, by student.

    If `student` is given, return only the last line on this student's submission.
    """
    newest = select(func.max(AUDIT.c.id)).where(AUDIT.c.exercise == exercise).group_by(AUDIT.c.student)
    if student is not None:
        newest = newest.where(AUDIT.c.student == student)
    rows = store.execute(AUDIT.select().where(AUDIT.c.id.in_(newest)))
    return {row.student: row._asdict() for row in rows}


def add_line(
    store: Store,
    exercise: str,
    submission: GradebookSubmission,
    last: Line | None,
    *,
    digests: Mapping[str, str] | None = None,
    attempt: str = "",
    by: str | None = None,
    question: str | None = None,
) -> str:
    """Add a line if the scores or digests have changed since the `last` line. Return the changes as text.

    After grading, `attempt` is the name of the graded attempt, and `digests` are its digests. If the grader
    `by` has saved a score of `question`, add a line even if the score is the same, because the grader has
    confirmed the score. A submission without any score gets no line.
    """
    why = BY_HAND if question else _reason(submission, last, digests, attempt)
    state = {
        "score": submission.score,
        "penalty": submission.penalty,
        "questions": submission.recorded_scores,
        "digests": dict(digests or (last or {}).get("digests") or {}),
    }
    is_changed = last is None or any(last[key] != value for key, value in state.items())
    if submission.has_scores and (is_changed or question):
        line = {
            "time": _now(),
            "by": by,
            "student": submission.student,
            "exercise": exercise,
            "question": question,
            "why": why,
            "before": last["score"] if last else None,
            **state,
        }
        store.execute(AUDIT.insert().values(line))
    return why


def _reason(
    submission: GradebookSubmission, last: Line | None, digests: Mapping[str, str] | None, attempt: str
) -> str:
    if digests is None:  # the submission was not graded, but its scores may have been edited
        if last is None:
            return "already in the gradebook"
        return DATES if last["questions"] == submission.recorded_scores else BY_HAND
    if last is None:
        return NEW
    before = last["digests"] or {}
    changed = [word for key, word in _WORDS.items() if before and before.get(key) != digests[key]]
    if attempt and changed[:1] == [_WORDS["notebook"]]:
        changed[0] += f" ({attempt})"
    return ", ".join(changed) or AGAIN


def add_renaming(store: Store, old: str, new: str) -> None:
    """For each exercise of a student, add a line that the student's id changes from `old` to `new`."""
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
