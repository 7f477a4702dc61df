"""Gradebooks of another nbgrader are refused; databases are copied whole."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from autograder.batch.grade import grade_submissions
from autograder.course.course import Course
from autograder.gradebook.config import GradebookError, copy_database
from autograder.gradebook.pages import read_gradebook
from autograder.tests.batch.test_attempts import ByTheirWord, hand_in
from autograder.tests.classroom import small
from autograder.tests.gradebook.rows import by_hand
from autograder.tests.gradebook.stock import nbgrader


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


def test_an_older_one_is_refused_until_nbgrader_s_own_command_has_upgraded_it(older: Course) -> None:
    path = older.root / "gradebook.db"
    before = path.read_bytes()
    with pytest.raises(GradebookError, match=r"gradebook\.db: is not of .* run `nbgrader db upgrade`"):
        read_gradebook(older, small(older))
    assert path.read_bytes() == before
    done = nbgrader(older, "db", "upgrade")
    assert done.returncode == 0, done.stderr
    assert [one.score for one in read_gradebook(older, small(older))] == [7.0]
    again = ByTheirWord()
    grade_submissions(older, [small(older)], executor=again)
    assert again.asked == []
    assert [file.read_bytes() == before for file in older.root.glob("gradebook.db.*")] == [True]


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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("newer", "install the newer nbgrader"),
        ("no database, but some length" * 30, "is not a gradebook"),
    ],
)
def test_what_is_not_ours_is_refused(ready: Course, content: str, message: str) -> None:
    path = ready.root / "gradebook.db"
    if content == "newer":
        with sqlite3.connect(path) as connection:
            connection.execute("update alembic_version set version_num = 'ffffffffffff'")
        connection.close()
    else:
        path.write_text(content)
    with pytest.raises(GradebookError, match=message):
        read_gradebook(ready, small(ready))


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
