"""How nbgrader is set up, which gradebooks are refused, and what becomes of whatever fails inside it."""

import errno
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from autograder.course.course import Course
from autograder.course.guard import log_of
from autograder.errors import OUR_FAILURE, AutograderError
from autograder.gradebook import configuration
from autograder.gradebook.config import LOG, ConversionError, converting, load
from autograder.gradebook.pages import read_gradebook
from autograder.records.database import copy_database, gradebook_url
from autograder.tests.batch.test_attempts import grade, hand_in, regraded
from autograder.tests.classroom import small
from autograder.tests.gradebook.rows import by_hand
from autograder.tests.gradebook.stock import nbgrader


def test_the_course_s_own_file_sets_nbgrader_up_as_we_do_and_follows_course_yaml(ready: Course) -> None:
    ours = configuration(ready)
    ours.CourseDirectory.root = str(ready.root)
    assert load(ready) == ours
    load(ready).CourseDirectory.ignore.append("cache")  # which does not last
    assert load(ready) == ours
    path = ready.root / "course.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace(ready.settings.course, "another", 1), encoding="utf-8"
    )
    assert load(ready).CourseDirectory.course_id == "another"
    (ready.root / "nbgrader_config.py").unlink()
    assert load(ready) == ours


def test_the_gradebook_lies_in_the_course_s_folder_wherever_the_command_is_run(
    ready: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = f"sqlite:///{ready.root.resolve()}/gradebook.db"
    assert gradebook_url(ready.root) == expected
    monkeypatch.chdir(ready.root.parent)
    assert gradebook_url(ready.root.relative_to(ready.root.parent)) == expected


def test_what_fails_is_one_line_on_the_submission_and_a_traceback_in_the_log(
    course: Course, capfd: pytest.CaptureFixture[str]
) -> None:
    with (
        pytest.raises(ConversionError) as caught,
        log_of(course, LOG) as log,
        converting(course, log, "01_small", "ann"),
    ):
        raise KeyError("secret")
    path = course.build / "nbgrader.log"
    assert str(caught.value) == f"nbgrader failed on 01_small of ann; {path} says why"
    assert caught.value.exit_code == OUR_FAILURE
    assert isinstance(caught.value.__cause__, KeyError)
    kept = path.read_text(encoding="utf-8")
    assert "ERROR 01_small ann\nTraceback (most recent call last):" in kept
    assert "KeyError: 'secret'" in kept
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EDQUOT])
def test_a_full_disk_ends_it_all_and_a_closed_folder_is_one_student_s(course: Course, number: int) -> None:
    with (
        log_of(course, LOG) as log,
        pytest.raises(OSError, match="full"),
        converting(course, log, "01_small", "ann"),
    ):
        raise OSError(number, "full")
    folder = course.root / "autograded" / "ann"
    with (
        log_of(course, LOG) as log,
        pytest.raises(ConversionError) as caught,
        converting(course, log, "01_small", "ann"),
    ):
        raise PermissionError(errno.EACCES, "closed", str(folder))
    told = f"nbgrader failed on 01_small of ann; {folder}: cannot be written: Permission denied; make room"
    assert str(caught.value).startswith(told)
    assert not (course.build / "nbgrader.log").exists()


def test_an_older_one_is_refused_until_nbgrader_s_own_command_has_upgraded_it(ready: Course) -> None:
    path = ready.root / "gradebook.db"
    hand_in(ready, 1.0, 0)
    grade(ready)
    by_hand(ready, "ann", "why", 2.0)
    with sqlite3.connect(path) as connection:  # what nbgrader 0.6 did not have
        connection.execute("alter table student drop column lms_user_id")
        connection.execute("update alembic_version set version_num = '167914646830'")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(AutograderError, match=r"gradebook\.db: does not match .* run `nbgrader db upgrade`"):
        read_gradebook(ready, small(ready))
    assert path.read_bytes() == before
    nbgrader(ready, "db", "upgrade")
    assert [one.score for one in read_gradebook(ready, small(ready))] == [7.0]
    assert regraded(ready) == []
    assert [file.read_bytes() == before for file in ready.root.glob("gradebook.db.*")] == [True]


def test_one_whose_making_was_stopped_is_taken_as_it_is(ready: Course) -> None:
    path = ready.root / "gradebook.db"
    with sqlite3.connect(path) as connection:
        connection.execute("drop table alembic_version")
        connection.execute("drop table comment")
    connection.close()
    hand_in(ready, 1.0, 0)
    assert grade(ready) == 5.0
    assert [file.name for file in ready.root.glob("gradebook.db*")] == ["gradebook.db"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("update alembic_version set version_num = 'ffffffffffff'", "install the newer nbgrader"),
        ("drop table alembic_version; alter table student drop column email", "run `nbgrader db upgrade`"),
        ("alter table grade drop column extra_credit", "does not match the installed nbgrader"),
        ("", "is not a gradebook"),
    ],
)
def test_what_is_not_ours_is_refused(ready: Course, change: str, message: str) -> None:
    path = ready.root / "gradebook.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(change)
    if not change:
        path.write_text("no database, but some length" * 30)
    with pytest.raises(AutograderError, match=message):
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
