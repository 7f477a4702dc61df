"""Our tables in nbgrader's database, for everything that nbgrader's own tables cannot store.

Rows name the student and the exercise, so that they stay valid if nbgrader's rows are deleted and created
again.
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


ATTEMPTS = Table(  # the submitted notebooks, in the order in which they were collected
    "autograder_attempt",
    TABLES,
    Column("id", Integer, primary_key=True),
    _text("student"),
    _text("exercise"),
    _text("digest"),  # digest of the notebook's file in attempts/
    Column("time", String),  # time of submission: the content of timestamp.txt
    Column("arrival", JSON),  # the source of `time`, and other values by which attempts are ordered
    Column("secret", LargeBinary),  # needed by nbgrader's exchange to return the feedback page
    Column("told", String),  # the time at which `watch` accepted the attempt for feedback
    Column("shown", Boolean),  # true after `watch` wrote the feedback page or failed to grade the attempt
    UniqueConstraint("student", "exercise", "digest"),
)
REPORTS = Table(  # the latest report on each attempt
    "autograder_report",
    TABLES,
    _text("student", primary_key=True),
    _text("exercise", primary_key=True),
    _text("digest", primary_key=True),  # digest of the notebook
    _text("fingerprint"),  # digest of everything that affects the grade
    _text("report"),
    Column("outputs", LargeBinary),  # outputs of the notebook's cells, as compressed JSON
    Column("recorded", Boolean, nullable=False, default=False),  # whether the gradebook has the scores
)
AUDIT = Table(  # every change of a score
    "autograder_audit",
    TABLES,
    Column("id", Integer, primary_key=True),
    _text("time"),
    Column("by", String),  # the grader who saved a score in the formgrader
    _text("student"),
    _text("exercise"),
    Column("question", String),  # the question for which that grader saved a score
    _text("why"),
    Column("before", Float),
    Column("score", Float),
    Column("penalty", Float),
    Column("questions", JSON),  # by question: the score of the tests, the grader's score, extra credit
    Column("digests", JSON),  # digests of everything that the score depends on
    Index("autograder_audit_of", "exercise", "student"),
)
EXPORTS = Table(  # exported scores; the last row with the same `to`, `exercise` and `student` is valid
    "autograder_export",
    TABLES,
    Column("id", Integer, primary_key=True),
    _text("time"),
    _text("to"),  # the platform or file to which the value was exported
    _text("exercise"),
    _text("student"),
    Column("value", JSON),
)
REQUESTS = Table(  # students' regrade requests that an instructor has marked as done
    "autograder_request",
    TABLES,
    Column("id", Integer, primary_key=True),
    _text("time"),
    _text("student"),
    _text("exercise"),
    _text("question"),
    _text("asked_as"),  # the student's id when the request was made, which is part of `digest`
    _text("digest"),
)
ANSWERS = Table(  # digests of the scored answers; `grade_id` is the score's id in nbgrader's tables
    "autograder_answer",
    TABLES,
    Column("grade_id", String(32), primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("asked", String(32), nullable=False),  # the reason for a check by an instructor, or ""
)

MARKINGS = Table(  # how graders scored written answers: the given items and an adjustment
    "autograder_marking",
    TABLES,
    Column("grade_id", String(32), primary_key=True),
    Column("rubric", JSON, nullable=False),  # all items at that time: name, text and points of each
    Column("given", JSON, nullable=False),  # the share of each given item, by name, and the adjustment
)


def replace_rows(store: Connection | Session, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows in place of those with the same primary key."""
    keys = list(table.primary_key)
    for row in rows:
        store.execute(table.delete().where(*(key == row[key.name] for key in keys)))
    if rows:
        store.execute(table.insert(), rows)


def rename_student(store: Connection | Session, old: str, new: str) -> None:
    """Change a student's id in all rows of our tables."""
    for table in TABLES.sorted_tables:
        if "student" in table.columns:
            store.execute(table.update().where(table.c.student == old).values(student=new))


def has_rows(store: Connection | Session, student: str) -> bool:
    """Whether any of our tables has a row on a student."""
    tables = [table for table in TABLES.sorted_tables if "student" in table.columns]
    queries = (table.select().where(table.c.student == student) for table in tables)
    return any(store.execute(query.limit(1)).first() is not None for query in queries)
