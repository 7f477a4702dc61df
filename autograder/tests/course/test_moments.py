"""Moments and spans of time: zones by name, and days on which clocks change."""

from datetime import UTC, datetime

import pytest

from autograder.course.moments import MomentError, Span, read_moment, read_span


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-03-01T18:00:00+01:00", "2026-03-01 17:00"),
        ("2026-03-01 18:00 Europe/Berlin", "2026-03-01 17:00"),
        ("2026-03-29 23:59 Europe/Berlin", "2026-03-29 21:59"),  # in summer since the morning
        ("2026-03-01 23:59 America/New_York", "2026-03-02 04:59"),
        ("2026-03-01 18:00 Asia/Kathmandu", "2026-03-01 12:15"),
        ("2026-10-25 02:30 Europe/Berlin", "2026-10-25 01:30"),  # it comes twice, and this is the later
        ("2026-03-01T18:00 UTC", "2026-03-01 18:00"),
    ],
)
def test_a_moment_is_read_with_its_zone(text: str, utc: str) -> None:
    assert read_moment(text).astimezone(UTC).strftime("%Y-%m-%d %H:%M") == utc


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2026-03-01 18:00", "has no time zone"),
        ("2026-03-01 18:00 Berlin", 'has an unknown time zone, "Berlin"'),
        ("2026-03-01 18:00 ../../etc/passwd", "an unknown time zone"),
        ("2026-03-29 02:30 Europe/Berlin", "is in an hour that Europe/Berlin skips when clocks go forward"),
        ("2026-03-01 18:00+01:00 Europe/Berlin", "is not a date and time"),
        ("tomorrow", "is not a date and time"),
        ("", "is not a date and time"),
        (None, "is not a date and time"),
    ],
)
def test_what_is_no_moment_is_refused(text: object, message: str) -> None:
    with pytest.raises(MomentError, match=message):
        read_moment(text)


def test_a_day_is_one_of_the_calendar_and_an_hour_always_sixty_minutes() -> None:
    before = read_moment("2026-03-28 12:00 Europe/Berlin")
    assert Span(1, "day").after(before).astimezone(UTC) == datetime(2026, 3, 29, 10, tzinfo=UTC)
    twice = Span(1, "day").after(read_moment("2026-10-24 02:30 Europe/Berlin"))  # of which it is the later
    assert twice.astimezone(UTC) == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    assert Span(24, "hour").after(before).astimezone(UTC) == datetime(2026, 3, 29, 11, tzinfo=UTC)
    assert read_span("1 day") == read_span("1 days") == Span(1, "day")


@pytest.mark.parametrize("text", ["1", "one day", "-1 days", "1 week", "1.5 hours", "٣ days", 7, None])
def test_what_is_no_span_is_refused(text: object) -> None:
    with pytest.raises(MomentError, match="write it as 15 minutes, 1 hour or 7 days"):
        read_span(text)
