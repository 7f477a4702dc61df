"""Releases through nbgrader's own generate_assignment, with the gradebook or without it."""

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from autograder.authoring.release import build_sources
from autograder.course.course import Course
from autograder.gradebook import ConversionError, generate, register
from autograder.gradebook.migration import newest_version
from autograder.tests.classroom import small
from autograder.tests.gradebook.rows import dump


@pytest.fixture
def built(ready: Course) -> Course:
    """Return a course whose source notebook is written."""
    build_sources(ready, [small(ready)])
    return ready


def test_release_needs_no_gradebook_and_never_disturbs_one(built: Course) -> None:
    (built.root / "gradebook.db").unlink()
    generate(built, small(built))
    assert (built.assignments / "01_small" / "01_small.ipynb").is_file()
    assert not (built.root / "gradebook.db").exists()
    register(built, small(built))
    assert dump(built.root / "gradebook.db")["assignments"] == [("01_small", None, "small")]


def test_a_release_can_go_elsewhere_and_leaves_assignments_alone(built: Course, tmp_path: Path) -> None:
    generate(built, small(built), into=tmp_path / "elsewhere")
    files = {path.name for path in (tmp_path / "elsewhere" / "01_small").iterdir()}
    assert files == {"01_small.ipynb", "conftest.py", "exercise.json", "SETUP.md"}
    assert not built.assignments.exists()


def test_what_nbgrader_cannot_release_is_one_line_and_a_log(ready: Course) -> None:
    with pytest.raises(ConversionError, match=r"^nbgrader gave up on 01_small; .*nbgrader\.log says why$"):
        generate(ready, small(ready))  # nothing was built
    assert "01_small" in (ready.build / "nbgrader.log").read_text(encoding="utf-8")
    assert dump(ready.root / "gradebook.db")["assignments"] == []


def test_registering_makes_the_gradebook_where_there_is_none_and_starts_no_process_for_it(
    ready: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ready.root / "gradebook.db").unlink()
    monkeypatch.setattr(subprocess.Popen, "__init__", pytest.fail)
    register(ready, small(ready))
    with closing(sqlite3.connect(ready.root / "gradebook.db")) as connection:
        assert connection.execute("select * from alembic_version").fetchall() == [(newest_version(),)]
    assert dump(ready.root / "gradebook.db")["assignments"] == [("01_small", None, "small")]
