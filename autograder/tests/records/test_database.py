"""The database of a course: reading makes none, and whoever makes one makes it as nbgrader does."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from autograder.collecting.attempts import Arrival, attempts_of, place
from autograder.course.course import Course
from autograder.records.database import reading, writing
from autograder.records.tables import EXPORTS, MARKINGS
from autograder.submission.submission import Submission
from autograder.tests.gradebook.stock import nbgrader

ROW = {"time": "2026-03-01", "to": "canvas", "exercise": "01_small", "student": "ann"}


def test_a_course_without_any_state_gets_no_database_by_looking(tmp_path: Path) -> None:
    with reading(tmp_path) as store:
        assert store.execute(EXPORTS.select()).all() == []
    assert list(tmp_path.iterdir()) == []


def test_what_a_stopped_block_has_written_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "autograder.db").touch()  # left by a process that was stopped before it made the tables
    with reading(tmp_path) as store:
        assert store.execute(EXPORTS.select()).all() == []
    with pytest.raises(IntegrityError), writing(tmp_path) as store:
        store.execute(EXPORTS.insert(), [ROW, {**ROW, "student": None}])
    with writing(tmp_path) as store:
        assert store.execute(EXPORTS.select()).all() == []


def test_whoever_comes_first_makes_a_database_that_nbgrader_can_upgrade(ready: Course) -> None:
    path = ready.root / "gradebook.db"
    tables = schema(path)
    path.unlink()
    place(Submission(ready.root, "ann", "01_small"), b"1", Arrival())
    ours = schema(path)
    assert {name: ours[name] for name in tables} == tables
    assert path.stat().st_mode & 0o777 == 0o600
    nbgrader(ready, "db", "upgrade")
    assert schema(path) == ours
    assert len(attempts_of(Submission(ready.root, "ann", "01_small"))) == 1


def test_a_database_of_an_earlier_version_gets_the_tables_that_it_lacks(ready: Course) -> None:
    place(Submission(ready.root, "ann", "01_small"), b"1", Arrival())
    path = ready.root / "gradebook.db"
    tables = schema(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"drop table {MARKINGS.name}")
    with reading(ready.root) as store:
        assert store.execute(MARKINGS.select()).all() == []
    assert schema(path) == tables
    assert len(attempts_of(Submission(ready.root, "ann", "01_small"))) == 1


def schema(path: Path) -> dict[str, object]:
    """Return the statement that makes each table, and the version of nbgrader's tables."""
    with closing(sqlite3.connect(path)) as connection:
        made = dict(connection.execute("select name, sql from sqlite_master where type = 'table'").fetchall())
        return made | {"version": connection.execute("select version_num from alembic_version").fetchall()}


def test_collecting_loads_nbgrader_only_to_make_a_new_database(ready: Course) -> None:
    code = (
        "import sys; from pathlib import Path; from autograder.collecting.attempts import *\n"
        f"place(Submission(Path({str(ready.root)!r}), 'ann', '01_small'), b'1', Arrival())\n"
        "print('nbgrader' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
