"""Reads who handed in when from Moodle's grading worksheet, or from a CSV of the instructor's own.

Moodle's headings are in the language of whoever downloads them, so the columns are known by what they hold.
"""

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

from autograder.collecting.moments import read_moment
from autograder.errors import UsageError
from autograder.submission.students import spelling

_PARTICIPANT = re.compile(r"\D+?(\d+)")  # "Participant 1001", in any language
_NONE = ("", "-")
_STUDENT = ("student", "id", "user_id", "name", "email")
_TIME = ("time", "submitted_at", "submitted", "timestamp")


class TimesError(UsageError):
    """The times cannot be used; the message says where and what to do."""


@dataclass(frozen=True, slots=True)
class TimeRow:
    """One person's row. A worksheet of Moodle's has a number in it, and names unless marking is blind."""

    when: datetime | None  # without a zone if the file tells none
    number: str = ""
    names: tuple[str, ...] = ()  # and ids and addresses
    email: str = ""
    exercise: str = ""  # empty where the row holds for any
    others: frozenset[str] = frozenset()  # the spellings of its other cells, of which one is the group


@dataclass(frozen=True)
class Times:
    """All rows of the files that the instructor gave."""

    rows: tuple[TimeRow, ...] = ()

    def participant(self, number: str, name: str = "") -> TimeRow | None:
        """Return the worksheet's row on a participant; without a name, as in blind marking, by number."""
        rows = self._numbers.get(number, ()) if number else ()
        return next((row for row in rows if not name or spelling(name) in map(spelling, row.names)), None)

    def group(self, name: str) -> Sequence[TimeRow]:
        """Return the worksheet's rows on the members of a group."""
        return self._others.get(spelling(name), ())

    def namesakes(self, name: str) -> int:
        """Return how many people of this name are in the worksheet."""
        return self._names[spelling(name)]

    @cached_property
    def _numbers(self) -> Mapping[str, Sequence[TimeRow]]:
        return _index((row.number, row) for row in self.rows)

    @cached_property
    def _others(self) -> Mapping[str, Sequence[TimeRow]]:
        return _index((text, row) for row in self.rows for text in row.others)

    @cached_property
    def _names(self) -> Counter[str]:
        return Counter(spelling(name) for row in self.rows if row.number for name in row.names)

    @cached_property
    def _students(self) -> Mapping[str, Sequence[TimeRow]]:
        return _index((spelling(name), row) for row in self.rows if not row.number for name in row.names)

    def student(self, exercise: str, ids: Iterable[str]) -> TimeRow | None:
        """Return the row of the instructor's own list on a student, by any id or name."""
        rows = [(text, row) for text in ids for row in self._students.get(spelling(text), ())]
        fitting = [(text, row) for text, row in rows if row.exercise in ("", exercise)]
        exact = [(text, row) for text, row in fitting if text in row.names]
        return next((row for _, row in (*exact, *fitting)), None)


def _index(pairs: Iterable[tuple[str, TimeRow]]) -> Mapping[str, Sequence[TimeRow]]:
    found: dict[str, list[TimeRow]] = defaultdict(list)
    for text, row in pairs:
        found[text].append(row)
    return found


def read_times(paths: Sequence[Path]) -> Times:
    """Return the rows of worksheets and lists; the first that has one on somebody counts."""
    return Times(tuple(row for path in paths for row in _read(path)))


def _read(path: Path) -> Iterator[TimeRow]:
    try:
        header, *rows = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines())) or [[]]
    except (OSError, UnicodeDecodeError, csv.Error):
        raise TimesError(f"{path}: cannot be read; save it as CSV in UTF-8") from None
    lines = [(f"{path}:{number}", row) for number, row in enumerate(rows, 2) if any(row)]
    columns = {cell.strip().casefold(): place for place, cell in enumerate(header)}
    person, time = (
        next((columns[name] for name in names if name in columns), None) for names in (_STUDENT, _TIME)
    )
    if person is not None and time is not None:
        yield from _list(lines, columns, person, time)
    elif lines and all(_PARTICIPANT.fullmatch(row[0].strip()) for _, row in lines):
        yield from _worksheet(lines, len(header))
    else:
        raise TimesError(
            f"{path}: is no grading worksheet of Moodle's; make a CSV with the columns student and time"
        )


def _list(
    lines: Iterable[tuple[str, Sequence[str]]], columns: Mapping[str, int], person: int, time: int
) -> Iterator[TimeRow]:
    exercise = columns.get("exercise", len(columns))
    for line, row in lines:
        cells = [cell.strip() for cell in row] + [""] * (len(columns) + 1 - len(row))
        yield TimeRow(_moment(line, cells[time]), "", (cells[person],), exercise=cells[exercise])


def _worksheet(lines: Sequence[tuple[str, Sequence[str]]], width: int) -> Iterator[TimeRow]:
    """Yield the rows of a worksheet: the number first, then the name, and late the two times.

    The time of submission is the last but one column that holds nothing but times; the last is the grade's.
    """
    timed = [place for place in range(1, width) if _holds_times([row[place:][:1] for _, row in lines])]
    if len(timed) < 2:
        raise TimesError(f"{lines[0][0]}: has no times; make a CSV with the columns student and time")
    for line, row in lines:
        email = next((cell.strip() for cell in row if re.fullmatch(r"\S+@\S+", cell.strip())), "")
        match = _PARTICIPANT.fullmatch(row[0].strip())
        others = frozenset(spelling(cell) for cell in row[2 : timed[-2]] if cell.strip())
        when = _moment(line, row[timed[-2]].strip())
        yield TimeRow(when, match[1] if match else "", (row[1].strip(),), email, others=others)


def _holds_times(cells: Sequence[Sequence[str]]) -> bool:
    """Whether a column holds only times and dashes, of which a digit tells a grade apart."""
    texts = [cell[0].strip() if cell else "" for cell in cells]
    return any(texts) and all(text in _NONE or (":" in text or read_moment(text)) for text in texts)


def _moment(line: str, text: str) -> datetime | None:
    when = None if text in _NONE else read_moment(text)
    if when is None and text not in _NONE:
        raise TimesError(f'{line}: "{text}" is no time that can be read; write it as 2026-01-31 18:00')
    return when
