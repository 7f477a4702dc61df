"""Times are read in the languages in which Moodle writes them, and never guessed."""

from datetime import UTC, datetime

import pytest

from autograder.collecting.times import read_moment

EVENING = datetime(2026, 3, 1, 23, 30)


@pytest.mark.parametrize(
    "text",
    [
        "Sunday, 1 March 2026, 11:30 PM",
        "Sunday, March 1, 2026, 11:30 PM",
        "Sonntag, 1. März 2026, 23:30",
        "dimanche 1 mars 2026, 23:30",
        "dimanche 1 mars 2026 à 23h30",
        "domingo, 1 de marzo de 2026, 23:30",
        "воскресенье, 1 марта 2026, 23:30",
        "2026年 03月 1日(日曜日) 23:30",
        "2026년 3월 1일(일요일) 오후 11:30",
        "2026. március 1., vasárnap, 23:30",
        "2026-03-01 23:30",
    ],
)
def test_one_evening_is_read_in_many_languages(text: str) -> None:
    assert read_moment(text) == EVENING


def test_a_month_that_means_another_in_other_languages_is_known_by_its_weekday() -> None:
    assert read_moment("niedziela, 1 listopada 2026, 12:00") == datetime(2026, 11, 1, 12)  # Polish
    assert read_moment("četvrtak, 1. listopada 2026., 12:00") == datetime(2026, 10, 1, 12)  # Croatian


def test_a_zone_that_is_told_is_kept() -> None:
    assert read_moment("2026-03-01T23:30:00Z") == datetime(2026, 3, 1, 23, 30, tzinfo=UTC)


def test_midnight_and_noon_are_told_apart() -> None:
    assert read_moment("Sunday, 1 March 2026, 12:05 AM") == datetime(2026, 3, 1, 0, 5)
    assert read_moment("Sunday, 1 March 2026, 12:05 PM") == datetime(2026, 3, 1, 12, 5)


@pytest.mark.parametrize(
    "text",
    [
        *("", "-", "23:30", "03/01/2026 23:30", "1 March 2026, 11:30 PM", "Saturday, 1 March 2026, 11:30 PM"),
        *("Sunday, 30 February 2026, 11:30 PM", "Sunday, 1 March 2026, 99:99", "Sunday, 1 March 2026"),
    ],
)
def test_what_is_not_clear_is_no_time(text: str) -> None:
    assert read_moment(text) is None
