"""Our tables in nbgrader's database: what it has no place for.

Each row is of a student and an exercise by their names, so that nbgrader's own rows can come and go.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
)
from sqlalchemy.orm import Session

TABLES = MetaData()


def _text(name: str, *, primary_key: bool = False) -> "Column[str]":
    return Column(name, String, nullable=False, primary_key=primary_key)


ATTEMPTS = Table(  # what was submitted, in the order in which it was collected
    "autograder_attempt",
    TABLES,
    Column("id", Integer, primary_key=True),
    _text("student"),
    _text("exercise"),
    _text("digest"),  # of the bytes in attempts/
    Column("time", String),  # when it was submitted, as timestamp.txt says it
    Column("arrival", JSON),  # what else says which attempt is newer
    Column("secret", LargeBinary),  # with which nbgrader's exchange returns the page
    Column("told", String),  # when `watch` accepted it for feedback
    Column("shown", Boolean),  # whether its page is written
    UniqueConstraint("student", "exercise", "digest"),
)
REPORTS = Table(  # how an attempt was graded last
    "autograder_report",
    TABLES,
    _text("student", primary_key=True),
    _text("exercise", primary_key=True),
    _text("digest", primary_key=True),  # of the notebook
    _text("fingerprint"),  # of the notebook and of everything that affects its grade
    _text("report"),
    Column("outputs", LargeBinary),  # what its cells showed, as compressed JSON
    Column("recorded", Boolean, nullable=False, default=False),  # whether the gradebook has its scores
)
AUDIT = Table(  # every change of a score
    "autograder_audit",
    TABLES,
    Column("id", Integer, primary_key=True),
    _text("time"),
    Column("by", String),  # who saved a score in the formgrader
    _text("student"),
    _text("exercise"),
    Column("question", String),  # for which that person saved a score
    _text("why"),
    Column("before", Float),
    Column("score", Float),
    Column("penalty", Float),
    Column("questions", JSON),  # by name: the score by tests, the score by a person, extra credit
    Column("digests", JSON),  # of the notebook, the exercise, the engine: of what gave the score
    Index("autograder_audit_of", "exercise", "student"),
)
EXPORTS = Table(  # the exported values; the last row of a place and a student is the newest
    "autograder_export",
    TABLES,
    Column("id", Integer, primary_key=True),
    _text("time"),
    _text("to"),
    _text("exercise"),
    _text("student"),
    Column("value", JSON),
)
REQUESTS = Table(  # requests to regrade that an instructor has finished
    "autograder_request",
    TABLES,
    Column("id", Integer, primary_key=True),
    _text("time"),
    _text("student"),
    _text("exercise"),
    _text("question"),
    _text("asked_as"),  # the student's id at that time, which is part of the digest
    _text("digest"),
)
ANSWERS = Table(  # the answer for which nbgrader's row `grade_id` has its score
    "autograder_answer",
    TABLES,
    Column("grade_id", String(32), primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("asked", String(32), nullable=False),  # why an instructor has to look; empty where none has to
)

MARKINGS = Table(  # the items of the rubric and the typed score that gave nbgrader's row `grade_id` its score
    "autograder_marking",
    TABLES,
    Column("grade_id", String(32), primary_key=True),
    Column("rubric", JSON, nullable=False),  # the whole rubric as it was then: name, words and points of each
    Column("given", JSON, nullable=False),  # the share of each given item by name, and the adjustment
)


def replace_rows(store: Connection | Session, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows in place of those with the same primary key."""
    keys = list(table.primary_key)
    for row in rows:
        store.execute(table.delete().where(*(key == row[key.name] for key in keys)))
    if rows:
        store.execute(table.insert(), rows)


def rename_student(store: Connection | Session, old: str, new: str) -> None:
    """Give all our rows on a student another id."""
    for table in TABLES.sorted_tables:
        if "student" in table.columns:
            store.execute(table.update().where(table.c.student == old).values(student=new))


def knows(store: Connection | Session, student: str) -> bool:
    """Whether there is any row of ours on a student."""
    tables = [table for table in TABLES.sorted_tables if "student" in table.columns]
    queries = (table.select().where(table.c.student == student) for table in tables)
    return any(store.execute(query.limit(1)).first() is not None for query in queries)
