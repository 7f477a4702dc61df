"""Collects submissions from platforms' archives and from folders, and reports each of them.

An archive is read once: its names settle who handed in what, and then the chosen notebooks are placed.
"""

import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path, PurePosixPath

from autograder.collecting.archive import EXHAUSTION, TOO_COSTLY, EntryError
from autograder.collecting.attempts import Arrival, Placing, Source, place
from autograder.collecting.attribution import OF_GROUP, Attribution, NamingRules
from autograder.collecting.metadata import GivenTime
from autograder.collecting.survey import survey
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import OnFailure, SubmissionError, one_submission, raise_failure, skipping
from autograder.course.names import question_after, suggestion
from autograder.submission.students import Student, Students, spelling
from autograder.submission.submission import Submission, find_submissions, students_in

REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class CollectedLine:
    """What became of one thing in an archive; student and exercise are empty where nothing tells them."""

    archive: str
    path: str  # in the archive; empty where the archive itself is meant
    status: str  # a Placing, or "refused"
    message: str = ""
    student: str = ""
    exercise: str = ""
    untimed: str = ""  # the platform that gives no time
    when: datetime | None = None  # the time of submission, of a notebook that was stored
    needs_look: bool = True  # whether an instructor should read this line


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
    given, unusable = _assigned(course, rules)
    rules = replace(rules, times=replace(rules.times, given=given))
    came = {""}
    for archive in archives:
        try:
            with one_submission(course, "collecting", str(archive)):
                for line in _collected(_Collection(course, archive, rules, times, zone)):
                    came.add(line.student)
                    yield line
        except SubmissionError as error:
            yield CollectedLine(str(archive), "", REFUSED, error.problem)
    yield from unusable
    unassigned = [row for row in given if not row.student]
    yield from _unmatched(unassigned, (came | students_in(course)) - {""} if unassigned else ())


def _collected(collection: "_Collection") -> Iterator[CollectedLine]:
    try:
        yield from collection.lines()
    except EXHAUSTION:
        yield CollectedLine(str(collection.archive), "", REFUSED, TOO_COSTLY)


@dataclass(frozen=True, slots=True)
class _Collection:
    """One archive on its way into submitted/: it is surveyed, then its notebooks are placed."""

    course: Course
    archive: Path
    rules: NamingRules
    believed: bool  # whether times are
    zone: tzinfo | None  # of times that name none

    def lines(self) -> Iterator[CollectedLine]:
        """Yield a line on each thing in the archive."""
        with ExitStack() as stack:
            try:
                # It has no name, so nothing of it is left however this process ends.
                copies = stack.enter_context(tempfile.TemporaryFile("w+b", buffering=0))
                found = survey(self.archive, self.rules, self.course, copies)
            except OSError as error:
                where = f"the temporary folder {tempfile.tempdir or ''}".rstrip()
                problem = (
                    f"cannot be copied to {where}: {error.strerror}; make room, or set TMPDIR to another"
                )
                yield CollectedLine(str(self.archive), "", REFUSED, problem)
                return
            yield from (self._line(one, REFUSED, one.problem) for one in found if one.problem)
            new = set()
            for one in found:
                if not (one.problem or one.counts):  # first, so that what counts comes last
                    line = self._place(one)
                    if line.status == REFUSED:
                        yield line
                    elif line.status == Placing.NEW:
                        new.add((line.student, line.exercise))
            for one in (one for one in found if one.counts):
                line = self._place(one)
                is_new = (line.student, line.exercise) in new and line.status == Placing.REPLACED
                yield replace(line, status=Placing.NEW) if is_new else line

    def _place(self, found: Attribution) -> CollectedLine:
        try:
            with one_submission(self.course, found.exercise, found.student):
                return self._placed(found)
        except SubmissionError as error:
            return self._line(found, REFUSED, error.problem)

    def _placed(self, found: Attribution) -> CollectedLine:
        due = self.course.exercises[found.exercise].settings.due
        arrival = self._arrival(found, due)
        try:
            content = found.file.read_notebook()
            status = place(Submission(self.course.root, found.student, found.exercise), content, arrival)
        except EntryError as error:
            return self._line(found, REFUSED, str(error))
        if status is Placing.OLDER:
            return self._line(found, Placing.UNCHANGED, "a later submission is there")
        if status is Placing.UNCHANGED:
            return self._line(found, status)
        is_contradicted = found.late is False and bool(arrival.when and due and arrival.when > due)
        line = self._line(found, status, _about_time(found, arrival, due))
        untimed = found.platform or "" if arrival.source is Source.UNKNOWN else ""
        needs_look = line.needs_look or is_contradicted
        return replace(line, untimed=untimed, when=arrival.when, needs_look=needs_look)

    def _line(self, found: Attribution, status: str, message: str = "") -> CollectedLine:
        if status != REFUSED:
            message = ", ".join(filter(None, (found.message, message)))
        whose = (found.student, found.exercise) if found.student and found.exercise else ("", "")
        is_noted = bool(found.message) and not found.message.startswith(OF_GROUP)
        needs_look = status == REFUSED or is_noted
        return CollectedLine(
            str(self.archive), found.file.path, status, message, *whose, needs_look=needs_look
        )

    def _arrival(self, found: Attribution, due: datetime | None) -> Arrival:
        """Return when a notebook came; the file's time in an archive of a platform is the download's.

        The time in the instructor's list goes before that of the worksheet or of Gradescope.
        """
        if not self.believed:
            return Arrival(source=Source.IGNORED)
        if found.platform is None:
            known = Arrival(self._in_zone(found.file.when, due))
        else:
            when, suffix = found.file.when, PurePosixPath(found.file.name).suffix.lower()
            # The zone of one platform is always the same, so any will do.
            downloaded = when.replace(tzinfo=UTC) if when and not when.tzinfo else when
            late = bool(found.late)
            known = Arrival(None, Source.UNKNOWN, found.upload, downloaded, found.number, suffix, late)
        given = self.rules.times.of(found.exercise, found.student) or found.when
        return replace(known, when=self._in_zone(given, due), source=Source.GIVEN) if given else known

    def _in_zone(self, when: datetime | None, due: datetime | None) -> datetime | None:
        if when is None or when.tzinfo is not None:
            return when
        return when.replace(tzinfo=self.zone or (due.tzinfo if due is not None else None) or UTC)


