"""Collects submissions from platforms' archives and from folders, and reports each of them.

An archive is read twice: first its names, which settle who handed in what, then the chosen notebooks.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from itertools import chain
from pathlib import Path, PurePosixPath

from autograder.collecting.archive import (
    EXHAUSTION,
    TOO_COSTLY,
    ArchiveEntry,
    ArchiveError,
    EntryError,
    read_entries,
)
from autograder.collecting.attempts import Arrival, Placing, Source, place
from autograder.collecting.attribution import Attribution, NamingRules
from autograder.collecting.metadata import TimeRow, Times
from autograder.collecting.survey import REFUSED, Candidate, CollectedLine, Survey
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.names import question_after, suggestion
from autograder.submission.students import Student, Students, spelling
from autograder.submission.submission import Submission, find_submissions, students_in


def collect_archives(
    course: Course,
    archives: Sequence[Path],
    rules: NamingRules,
    *,
    times: bool = True,
    zone: tzinfo | None = None,
) -> Iterator[CollectedLine]:
    """Put the notebooks of archives and folders into submitted/, and yield a line on each once it is done.

    An archive that cannot be read stops no other. Without `times` no submission has a time, so none is late.
    Times without a zone are read in `zone`, or else in that of the exercise's due date.
    Rows of the instructor's times that match no student are refused at the end.
    """
    given, unusable = _assigned_times(rules.times, rules.students, rules.exercises)
    rules = replace(rules, times=given)
    clock = _Clock(rules, believed=times, zone=zone)
    came = set()
    for archive in archives:
        try:
            for line in _Collection(course, archive, rules, clock).lines():
                came.add(line.student)
                yield line
        except EXHAUSTION:
            yield CollectedLine(str(archive), "", REFUSED, TOO_COSTLY)
    yield from unusable
    yield from _unmatched(given, lambda: (came | students_in(course)) - {""})


@dataclass(frozen=True, slots=True)
class _Collection:
    """One archive on its way into submitted/: it is surveyed, then read again and its notebooks placed."""

    course: Course
    archive: Path
    rules: NamingRules
    times: "_Clock"

    def lines(self) -> Iterator[CollectedLine]:
        """Yield a line on each thing in the archive."""
        survey = Survey(self.archive, self.rules, self.course)
        yield from survey.refused
        new = set()
        for line in self._placed(survey.kept):  # first, so that what counts comes last
            if line.status == REFUSED:
                yield line
            elif line.status == Placing.NEW:
                new.add((line.student, line.exercise))
        for line in self._placed(survey.chosen):
            is_new = (line.student, line.exercise) in new and line.status == Placing.REPLACED
            yield replace(line, status=Placing.NEW) if is_new else line

    def _placed(self, candidates: Sequence[Candidate]) -> Iterator[CollectedLine]:
        """Read the archive once, and yield a line on each of these notebooks in it."""
        waiting: dict[int, list[Candidate]] = defaultdict(list)
        for candidate in candidates:
            waiting[candidate.number].append(candidate)
        try:
            for number, entry in enumerate(read_entries(self.archive) if waiting else ()):
                if any(candidate.path != entry.path for candidate in waiting.get(number, ())):
                    raise ArchiveError("was changed meanwhile; collect it again")
                yield from self._place_all(entry, waiting.pop(number, ()))
                if not waiting:
                    return
        except ArchiveError as error:
            for candidate in chain.from_iterable(waiting.values()):
                yield self._line(candidate, REFUSED, f"the archive {error}")

    def _place_all(self, entry: ArchiveEntry, group: Sequence[Candidate]) -> Iterator[CollectedLine]:
        """Place a notebook for everybody who handed it in."""
        problem, content = "", b""
        try:
            content = entry.read_notebook() if group else b""
        except EntryError as error:
            problem = str(error)
        except EXHAUSTION:
            problem = TOO_COSTLY
        for candidate in group:
            if problem:
                yield self._line(candidate, REFUSED, problem)
            else:
                yield self._place(candidate, content, PurePosixPath(entry.name).suffix.lower())

    def _place(self, candidate: Candidate, content: bytes, form: str) -> CollectedLine:
        """Place a notebook for one student; `form` is the suffix of the file that the platform has."""
        found = candidate.attribution
        due = self.course.due(found.exercise)
        arrival = self.times.arrival(found, candidate.when, due)
        if found.platform is not None:
            arrival = replace(arrival, number=found.number, form=form)
        try:
            status = place(Submission(self.course.root, found.student, found.exercise), content, arrival)
        except EntryError as error:
            return self._line(candidate, REFUSED, str(error))
        if status is Placing.OLDER:
            return self._line(candidate, Placing.UNCHANGED, "a later submission is there")
        if status is Placing.UNCHANGED:
            return self._line(candidate, status)
        line = self._line(candidate, status, self.times.message(found, arrival, due))
        return replace(line, untimed=found.platform or "" if arrival.source is Source.UNKNOWN else "")

    def _line(self, candidate: Candidate, status: str, message: str = "") -> CollectedLine:
        if status != REFUSED:
            message = ", ".join(filter(None, (candidate.message, message)))
        found = candidate.attribution
        return CollectedLine(
            str(self.archive), candidate.path, status, message, found.student, found.exercise
        )


@dataclass(frozen=True, slots=True)
class _Clock:
    """Whose times are believed, and in which zone those are read that name none."""

    rules: NamingRules
    believed: bool = True
    zone: tzinfo | None = None

    def arrival(self, found: Attribution, entry: datetime | None, due: datetime | None) -> Arrival:
        """Return when a notebook came; the entry's time in an archive of a platform is the download's."""
        if not self.believed:
            return Arrival(source=Source.IGNORED)
        given, downloaded = self._given(found), self._downloaded(found, entry)
        if given is not None:
            return Arrival(self._in_zone(given, due), Source.GIVEN, found.upload, downloaded)
        if found.platform:
            return Arrival(None, Source.UNKNOWN, found.upload, downloaded, late=bool(found.late))
        return Arrival(self._in_zone(entry, due) if entry is not None else None)

    def message(self, found: Attribution, arrival: Arrival, due: datetime | None) -> str:
        """Return what there is to say about a notebook's time."""
        if arrival.when is not None and due is not None:
            # In UTC, for Python takes two times of one zone apart as its clocks show them, changed or not.
            late = (arrival.when.astimezone(UTC) - due.astimezone(UTC)).total_seconds()
            excused = ", though in time as Canvas says" if found.late is False else ""
            if late > 0:
                return f"{late / 3600:.1f} h late{excused}"
        if arrival.source is Source.UNKNOWN:
            return f"{found.platform} gives no time" + (", only that it is late" if found.late else "")
        return ""

    def _given(self, found: Attribution) -> datetime | None:
        """Return the time from the instructor's list, else that of the worksheet, Gradescope or pattern."""
        row = self.rules.times.student(found.exercise, found.student)
        return row.when if row is not None and row.when is not None else found.when

    def _in_zone(self, when: datetime, due: datetime | None) -> datetime:
        if when.tzinfo is not None:
            return when
        return when.replace(tzinfo=self.zone or (due.tzinfo if due is not None else None) or UTC)

    def _downloaded(self, found: Attribution, entry: datetime | None) -> datetime | None:
        """Return when a platform made the archive; its own zone is always the same, so that any will do."""
        if found.platform is None or entry is None:
            return None
        return entry if entry.tzinfo else entry.replace(tzinfo=UTC)


