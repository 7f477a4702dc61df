"""Collects submissions from platforms' archives and from folders, and says what became of each.

An archive is read twice: its names first, to settle who handed in what, then the chosen notebooks.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from autograder.collecting.archive import read_entries
from autograder.collecting.entry import ArchiveEntry, ArchiveError, EntryError
from autograder.collecting.gradescope_metadata import Handed, place_of_metadata, read_metadata
from autograder.collecting.naming import (
    Claim,
    Frame,
    Naming,
    NamingError,
    folded,
    left_out,
    name_fault,
    shared_folder,
)
from autograder.collecting.placing import InboxError, Placing, place
from autograder.course.course import Course
from autograder.submission.notebook import MAX_BYTES
from autograder.submission.submission import Submission

REFUSED = "refused"
_SUFFIX = ".ipynb"


@dataclass(frozen=True, slots=True)
class Line:
    """What became of one thing in an archive; student and exercise are empty where nothing tells them."""

    archive: str
    path: str  # in the archive; empty where the archive itself is meant
    status: str  # a Placing, or "refused"
    message: str = ""
    student: str = ""
    exercise: str = ""


@dataclass(frozen=True, slots=True)
class _Found:
    """A notebook in the archive, by its place there, and what its name says."""

    number: int
    entry: ArchiveEntry
    claim: Claim
    message: str = ""


def collect_archives(
    course: Course,
    archives: Sequence[Path],
    naming: Naming,
    *,
    times: bool = True,
    tell: Callable[[Line], None] | None = None,
) -> tuple[Line, ...]:
    """Put the notebooks of archives and folders into submitted/, and return a line on each.

    Without `times` no submission has a time, so none is late; `tell` hears each line at once.
    """
    lines = []
    for archive in archives:
        for line in _Collection(course, archive, naming, times).lines():
            lines.append(line)
            if tell is not None:
                tell(line)
    return tuple(lines)


class _Collection:
    """One archive on its way into submitted/."""

    def __init__(self, course: Course, archive: Path, naming: Naming, times: bool) -> None:
        self._course = course
        self._archive = archive
        self._naming = naming
        self._times = times
        self._refused: list[Line] = []

    def lines(self) -> Iterator[Line]:
        """Put in what can go in and yield a line on each thing; an archive's fault ends only itself."""
        entries = self._survey()
        chosen: dict[int, list[_Found]] = defaultdict(list)
        for found in self._settled(list(self._found(entries))):
            chosen[found.number].append(found)
        yield from self._refused
        try:
            for number, entry in enumerate(read_entries(self._archive) if chosen else ()):
                if any(found.entry.path != entry.path for found in chosen.get(number, ())):
                    raise ArchiveError("was changed meanwhile; collect it again")
                yield from self._put(entry, chosen.pop(number, ()))
                if not chosen:
                    return
        except ArchiveError as error:
            for found in (found for wanted in chosen.values() for found in wanted):
                yield self._line(REFUSED, f"the archive {error}", found.entry.path, found.claim)

    def _survey(self) -> list[ArchiveEntry]:
        """Return the entries, or those before the fault of a broken archive."""
        entries: list[ArchiveEntry] = []
        try:
            # Without `read`, which would keep nested archives in memory.
            entries.extend(replace(entry, read=_closed) for entry in read_entries(self._archive))
        except ArchiveError as error:
            self._refused.append(self._line(REFUSED, str(error)))
        return entries

    def _found(self, entries: Sequence[ArchiveEntry]) -> Iterator[_Found]:
        """Yield the notebooks whose names tell student and exercise; refuse what is wrong."""
        sound = [(number, entry) for number, entry in enumerate(entries) if not self._faulty(entry)]
        notebooks = [(number, entry) for number, entry in sound if _is_notebook(entry)]
        alike: dict[str, set[str]] = defaultdict(set)
        for _, entry in notebooks:
            alike[folded(entry.path)].add(entry.path)
        shared = shared_folder([entry.path for _, entry in notebooks], self._naming.exercises)
        frame = Frame(shared, self._handed([entry.name for _, entry in sound if not entry.inside]))
        for number, entry in notebooks:
            if others := alike[folded(entry.path)] - {entry.path}:
                self._refuse(entry, _only_in_case(min(others)))
                continue
            try:
                yield from [_Found(number, entry, claim) for claim in self._naming.claims(entry, frame)]
            except NamingError as error:
                self._refuse(entry, str(error))

    def _faulty(self, entry: ArchiveEntry) -> bool:
        fault = name_fault(entry.name) or name_fault(entry.inside) or entry.fault
        if fault:
            self._refuse(entry, fault)
        return bool(fault)

    def _handed(self, names: Sequence[str]) -> Mapping[str, Handed]:
        """Return what Gradescope's file tells, if there is one."""
        found = place_of_metadata(names)
        if found is None:
            return {}
        folder, name = found
        try:
            for entry in read_entries(self._archive):
                if entry.name == name:
                    return read_metadata(entry.read(MAX_BYTES), folder)
        except (ArchiveError, EntryError) as error:
            self._refused.append(self._line(REFUSED, str(error), path=name))
        return {}

    def _settled(self, found: Sequence[_Found]) -> Iterator[_Found]:
        """Yield one notebook a student and exercise; refuse those between which nothing decides."""
        spellings: dict[str, set[str]] = defaultdict(set)
        groups: dict[tuple[str, str], list[_Found]] = defaultdict(list)
        for one in found:
            spellings[folded(one.claim.student)].add(one.claim.student)
            groups[one.claim.student, one.claim.exercise].append(one)
        for (student, _), group in groups.items():
            others = spellings[folded(student)] - {student}
            latest = _latest(group)
            if others:
                self._refuse_all(group, _only_in_case(min(others)))
            elif latest is None:
                self._refuse_all(group, "is one of several notebooks for it; leave one in the archive")
            else:
                yield latest

    def _put(self, entry: ArchiveEntry, wanted: Sequence[_Found]) -> Iterator[Line]:
        """Put a notebook in for everybody who handed it in."""
        try:
            content = entry.read(MAX_BYTES) if wanted else b""
        except EntryError as error:
            yield from (self._line(REFUSED, str(error), entry.path, found.claim) for found in wanted)
            return
        for found in wanted:
            submission = Submission(self._course.root, found.claim.student, found.claim.exercise)
            when = self._when(found)
            try:
                status = place(submission, content, when)
            except InboxError as error:
                yield self._line(REFUSED, str(error), entry.path, found.claim)
            else:
                words = (found.message, self._about(status, submission.exercise, when))
                shown = Placing.UNCHANGED if status is Placing.OLDER else status
                yield self._line(shown, ", ".join(filter(None, words)), entry.path, found.claim)

    def _when(self, found: _Found) -> datetime | None:
        """Return when a notebook was handed in.

        Canvas's archives have the time of their download, so it is Canvas's own LATE that decides.
        """
        when, due = found.claim.when or found.entry.when, self._course.due(found.claim.exercise)
        if when is None or not self._times:
            return None
        return min(when, due) if due is not None and found.claim.late is False else when

    def _about(self, status: Placing, exercise: str, when: datetime | None) -> str:
        if status is Placing.OLDER:
            return "something handed in later is there"
        due = self._course.due(exercise)
        if status is Placing.UNCHANGED or when is None or due is None or when <= due:
            return ""
        return f"{(when - due).total_seconds() / 3600:.1f} h late"

    def _refuse(self, entry: ArchiveEntry, why: str, claim: Claim | None = None) -> None:
        self._refused.append(self._line(REFUSED, why, entry.path, claim))

    def _refuse_all(self, group: Sequence[_Found], why: str) -> None:
        for found in group:
            self._refuse(found.entry, why, found.claim)

    def _line(self, status: str, message: str, path: str = "", claim: Claim | None = None) -> Line:
        student, exercise = (claim.student, claim.exercise) if claim else ("", "")
        return Line(str(self._archive), path, status, message, student, exercise)


def _latest(group: Sequence[_Found]) -> _Found | None:
    """Return the notebook that counts: one named as asked before others, then the platform's last one."""
    exact = [found for found in group if found.claim.exact] or group
    if len(exact) > 1:
        numbers = [found.claim.number for found in exact]
        if None in numbers or len(set(numbers)) < len(numbers):
            return None
    last = max(exact, key=lambda found: found.claim.number or 0)
    return replace(last, message=f"chosen from {len(group)}") if len(group) > 1 else last


def _is_notebook(entry: ArchiveEntry) -> bool:
    return (entry.inside or entry.name).endswith(_SUFFIX) and not left_out(entry.path)


def _only_in_case(other: str) -> str:
    return f'differs from "{other}" in case or Unicode form only; rename one'


def _closed(_: int) -> bytes:
    raise EntryError("is not open")
