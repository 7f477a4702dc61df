"""Reads the submitters and times of submissions from files of platforms and instructors.

Gradescope's file is read event by event: a parser that loads the whole document needs gigabytes for some
files and crashes on deeply nested ones. The file is used only if it is part of a whole export, because a
student could submit a forged file of the same name.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

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
MAX_EVENTS, _MAX_DEPTH, _MAX_SUBMITTERS = 1_000_000, 32, 100
# A directive of YAML. It is refused, because the parser works for hours on thousands of directives.
_DIRECTIVE = re.compile(r"(?:^|[\n\r\x85\u2028\u2029])%")
_NOT_GRADESCOPES = "does not describe a whole export of Gradescope; collect the archive unchanged"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Path = list[str | int | None]  # keys and indices that lead to a value; None if the next key is not read yet


@dataclass(frozen=True, slots=True)
class GradescopeRecord:
    """The time of a submission, and its submitters: a student or the members of a group."""

    # (id, email address) of each submitter. If the institution gives no id, the id is the email address.
    submitters: tuple[tuple[str, str], ...]
    when: datetime | None = None


def find_export(names: Collection[str], root: str = "") -> str | None:
    """Return the path of the folder that is a whole export of Gradescope, or None if there is no such folder.

    `root` is the name of the collected folder. If this folder is the export, the path is "". Otherwise the
    path ends with a slash, and nothing but the export may be at the top.
    """
    tops = {name[: name.find("/") + 1] for name in names}
    if _EXPORT.fullmatch(f"{root}/"):
        folder = ""
    elif len(tops) != 1 or not _EXPORT.fullmatch(folder := tops.pop()):
        return None
    return folder if folder + METADATA in names and _submissions(names, folder) else None


def read_metadata(data: bytes, folder: str, names: Collection[str]) -> dict[str, GradescopeRecord]:
    """Return the record of each submission in Gradescope's metadata file, by the submission's folder.

    Raise EntryError unless `folder` contains all submissions that the file lists.
    """
    groups: dict[str, dict[int, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    times: dict[str, datetime | None] = {}
    for path, text in _texts(_events(data)):
        submission = str(path[0])
        group = groups[submission]
        match path[1:]:
            case (":submitters", int(number), (":sid" | ":email") as field) if number < _MAX_SUBMITTERS:
                group[number][field] = text if text not in ("~", "null") else ""
            case (":created_at",):
                times[submission] = _utc_time(text)
    if not groups or not groups.keys() <= _submissions(names, folder):
        raise EntryError(_NOT_GRADESCOPES)
    records = {}
    for submission, group in groups.items():
        people = group.values()
        emails = [
            (person.get(":sid") or person.get(":email", ""), person.get(":email", "")) for person in people
        ]
        submitters = {id_: email for id_, email in emails if id_}
        records[folder + submission] = GradescopeRecord(tuple(submitters.items()), times.get(submission))
    return records


def _submissions(names: Iterable[str], folder: str) -> set[str]:
    """Return the names of the submissions' folders in `folder`."""
    below = re.compile(rf"{re.escape(folder)}(submission_\d+)/")
    return {match[1] for name in names if (match := below.match(name))}


def _events(data: bytes) -> Iterator[yaml.Event]:
    """Yield the first document's events. Raise EntryError for too many events or invalid YAML."""
    with suppress(yaml.YAMLError, UnicodeDecodeError):
        text = data.decode("utf-8-sig")
        for number, event in enumerate(() if _DIRECTIVE.search(text) else yaml.parse(text, Loader=_LOADER)):
            if isinstance(event, yaml.DocumentEndEvent):
                return
            if number > MAX_EVENTS:
                break
            yield event
    raise EntryError(_NOT_GRADESCOPES)


def _texts(events: Iterable[yaml.Event]) -> Iterator[tuple[_Path, str]]:
    """Yield each text in a YAML document, except keys, with the path of keys and indices that lead to it."""
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
                raise EntryError(_NOT_GRADESCOPES)


def _advance(path: _Path) -> None:
    """Set the end of `path` to the next index in a list. In a mapping, set it to None until a key is read."""
    if path:
        path[-1] = path[-1] + 1 if isinstance(path[-1], int) else None


