"""Keeps with each grade which answer it was given for, so that regrading asks a person only about new ones.

nbgrader's own tables have no place for it, so the gradebook gets a table more, which nbgrader passes over.
"""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from nbformat import NotebookNode
from nbgrader.api import Grade, Gradebook
from sqlalchemy import Column, MetaData, String, Table, inspect

from autograder.gradebook.autograded import Release
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission


class Answer(NamedTuple):
    """The answer for which a grade was recorded, and why a person was asked to look at it, if one was."""

    digest: str
    asked: str


@dataclass(frozen=True, slots=True)
class Judged:
    """What grading says on one graded cell."""

    score: float | None
    comment: str | None
    asked: str  # why a person has to look; empty where nobody has to
    digest: str  # of the student's answer to this very question


ANSWERS = Table(
    "autograder_answer",
    MetaData(),
    Column("grade_id", String(32), primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("asked", String(32), nullable=False),
)


def needs_person(grade: Grade, judged: Judged, before: Answer | None) -> bool:
    """Whether a person has to look at a question, after what one may have decided before.

    What a person gave stays confirmed until the student's answer to this question changes, whatever else
    has: other answers, tests, dates. What waits for a person goes on waiting.
    """
    same = before is not None and before.digest == judged.digest
    if grade.manual_score is not None:
        return bool(grade.needs_manual_grade) or not same
    if grade.extra_credit is not None and not same:
        return True
    settled = before == Answer(judged.digest, judged.asked) and not grade.needs_manual_grade
    return bool(judged.asked) and not (settled and judged.score is not None)


def digests(release: Release, node: NotebookNode, notebook: Notebook, *, unreadable: bool) -> dict[str, str]:
    """Return a digest of the answer to each question, by its graded cell; an unreadable file is one."""
    texts = release.answers(node)
    if unreadable:
        return dict.fromkeys(texts, notebook.digest)
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}


def are_kept(gradebook: Gradebook) -> bool:
    """Whether the gradebook has the table."""
    return bool(inspect(gradebook.db.connection()).has_table(ANSWERS.name))


def keep_answers(gradebook: Gradebook) -> None:
    """Give the gradebook the table, if it has none yet."""
    ANSWERS.create(gradebook.db.connection(), checkfirst=True)
    gradebook.db.commit()


def read_answers(
    gradebook: Gradebook, release: Release, submission: Submission, grades: Mapping[str, Grade], *, kept: bool
) -> dict[str, Answer]:
    """Return for which answers these grades were recorded, by their cells' names, if the gradebook kept them.

    What a gradebook of an older version does not have is taken from the autograded notebook, if that is ours.
    """
    names = {grade.id: name for name, grade in grades.items()}
    query = ANSWERS.select().where(ANSWERS.c.grade_id.in_(list(names)))
    found = gradebook.db.connection().execute(query) if kept else ()
    known = {names[grade]: Answer(digest, asked) for grade, digest, asked in found}
    if missing := {name for name, grade in grades.items() if name not in known and _by_hand(grade)}:
        known |= {n: Answer(d, "") for n, d in _earlier(release, submission).items() if n in missing}
    return known


def write_answers(
    gradebook: Gradebook, grades: Mapping[str, Grade], judged: Mapping[str, Judged], *, new: bool = False
) -> None:
    """Keep for which answers these grades are, which may all be `new`; the caller commits."""
    rows = [
        {"grade_id": grades[name].id, "digest": one.digest, "asked": one.asked}
        for name, one in judged.items()
    ]
    connection = gradebook.db.connection()
    if not new:
        connection.execute(ANSWERS.delete().where(ANSWERS.c.grade_id.in_([row["grade_id"] for row in rows])))
    connection.execute(ANSWERS.insert(), rows)


def _by_hand(grade: Grade) -> bool:
    return grade.manual_score is not None or grade.extra_credit is not None


def _earlier(release: Release, submission: Submission) -> dict[str, str]:
    """Return the digests of the answers in the autograded notebook, if we have finished it."""
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        node = NotebookNode(json.loads(submission.autograded.read_text(encoding="utf-8")))
        if "fingerprint" in node["metadata"]["autograder"]:
            node.cells = [NotebookNode(cell, source="".join(cell["source"])) for cell in node["cells"]]
            return digests(release, node, Notebook(b""), unreadable=False)
    return {}
