"""Opens nbgrader's database of a course, which also contains our tables.

A new database is created by nbgrader's code, so that nbgrader's commands can upgrade it later. Importing
nbgrader takes seconds, so only the functions that create or check nbgrader's tables import it.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache, lru_cache
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
_WAIT_SECONDS = 60.0  # the longest wait for another process to release SQLite's lock
Store = Connection | Session


def read_config(root: Path) -> Config:
    """Return the settings in nbgrader_config.py. They are cached until this file or course.yaml changes."""
    path = root.absolute() / CONFIG
    if not path.is_file():
        return Config()
    return _run(path, path.read_bytes(), path.with_name(COURSE).read_bytes())


@lru_cache(maxsize=1)
def _run(path: Path, *_content: bytes) -> Config:
    return PyFileConfigLoader(path.name, path=str(path.parent)).load_config()


def address(root: Path) -> str:
    """Return SQLAlchemy's URL for the database of the course in `root`."""
    path = root / CONFIG
    # The file imports nbgrader, which takes seconds, so it is run only if it names a database.
    if path.is_file() and b"db_url" in path.read_bytes():
        course_directory = read_config(root).CourseDirectory
        if "db_url" in course_directory:
            return str(course_directory.db_url)
    return f"{SQLITE}{root.resolve() / GRADEBOOK}"


def database_file(root: Path) -> Path | None:
    """Return the file of the database, or None if the database is on a server."""
    return _file(address(root))


def _file(url: str) -> Path | None:
    return Path(url.removeprefix(SQLITE)) if url.startswith(SQLITE) else None


@contextmanager
def writing(root: Path) -> Iterator[Connection]:
    """Yield the database of the course in `root`. The block is one transaction."""
    url = prepare(root)
    with _engine(url).begin() as connection:
        yield connection


@contextmanager
def reading(root: Path) -> Iterator[Connection]:
    """Yield the database of the course in `root`, or an empty database in memory if there is none."""
    if has_database(root):
        with _engine(prepare(root), "DEFERRED").begin() as connection:
            yield connection
        return
    former.refuse_older(root)
    with _engine(f"{SQLITE}", "DEFERRED").begin() as connection:
        TABLES.create_all(connection)
        yield connection


def has_database(root: Path) -> bool:
    """Whether the course has a database on a server or in a file, or an earlier version's autograder.db."""
    path = database_file(root)
    return path is None or path.is_file() or former.exists(root)


def prepare(root: Path) -> str:
    """Create our tables and nbgrader's tables if they are missing; return the address of the database."""
    url = address(root)
    path = _file(url)
    if path is not None and not path.is_file():
        former.refuse_older(root)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))  # only its owner may read it
    try:
        with _engine(url, "DEFERRED").connect() as connection:
            present = set(inspect(connection).get_table_names())
    except DatabaseError as error:
        if "not a database" not in str(error):
            raise
        raise AutograderError(
            f"{path}: is not a gradebook ({error.orig}); restore it from your backup"
        ) from None
    if ATTEMPTS.name not in present:
        former.refuse_older(root)
        with _engine(url).begin() as connection:
            if not inspect(connection).has_table(ATTEMPTS.name):  # another process may have created it
                _make_tables(connection)
                former.take_over(root, connection)
        former.put_aside(root)
    elif not present.issuperset(TABLES.tables):  # an earlier version had fewer tables
        with _engine(url).begin() as connection:
            TABLES.create_all(connection)
    return url


def gradebook_url(root: Path) -> str:
    """Create missing tables, and return the address of the database for nbgrader.

    A file of another nbgrader version is refused, since the installed nbgrader could not read it.
    """
    url = prepare(root)
    if (path := _file(url)) is not None:
        _expect_current(path)
    return url


def _expect_current(path: Path) -> None:
    """Raise AutograderError if the tables in the file at `path` do not match the installed nbgrader.

    A missing version number or table is accepted: nbgrader may have been interrupted when it created them.
    """
    from nbgrader.api import Base

    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as connection:
        query = "select t.name, c.name from sqlite_master t, pragma_table_info(t.name) c"
        present = connection.execute(f"{query} where t.type = 'table'").fetchall()
        is_versioned = ("alembic_version", "version_num") in present
        query = "select version_num from alembic_version"
        versions = connection.execute(query).fetchall() if is_versioned else []
    tables = [table for table in Base.metadata.sorted_tables if table.name in dict(present)]
    lacking = {(table.name, column.name) for table in tables for column in table.columns} - {*present}
    if versions not in ([], [(newest_version(),)]) or lacking:
        fix = "run `nbgrader db upgrade` in the course's folder, or install the newer nbgrader that made it"
        raise AutograderError(f"{path}: does not match the installed nbgrader; {fix}")


@cache
def newest_version() -> str:
    """Return the database version of the installed nbgrader."""
    from alembic.script import ScriptDirectory
    from nbgrader.dbutil import ALEMBIC_DIR

    return str(ScriptDirectory(ALEMBIC_DIR).get_current_head())


def _make_tables(connection: Connection) -> None:
    """Create our tables. In an empty database, also create nbgrader's tables and version number."""
    if not inspect(connection).get_table_names():
        from nbgrader.api import Base

        Base.metadata.create_all(connection)
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        version = {"version": newest_version()}
        connection.execute(text("INSERT INTO alembic_version VALUES (:version)"), version)
    TABLES.create_all(connection)


def lock(store: Store) -> None:
    """Prevent other processes from changing scores until this transaction ends."""
    connection = store.connection() if isinstance(store, Session) else store
    if connection.dialect.name == "sqlite":
        # In SQLite, an UPDATE locks the whole file, even if it changes no row, as here.
        connection.execute(AUDIT.update().where(false()).values(why=""))
    else:
        connection.exec_driver_sql(f"LOCK TABLE {AUDIT.name} IN EXCLUSIVE MODE")


def copy_database(path: Path, copy: Path) -> None:
    """Copy an SQLite database in a consistent state, even while other processes write to it.

    The database is opened for writing, since SQLite may first have to undo the transaction of a killed
    process.
    """
    here = f"{path.absolute().as_uri()}?mode=rw"
    with closing(sqlite3.connect(here, uri=True)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)


@lru_cache(maxsize=8)
def _engine(url: str, begin: str = "IMMEDIATE") -> Engine:
    """Return an engine whose connections are never shared with forked processes.

    `begin` is SQLite's mode of transactions. In the mode IMMEDIATE, a transaction locks the file at its
    beginning, so that no other process can write until the transaction ends.
    """
    if not url.startswith(SQLITE):
        return create_engine(url, poolclass=NullPool)
    options = {"timeout": _WAIT_SECONDS, "isolation_level": None}
    engine = create_engine(url, poolclass=NullPool, connect_args=options)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(f"BEGIN {begin}"))
    return engine
