"""Reads who submitted what and when, from files of platforms and instructors.

Gradescope's file is read event by event: a parser that builds all of it needs gigabytes for some files, and
crashes on deep ones. Only the file of a whole export is believed, since a student can submit a file of the
same name. Moodle's headings are in the language of whoever downloads them. "Last modified (submission)" and
"Last modified (grade)" are known, in all of them, by their common beginning.
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
_DIRECTIVE = re.compile(r"(?:^|[\n\r\x85\u2028\u2029])%")  # thousands of directives take the parser hours
_NOT_ITS_OWN = "is not Gradescope's, or not of its whole export; collect the archive as it came"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Path = list[str | int | None]  # keys and positions in lists; None in a mapping that awaits its next key


@dataclass(frozen=True, slots=True)
class GradescopeRecord:
    """Who handed in a submission, alone or as a group, and when."""

    submitters: tuple[tuple[str, str], ...]  # the institution's id if it has given one, and the address
    when: datetime | None = None


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
        raise EntryError(_NOT_ITS_OWN)
    records = {}
    for submission, group in groups.items():
        emails = [(one.get(":sid") or one.get(":email", ""), one.get(":email", "")) for one in group.values()]
        submitters = {id_: email for id_, email in emails if id_}
        records[folder + submission] = GradescopeRecord(tuple(submitters.items()), times.get(submission))
    return records


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
            if number > MAX_EVENTS:
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


def _utc_time(text: str) -> datetime | None:
    """Return the UTC time of a timestamp as YAML writes it."""
    try:
        when = datetime.fromisoformat(re.sub(r"\s+(?=[Z+-])", "", text))
        return plausible(when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


_PARTICIPANT = re.compile(r"\D+?(\d+)")  # "Participant 1001", in any language
_GROUP = re.compile("gr[ou]|груп|グループ|小?[组組]|ryhmä|skupin|csoport", re.IGNORECASE)
_EMAIL, _PARENTHESIS = re.compile(r"\S+@\S+"), re.compile("[(\uff08]")  # \uff08 is the East Asian one
_CLOCK = re.compile(r"(?<![\d.])\d{1,2}\s?[:.hH]\s?\d{2}(?![\d.])")
_DAY = re.compile(r"\d{4}-?\d\d-?\d\d")
_NUMBERS = re.compile(r"\d\s?[/.-]\s?\d{1,2}\s?[/.-]\s?\d")  # of which one is the day, one the month
_STUDENT = ("student", "id", "user_id", "name", "email")
_TIME = ("time", "submitted_at", "submitted", "timestamp")
_Lines = Sequence[tuple[str, Sequence[str]]]  # each row, with the file and the number of its line


@dataclass(frozen=True, slots=True)
class Participant:
    """One person's row in Moodle's worksheet."""

    number: str
    name: str  # another cell while marking is blind
    email: str = ""
    group: str = ""  # as `spelling` gives it
    when: datetime | None = None  # without a zone, which the worksheet does not tell


@dataclass(frozen=True, slots=True)
class GivenTime:
    """One row of an instructor's own list."""

    name: str  # or id or address
    when: datetime  # without a zone if the row tells none
    exercise: str = ""  # empty where the row holds for any
    line: str = ""  # where it stands
    student: str = ""  # the id, once the list of students has told it


@dataclass(frozen=True, slots=True)
class Times:
    """All rows of the files that the instructor gave; the first on somebody counts."""

    participants: tuple[Participant, ...] = ()
    given: tuple[GivenTime, ...] = ()

    def participant(self, number: str, name: str) -> Participant | None:
        """Return the worksheet's row on the participant who has this number and this name."""
        rows = (row for row in self.participants if row.number == number)
        return next((row for row in rows if spelling(name) == spelling(row.name)), None)

    def group(self, name: str) -> Sequence[Participant]:
        """Return the worksheet's rows on the members of a group."""
        group = spelling(name)
        return [row for row in self.participants if group and row.group == group]

    def namesakes(self, name: str) -> int:
        """Return how many people of this name are in the worksheet."""
        return sum(spelling(row.name) == spelling(name) for row in self.participants)

    def of(self, exercise: str, student: str) -> datetime | None:
        """Return the time from the instructor's own list."""
        rows = [row for row in self.given if row.exercise in ("", exercise) and row.student in ("", student)]
        mine = [row for row in rows if spelling(row.student or row.name) == spelling(student)]
        return min(mine, key=lambda row: student not in (row.student, row.name)).when if mine else None


