"""A failure of ours is told in one line, and its traceback is kept where the line says."""

import pytest

from autograder.course.course import Course
from autograder.grading.failures import describe_failure
from autograder.grading.graded import Graded
from autograder.report.report import Report, Status

REPORT = Report("01_small", Status.GRADER_ERROR, "We failed.", None, 5.0, (), ())
TRACEBACK = 'Traceback (most recent call last):\n  File "grader.py", line 1\nRuntimeError: no\n'


def test_the_line_says_where_the_traceback_is_kept(course: Course) -> None:
    line = describe_failure(course, "01_small ann", Graded(REPORT, {}, "RuntimeError: no", TRACEBACK))
    log = course.build / "autograder.log"
    assert line == f"RuntimeError: no; {log} says more"
    kept = log.read_text(encoding="utf-8")
    assert kept.partition(" ")[2].partition(" ")[2] == "ERROR 01_small ann: RuntimeError: no\n" + TRACEBACK


def test_one_failure_after_another_is_kept(course: Course) -> None:
    for student in ("ann", "ben"):
        describe_failure(course, f"01_small {student}", Graded(REPORT, {}, "RuntimeError: no", TRACEBACK))
    kept = (course.build / "autograder.log").read_text(encoding="utf-8")
    assert [line.split()[4] for line in kept.splitlines() if "01_small" in line] == ["ann:", "ben:"]
    assert kept.count("Traceback") == 2


def test_a_problem_without_a_traceback_needs_no_log(course: Course) -> None:
    told = "grader error in double; see the report"
    assert describe_failure(course, "01_small ann", Graded(REPORT, {}, told)) == told
    assert not course.build.exists()


def test_where_nothing_failed_nothing_is_said(course: Course) -> None:
    assert describe_failure(course, "01_small ann", Graded(REPORT, {})) == ""
    assert not course.build.exists()


def test_a_traceback_cannot_steer_the_terminal_and_reaches_nobody_s_screen(
    course: Course, capfd: pytest.CaptureFixture[str]
) -> None:
    hostile = f"{TRACEBACK}\x1b]0;owned\x07\u202e\ud800"
    problem = "RuntimeError:\n\x1b[31mno \ud800"
    describe_failure(course, "01_small ann", Graded(REPORT, {}, problem, hostile))
    kept = (course.build / "autograder.log").read_text(encoding="utf-8")
    assert not set("\x1b\x07\u202e\ud800") & set(kept)
    assert "01_small ann: RuntimeError: no" in kept
    assert capfd.readouterr() == ("", "")
