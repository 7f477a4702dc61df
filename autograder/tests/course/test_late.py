"""What late work costs: whole steps of the exercise's points, down to a floor, until nothing counts."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from autograder.course.course import Course, CourseError, load_course
from autograder.course.moments import read_moment
from autograder.course.settings import LateSettings
from autograder.tests.classroom import small

DUE = datetime(2026, 3, 1, 18, tzinfo=UTC)


def cost(hours: float, score: float = 8.0, **settings: Any) -> float:
    """Return what a submission that comes so late loses of `score`, in an exercise of 10 points."""
    late = LateSettings.model_validate({"percent": 10, **settings})
    return late.penalty(score, 10.0, DUE, DUE + timedelta(hours=hours))


@pytest.mark.parametrize(
    ("settings", "points"),
    [
        ({}, {-1: 0, 0: 0, 0.001: 1, 24: 1, 24.1: 2, 79: 4, 240: 8, 9999: 8}),  # never more than was scored
        ({"every": "6 hours"}, {1: 1, 6: 1, 7: 2, 13: 3}),
        ({"grace": "1 hour"}, {1: 0, 1.001: 1, 25: 2}),  # after which time counts from the due date
        ({"floor": 50}, {24: 1, 72: 3, 216: 3}),
        ({"floor": 50, "cut_off": "2 days"}, {48: 2, 48.1: 8}),
    ],
)
def test_each_step_costs_its_part_of_the_points(settings: dict[str, Any], points: dict[float, float]) -> None:
    assert {hours: cost(hours, **settings) for hours in points} == points


def test_the_floor_is_never_given() -> None:
    assert cost(9 * 24, score=4.0, floor=50) == 0


@pytest.mark.parametrize(
    ("hours", "settings", "reason"),
    [
        (
            25,
            {"floor": 50},
            "2 days late, rounded up; each costs 10 % of 10 points, "
            "but lateness does not lower a score below 5",
        ),
        (1, {}, "1 day late, rounded up, which costs 10 % of 10 points"),
        (7, {"every": "6 hours"}, "2 times 6 hours late, rounded up; each costs 10 % of 10 points"),
        (49, {"cut_off": "2 days"}, "work that is more than 2 days late scores 0"),
    ],
)
def test_the_reason_names_the_steps_what_they_cost_and_the_floor(
    hours: float, settings: dict[str, Any], reason: str
) -> None:
    late = LateSettings.model_validate({"percent": 10, **settings})
    assert late.reason(10.0, DUE, DUE + timedelta(hours=hours)) == reason


def test_a_day_on_which_clocks_change_is_a_day() -> None:
    late = LateSettings.model_validate({"percent": 10})
    due = read_moment("2026-10-24 23:59 Europe/Berlin")
    came = [read_moment(f"2026-10-{day} Europe/Berlin") for day in ("25 23:59", "26 00:00")]
    assert [late.penalty(8.0, 10.0, due, when.astimezone(UTC)) for when in came] == [1, 2]


def with_late(course: Course, late: str, own: str = "") -> Course:
    path = course.root / "course.yaml"
    text = f"late: {late}\n{path.read_text(encoding='utf-8')}"
    path.write_text(text.replace("- name: 01_small", f"- name: 01_small\n{own}"), encoding="utf-8")
    return load_course(course.root)


def test_an_exercise_may_have_rules_of_its_own(course: Course) -> None:
    own = "    due: 2026-03-29 23:59 Europe/Berlin\n    late: {percent: 100}\n"
    course = with_late(course, "{percent: 10, every: 1 hour}", own)
    late, due = small(course).settings.late, small(course).settings.due
    assert (late and late.percent, due and str(due.tzinfo)) == (100, "Europe/Berlin")
    assert course.settings.late
    assert course.settings.late.every.unit == "hour"


@pytest.mark.parametrize(
    ("late", "message"),
    [
        ("{}", "late.percent: is missing; add it"),
        (
            "{percent: 101}",
            "late.percent: input should be less than or equal to 100, but the value is 101; change it",
        ),
        ("{percent: 1, every: 0 days}", "late.every: must be above 0; write it as 12 hours or 1 day"),
        (
            "{percent: 1, grace: 5}",
            "late.grace: is not a duration; write it as 15 minutes, 1 hour or 7 days",
        ),
        ("{percent: 1, grase: 1 day}", 'late.grase: unknown key; did you mean "grace"?'),
        ("10", "late: must have keys with values; write each on a separate line, as `key: value`"),
    ],
)
def test_what_is_wrong_is_told(course: Course, late: str, message: str) -> None:
    with pytest.raises(CourseError) as caught:
        with_late(course, late)
    assert str(caught.value).endswith(f"course.yaml:1: {message}")
