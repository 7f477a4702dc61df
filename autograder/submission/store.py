"""The course's own database, autograder.db: attempts, reports, the audit, exports, and finished requests.

nbgrader's gradebook lies beside it and has no place for these. The bytes of a submitted notebook lie in
attempts/, in a file named by their digest. Whoever writes to the database first gives it its tables. What an
earlier version has kept in files is refused.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    NullPool,
    String,
    Table,
    create_engine,
)

from autograder.course.kept import BEFORE_STORE, FORMER, STORE
from autograder.errors import UsageError

_WAIT_SECONDS = 60.0  # for another process that writes
_TABLES = MetaData()


def _text(name: str, *, primary_key: bool = False) -> "Column[str]":
    return Column(name, String, nullable=False, primary_key=primary_key)


ATTEMPTS = Table(  # what was submitted, in the order in which it came to us
    "attempt",
    _TABLES,
    Column("id", Integer, primary_key=True),
    _text("student"),
    _text("exercise"),
    _text("digest"),  # of the bytes in attempts/
    Column("time", String),  # as it stands beside the notebook in submitted/
    Column("arrival", JSON),  # what else tells which attempt is newer
    Column("secret", LargeBinary),  # by which nbgrader's exchange returns the page
    Column("told", String),  # when `watch` took it to be shown to the student
    Column("shown", Boolean),  # whether its page is there
    Index("attempt_of", "student", "exercise"),
)
REPORTS = Table(  # how a notebook was graded last
    "report",
    _TABLES,
    _text("student", primary_key=True),
    _text("exercise", primary_key=True),
    _text("digest", primary_key=True),  # of the notebook
    _text("fingerprint"),  # of the notebook and all that graded it
    _text("report"),
)
AUDIT = Table(  # every change of a score
    "audit",
    _TABLES,
    Column("id", Integer, primary_key=True),
    _text("time"),
    Column("by", String),
    _text("student"),
    _text("exercise"),
    _text("why"),
    Column("before", Float),
    Column("score", Float),
    Column("penalty", Float),
    Column("questions", JSON),
    Column("digests", JSON),
    _text("saved"),  # up to when what people saved in the formgrader has lines
    Column("pending", Boolean, nullable=False, default=False),  # the gradebook may not have it yet
    Index("audit_of", "exercise", "student"),
)
EXPORTS = Table(  # what has gone out, the last row for a place and a student last
    "export",
    _TABLES,
    Column("id", Integer, primary_key=True),
    _text("time"),
    _text("to"),
    _text("exercise"),
    _text("student"),
    Column("value", JSON),
)
REQUESTS = Table(  # requests to regrade that an instructor has done
    "request",
    _TABLES,
    Column("id", Integer, primary_key=True),
    _text("time"),
    _text("student"),
    _text("exercise"),
    _text("question"),
    _text("asked_as"),  # the student's id at that time, which is part of the digest
    _text("digest"),
)


@contextmanager
def writing(root: Path) -> Iterator[Connection]:
    """Yield the database of the course in `root`; what the block writes is written whole or not at all."""
    path = root / STORE
    if not path.is_file():
        _refuse_former(root)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))  # its owner alone may read it
    with _engine(f"sqlite:///{path.absolute()}").connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        try:
            if not _is_ready(connection):
                _TABLES.create_all(connection)
                connection.exec_driver_sql("PRAGMA user_version = 1")
            yield connection
        except BaseException:
            connection.exec_driver_sql("ROLLBACK")
            raise
        connection.exec_driver_sql("COMMIT")


@contextmanager
def reading(root: Path) -> Iterator[Connection]:
    """Yield the database of the course in `root`; an empty one where there is none, which is not kept."""
    if (path := root / STORE).is_file():
        with _engine(f"sqlite:///{path.absolute()}").connect() as connection:
            if _is_ready(connection):
                yield connection
                return
    _refuse_former(root)
    with _engine("sqlite://").connect() as connection:
        _TABLES.create_all(connection)
        yield connection


def rename_student(root: Path, old: str, new: str) -> None:
    """Give all rows on a student another id, and add a line on that to the audit of each exercise."""
    with writing(root) as store:
        mine = AUDIT.select().where((AUDIT.c.student == old) & ~AUDIT.c.pending).order_by(AUDIT.c.id)
        last = {row.exercise: row._asdict() for row in store.execute(mine)}
        time, why = datetime.now(UTC).isoformat(timespec="seconds"), f"renamed from {old}"
        for line in last.values():
            more = {"id": None, "time": time, "by": None, "why": why, "before": line["score"]}
            store.execute(AUDIT.insert().values(**{**line, **more}))
        for table in _TABLES.sorted_tables:
            store.execute(table.update().where(table.c.student == old).values(student=new))


def knows(root: Path, student: str) -> bool:
    """Whether there is any row on a student."""
    with reading(root) as store:
        queries = (table.select().where(table.c.student == student) for table in _TABLES.sorted_tables)
        return any(store.execute(query.limit(1)).first() is not None for query in queries)


@lru_cache(maxsize=8)
def _engine(address: str) -> Engine:
    """Return what makes connections; no forked process shares one, and transactions begin only when told."""
    arguments = {"timeout": _WAIT_SECONDS, "isolation_level": None}
    return create_engine(address, poolclass=NullPool, connect_args=arguments)


def _refuse_former(root: Path) -> None:
    if found := next((path for name in FORMER for path in root.glob(name)), None):
        raise UsageError(f"{found}: {BEFORE_STORE}; run any command of that version here once")


def _is_ready(connection: Connection) -> bool:
    """Whether a database has the tables."""
    return bool(connection.exec_driver_sql("PRAGMA user_version").scalar())
