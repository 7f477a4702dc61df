"""Reads who submitted what and when, from files of platforms and instructors.

Gradescope's file is read event by event: a parser that builds all of it needs gigabytes for some files, and
crashes on deep ones. Only the file of a whole export is believed, since a student can submit a file of the
same name. Moodle's headings are in the language of whoever downloads them. "Last modified (submission)" and
"Last modified (grade)" are known, in all of them, by their common beginning.
"""

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import yaml
from babel import Locale, UnknownLocaleError

from autograder.collecting.archive import EntryError
from autograder.collecting.names import plausible
from autograder.course.moments import NO_MOMENT, MomentError
from autograder.course.moments import read_moment as read_due
from autograder.errors import UsageError
from autograder.submission.students import read_rows, spelling

if TYPE_CHECKING:
    from dateparser.date import DateDataParser

METADATA = "submission_metadata.yml"
_EXPORT = re.compile(r"assignment_\d+_export/")
_MAX_EVENTS, _MAX_DEPTH, _MAX_SUBMITTERS = 1_000_000, 32, 100
_DIRECTIVE = re.compile(r"(?:^|[\n\r\x85\u2028\u2029])%")  # thousands of directives take the parser hours
_NOT_ITS_OWN = "is not Gradescope's, or not of its whole export; collect the archive as it came"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Path = list[str | int | None]  # keys and positions in lists; None in a mapping that awaits its next key
_PARTICIPANT = re.compile(r"\D+?(\d+)")  # "Participant 1001", in any language
_GROUP = re.compile("gr[ou]|груп|グループ|小?[组組]|ryhmä|skupin|csoport", re.IGNORECASE)
_EMAIL, _PARENTHESIS = re.compile(r"\S+@\S+"), re.compile("[(\uff08]")  # \uff08 is the East Asian one
_CLOCK = re.compile(r"(?<![\d.])\d{1,2}\s?[:.hH]\s?\d{2}(?![\d.])")
_NONE = ("", "-")
_STUDENT = ("student", "id", "user_id", "name", "email")
_TIME = ("time", "submitted_at", "submitted", "timestamp")


@dataclass(frozen=True, slots=True)
class GradescopeRecord:
    """Who handed in a submission, alone or as a group, and when."""

    students: tuple[str, ...]
    when: datetime | None = None
    emails: Mapping[str, str] = field(default_factory=dict)  # by student


def find_export(names: Collection[str], root: str = "") -> str | None:
    """Return the folder, with its slash, of Gradescope's whole export, or None where there is none.

    It must be all that the archive holds, or be `root`, the folder that the instructor collects.
    """
    tops = {name[: name.find("/") + 1] for name in names}
    if _EXPORT.fullmatch(f"{root}/"):
        folder = ""
    elif len(tops) != 1 or not _EXPORT.fullmatch(folder := tops.pop()):
        return None
    return folder if folder + METADATA in names and _submissions(names, folder) else None


