"""Brings a gradebook of an older nbgrader up to date, by nbgrader's own steps, and keeps a copy first."""

import logging
import sqlite3
import subprocess
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from alembic.script import ScriptDirectory
from nbgrader.api import Base
from nbgrader.dbutil import ALEMBIC_DIR, write_alembic_ini

from autograder.errors import AutograderError
from autograder.files import locked

_LOG = logging.getLogger(__name__)
_DEFAULT_COURSE = "default_course"  # which nbgrader's migration puts where older gradebooks name no course


class MigrationError(AutograderError):
    """The gradebook cannot be brought up to date; it is as it was, and the message says why."""


def bring_up_to_date(path: Path, course_id: str) -> None:
    """Migrate the gradebook at `path`, if it is older than our nbgrader; a copy of it stays beside it."""
    if not path.is_file() or _revision(path) in ("", newest_version()):
        return
    with locked(path.with_name(".migration.lock")):
        before = _revision(path)
        if before in ("", newest_version()):
            return
        if before != "none" and before not in _revisions():
            raise MigrationError(f"{path}: is of a newer nbgrader than the one here; install that one")
        with TemporaryDirectory(prefix=".migration-", dir=path.parent) as folder:
            draft = Path(folder, path.name)
            copy_database(path, draft)
            _migrate(path, draft, Path(folder))
            with closing(sqlite3.connect(draft)) as connection, connection:
                connection.execute("insert or ignore into course (id) values (?)", (course_id,))
                statement = "update assignment set course_id = ? where course_id = ?"
                connection.execute(statement, (course_id, _DEFAULT_COURSE))
            kept = _unused(path.with_name(f"{path.name}.of-{before}"))
            copy_database(path, kept)
            draft.replace(path)
    _LOG.warning("%s was of an older nbgrader and is now up to date; %s is as it was", path, kept.name)


@cache
def newest_version() -> str:
    """Return which version a gradebook is of that our nbgrader makes."""
    return str(ScriptDirectory(ALEMBIC_DIR).get_current_head())


def copy_database(path: Path, copy: Path) -> None:
    """Copy a database whole, as it is at one moment, even while others write to it.

    It is opened for writing: what a killed process has left half done is undone first.
    """
    here = f"{path.absolute().as_uri()}?mode=rw"
    with closing(sqlite3.connect(here, uri=True)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)


def _migrate(path: Path, draft: Path, folder: Path) -> None:
    settings = folder / "alembic.ini"
    write_alembic_ini(str(settings), f"sqlite:///{draft.absolute()}")
    command = ["alembic", "-c", str(settings), "upgrade", "head"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise MigrationError(f"{path}: cannot be brought up to date ({said}); it is as it was")


def _unused(path: Path) -> Path:
    """Return `path`, or one with a number behind it where that is taken."""
    names = (path.with_name(f"{path.name}-{number}") for number in range(2, 1000))
    return path if not path.exists() else next(name for name in names if not name.exists())


def _revision(path: Path) -> str:
    """Return which version a gradebook is of: "none" for a very old one, empty where there is nothing to do.

    Where nbgrader was stopped while it made the gradebook, there is no version either, but all columns are.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as connection:
            tables = {name for (name,) in connection.execute("select name from sqlite_master")}
            query = "select version_num from alembic_version"
            rows = connection.execute(query).fetchall() if "alembic_version" in tables else []
            if rows:
                return str(rows[0][0])
            ours = [table for name, table in Base.metadata.tables.items() if name in tables]
            missing = (set(table.columns.keys()) - _columns(connection, table.name) for table in ours)
            return "none" if any(missing) else ""
    except sqlite3.DatabaseError as error:
        raise MigrationError(f"{path}: is no gradebook ({error}); put back your copy of it") from None


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute("select * from pragma_table_info(?)", (table,))}


@cache
def _revisions() -> frozenset[str]:
    return frozenset(script.revision for script in ScriptDirectory(ALEMBIC_DIR).walk_revisions())
