"""Records every change of a score in autograder.db; lines are only added.

Each line says whose score became what, when, why, and by what it was graded: digests of the notebook, the
exercise's source and suite, its settings, the engine and the environment. Each score that somebody saved in
the formgrader, and whatever else has changed since the last line, gets a line before we go on.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.names import checked_question
from autograder.gradebook.rows import SavedScore
from autograder.report.report import GradebookSubmission
from autograder.submission.store import AUDIT, reading, writing

DATES, BY_HAND = "dates or late policy", "by hand"
Digests = Mapping[str, str]
Line = dict[str, Any]


class Audit:
    """The changes of one exercise's scores."""

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self._root, self._exercise = course.root, exercise.name
        self._last: dict[str, Line] = {}
        self._pending: dict[str, Line] = {}
        with reading(self._root) as store:
            query = AUDIT.select().where(AUDIT.c.exercise == self._exercise).order_by(AUDIT.c.id)
            for row in store.execute(query):
                (self._pending if row.pending else self._last)[row.student] = row._asdict()

    def digests(self, student: str) -> Digests | None:
        """Return by what this student's submission was graded last, if that is known."""
        found: Digests | None = self._last.get(student, {}).get("digests") or None
        return found

    def points_before(self, submission: GradebookSubmission) -> float | None:
        """Return what the questions scored in the last line, if somebody has given other points since."""
        last = self._last.get(submission.student)
        if last is None or last["questions"] == _questions(submission) or last["score"] is None:
            return None
        return round(float(last["score"]) + float(last["penalty"]), 4)

    def replayed(
        self, submission: GradebookSubmission, saves: Iterable[SavedScore]
    ) -> Iterator[tuple[GradebookSubmission, SavedScore]]:
        """Yield what a submission was after each save since the last line, with today's penalty."""
        last = self._last.get(submission.student)
        if last is None:
            return
        given = {name: (manual, extra) for name, (_, manual, extra) in last["questions"].items()}
        for save in saves:
            if save.time > last["saved"]:
                given[checked_question(save.cell) or save.cell] = (save.score, save.extra_credit)
                entries = (
                    replace(entry, manual_score=manual, extra_credit=extra)
                    for entry in submission.entries
                    for manual, extra in [given.get(entry.question, (None, None))]
                )
                yield replace(submission, entries=tuple(entries)), save

    def add(
        self,
        submission: GradebookSubmission,
        why: str,
        digests: Digests | None = None,
        save: SavedScore | None = None,
        *,
        pending: bool = False,
    ) -> None:
        """Add a line on a submission, unless all of it stands in the last one; a save has its own time.

        A `pending` line is about a change that the gradebook gets next. It counts once it is confirmed. So a
        grader that is killed in between loses no line, and none is about a change that never came.
        """
        student, now = submission.student, datetime.now(UTC)
        last = self._last.get(student, {})
        state = {
            "score": submission.score,
            "penalty": submission.penalty,
            "questions": _questions(submission),
            "digests": dict(digests or last.get("digests") or {}),
        }
        if save is None and all(last.get(key) == value for key, value in state.items()):
            return
        line = {
            "time": now.isoformat(timespec="seconds") if save is None else save.time,
            "by": None if save is None else save.grader,
            "student": student,
            "exercise": self._exercise,
            "why": why,
            "before": last.get("score"),
            **state,
            "saved": last.get("saved", now.isoformat(timespec="microseconds")) if save is None else save.time,
            "pending": pending,
        }
        mine = (AUDIT.c.student == student) & (AUDIT.c.exercise == self._exercise)
        with writing(self._root) as store:
            store.execute(AUDIT.delete().where(mine & AUDIT.c.pending))  # which was never confirmed
            (id_,) = store.execute(AUDIT.insert().values(**line)).inserted_primary_key or (None,)
        self._pending.pop(student, None)
        (self._pending if pending else self._last)[student] = {**line, "id": id_}

    def confirm(self, student: str) -> None:
        """Let the pending line on a submission count, as the gradebook has the change."""
        if line := self._pending.pop(student, None):
            with writing(self._root) as store:
                store.execute(AUDIT.update().where(AUDIT.c.id == line["id"]).values(pending=False))
            self._last[student] = line

    def recover(self, submission: GradebookSubmission) -> None:
        """Settle what becomes of a line that a grader has added before it was killed.

        The tests' scores say whether the gradebook has the change: nobody but a grader changes them.
        """
        line = self._pending.get(submission.student)
        if line and _by_tests(line["questions"]) == _by_tests(_questions(submission)):
            self.confirm(submission.student)

    def catch_up(self, submission: GradebookSubmission) -> None:
        """Add what has happened to a submission outside our commands: points that people gave, and dates."""
        last = self._last.get(submission.student)
        if last is None:
            why = "found in the gradebook"
        else:
            why = DATES if last["questions"] == _questions(submission) else BY_HAND
        self.add(submission, why)


def audit_lines(course: Course) -> Iterator[Line]:
    """Yield every change of a score, in order, as it stands in the audit."""
    with reading(course.root) as store:
        rows = store.execute(AUDIT.select().where(~AUDIT.c.pending).order_by(AUDIT.c.id)).all()
    for row in rows:
        line = row._asdict()
        yield {name: line[name] for name in line if name not in ("id", "saved", "pending")}


def _questions(submission: GradebookSubmission) -> dict[str, list[float | None]]:
    return {e.question: [e.auto_score, e.manual_score, e.extra_credit] for e in submission.entries}


def _by_tests(questions: Mapping[str, list[float | None]]) -> dict[str, float | None]:
    return {name: scores[0] for name, scores in questions.items()}
