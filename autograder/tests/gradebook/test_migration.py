"""Gradebooks of older nbgrader versions are brought up to date, with a copy beside them first."""

import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess
from types import SimpleNamespace

import pytest

from autograder.batch.grade import grade_submissions
from autograder.course.course import Course
from autograder.gradebook import migration
from autograder.gradebook.migration import MigrationError, copy_database
from autograder.gradebook.pages import read_gradebook
from autograder.tests.batch.test_attempts import ByTheirWord, hand_in
from autograder.tests.classroom import small
from autograder.tests.gradebook.rows import by_hand
from autograder.tests.warm import run


def make_older(path: Path) -> None:
    """Take out of a gradebook what nbgrader 0.6 did not have."""
    with sqlite3.connect(path) as connection:
        connection.execute("alter table student drop column lms_user_id")
        connection.execute("update alembic_version set version_num = '167914646830'")
    connection.close()


@pytest.fixture
def older(ready: Course) -> Course:
    hand_in(ready, 1.0, 0)
    grade_submissions(ready, [small(ready)], executor=ByTheirWord())
    by_hand(ready, "ann", "why", 2.0)
    make_older(ready.root / "gradebook.db")
    return ready


def warm(command: list[str], **_: object) -> CompletedProcess[str]:
    """Run Alembic with its imports made; the test of what cannot be migrated runs the command itself."""
    return run([sys.executable, "-m", *command])


def columns(path: Path) -> set[str]:
    with sqlite3.connect(path) as connection:
        found = {row[1] for row in connection.execute("pragma table_info(student)")}
    connection.close()
    return found


def test_whoever_reads_it_first_brings_it_up_to_date_and_keeps_it_as_it_was(
    older: Course, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migration, "subprocess", SimpleNamespace(run=warm))
    path = older.root / "gradebook.db"
    assert [one.score for one in read_gradebook(older, small(older))] == [7.0]
    assert "lms_user_id" in columns(path)
    copy = older.root / "gradebook.db.of-167914646830"
    assert "lms_user_id" not in columns(copy)
    assert "gradebook.db.of-167914646830 is as it was" in caplog.text
    again = ByTheirWord()
    grade_submissions(older, [small(older)], executor=again)
    assert again.asked == []
    make_older(path)
    read_gradebook(older, small(older))
    assert (older.root / "gradebook.db.of-167914646830-2").is_file()


def test_one_whose_making_was_stopped_is_taken_as_it_is(ready: Course) -> None:
    path = ready.root / "gradebook.db"
    with sqlite3.connect(path) as connection:
        connection.execute("drop table alembic_version")
        connection.execute("drop table comment")
    connection.close()
    hand_in(ready, 1.0, 0)
    grade_submissions(ready, [small(ready)], executor=ByTheirWord())
    assert [one.score for one in read_gradebook(ready, small(ready))] == [5.0]
    assert [file.name for file in ready.root.glob("gradebook.db*")] == ["gradebook.db"]


def test_one_that_cannot_be_migrated_stays_as_it_is_and_says_why(older: Course) -> None:
    path = older.root / "gradebook.db"
    with sqlite3.connect(path) as connection:
        connection.execute(
            "update alembic_version set version_num = '724cde206c17'"
        )  # which adds what is there
    connection.close()
    before = path.read_bytes()
    with pytest.raises(MigrationError, match=r"gradebook\.db: cannot be brought up to date"):
        read_gradebook(older, small(older))
    assert path.read_bytes() == before
    with sqlite3.connect(path) as connection:
        connection.execute("update alembic_version set version_num = 'ffffffffffff'")
    connection.close()
    with pytest.raises(MigrationError, match="is of a newer nbgrader"):
        read_gradebook(older, small(older))
    path.write_bytes(b"no database at all, but a file of some length" * 30)
    with pytest.raises(MigrationError, match="is no gradebook"):
        read_gradebook(older, small(older))


def test_what_a_killed_process_has_left_half_done_is_undone_first(tmp_path: Path) -> None:
    at_work, left = tmp_path / "work" / "book.db", tmp_path / "left" / "book.db"
    at_work.parent.mkdir()
    with closing(sqlite3.connect(at_work, isolation_level=None)) as connection:
        connection.execute("create table grade (points)")
        connection.executemany("insert into grade values (?)", [("1" * 1000,)] * 50)
        connection.execute("pragma cache_size = 1")  # so that changes reach the file before they are done
        connection.execute("begin")
        connection.execute("update grade set points = points || '2'")
        shutil.copytree(at_work.parent, left.parent)
    assert left.with_name("book.db-journal").is_file()
    copy_database(left, tmp_path / "copy.db")
    with closing(sqlite3.connect(tmp_path / "copy.db")) as connection:
        assert connection.execute("select distinct points from grade").fetchall() == [("1" * 1000,)]