def read_metadata(data: bytes, folder: str, names: Collection[str]) -> dict[str, GradescopeRecord]:
    """Return who handed in, by folder; every submission of which the file speaks must lie in `folder`."""
    students: dict[str, dict[int, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    times: dict[str, datetime | None] = {}
    for path, text in _texts(_events(data)):
        submission = str(path[0])
        group = students[submission]
        match path[1:]:
            case (":submitters", int(number), (":sid" | ":email") as field) if number < _MAX_SUBMITTERS:
                group[number][field] = text
            case (":created_at",):
                times[submission] = _time(text)
    if not students or not students.keys() <= _submissions(names, folder):
        raise EntryError(_NOT_ITS_OWN)
    return {folder + name: _record(group.values(), times.get(name)) for name, group in students.items()}


def _submissions(names: Iterable[str], folder: str) -> set[str]:
    """Return the submissions in `folder` by the names of all files."""
    below = re.compile(rf"{re.escape(folder)}(submission_\d+)/")
    return {found[1] for name in names if (found := below.match(name))}


def _events(data: bytes) -> Iterator[yaml.Event]:
    """Yield the first document's events, unless it has too many of them or is no YAML."""
    with suppress(yaml.YAMLError, UnicodeDecodeError):
        text = data.decode("utf-8-sig")
        for number, event in enumerate(() if _DIRECTIVE.search(text) else yaml.parse(text, Loader=_LOADER)):
            if isinstance(event, yaml.DocumentEndEvent):
                return
            if number > _MAX_EVENTS:
                break
            yield event
    raise EntryError(_NOT_ITS_OWN)


def _texts(events: Iterable[yaml.Event]) -> Iterator[tuple[_Path, str]]:
    """Yield each text of a document with the path that leads to it."""
    path: _Path = []
    anchors: dict[str | None, str] = {}
    for event in events:
        match event:
            case yaml.StreamStartEvent() | yaml.DocumentStartEvent():
                pass
            case yaml.CollectionStartEvent() if len(path) < _MAX_DEPTH and path[-1:] != [None]:
                path.append(0 if isinstance(event, yaml.SequenceStartEvent) else None)
            case yaml.CollectionEndEvent():
                path.pop()
                _advance(path)
            case yaml.ScalarEvent() | yaml.AliasEvent() if path:
                text = anchors.get(event.anchor, "") if isinstance(event, yaml.AliasEvent) else event.value
                anchors[event.anchor] = text
                if path[-1] is None:
                    path[-1] = text
                else:
                    yield path, text
                    _advance(path)
            case _:
                raise EntryError(_NOT_ITS_OWN)


def _advance(path: _Path) -> None:
    """Go to the next item of the innermost list, or wait for the next key of the innermost mapping."""
    if path:
        path[-1] = path[-1] + 1 if isinstance(path[-1], int) else None


def _record(group: Iterable[Mapping[str, str]], when: datetime | None) -> GradescopeRecord:
    emails = {student: member.get(":email", "") for member in group if (student := _id(member))}
    return GradescopeRecord(
        tuple(emails),
        when,
        {student: email for student, email in emails.items() if email not in ("", student)},
    )


def _id(submitter: Mapping[str, str]) -> str:
    """Return the institution's id if it has given one, else the address, else nothing."""
    texts = (submitter.get(field, "") for field in (":sid", ":email"))
    return next((text for text in texts if text not in ("", "~", "null")), "")


def _time(text: str) -> datetime | None:
    """Return the UTC time of a timestamp as YAML writes it."""
    try:
        when = datetime.fromisoformat(re.sub(r"\s+(?=[Z+-])", "", text))
        return plausible(when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


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
    group: str = ""
    line: str = ""  # where it stands in a list of the instructor's own


@dataclass(frozen=True)
class Times:
    """All rows of the files that the instructor gave."""

    rows: tuple[TimeRow, ...] = ()
    exact: bool = False  # a list's rows have the students' own ids

    def participant(self, number: str, name: str = "") -> TimeRow | None:
        """Return the worksheet's row on a participant; without a name, as in blind marking, by number."""
        rows = self._numbers.get(number, ()) if number else ()
        return next((row for row in rows if not name or spelling(name) in map(spelling, row.names)), None)

    @property
    def has_participants(self) -> bool:
        """Whether a worksheet of Moodle's is among the files."""
        return bool(self._names)

    def group(self, name: str) -> Sequence[TimeRow]:
        """Return the worksheet's rows on the members of a group."""
        return self._groups.get(spelling(name), ())

    def namesakes(self, name: str) -> int:
        """Return how many people of this name are in the worksheet."""
        return self._names[spelling(name)]

    @cached_property
    def _numbers(self) -> Mapping[str, Sequence[TimeRow]]:
        return _index((row.number, row) for row in self.rows)

    @cached_property
    def _groups(self) -> Mapping[str, Sequence[TimeRow]]:
        return _index((row.group, row) for row in self.rows if row.group)

    @cached_property
    def _names(self) -> Counter[str]:
        return Counter(spelling(name) for row in self.rows if row.number for name in row.names)

    @cached_property
    def _students(self) -> Mapping[str, Sequence[TimeRow]]:
        return _index((spelling(name), row) for row in self.rows if not row.number for name in row.names)

    def student(self, exercise: str, id_: str) -> TimeRow | None:
        """Return the row of the instructor's own list on a student."""
        fitting = [row for row in self._students.get(spelling(id_), ()) if row.exercise in ("", exercise)]
        exact = [row for row in fitting if id_ in row.names]
        return next(iter(exact if self.exact else (*exact, *fitting)), None)


def _index(pairs: Iterable[tuple[str, TimeRow]]) -> Mapping[str, Sequence[TimeRow]]:
    found: dict[str, list[TimeRow]] = defaultdict(list)
    for text, row in pairs:
        found[text].append(row)
    return found


def read_times(paths: Sequence[Path]) -> Times:
    """Return the rows of worksheets and lists; the first that has one on somebody counts."""
    return Times(tuple(row for path in paths for row in _read(path)))


def read_participants(path: Path) -> Times:
    """Return who is in a worksheet, whatever it says of times."""
    header, lines = _lines(path)
    if not _is_worksheet(lines):
        raise TimesError(f"{path}: is not a Moodle grading worksheet; download it there")
    return Times(tuple(_people(header, lines)))


def _lines(path: Path) -> tuple[Sequence[str], Sequence[tuple[str, Sequence[str]]]]:
    try:
        header, *rows = read_rows(path) or [[]]
    except csv.Error:
        problem = "cannot be read; delete what students wrote, save it as CSV in UTF-8"
        raise TimesError(f"{path}: {problem}") from None
    return header, [(f"{path}:{number}", row) for number, row in enumerate(rows, 2) if any(row)]


def _is_worksheet(lines: Sequence[tuple[str, Sequence[str]]]) -> bool:
    return bool(lines) and all(_PARTICIPANT.fullmatch(_cell(row, 0)) for _, row in lines)


def _read(path: Path) -> Iterator[TimeRow]:
    header, lines = _lines(path)
    columns = {cell.strip().casefold(): place for place, cell in enumerate(header)}
    person, time = (
        next((columns[name] for name in names if name in columns), None) for names in (_STUDENT, _TIME)
    )
    if person is not None and time is not None:
        yield from _list(lines, columns, person, time)
    elif _is_worksheet(lines):
        yield from _worksheet(header, lines)
    else:
        raise TimesError(
            f"{path}: is not a Moodle grading worksheet; make a CSV with the columns student and time"
        )


def _list(
    lines: Iterable[tuple[str, Sequence[str]]], columns: Mapping[str, int], person: int, time: int
) -> Iterator[TimeRow]:
    exercise = columns.get("exercise", len(columns))
    for line, row in lines:
        cells = [cell.strip() for cell in row] + [""] * (len(columns) + 1 - len(row))
        when = _moment(line, cells[time])
        yield TimeRow(when, "", (cells[person],), exercise=cells[exercise], line=line)


def _worksheet(header: Sequence[str], lines: Sequence[tuple[str, Sequence[str]]]) -> Iterator[TimeRow]:
    """Yield the rows of a worksheet, with the times of submission."""
    time = _submitted(header)
    if time is None:
        raise TimesError(f"{lines[0][0]}: has no times; make a CSV with the columns student and time")
    for person, (line, row) in zip(_people(header, lines), lines, strict=True):
        yield replace(person, when=_moment(line, _cell(row, time)))


def _people(header: Sequence[str], lines: Sequence[tuple[str, Sequence[str]]]) -> Iterator[TimeRow]:
    """Yield who is in a worksheet: the number first, then the name, unless marking is blind."""
    groups = [place for place, text in enumerate(header) if _GROUP.match(text.strip())]
    filled = [{bool(_EMAIL.fullmatch(_cell(row, place))) for _, row in lines} for place in range(len(header))]
    emails = [place for place, found in enumerate(filled) if found == {True}]
    for _, row in lines:
        match = _PARTICIPANT.fullmatch(_cell(row, 0))
        group = spelling(_cell(row, groups[0])) if groups else ""
        email = _cell(row, emails[0]) if emails else ""
        yield TimeRow(None, match[1] if match else "", (_cell(row, 1),), email, group=group)


def _submitted(header: Sequence[str]) -> int | None:
    """Return the place of the time of submission: two headings begin alike, and the grade's is the second.

    Only headings decide: some cells hold what students have written.
    """
    begins = [_PARENTHESIS.split(text)[0].strip() if _PARENTHESIS.search(text) else "" for text in header]
    return next((place for place, text in enumerate(begins) if text and text in begins[place + 1 :]), None)


def _cell(row: Sequence[str], place: int) -> str:
    return row[place].strip() if place < len(row) else ""


def _moment(line: str, text: str) -> datetime | None:
    if _is_day(text):
        raise TimesError(f'{line}: "{text}" is a day alone; write its time, too, as {text} 18:00')
    when = None if text in _NONE else read_moment(text) or _in_named_zone(line, text)
    if when is None and text not in _NONE:
        raise TimesError(f'{line}: "{text}" is not a time that can be read; write it as 2026-01-31 18:00')
    return when


def _in_named_zone(line: str, text: str) -> datetime | None:
    """Return a time as course.yaml has it: 2026-01-31 18:00 Europe/Berlin."""
    try:
        return read_due(text)
    except MomentError as error:
        if str(error) == NO_MOMENT:
            return None
        raise TimesError(f'{line}: "{text}" {error}') from None


def _is_day(text: str) -> bool:
    with suppress(ValueError):
        return bool(date.fromisoformat(text))
    return False


def read_moment(text: str) -> datetime | None:
    """Return the time that `text` gives in any language, as in "Sonntag, 1. März 2026, 23:30".

    It has a zone only if the text has one. A text without a clock time, or whose weekday is not that of its
    date, is not clear: some languages use one word for different months.
    """
    with suppress(ValueError):
        return plausible(datetime.fromisoformat(text.strip()))
    if not _CLOCK.search(text):
        return None
    found = _date_parser().get_date_data(text)
    moment, language = found.date_obj, found.locale
    is_clear = moment is not None and _names_weekday(text, moment.weekday(), language or "")
    return plausible(moment) if is_clear else None


@cache
def _date_parser() -> "DateDataParser":
    from dateparser.date import DateDataParser  # slow to import, and needed for worksheets only

    parts = ["day", "month", "year"]
    # Without accents, a Norwegian "mandag" would be taken for a Swedish "måndag".
    settings = {"REQUIRE_PARTS": parts, "PARSERS": ["absolute-time"], "NORMALIZE": False}
    return DateDataParser(settings=settings)


def _names_weekday(text: str, weekday: int, language: str) -> bool:
    """Whether `text` has the name or abbreviation of a weekday, of which Monday is 0, in `language`."""
    try:
        forms = Locale.parse(language, sep="-").days.values()
    except (UnknownLocaleError, ValueError):
        return False
    words = f" {spelling(text.replace('(', ' '))} "
    return any(
        spelling(form["wide"][weekday]) in words or f" {spelling(form['abbreviated'][weekday])} " in words
        for form in forms
    )
