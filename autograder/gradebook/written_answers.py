"""Reads all students' answers to a written question from the gradebook, and saves scores and comments.

A save changes nbgrader's rows through nbgrader's Python API, so nbgrader's pages show the new grade. The same
transaction stores the items that the grader gave, and adds a line to the audit, the log of score changes.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import isfinite
from typing import Any

from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.api import Student as StudentRow
from sqlalchemy import and_, case, func, or_, select
from sqlalchemy.orm import Session, aliased

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.notebook import build_notebook, is_rubric
from autograder.course.source import Cell, Role
from autograder.errors import AutograderError, UsageError
from autograder.gradebook.comments import CommentBank
from autograder.gradebook.grades import read_graded
from autograder.gradebook.ledger import recording
from autograder.gradebook.rows import as_number
from autograder.gradebook.rubric import Item, Marking, carry_over, read_items
from autograder.records.database import lock
from autograder.records.tables import ANSWERS, AUDIT, MARKINGS, replace_rows
from autograder.submission.submission import Submission

_MAX_NOTEBOOKS = 4096  # the maximum number of notebooks whose texts are cached
_MAX_COMMENT = 10_000  # the maximum length of a comment, in characters
SHARES = (1, 0.5)  # a grader gives an item with all or half of its points
_RELOAD = "load the page again"
_LOOK = "the page now shows the new grade"
TextCell = tuple[str, Mapping[str, Any]]  # source and attachments


class SaveError(AutograderError):
    """A request has a wrong form, or names an item or an answer that this question does not have."""


class ChangedAnswerError(AutograderError):
    """A save is based on an old grade of an answer, or on an old rubric."""


@dataclass(frozen=True)
class WrittenQuestion:
    """A question that graders score with a rubric."""

    course: Course
    exercise: Exercise
    position: int  # the index of the question's cell among the exercise's cells

    @property
    def cell(self) -> Cell:
        """The author's cell, with the model answer and the rubric."""
        return self.exercise.cells[self.position]

    @property
    def name(self) -> str:
        """The name of the question and of its cell."""
        return self.cell.name

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """The items of the rubric and of the comment bank."""
        bank = CommentBank(self.course.root).comments(self.exercise.name, self.name)
        return read_items(self.cell.rubric, bank)

    @property
    def rubric_version(self) -> str:
        """A digest of the items. A page sends this digest with each save, so that old rubrics are refused."""
        return hashlib.sha256(repr(self.items).encode()).hexdigest()[:12]

    @cached_property
    def released_texts(self) -> frozenset[str]:
        """The texts of all cells of the notebook that students get."""
        texts = {"".join(cell["source"]).strip() for cell in build_notebook(self.exercise)["cells"]}
        return frozenset(texts | {self.cell.released().strip()})


def find_question(course: Course, exercise: str, name: str) -> WrittenQuestion:
    """Return the written question with this name. Raise UsageError if there is none."""
    (chosen,) = course.chosen([exercise])
    for position, cell in enumerate(chosen.cells):
        if cell.role is Role.MANUAL and cell.name == name:
            return WrittenQuestion(course, chosen, position)
    raise UsageError(f"{name} is not a written question of {exercise}")


@dataclass(frozen=True)
class WrittenAnswer:
    """A student's answer to a written question, with its grade in the gradebook."""

    grade_id: str  # nbgrader's id of the grade
    comment_id: str | None  # nbgrader's id of the comment
    notebook_id: str  # nbgrader's id of the submitted notebook
    student: str
    name: str
    score: float | None  # the grader's score, or else the autograder's
    waits: bool
    flagged: bool
    review_reason: str  # why an instructor has to check the answer, as stored by grading; or ""
    remark: str  # the comment that the student reads
    marking: Marking
    last_grader: str  # the grader who saved a score last

    @property
    def typed_comment(self) -> str:
        """The comment that the grader typed, without the lines of the given items."""
        return self.marking.typed_comment(self.remark)

    @property
    def version(self) -> str:
        """A digest of the grade. If it has changed since a page was loaded, the page is out of date."""
        given = sorted(self.marking.given.items())
        state = self.score, self.waits, self.remark, given, self.marking.adjustment
        return hashlib.sha256(repr(state).encode("utf-8", "replace")).hexdigest()[:16]

    def state(self, items: Sequence[Item]) -> dict[str, Any]:
        """Return the grade as a page shows it. The given items have their names in the current rubric."""
        marking = carry_over(self.marking, items)
        shown = {"score": self.score, "given": marking.given, "adjustment": marking.adjustment}
        about = {
            "comment": self.typed_comment,
            "flagged": self.flagged,
            "by": self.last_grader,
            "version": self.version,
        }
        return {**shown, "waits": self.waits, **about}


