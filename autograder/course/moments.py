"""Reads dates, times and durations as instructors write them, with time zones."""

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

NO_MOMENT = "is not a date and time"
_SPAN = re.compile(r"(\d{1,4}) (minute|hour|day)s?", re.ASCII)


class MomentError(ValueError):
    """A text that should be a date and time, or a duration, is invalid."""


@dataclass(frozen=True, slots=True)
class Span:
    """A duration such as 2 days. A day is a calendar day, even if clocks go forward or back on it."""

    count: int
    unit: str

    def __str__(self) -> str:
        return f"{self.count} {self.unit}{'' if self.count == 1 else 's'}"

    def after(self, start: datetime, times: int = 1) -> datetime:
        """Return `start` plus `times` times this duration, in the time zone of `start`."""
        if self.unit == "day":
            return _latest(start + timedelta(days=self.count * times))
        span = timedelta(**{f"{self.unit}s": self.count * times})
        return (start.astimezone(UTC) + span).astimezone(start.tzinfo)


def read_span(text: object) -> Span:
    """Read a span such as `15 minutes`, `1 hour` or `7 days`."""
    match = _SPAN.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise MomentError("is not a duration; write it as 15 minutes, 1 hour or 7 days")
    return Span(int(match[1]), match[2])


def read_moment(text: object) -> datetime:
    """Read a moment such as 2026-03-01T18:00:00+01:00 or 2026-03-01 18:00 Europe/Berlin.

    A time zone is required. If a clock time occurs twice because clocks go back, the later moment is meant.
    """
    if not isinstance(text, str):
        raise MomentError(NO_MOMENT)
    if moment := _parsed(text):
        if moment.tzinfo is None:
            raise MomentError("has no time zone")
        return moment
    clock, _, zone = text.rpartition(" ")
    moment = _parsed(clock)
    if moment is None or moment.tzinfo is not None:
        raise MomentError(NO_MOMENT)
    try:
        zone_info = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise MomentError(f'has an unknown time zone, "{zone}"') from None
    latest = _latest(moment.replace(tzinfo=zone_info))
    if latest.astimezone(UTC).astimezone(zone_info).replace(tzinfo=None) != moment:
        raise MomentError(f"is in an hour that {zone} skips when clocks go forward")
    return latest


def _parsed(text: str) -> datetime | None:
    with suppress(ValueError):
        return datetime.fromisoformat(text)
    return None


def _latest(moment: datetime) -> datetime:
    """Return the moment of a clock time, the later one if the time occurs twice."""
    return max((moment.replace(fold=fold) for fold in (0, 1)), key=lambda choice: choice.astimezone(UTC))