def _utc_time(text: str) -> datetime | None:
    """Return the UTC time of a YAML timestamp, or None if it is not plausible."""
    try:
        when = datetime.fromisoformat(re.sub(r"\s+(?=[Z+-])", "", text))
        return plausible(when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


_PARTICIPANT = re.compile(r"\D+?(\d+)")  # "Participant 1001", in any language
_GROUP = re.compile("gr[ou]|груп|グループ|小?[组組]|ryhmä|skupin|csoport", re.IGNORECASE)
_EMAIL = re.compile(r"\S+@\S+")
_PARENTHESIS = re.compile("[(\uff08]")  # \uff08 is the East Asian parenthesis
_CLOCK = re.compile(r"(?<![\d.])\d{1,2}\s?[:.hH]\s?\d{2}(?![\d.])")
_DAY = re.compile(r"\d{4}-?\d\d-?\d\d")
_NUMBERS = re.compile(r"\d\s?[/.-]\s?\d{1,2}\s?[/.-]\s?\d")  # a date in which the month is a number
# Possible headings of the columns with students and times in an instructor's list, the best heading first.
_STUDENT = ("student", "id", "user_id", "name", "email")
_TIME = ("time", "submitted_at", "submitted", "timestamp")
_Lines = Sequence[tuple[str, Sequence[str]]]  # the path and line number of each row, and the row's cells


@dataclass(frozen=True, slots=True)
class Participant:
    """One participant's row in Moodle's worksheet."""

    number: str
    name: str  # the full name; if Moodle hides names, the text of another column
    email: str = ""
    group: str = ""  # the group's name, as returned by `spelling`
    when: datetime | None = None  # the time of submission; without a zone, because the worksheet gives none


@dataclass(frozen=True, slots=True)
class GivenTime:
    """One row of an instructor's own list of times."""

    name: str  # the student's name, id or address
    when: datetime  # the time of submission; without a zone if the row gives no zone
    exercise: str = ""  # empty if the row applies to all exercises
    line: str = ""  # the path and line number of the row
    student: str = ""  # the student's id according to the list of students; empty without a list


@dataclass(frozen=True, slots=True)
class Times:
    """All rows of the files that the instructor passed with --times."""

    participants: tuple[Participant, ...] = ()  # rows of Moodle's worksheets
    given: tuple[GivenTime, ...] = ()  # rows of the instructor's own lists

    def participant(self, number: str, name: str) -> Participant | None:
        """Return the worksheet's row on the participant with this number and name, or None."""
        rows = (row for row in self.participants if row.number == number)
        return next((row for row in rows if spelling(name) == spelling(row.name)), None)

    def group(self, name: str) -> Sequence[Participant]:
        """Return the worksheet's rows on the members of a group."""
        group = spelling(name)
        return [row for row in self.participants if group and row.group == group]

    def namesakes(self, name: str) -> int:
        """Return the number of participants in the worksheet who have this name."""
        return sum(spelling(row.name) == spelling(name) for row in self.participants)

    def of(self, exercise: str, student: str) -> datetime | None:
        """Return a student's time from the instructor's own list, or None.

        A row with exactly this id is preferred to a row in which the id is spelled differently. If several
        rows are equally good, the first counts.
        """
        rows = [row for row in self.given if row.exercise in ("", exercise) and row.student in ("", student)]
        matches = [row for row in rows if spelling(row.student or row.name) == spelling(student)]
        return min(matches, key=lambda row: student not in (row.student, row.name)).when if matches else None


def read_times(paths: Sequence[Path]) -> Times:
    """Return the rows of Moodle's worksheets and of an instructor's own lists."""
    participants: list[Participant] = []
    given: list[GivenTime] = []
    for path in paths:
        header, lines = _lines(path)
        columns = {cell.strip().casefold(): index for index, cell in enumerate(header)}
        students = [columns[name] for name in _STUDENT if name in columns]
        times = [columns[name] for name in _TIME if name in columns]
        if students and times:
            exercise = columns.get("exercise", len(header))
            given += [
                GivenTime(_cell(row, students[0]), when, _cell(row, exercise), line)
                for line, row in lines
                if (when := _moment(line, _cell(row, times[0])))
            ]
        elif _is_worksheet(lines):
            if (column := _time_column(header)) is None:
                fix = "write a CSV file with the columns student and time instead"
                raise UsageError(f"{lines[0][0]}: has no column with times; {fix}")
            participants += _participants(header, lines, column)
        else:
            fix = "and has no columns student and time; add these two columns"
            raise UsageError(f"{path}: is not a Moodle grading worksheet, {fix}")
    return Times(tuple(participants), tuple(given))


def read_participants(path: Path) -> Times:
    """Return the participants in a worksheet, without reading their times."""
    header, lines = _lines(path)
    if not _is_worksheet(lines):
        raise UsageError(f"{path}: is not a Moodle grading worksheet; download it in Moodle")
    return Times(tuple(_participants(header, lines)))


def _lines(path: Path) -> tuple[Sequence[str], _Lines]:
    header, *rows = read_rows(path) or [[]]
    return header, [(f"{path}:{number}", row) for number, row in enumerate(rows, 2) if any(row)]


def _is_worksheet(lines: _Lines) -> bool:
    return bool(lines) and all(_PARTICIPANT.fullmatch(_cell(row, 0)) for _, row in lines)


def _participants(header: Sequence[str], lines: _Lines, time: int | None = None) -> Iterator[Participant]:
    """Yield the participants in a worksheet. Without `time`, the index of a column, no times are read.

    The first column has the number. The second has the name, or something else if marking is anonymous.
    """
    columns = range(len(header))
    groups = [column for column in columns if _GROUP.match(header[column].strip())]
    emails = [column for column in columns if all(_EMAIL.fullmatch(_cell(row, column)) for _, row in lines)]
    for line, row in lines:
        number = re.sub(r"\D", "", _cell(row, 0))
        group = spelling(_cell(row, groups[0])) if groups else ""
        email = _cell(row, emails[0]) if emails else ""
        when = _moment(line, _cell(row, time)) if time is not None else None
        yield Participant(number, _cell(row, 1), email, group, when)


def _time_column(header: Sequence[str]) -> int | None:
    """Return the index of the column with the times of submission, or None.

    Headings are in the language of the user who downloads the worksheet. In every language, two headings have
    the same beginning, as in "Last modified (submission)" and "Last modified (grade)". The first counts.
    The cells below the headings are not used, because students wrote some of them.
    """
    starts = [_PARENTHESIS.split(text)[0].strip() if _PARENTHESIS.search(text) else "" for text in header]
    return next((index for index, text in enumerate(starts) if text and text in starts[index + 1 :]), None)


def _cell(row: Sequence[str], column: int) -> str:
    return row[column].strip() if column < len(row) else ""


def _moment(line: str, text: str) -> datetime | None:
    if text in ("", "-"):
        return None
    if _DAY.fullmatch(text):
        raise UsageError(f'{line}: "{text}" has no time of day; write it as {text} 18:00')
    try:
        when = read_moment(text) or read_due(text)  # `read_due` can read "2026-01-31 18:00 Europe/Berlin"
    except MomentError as error:
        unread = "is not a time that can be read; write it as 2026-01-31 18:00"
        raise UsageError(f'{line}: "{text}" {unread if str(error) == NO_MOMENT else error}') from None
    return when


def read_moment(text: str) -> datetime | None:
    """Return the time in a text such as "Sonntag, 1. März 2026, 23:30", with a zone if the text has one.

    dateparser reads many languages. But if a text has no clock time, or if a number stands for the month, as
    in 03/01/2026, dateparser would guess. So None is returned for these texts.
    """
    with suppress(ValueError):
        return plausible(datetime.fromisoformat(text.strip()))
    if not _CLOCK.search(text) or _NUMBERS.search(text):
        return None
    moment = _date_parser().get_date_data(text).date_obj
    return plausible(moment) if moment is not None else None


@cache
def _date_parser() -> "DateDataParser":
    from dateparser.date import DateDataParser  # slow to import, and needed for worksheets only

    parts = ["day", "month", "year"]
    # With NORMALIZE, dateparser would ignore accents and confuse the Norwegian "mandag" with the Swedish
    # "måndag".
    settings = {"REQUIRE_PARTS": parts, "PARSERS": ["absolute-time"], "NORMALIZE": False}
    return DateDataParser(settings=settings)