def read_answers(
    session: Session, question: WrittenQuestion, grades: Collection[str] | None = None
) -> list[WrittenAnswer]:
    """Return the answers to a question, in the order of the students' ids.

    If `grades` is given, return only the answers with these grade ids.
    """
    cell, commented = aliased(BaseCell), aliased(BaseCell)
    columns: list[Any] = [
        Grade.id, Comment.id, SubmittedNotebook.id, SubmittedAssignment.student_id,
        StudentRow.first_name, StudentRow.last_name,
        Grade.auto_score, Grade.manual_score, Grade.needs_manual_grade, SubmittedNotebook.flagged,
        ANSWERS.c.asked, Comment.manual_comment, MARKINGS.c.rubric, MARKINGS.c.given, AUDIT.c.by,
    ]  # fmt: skip
    has_comment = and_(
        commented.notebook_id == cell.notebook_id, commented.name == cell.name, commented.id != cell.id
    )
    query = (
        select(*columns)
        .select_from(Grade)
        .join(cell, and_(cell.id == Grade.cell_id, cell.name == question.name))
        .join(SubmittedNotebook, SubmittedNotebook.id == Grade.notebook_id)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .join(StudentRow, StudentRow.id == SubmittedAssignment.student_id)
        .outerjoin(commented, has_comment)
        .outerjoin(Comment, and_(Comment.cell_id == commented.id, Comment.notebook_id == Grade.notebook_id))
        .outerjoin(ANSWERS, ANSWERS.c.grade_id == Grade.id)
        .outerjoin(MARKINGS, MARKINGS.c.grade_id == Grade.id)
        .outerjoin(AUDIT, AUDIT.c.id.in_(_newest_audit_lines(question)) & (AUDIT.c.student == StudentRow.id))
        .where(Assignment.name == question.exercise.name)
        .order_by(SubmittedAssignment.student_id)
    )
    if grades is not None:
        query = query.where(Grade.id.in_(grades))
    return [_answer(question, *row) for row in session.execute(query)]


def count_answers(session: Session) -> dict[tuple[str, str], tuple[int, int]]:
    """Count all answers, and the ungraded answers, by exercise and graded cell."""
    waits = or_(Grade.needs_manual_grade, and_(Grade.auto_score.is_(None), Grade.manual_score.is_(None)))
    query = (
        session.query(
            Assignment.name, BaseCell.name, func.count(Grade.id), func.sum(case((waits, 1), else_=0))
        )
        .select_from(Grade)
        .join(BaseCell, BaseCell.id == Grade.cell_id)
        .join(SubmittedNotebook, SubmittedNotebook.id == Grade.notebook_id)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .group_by(Assignment.name, BaseCell.name)
    )
    return {(exercise, cell): (count, int(waiting)) for exercise, cell, count, waiting in query}


def assign_graders(session: Session, graders: Sequence[str]) -> dict[str, str]:
    """Return the grader of each student. Of n graders, each gets every n-th student, in the order of ids."""
    students = session.scalars(select(StudentRow.id).order_by(StudentRow.id))
    return {id_: graders[index % len(graders)] for index, id_ in enumerate(students)} if graders else {}


def _newest_audit_lines(question: WrittenQuestion) -> Any:
    """Return a query for the id of each student's newest audit line on this question."""
    lines = select(func.max(AUDIT.c.id)).group_by(AUDIT.c.student)
    return lines.where(AUDIT.c.exercise == question.exercise.name, AUDIT.c.question == question.name)


def _answer(
    question: WrittenQuestion, grade: str, comment: str | None, notebook: str, student: str,
    first: str | None, last: str | None, auto: Any, manual: Any, waits: Any, flagged: Any,
    asked: str | None, remark: str | None, items: Any, given: Any, by: str | None,
) -> WrittenAnswer:  # fmt: skip
    name = " ".join(filter(None, (first, last)))
    by_grader, score = _as_score(manual), _as_score(auto if manual is None else manual)
    marking = _read_marking(items, given).with_score(by_grader, question.cell.points)
    return WrittenAnswer(
        grade, comment, notebook, student, name, score, bool(waits) or score is None, bool(flagged),
        asked or "", remark or "", marking, by or "",
    )  # fmt: skip


