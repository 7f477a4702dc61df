"""Says whether our nbgrader can read a gradebook, and copies databases while others write to them."""

import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

from alembic.script import ScriptDirectory
from nbgrader.api import Base
from nbgrader.dbutil import ALEMBIC_DIR

from autograder.errors import AutograderError


class GradebookError(AutograderError):
    """The gradebook is of another nbgrader, or none; the message says what to do."""


def expect_current(path: Path) -> None:
    """Raise a GradebookError unless the gradebook at `path` is as our nbgrader makes it, or missing.

    Where nbgrader was stopped while it made the gradebook, there is no version, but there are all columns.
    """
    if not path.is_file():
        return
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as connection:
            tables = {name for (name,) in connection.execute("select name from sqlite_master")}
            query = "select version_num from alembic_version"
            versions = connection.execute(query).fetchall() if "alembic_version" in tables else []
            ours = [table for name, table in Base.metadata.tables.items() if name in tables]
            current = all(set(table.columns.keys()) <= _columns(connection, table.name) for table in ours)
    except sqlite3.DatabaseError as error:
        raise GradebookError(f"{path}: is no gradebook ({error}); put back your copy of it") from None
    if versions not in ([], [(newest_version(),)]) or not current:
        fix = "run `nbgrader db upgrade` in the course's folder, or install the newer nbgrader that made it"
        raise GradebookError(f"{path}: is not of the nbgrader here; {fix}")


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


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute("select * from pragma_table_info(?)", (table,))}
