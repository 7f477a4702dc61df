"""Reads the names that archives have by a regular expression of the instructor's own."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from autograder.collecting.entry import plausible
from autograder.errors import UsageError

_TIMES = {14: "%Y%m%d%H%M%S", 12: "%Y%m%d%H%M", 8: "%Y%m%d"}


class PatternError(UsageError):
    """The instructor's pattern cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """What the pattern's groups have found in a name; a text is empty where they found nothing."""

    student: str
    exercise: str
    when: datetime | None


def read_pattern(text: str) -> re.Pattern[str]:
    """Return the pattern that an instructor has typed."""
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise PatternError(f"--pattern: {error}") from None
    if not {"student", "student_id"} & set(pattern.groupindex):
        raise PatternError("--pattern: finds no student; add a group (?P<student>...)")
    return pattern


def match_pattern(pattern: re.Pattern[str], path: str) -> PatternMatch | None:
    """Return what the pattern finds in `path`; its groups may have the names that nbgrader uses, too."""
    match = pattern.match(path)
    if match is None:
        return None
    groups = {name: text for name, text in match.groupdict().items() if text}
    student = groups.get("student") or groups.get("student_id") or ""
    exercise = groups.get("exercise") or groups.get("file_id") or ""
    return PatternMatch(student, exercise, _time(groups.get("timestamp", "")))


def _time(text: str) -> datetime | None:
    """Return the UTC time whose digits `text` has, from the year on, however they are separated."""
    digits = re.sub(r"\D", "", text)[:14]
    try:
        return plausible(datetime.strptime(digits, _TIMES[len(digits)]).replace(tzinfo=UTC))
    except (KeyError, ValueError):
        return None