def _about_time(found: Attribution, arrival: Arrival, due: datetime | None) -> str:
    if arrival.when is not None and due is not None:
        # In UTC, for Python takes two times of one zone apart as its clocks show them, changed or not.
        late = (arrival.when.astimezone(UTC) - due.astimezone(UTC)).total_seconds()
        excused = ", though in time as Canvas says" if found.late is False else ""
        if late > 0:
            return f"{late / 3600:.1f} h late{excused}"
    if arrival.source is Source.UNKNOWN:
        return f"{found.platform} gives no time" + (", only that it is late" if found.late else "")
    return ""


def _assigned(course: Course, rules: NamingRules) -> tuple[tuple[GivenTime, ...], Sequence[CollectedLine]]:
    """Return the instructor's times with the students' own ids in them, and a line on each unusable row."""
    rows: list[GivenTime] = []
    refused = []
    for row in rules.times.given:
        try:
            with one_submission(course, "collecting", row.line):
                rows += _assigned_row(row, rules.students, rules.exercises)
        except SubmissionError as error:
            refused.append(CollectedLine(row.line, "", REFUSED, error.problem))
    return tuple(rows), refused


def _assigned_row(row: GivenTime, students: Students | None, exercises: Sequence[str]) -> list[GivenTime]:
    """Return the row with the id of whom it means, or one for each member of a group."""
    if row.exercise and row.exercise not in exercises:
        raise EntryError(f'"{row.exercise}" is not an exercise; {suggestion(row.exercise, exercises)}')
    if students is None:
        return [row]
    found = students.called(row.name)
    if len(found) > 1:
        ids = ", ".join(student.id for student in found)
        raise EntryError(f'"{row.name}" is the name of several students ({ids}); write the id or address')
    if not found and not (found := students.in_group(row.name)):
        raise EntryError(students.unknown(row.name))
    return [replace(row, student=student.id) for student in found]


def _unmatched(rows: Sequence[GivenTime], came: Collection[str]) -> Iterator[CollectedLine]:
    """Yield a line on each row that is of none of those who came, where no list says who there is."""
    known = set(map(spelling, came))
    for row in rows:
        if spelling(row.name) not in known:
            problem = f'nobody called "{row.name}" submitted anything'
            question = question_after(row.name, came)
            yield CollectedLine(row.line, "", REFUSED, "; ".join(filter(None, (problem, question))))


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
        known = [*self.came, *self.others.values()]
        return {id_: student for id_, student in self.others.items() if known.count(student) > 1}


def attendance(
    course: Course, students: Students, exercise: Exercise, on_failure: OnFailure = raise_failure
) -> Attendance:
    """Return who handed in `exercise`; a student under another id is neither missing nor unknown."""
    found = [submission.student for submission in find_submissions(course, exercise)]
    own = {student.id: student for student in students.all}
    called = dict[str, Sequence[Student]]()
    for id_ in (id_ for id_ in found if id_ not in own):
        with skipping(course, exercise.name, id_, on_failure):
            called[id_] = students.called(id_)
    others = {id_: known[0] for id_, known in called.items() if len(known) == 1}
    came = [own[id_] for id_ in found if id_ in own]
    missing = [one for one in students.all if one not in came and one not in others.values()]
    return Attendance(exercise.name, came, missing, [id_ for id_ in called if id_ not in others], others)