def _as_score(stored: Any) -> float | None:
    with suppress(ValueError):  # a stored score may be any text, since SQLite does not check types
        return as_number(stored)
    return None


def _read_marking(items: Any, given: Any) -> Marking:
    """Return a stored marking. Earlier versions stored a list of the names of the given items."""
    read = tuple(Item(*item) for item in items or ())
    if isinstance(given, dict):
        return Marking(read, given["shares"], given["adjustment"])
    return Marking(read, dict.fromkeys(given or (), 1.0))


def read_cells(question: WrittenQuestion, student: str) -> list[TextCell] | None:
    """Return the text cells of an answer; None if the graded notebook is missing or damaged.

    These are the student's own text cells between the graded cells before and after the question's cell. The
    question's cell is one of them if the student changed it.
    """
    course, exercise = question.course, question.exercise
    submission = Submission(course.root, student, exercise.name)
    try:
        cells = _notebook_texts(submission, submission.autograded.stat().st_mtime_ns)
    except (OSError, KeyError):
        return None
    names = [name for name, *_ in cells]
    if question.name not in names:
        return []
    position = names.index(question.name)
    first = max((at for at in range(position) if names[at]), default=-1) + 1
    last = next((at for at in range(position + 1, len(cells)) if names[at]), len(cells))
    texts = question.released_texts
    around = [cell for cell in cells[first:last] if cell[3].strip() not in texts and not is_rubric(cell[3])]
    return [(text, attached) for name, kind, attached, text in around if kind == "markdown"]


@lru_cache(_MAX_NOTEBOOKS)
def _notebook_texts(submission: Submission, _changed: int) -> list[tuple[str, str, Mapping[str, Any], str]]:
    """Return the grade_id, type, attachments and text of each cell; only Markdown cells have a text.

    `_changed`, the notebook's time, is part of the cache's key.
    """
    return [
        (
            cell["metadata"].get("nbgrader", {}).get("grade_id", ""),
            cell["cell_type"],
            cell.get("attachments", {}),
            "".join(cell["source"]) if cell["cell_type"] == "markdown" else "",
        )
        for cell in read_graded(submission)["cells"]
    ]


@dataclass(frozen=True)
class Change:
    """A new grade for some answers. If `given` or `comment` is None, the old items or comment are kept."""

    versions: Mapping[str, str]  # versions of the answers that the page shows, by grade id
    rubric_version: str  # the version of the rubric that the page shows
    given: Mapping[str, float] | None = None  # by item name: 1 for all of the item's points, 0.5 for half
    adjustment: float | None = None  # the typed score minus the given items' points at that time; or None
    comment: str | None = None  # the text that the grader typed; it follows the lines of the items
    waits: bool = False  # whether the answer waits for an instructor even with this grade

    @classmethod
    def from_json(cls, body: Any) -> "Change":
        """Return the change that a page asks for. Raise SaveError if the request has a wrong form."""
        if not isinstance(body, dict):
            raise SaveError("the request must be a JSON object")
        versions, rubric_version = body.get("versions"), body.get("rubric_version")
        given, adjustment, comment = (body.get(key) for key in ("given", "adjustment", "comment"))
        if not isinstance(versions, dict) or not all(isinstance(text, str) for text in versions.values()):
            raise SaveError("versions: must be an object with the version of each answer")
        if not isinstance(rubric_version, str) or not rubric_version:
            raise SaveError("rubric_version: must be the version of the rubric on the page")
        if given is not None and not (isinstance(given, dict) and all(map(_is_share, given.values()))):
            raise SaveError("given: must be an object with 1 or 0.5 for each item that the answer gets")
        if adjustment is not None and not (given is not None and _is_number(adjustment)):
            raise SaveError("adjustment: must be a number, and needs `given`")
        if comment is not None and not (isinstance(comment, str) and len(comment) <= _MAX_COMMENT):
            raise SaveError(f"comment: must be a text of at most {_MAX_COMMENT} characters")
        return cls(versions, rubric_version, given, adjustment, comment, body.get("waits") is True)

    def refuse_old_rubric(self, question: WrittenQuestion) -> None:
        """Raise ChangedAnswerError if the page shows an earlier version of the rubric."""
        if self.rubric_version != question.rubric_version:
            raise ChangedAnswerError(f"the rubric has changed; {_RELOAD}")

    def marking(self, question: WrittenQuestion, answer: WrittenAnswer) -> Marking:
        """Return the given items and the adjustment of the answer after this change."""
        if self.given is None:
            return answer.marking
        shares = {item.name: self.given[item.name] for item in question.items if item.name in self.given}
        return Marking(question.items, shares, self.adjustment)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and isfinite(value)


