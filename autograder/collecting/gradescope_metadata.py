"""Reads the file in which Gradescope's exports say who handed in what, and when.

Only the file of a whole export is believed, since a student can hand in a file of the same name. It is read
event by event: a parser that builds all of it needs gigabytes for some files, and crashes on deep ones.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

import yaml

from autograder.collecting.entry import EntryError, plausible

METADATA = "submission_metadata.yml"
_EXPORT = re.compile(r"assignment_\d+_export/")
_MAX_EVENTS, _MAX_DEPTH, _MAX_SUBMITTERS = 1_000_000, 32, 100
_DIRECTIVE = re.compile(r"(?:^|[\n\r\x85\u2028\u2029])%")  # thousands of directives take the parser hours
_NOT_ITS_OWN = "is not Gradescope's, or not of its whole export; collect the archive as it came"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_Path = list[str | int | None]  # keys and positions in lists; None in a mapping that awaits its next key


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
