"""Opens nbgrader's database of a course, in which our tables are, too.

nbgrader itself makes a new one, so that its own commands can upgrade it, whoever comes first. nbgrader takes
seconds to import, and nobody else here needs it.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path

from sqlalchemy import Connection, Engine, NullPool, create_engine, event, false, inspect, text
from sqlalchemy.exc import DatabaseError
from sqlalchemy.orm import Session
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder.course.course import FILE as COURSE
from autograder.course.kept import GRADEBOOK
from autograder.errors import AutograderError
from autograder.records import former
from autograder.records.tables import ATTEMPTS, AUDIT, TABLES

CONFIG = "nbgrader_config.py"
SQLITE = "sqlite:///"
_WAIT_SECONDS = 60.0  # for another process that writes
Store = Connection | Session


def read_config(root: Path) -> Config:
    """Return what nbgrader_config.py sets; the file is run once for each content of it and of course.yaml."""
    path = root.absolute() / CONFIG
    if not path.is_file():
        return Config()
    return _run(path, path.read_bytes(), path.with_name(COURSE).read_bytes())


@lru_cache(maxsize=1)
def _run(path: Path, *_content: bytes) -> Config:
    return PyFileConfigLoader(path.name, path=str(path.parent)).load_config()


def address(root: Path) -> str:
    """Return the address of the database of the course in `root`, as SQLAlchemy takes it."""
    path = root / CONFIG
    # Running the file imports nbgrader, for which `collect` need not wait where the file names no database.
    if path.is_file() and b"db_url" in path.read_bytes():
        given = read_config(root).CourseDirectory
        if "db_url" in given:
            return str(given.db_url)
    return f"{SQLITE}{root.resolve() / GRADEBOOK}"


def database_file(root: Path) -> Path | None:
    """Return the file of the database; None where a server has it."""
    return _file(address(root))


def _file(url: str) -> Path | None:
    return Path(url.removeprefix(SQLITE)) if url.startswith(SQLITE) else None


@contextmanager
def writing(root: Path) -> Iterator[Connection]:
    """Yield the database of the course in `root`; what the block writes is written whole or not at all."""
    url = prepare(root)
    with _engine(url).begin() as connection:
        yield connection


@contextmanager
def reading(root: Path) -> Iterator[Connection]:
    """Yield the database of the course in `root`; an empty one where there is none, which is not kept."""
    if has_database(root):
        with _engine(prepare(root), "DEFERRED").begin() as connection:
            yield connection
        return
    former.refuse_older(root)
    with _engine(f"{SQLITE}", "DEFERRED").begin() as connection:
        TABLES.create_all(connection)
        yield connection


def has_database(root: Path) -> bool:
    """Whether the course has a database, or the record of an earlier version; a server always has it."""
    path = database_file(root)
    return path is None or path.is_file() or former.exists(root)


def prepare(root: Path) -> str:
    """Make sure that the database has nbgrader's tables and ours, and return its address."""
    url = address(root)
    path = _file(url)
    if path is not None and not path.is_file():
        former.refuse_older(root)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))  # its owner alone may read it
    try:
        with _engine(url, "DEFERRED").connect() as connection:
            present = set(inspect(connection).get_table_names())
    except DatabaseError as error:
        if "not a database" not in str(error):
            raise
        raise AutograderError(
            f"{path}: is not a gradebook ({error.orig}); put back your copy of it"
        ) from None
    if ATTEMPTS.name not in present:
        former.refuse_older(root)
        with _engine(url).begin() as connection:
            if not inspect(connection).has_table(ATTEMPTS.name):  # which another process has made meanwhile
                _make_tables(connection)
                former.take_over(root, connection)
        former.put_aside(root)
    elif not present.issuperset(TABLES.tables):  # an earlier version had fewer
        with _engine(url).begin() as connection:
            TABLES.create_all(connection)
    return url


def _make_tables(connection: Connection) -> None:
    """Make our tables and, in an empty database, those of nbgrader with the version that upgrades need."""
    if not inspect(connection).get_table_names():
        from alembic.script import ScriptDirectory
        from nbgrader.api import Base
        from nbgrader.dbutil import ALEMBIC_DIR

        Base.metadata.create_all(connection)
        version = ScriptDirectory(ALEMBIC_DIR).get_current_head()
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text("INSERT INTO alembic_version VALUES (:version)"), {"version": version})
    TABLES.create_all(connection)


def lock(store: Store) -> None:
    """Let no other process change scores until this transaction ends, so that what it reads stays true."""
    connection = store.connection() if isinstance(store, Session) else store
    if connection.dialect.name == "sqlite":  # an update of no row locks the whole file
        connection.execute(AUDIT.update().where(false()).values(why=""))
    else:
        connection.exec_driver_sql(f"LOCK TABLE {AUDIT.name} IN EXCLUSIVE MODE")


def copy_database(path: Path, copy: Path) -> None:
    """Copy a database whole, as it is at one moment, even while others write to it.

    It is opened for writing: what a killed process has left half done is undone first.
    """
    here = f"{path.absolute().as_uri()}?mode=rw"
    with closing(sqlite3.connect(here, uri=True)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)


@lru_cache(maxsize=8)
def _engine(url: str, begin: str = "IMMEDIATE") -> Engine:
    """Return what makes connections; no forked process shares one.

    Whoever writes to SQLite's file locks it first, so that nothing changes between reading and writing.
    """
    if not url.startswith(SQLITE):
        return create_engine(url, poolclass=NullPool)
    options = {"timeout": _WAIT_SECONDS, "isolation_level": None}
    engine = create_engine(url, poolclass=NullPool, connect_args=options)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(f"BEGIN {begin}"))
    return engine
