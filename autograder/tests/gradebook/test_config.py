"""How nbgrader is set up; whatever fails inside it becomes one error with a log."""

import errno
import shutil
import warnings

import pytest
from sqlalchemy.exc import SAWarning

from autograder.course.course import Course, log_of
from autograder.errors import OUR_FAILURE
from autograder.gradebook import configuration
from autograder.gradebook.config import LOG, ConversionError, converting, database, load
from autograder.tests.classroom import CONFIG


def add(course: Course, line: str) -> None:
    """Add a line to nbgrader_config.py, as an instructor might."""
    text = f"{CONFIG.read_text(encoding='utf-8')}\n{line}\n"
    (course.root / "nbgrader_config.py").write_text(text, encoding="utf-8")


def test_the_course_s_own_file_sets_nbgrader_up_as_we_do(ready: Course) -> None:
    ours = configuration(ready)
    ours.CourseDirectory.root = str(ready.root)
    assert load(ready) == ours
    (ready.root / "nbgrader_config.py").unlink()
    assert load(ready) == ours


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
    assert str(caught.value) == f"nbgrader gave up on 01_small of ann; {path} says why"
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
    told = f"nbgrader gave up on 01_small of ann; {folder}: cannot be written: Permission denied; let whoever"
    assert str(caught.value).startswith(told)
    assert not (course.build / "nbgrader.log").exists()


def test_warnings_from_nbgraders_own_queries_are_silenced_and_others_are_not(course: Course) -> None:
    with log_of(course, LOG) as log, converting(course, log, "01_small"):
        warnings.warn("nbgrader's own", SAWarning, stacklevel=1)
    with (
        pytest.raises(ConversionError) as caught,  # a warning is an error in these tests
        log_of(course, LOG) as log,
        converting(course, log, "01_small"),
    ):
        warnings.warn("another", UserWarning, stacklevel=1)
    assert isinstance(caught.value.__cause__, UserWarning)