def _assigned_times(
    times: Times, students: Students | None, exercises: Sequence[str]
) -> tuple[Times, Sequence[CollectedLine]]:
    """Return the times with the students' own ids in them, and a line on each row that cannot be used."""
    rows, refused = [], []
    for row in times.rows:
        try:
            rows += [row] if row.number or row.when is None else _assigned(row, students, exercises)
        except EntryError as error:
            refused.append(CollectedLine(row.line, "", REFUSED, str(error)))
    return Times(tuple(rows), exact=students is not None), refused


def _unmatched(times: Times, whoever_came: Callable[[], Collection[str]]) -> Iterator[CollectedLine]:
    """Yield a line on each row that is of none of those who came, where no list says who there is."""
    rows = [] if times.exact else [row for row in times.rows if not row.number and row.when is not None]
    came = whoever_came() if rows else ()
    known = set(map(spelling, came))
    for row in rows:
        (name,) = row.names
        if spelling(name) not in known:
            problem = _with(f'nobody called "{name}" submitted anything', question_after(name, came))
            yield CollectedLine(row.line, "", REFUSED, problem)


def _assigned(row: TimeRow, students: Students | None, exercises: Sequence[str]) -> list[TimeRow]:
    """Return the row with the id of whom it means, or one for each member of a group."""
    if row.exercise and row.exercise not in exercises:
        raise EntryError(f'"{row.exercise}" is not an exercise; {suggestion(row.exercise, exercises)}')
    if students is None:
        return [row]
    (name,) = row.names
    found = students.called(name)
    if len(found) > 1:
        ids = ", ".join(student.id for student in found)
        raise EntryError(f'"{name}" is the name of several students ({ids}); write the id or address')
    if not found and not (found := students.in_group(name)):
        close = students.closest(name)
        meant = " ".join((close.id, *(f"({text})" for text in close.names[:1]))) if close else ""
        raise EntryError(
            _with(f'"{name}" is not in the list of students', meant and f"did you mean {meant}?")
        )
    return [replace(row, names=(student.id,)) for student in found]


def _with(problem: str, question: str) -> str:
    return "; ".join(filter(None, (problem, question)))


@dataclass(frozen=True, slots=True)
class Attendance:
    """Who handed in one exercise, by the ids in submitted/."""

    exercise: str
    came: Sequence[Student]
    missing: Sequence[Student]
    unknown: Sequence[str]  # ids that are not in the list
    others: Mapping[str, Student]  # ids that stand for a student of the list, whose own id is another one

    @property
    def twice(self) -> Mapping[str, Student]:
        """The ids under which somebody came who also came under the id in the list, or under two others."""
        known = [*self.others.values()]
        return {
            id_: student
            for id_, student in self.others.items()
            if student in self.came or known.count(student) > 1
        }


def attendance(course: Course, students: Students, exercise: Exercise) -> Attendance:
    """Return who handed in `exercise`; a student under another id is neither missing nor unknown."""
    found = [submission.student for submission in find_submissions(course, exercise)]
    own = {student.id: student for student in students.all}
    others: dict[str, Student] = {}
    unknown = []
    for id_ in found:
        if id_ in own:
            continue
        known = students.called(id_)
        if len(known) == 1:
            others[id_] = known[0]
        else:
            unknown.append(id_)
    came = [own[id_] for id_ in found if id_ in own]
    missing = [one for one in students.all if one not in came and one not in others.values()]
    return Attendance(exercise.name, came, missing, unknown, others)