def read_times(paths: Sequence[Path]) -> Times:
    """Return the rows of worksheets and lists."""
    participants: list[Participant] = []
    given: list[GivenTime] = []
    for path in paths:
        header, lines = _lines(path)
        columns = {cell.strip().casefold(): place for place, cell in enumerate(header)}
        known = [[columns[name] for name in names if name in columns] for names in (_STUDENT, _TIME)]
        if all(known):
            (person, *_), (time, *_) = known
            exercise = columns.get("exercise", len(header))
            given += [
                GivenTime(_cell(row, person), when, _cell(row, exercise), line)
                for line, row in lines
                if (when := _moment(line, _cell(row, time)))
            ]
        elif _is_worksheet(lines):
            if (place := _submitted(header)) is None:
                raise UsageError(f"{lines[0][0]}: has no times; make a CSV with the columns student and time")
            participants += _people(header, lines, place)
        else:
            fix = "make a CSV with the columns student and time"
            raise UsageError(f"{path}: is not a Moodle grading worksheet; {fix}")
    return Times(tuple(participants), tuple(given))


def read_participants(path: Path) -> Times:
    """Return who is in a worksheet, whatever it says of times."""
    header, lines = _lines(path)
    if not _is_worksheet(lines):
        raise UsageError(f"{path}: is not a Moodle grading worksheet; download it there")
    return Times(tuple(_people(header, lines)))


def _lines(path: Path) -> tuple[Sequence[str], _Lines]:
    header, *rows = read_rows(path) or [[]]
    return header, [(f"{path}:{number}", row) for number, row in enumerate(rows, 2) if any(row)]


def _is_worksheet(lines: _Lines) -> bool:
    return bool(lines) and all(_PARTICIPANT.fullmatch(_cell(row, 0)) for _, row in lines)


def _people(header: Sequence[str], lines: _Lines, time: int | None = None) -> Iterator[Participant]:
    """Yield who is in a worksheet: the number first, then the name, unless marking is blind."""
    places = range(len(header))
    groups = [place for place in places if _GROUP.match(header[place].strip())]
    emails = [place for place in places if all(_EMAIL.fullmatch(_cell(row, place)) for _, row in lines)]
    for line, row in lines:
        number = re.sub(r"\D", "", _cell(row, 0))
        group = spelling(_cell(row, groups[0])) if groups else ""
        email = _cell(row, emails[0]) if emails else ""
        when = _moment(line, _cell(row, time)) if time is not None else None
        yield Participant(number, _cell(row, 1), email, group, when)


def _submitted(header: Sequence[str]) -> int | None:
    """Return the place of the time of submission: two headings begin alike, and the grade's is the second.

    Only headings decide: some cells hold what students have written.
    """
    begins = [_PARENTHESIS.split(text)[0].strip() if _PARENTHESIS.search(text) else "" for text in header]
    return next((place for place, text in enumerate(begins) if text and text in begins[place + 1 :]), None)


def _cell(row: Sequence[str], place: int) -> str:
    return row[place].strip() if place < len(row) else ""


def _moment(line: str, text: str) -> datetime | None:
    """Return the time in a cell, or None for a cell that has none."""
    if text in ("", "-"):
        return None
    if _DAY.fullmatch(text):
        raise UsageError(f'{line}: "{text}" is a day alone; write its time, too, as {text} 18:00')
    try:
        when = read_moment(text) or read_due(text)  # which reads 2026-01-31 18:00 Europe/Berlin, too
    except MomentError as error:
        unread = "is not a time that can be read; write it as 2026-01-31 18:00"
        raise UsageError(f'{line}: "{text}" {unread if str(error) == NO_MOMENT else error}') from None
    return when


def read_moment(text: str) -> datetime | None:
    """Return the time that `text` gives, as in "Sonntag, 1. März 2026, 23:30"; its zone, if it names one.

    dateparser knows many languages. It would also guess a missing clock time, and which number of 03/01/2026
    is the day. Such texts are not read.
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
    # Without accents, a Norwegian "mandag" would be taken for a Swedish "måndag".
    settings = {"REQUIRE_PARTS": parts, "PARSERS": ["absolute-time"], "NORMALIZE": False}
    return DateDataParser(settings=settings)
