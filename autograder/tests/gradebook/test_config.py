"""How nbgrader is set up for a course, and what an instructor adds to it."""

import shutil

import pytest
from traitlets.config import Config

from autograder.course.course import Course
from autograder.gradebook import configuration
from autograder.gradebook.config import database, load
from autograder.tests.classroom import CONFIG


def add(course: Course, line: str) -> None:
    """Add a line to nbgrader_config.py, as an instructor might."""
    text = f"{CONFIG.read_text(encoding='utf-8')}\n{line}\n"
    (course.root / "nbgrader_config.py").write_text(text, encoding="utf-8")


def test_settings_added_by_an_instructor_hold_for_both_ways(ready: Course) -> None:
    added = "c.LateSubmissionPlugin.penalty_method = 'zero'\nc.CourseDirectory.db_url = 'sqlite:///other.db'"
    add(ready, added)
    config = load(ready)
    assert config.LateSubmissionPlugin.penalty_method == "zero"
    assert database(ready) == "sqlite:///other.db"


def test_the_course_s_own_file_sets_nbgrader_up_as_we_do(ready: Course) -> None:
    ours = configuration(ready)
    ours.CourseDirectory.root = str(ready.root)
    assert load(ready) == ours
    (ready.root / "nbgrader_config.py").unlink()
    assert load(ready) == ours


def test_settings_of_one_course_do_not_leak_into_the_next(ready: Course) -> None:
    add(ready, "c.CourseDirectory.db_url = 'sqlite:///other.db'")
    assert isinstance(load(ready), Config)
    shutil.copy(CONFIG, ready.root)
    assert database(ready) == f"sqlite:///{ready.root.resolve()}/gradebook.db"


def test_what_is_done_with_settings_once_read_does_not_last(ready: Course) -> None:
    add(ready, "c.CourseDirectory.ignore = ['.git']")
    load(ready).CourseDirectory.ignore.append("cache")
    assert load(ready).CourseDirectory.ignore == [".git"]


def test_settings_follow_course_yaml(ready: Course) -> None:
    before = load(ready).CourseDirectory.course_id
    path = ready.root / "course.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace(before, "another"), encoding="utf-8")
    assert load(ready).CourseDirectory.course_id == "another"


def test_the_gradebook_lies_in_the_course_s_folder_wherever_the_command_is_run(
    ready: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = f"sqlite:///{ready.root.resolve()}/gradebook.db"
    assert database(ready) == expected
    monkeypatch.chdir(ready.root.parent)
    assert database(Course(ready.root.relative_to(ready.root.parent), ready.settings)) == expected


def test_alembic_is_found_though_our_python_s_folder_is_not_on_the_path(
    ready: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert shutil.which("alembic") is None
    configuration(ready)
    assert shutil.which("alembic") is not None
