"""Whatever fails inside nbgrader becomes one error with one line; the details are in a log."""

import warnings

import pytest
from sqlalchemy.exc import SAWarning

from autograder.course.course import Course
from autograder.errors import OUR_FAILURE
from autograder.gradebook.conversion import ConversionError, converting, nbgrader_log


def test_what_fails_is_one_line_on_the_submission_and_a_traceback_in_the_log(
    course: Course, capfd: pytest.CaptureFixture[str]
) -> None:
    with (
        pytest.raises(ConversionError) as caught,
        nbgrader_log(course) as log,
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


def test_where_nothing_fails_no_log_is_written(course: Course) -> None:
    with nbgrader_log(course) as log, converting(course, log, "01_small"):
        log.info("nbgrader tells a lot")
    assert not (course.build / "nbgrader.log").exists()


def test_control_c_is_no_failure_of_nbgrader(course: Course) -> None:
    with (
        pytest.raises(KeyboardInterrupt),
        nbgrader_log(course) as log,
        converting(course, log, "01_small", "ann"),
    ):
        raise KeyboardInterrupt
    assert not (course.build / "nbgrader.log").exists()


def test_warnings_from_nbgraders_own_queries_are_silenced_and_others_are_not(course: Course) -> None:
    with nbgrader_log(course) as log, converting(course, log, "01_small"):
        warnings.warn("nbgrader's own", SAWarning, stacklevel=1)
    with (
        pytest.raises(ConversionError) as caught,  # a warning is an error in these tests
        nbgrader_log(course) as log,
        converting(course, log, "01_small"),
    ):
        warnings.warn("another", UserWarning, stacklevel=1)
    assert isinstance(caught.value.__cause__, UserWarning)
