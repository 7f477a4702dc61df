"""Says when a student may be told of another attempt, and keeps beside each attempt what has been told.

An attempt is marked before it is graded. So where the grader is killed nobody gains an attempt, and what was
marked but not shown is shown by the next round.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from autograder.collecting.attempts import Attempt
from autograder.course.settings import AttemptSettings
from autograder.files import write_whole

_FILE = "told.json"  # beside an attempt's notebook


@dataclass(frozen=True, slots=True)
class Told:
    """When an attempt was taken to be told, and whether its page is there."""

    when: datetime
    shown: bool


def told(attempt: Attempt) -> Told | None:
    """Return what a student has been told of an attempt, or None."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads((attempt.folder / _FILE).read_text(encoding="utf-8"))
        return Told(datetime.fromisoformat(kept["when"]), bool(kept["shown"]))
    return None


def mark(attempt: Attempt, when: datetime, *, shown: bool) -> None:
    """Keep that a student is told of an attempt."""
    text = json.dumps({"when": when.astimezone(UTC).isoformat(), "shown": shown})
    write_whole(attempt.folder / _FILE, text)


def may_be_told(attempts: Sequence[Attempt], settings: AttemptSettings, now: datetime, zone: tzinfo) -> bool:
    """Whether the student of these attempts may be told of one more now; days are those of `zone`."""
    times = sorted(known.when for known in map(told, attempts) if known is not None)
    today = [when for when in times if when.astimezone(zone).date() == now.astimezone(zone).date()]
    return len(today) < settings.a_day and not (times and now < settings.pause.after(times[-1]))
