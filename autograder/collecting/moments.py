"""Reads points of time as platforms write them for people, in the languages that people speak.

Moodle writes times in words: "Sunday, 1 March 2026, 11:30 PM", or "Sonntag, 1. März 2026, 23:30".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from babel import Locale
from babel.localedata import locale_identifiers

from autograder.collecting.entry import plausible
from autograder.submission.students import spelling

_CLOCKS = (
    re.compile(r"(?<!\d)(\d{1,2}):(\d{2})(?::(\d{2}))?(?!\d)"),
    re.compile(r"(?<!\d)(\d{1,2})(?:\.|\s?[hH]\s?)(\d{2})()(?!\d)"),
)
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
_EAST_ASIAN = re.compile(r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]")
_DAY = re.compile(r"(?<!\d)(\d{1,2})(?!\d)")
_WORD = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*")
_FIRST = ("en", "de", "fr", "es")  # languages that are tried before the others


@dataclass(frozen=True, slots=True)
class _Words:
    """One language's words for months, weekdays (Monday is 0), and the halves of a day."""

    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    halves: Mapping[str, str]


def read_moment(text: str) -> datetime | None:
    """Return the time that a text tells, without a zone where it tells none; None where it is not clear."""
    text = " ".join(text.split())
    with suppress(ValueError):
        return plausible(datetime.fromisoformat(text))
    clock = next(filter(None, (form.search(text) for form in _CLOCKS)), None)
    if clock is None:
        return None
    rest = f"{text[: clock.start()]} {text[clock.end() :]}"
    return next((moment for words in _languages() for moment in _in_language(rest, clock, words)), None)


def _in_language(rest: str, clock: re.Match[str], words: _Words) -> Iterator[datetime]:
    """Yield what the text tells in a language, unless its weekday or month is none there."""
    named = [_folded(word) for word in _WORD.findall(_EAST_ASIAN.sub(" ", rest))]
    weekdays = {words.weekdays[word] for word in named if word in words.weekdays}
    months = {words.months[word] for word in named if word in words.months}
    halves = {words.halves[word] for word in named if word in words.halves}
    date = _date(rest, months)
    if date is None or len(weekdays) != 1 or len(halves) > 1:
        return
    hour, minute, second = (int(part or 0) for part in clock.groups())
    if halves:
        hour = hour % 12 + (12 if halves == {"pm"} else 0)
    with suppress(ValueError):
        moment = datetime(*date, hour, minute, second)
        if moment.weekday() in weekdays and plausible(moment):
            yield moment


def _date(rest: str, months: set[int]) -> tuple[int, int, int] | None:
    """Return year, month and day."""
    if match := _EAST_ASIAN.search(rest):
        year, month, day = map(int, match.groups())
        return year, month, day
    years, days = _YEAR.findall(rest), _DAY.findall(rest)
    if len(months) != 1 or len(years) != 1 or len(days) != 1:
        return None
    return int(years[0]), months.pop(), int(days[0])


def _languages() -> Iterator[_Words]:
    """Yield the words of all languages; the weekday tells which of them is meant."""
    yield from map(_words, _languages_in_order())


@cache
def _languages_in_order() -> Sequence[str]:
    others = sorted(name for name in locale_identifiers() if "_" not in name and name not in _FIRST)
    return (*_FIRST, *others)


@cache
def _words(language: str) -> _Words:
    locale = Locale.parse(language)
    months: dict[str, int] = {}
    weekdays: dict[str, int] = {}
    halves: dict[str, str] = {}
    for form in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            months |= {_folded(name): number for number, name in locale.months[form][width].items()}
            weekdays |= {_folded(name): number for number, name in locale.days[form][width].items()}
            periods = locale.day_periods.get(form, {}).get(width, {})
            halves |= {_folded(name): half for half, name in periods.items() if half in ("am", "pm")}
    return _Words(months, weekdays, {"am": "am", "pm": "pm"} | halves)


def _folded(word: str) -> str:
    return spelling(word.replace(".", "").replace(" ", ""))
