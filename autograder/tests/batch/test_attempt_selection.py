"""Which attempt counts if the newest one is unreadable, empty, of another exercise, late or too late."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from click.testing import CliRunner

from autograder.batch.grade import grade_submissions
from autograder.cli import main
from autograder.collecting.attempts import Arrival, place
from autograder.course.course import Course
from autograder.gradebook.lateness import extend
from autograder.submission.submission import Submission
from autograder.tests.batch.test_attempts import DUE, ByTheirWord, grade, regraded, written
from autograder.tests.classroom import CONFIG, answered, small
from autograder.tests.gradebook.rows import feedback, gradebook_submission, ruled

LATE = "percent: 10, cut_off: 2 days"  # 0.7 of the exercise's 7 points for each day begun
EVERY_RULE = ("", "newest", "best", "last before due")
FILES: dict[str, Callable[[Course], bytes]] = {
    "unreadable": lambda _: b'{"nbformat": 4, "cells": [',
    "empty": lambda _: b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}',
    "as released": lambda course: json.dumps(answered(small(course))).encode(),
    "of another exercise": lambda _: json.dumps(
        {
            "nbformat": 4,
            "cells": [{"cell_type": "code", "metadata": {}, "source": "def other(x):\n  return x"}],
        }
    ).encode(),
}


def hand_in_all(course: Course, *attempts: tuple[float | str, float]) -> None:
    """Hand in files: the share of its points that each is worth, or a name in FILES, and hours after due."""
    for what, hours in attempts:
        content = FILES[what](course) if isinstance(what, str) else written(course, what)
        place(Submission(course.root, "ann", "01_small"), content, Arrival(DUE + timedelta(hours=hours)))


@pytest.mark.parametrize("rule", EVERY_RULE)
@pytest.mark.parametrize(
    ("attempts", "scores"),
    [
        # newest, best, last before due
        (((1.0, -1), (0.8, 49)), (5.0, 5.0, 5.0)),  # after the cut-off
        (((1.0, -1), (0.8, 3)), (3.3, 5.0, 5.0)),  # late and worse
        (((0.4, -1), (1.0, 3)), (4.3, 4.3, 2.0)),  # late and better
        (((0.8, 3), (1.0, 49)), (3.3, 3.3, 3.3)),  # late, then after the cut-off
        (((1.0, 49), (0.8, 50)), (0.0, 0.0, 0.0)),  # nothing before the cut-off
        (((1.0, -2), ("unreadable", -1)), (5.0, 5.0, 5.0)),
        (((1.0, -2), ("empty", -1)), (5.0, 5.0, 5.0)),
        (((1.0, -2), ("as released", -1)), (5.0, 5.0, 5.0)),
        (((1.0, -2), ("of another exercise", -1)), (5.0, 5.0, 5.0)),
        (((1.0, -3), ("unreadable", -2), ("as released", -1), (0.8, 50)), (5.0, 5.0, 5.0)),
        (((1.0, 3), ("unreadable", 4)), (4.3, 4.3, 4.3)),
        (((1.0, -3), ("unreadable", -2), (0.6, -1)), (3.0, 5.0, 3.0)),
    ],
)
def test_what_counts(
    ready: Course, rule: str, attempts: tuple[tuple[float | str, float], ...], scores: tuple[float, ...]
) -> None:
    course = ruled(ready, rule, LATE)
    hand_in_all(course, *attempts)
    expected = scores[max(EVERY_RULE.index(rule) - 1, 0)]
    assert grade(course) == pytest.approx(expected)
    assert regraded(course) == []
    assert gradebook_submission(course, "ann").score == pytest.approx(expected)


def test_steps_that_take_all_points_count_like_a_cut_off(ready: Course) -> None:
    course = ruled(ready, late="percent: 50")
    hand_in_all(course, (1.0, -1), (0.8, 30))  # two days begun
    assert grade(course) == 5.0


def test_late_work_that_penalties_leave_nothing_of_is_graded_and_passed_over(ready: Course) -> None:
    course = ruled(ready, late="percent: 20")
    hand_in_all(course, (1.0, -1), (0.4, 60))  # 2 points and 2 of the written answer, less 3 times 1.4
    assert grade(course) == 5.0
    hand_in_all(course, (0.6, 61))
    assert grade(course) == pytest.approx(0.0)  # the written answer may still bring some


def test_the_late_policy_of_nbgrader_counts_like_that_of_the_course(ready: Course) -> None:
    course = ruled(ready)
    zero = "\nc.LateSubmissionPlugin.penalty_method = 'zero'\n"
    (course.root / "nbgrader_config.py").write_text(
        CONFIG.read_text(encoding="utf-8") + zero, encoding="utf-8"
    )
    hand_in_all(course, (1.0, -1), (0.8, 1))
    assert grade(course) == 5.0


@pytest.mark.parametrize("rule", EVERY_RULE[:2])
def test_an_extension_or_a_later_cut_off_lets_the_newest_count_again(ready: Course, rule: str) -> None:
    course = ruled(ready, rule, LATE)
    hand_in_all(course, (1.0, -1), (0.6, 50))
    assert grade(course) == 5.0
    extend(course, "ann", "01_small", "+3 days")
    assert grade(course) == 3.0
    extend(course, "ann", "01_small", None)
    assert grade(course) == 5.0
    assert grade(ruled(course, rule, "percent: 10, cut_off: 3 days")) == pytest.approx(3.0 - 3 * 0.7)


def test_grade_and_the_page_say_which_attempt_counts_and_why(ready: Course) -> None:
    course = ruled(ready, late=LATE)
    hand_in_all(course, (1.0, -1), (0.6, 50))
    (line,) = grade_submissions(course, [small(course)], executor=ByTheirWord()).lines
    assert line.message == (
        "counted: attempt 1 of 2, 2026-03-01 17:00 CET; the newest attempt came so late that it scores 0"
    )
    assert (
        feedback(course, "ann").count("came so late that it scores 0. Your score is for attempt 1 of 2, ")
        == 1
    )
    hand_in_all(course, ("unreadable", 51))
    (line,) = grade_submissions(course, [small(course)], executor=ByTheirWord()).lines
    assert "CET; the newest attempt cannot be read: not JSON" in line.message
    assert (
        "<p class=message>Your newest file, of 2026-03-03 21:00 CET, cannot be read: not JSON (line 1, "
        "column 27), so the file may be incomplete. Open it in Jupyter and save it. Hand it in again. "
        "Your score is for attempt 1 of 3, 2026-03-01 17:00 CET.</p>"
    ) in feedback(course, "ann")


def test_collect_says_that_a_file_came_too_late_to_replace_another(ready: Course) -> None:
    course = ruled(ready, late=LATE)
    hand_in_all(course, (1.0, -1))
    folder = course.root / "late" / "ann"
    folder.mkdir(parents=True)
    (folder / "01_small.ipynb").write_bytes(written(course, 0.6))
    times = course.root / "times.csv"
    times.write_text("student,time\nann,2026-03-03 20:00\n", encoding="utf-8")
    words = ["--course", str(course.root), "collect", str(folder.parent), "--times", str(times)]
    said = CliRunner().invoke(main, words).output
    late = "01_small ann: kept: 50.0 h late, came so late that it scores 0, so it replaces no earlier attempt"
    assert late in said.splitlines()
    extend(course, "ann", "01_small", "+3 days")
    times.write_text("student,time\nann,2026-03-03 20:01\n", encoding="utf-8")
    assert "scores 0" not in CliRunner().invoke(main, words).output


def test_if_no_attempt_of_a_student_is_eligible_all_may_count(ready: Course) -> None:
    hand_in_all(ready, (1.0, -2), (0.6, -1))
    executor = ByTheirWord()
    (line,) = grade_submissions(ready, [small(ready)], executor=executor, eligible=lambda _: False).lines
    assert (line.status, line.score) == ("graded", 3.0)