def _is_share(value: Any) -> bool:
    return type(value) in (int, float) and value in SHARES


def save(gradebook: Gradebook, question: WrittenQuestion, change: Change, grader: str) -> list[WrittenAnswer]:
    """Save a new grade for all answers that `change` names, and return them. On an error, save none."""
    session, most = gradebook.db(), question.cell.points
    change.refuse_old_rubric(question)
    if unknown := set(change.given or ()) - {item.name for item in question.items}:
        raise SaveError(f"the rubric has no item named {', '.join(sorted(unknown))}; {_RELOAD}")
    with recording(session, question.course.root, grader):
        for answer in _lock_answers(session, question, change.versions, _LOOK):
            marking = change.marking(question, answer)
            score = answer.score if change.given is None else marking.score(most)
            remark = marking.full_comment(answer.typed_comment if change.comment is None else change.comment)
            is_graded = change.given is not None and score is not None and not change.waits
            _write_grade(gradebook, answer, marking, remark, score, confirms=is_graded, waits=change.waits)
        session.commit()
    return read_answers(session, question, change.versions)


@dataclass(frozen=True)
class Rescoring:
    """The new score and comment of an answer that was graded by an earlier rubric."""

    answer: WrittenAnswer
    marking: Marking
    score: float | None
    remark: str


def find_rescorings(question: WrittenQuestion, answers: Sequence[WrittenAnswer]) -> list[Rescoring]:
    """Return the answers whose score or comment would be different with the current rubric."""
    rescorings = []
    for answer in answers:
        marking = carry_over(answer.marking, question.items)
        score = None if answer.score is None else marking.score(question.cell.points)
        remark = marking.full_comment(answer.typed_comment)
        if answer.marking.given and (score, remark) != (answer.score, answer.remark):
            rescorings.append(Rescoring(answer, marking, score, remark))
    return rescorings


def apply_rubric(
    gradebook: Gradebook, question: WrittenQuestion, versions: Mapping[str, str], grader: str
) -> list[WrittenAnswer]:
    """Compute new scores and comments of the answers in `versions` by the current rubric, and save them."""
    session = gradebook.db()
    with recording(session, question.course.root, grader):
        for change in find_rescorings(question, _lock_answers(session, question, versions, _RELOAD)):
            _write_grade(
                gradebook, change.answer, change.marking, change.remark, change.score, confirms=False
            )
        session.commit()
    return read_answers(session, question, versions)


def _lock_answers(
    session: Session, question: WrittenQuestion, versions: Mapping[str, str], remedy: str
) -> list[WrittenAnswer]:
    """Return the answers in `versions`, and let no other process change them until the transaction ends.

    If a grade has changed since the page was loaded, raise ChangedAnswerError with `remedy` at the end.
    """
    lock(session)
    session.expire_all()
    chosen = read_answers(session, question, versions)
    if len(chosen) != len(versions):
        raise SaveError(f"these are not answers to this question; {_RELOAD}")
    if any(answer.version != versions[answer.grade_id] for answer in chosen):
        raise ChangedAnswerError(f"another grader has changed the grade meanwhile; {remedy}")
    return chosen


def _write_grade(
    gradebook: Gradebook, answer: WrittenAnswer, marking: Marking, remark: str, score: float | None,
    *, confirms: bool, waits: bool = False,
) -> None:  # fmt: skip
    """Write a score and a comment into nbgrader's tables, and the given items into the table of markings.

    With `confirms`, the answer no longer waits for an instructor. With `waits`, a new score waits.
    """
    grade = gradebook.find_grade_by_id(answer.grade_id)
    if score is None:
        grade.manual_score = None
        grade.needs_manual_grade = grade.auto_score is None or bool(answer.review_reason)
    elif confirms or score != answer.score:
        grade.manual_score = score
        grade.needs_manual_grade = waits or (grade.needs_manual_grade and not confirms)
    if answer.comment_id is not None and remark != answer.remark:
        gradebook.find_comment_by_id(answer.comment_id).manual_comment = remark or None
    given = {"shares": dict(marking.given), "adjustment": marking.adjustment}
    rubric = [[item.name, item.text, item.points] for item in marking.items]
    row = {"grade_id": answer.grade_id, "given": given, "rubric": rubric}
    replace_rows(gradebook.db(), MARKINGS, [row])
