"""Reads dates, times and durations as instructors write them, with time zones."""

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

NO_MOMENT = "is no date and time"
_SPAN = re.compile(r"(\d{1,4}) (minute|hour|day)s?", re.ASCII)


class MomentError(ValueError):
    """A text is no moment or span; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Span:
    """A time such as 2 days. A day is one of the calendar, also where clocks go forward or back."""

    count: int
    unit: str

    def __str__(self) -> str:
        return f"{self.count} {self.unit}{'' if self.count == 1 else 's'}"

    def after(self, start: datetime, times: int = 1) -> datetime:
        """Return the moment that is so often this span after `start`, in the zone of `start`."""
        if self.unit == "day":
            return _latest(start + timedelta(days=self.count * times))
        span = timedelta(**{f"{self.unit}s": self.count * times})
        return (start.astimezone(UTC) + span).astimezone(start.tzinfo)


def read_span(text: object) -> Span:
    """Read a span such as `15 minutes`, `1 hour` or `7 days`."""
    match = _SPAN.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise MomentError("is no span of time; write it as 15 minutes, 1 hour or 7 days")
    return Span(int(match[1]), match[2])


def read_moment(text: object) -> datetime:
    """Read a moment such as 2026-03-01T18:00:00+01:00 or 2026-03-01 18:00 Europe/Berlin.

    Without a zone it would be ambiguous. Of an hour that comes twice, when clocks go back, it is the later.
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
        place = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise MomentError(f'has a time zone, "{zone}", that nobody knows') from None
    latest = _latest(moment.replace(tzinfo=place))
    if latest.astimezone(UTC).astimezone(place).replace(tzinfo=None) != moment:
        raise MomentError(f"is an hour that {zone} skips when clocks go forward")
    return latest


def _parsed(text: str) -> datetime | None:
    with suppress(ValueError):
        return datetime.fromisoformat(text)
    return None


def _latest(moment: datetime) -> datetime:
    """Return the later moment of this clock time, which comes twice or never on a day when clocks change."""
    return max((moment.replace(fold=fold) for fold in (0, 1)), key=lambda one: one.astimezone(UTC))
