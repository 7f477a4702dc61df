"""Collects submissions from platforms' archives and from folders, and reports each of them.

An archive is read once. First the names in it show to which student each notebook belongs. Then the notebooks
are stored.
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
    """The result for one file of an archive. Student and exercise are empty unless both are known."""

    # The path of the archive. For a refused row of an instructor's list, the list's path and line number.
    archive: str
    path: str  # the file's path in the archive; empty if the line is about the archive or about a row
    status: str  # a value of `Placing`, or "refused"
    message: str = ""
    student: str = ""
    exercise: str = ""
    untimed: str = ""  # the platform, if it does not give the time of submission
    when: datetime | None = None  # the time of submission; None if nothing was stored
    needs_look: bool = True  # whether an instructor should read this line
    is_late: bool = False  # whether the submission came after the due date; False if nothing was stored


def collect_archives(
    course: Course,
    archives: Sequence[Path],
    rules: NamingRules,
    *,
    times: bool = True,
    zone: tzinfo | None = None,
) -> Iterator[CollectedLine]:
    """Store the notebooks of archives and folders, and yield a line on each notebook after it is stored.

    If an archive cannot be read, the others are still collected. If `times` is false, times are ignored, and
    no submission is late. A time without a zone is read in `zone`, else in the zone of the exercise's due
    date, else in UTC. At the end, rows of the instructor's list of times are refused if no student matches.
    """
    rows, refused_rows = _assign_rows(course, rules)
    rules = replace(rules, times=replace(rules.times, given=rows))
    students = {""}
    for archive in archives:
        try:
            with one_submission(course, "collecting", str(archive)):
                for line in _lines_or_refusal(_Collection(course, archive, rules, times, zone)):
                    students.add(line.student)
                    yield line
        except SubmissionError as error:
            yield CollectedLine(str(archive), "", REFUSED, error.problem)
    yield from refused_rows
    unassigned = [row for row in rows if not row.student]
    yield from _refuse_unmatched(unassigned, (students | students_in(course)) - {""} if unassigned else ())


def _lines_or_refusal(collection: "_Collection") -> Iterator[CollectedLine]:
    try:
        yield from collection.lines()
    except EXHAUSTION:
        yield CollectedLine(str(collection.archive), "", REFUSED, TOO_COSTLY)


@dataclass(frozen=True, slots=True)
class _Collection:
    course: Course
    archive: Path
    rules: NamingRules
    uses_times: bool
    zone: tzinfo | None  # the time zone for times that are given without a zone

    def lines(self) -> Iterator[CollectedLine]:
        """Yield a line on each refused file, and on each notebook that counts."""
        with ExitStack() as stack:
            try:
                # The file has no name, so the kernel deletes it even if this process is killed.
                copies = stack.enter_context(tempfile.TemporaryFile("w+b", buffering=0))
                attributions = survey(self.archive, self.rules, self.course, copies)
            except OSError as error:
                folder = f"the temporary folder {tempfile.tempdir or ''}".rstrip()
                fix = "free space there, or set TMPDIR to another folder"
                problem = f"cannot be copied to {folder}: {error.strerror}; {fix}"
                yield CollectedLine(str(self.archive), "", REFUSED, problem)
                return
            yield from (self._line(entry, REFUSED, entry.problem) for entry in attributions if entry.problem)
            # (student, exercise) of each notebook that is the student's first for the exercise.
            first_attempts = set()
            for attribution in attributions:
                # Notebooks that do not count are stored first, so that those that count are the newest
                # attempts.
                if not (attribution.problem or attribution.counts):
                    line = self._store(attribution)
                    if line.status == REFUSED:
                        yield line
                    elif line.status == Placing.NEW:
                        first_attempts.add((line.student, line.exercise))
            for attribution in attributions:
                if attribution.counts:
                    line = self._store(attribution)
                    is_first = (line.student, line.exercise) in first_attempts
                    is_new = is_first and line.status == Placing.REPLACED
                    yield replace(line, status=Placing.NEW) if is_new else line

    def _store(self, attribution: Attribution) -> CollectedLine:
        try:
            with one_submission(self.course, attribution.exercise, attribution.student):
                return self._read_and_store(attribution)
        except SubmissionError as error:
            return self._line(attribution, REFUSED, error.problem)

    def _read_and_store(self, attribution: Attribution) -> CollectedLine:
        student, exercise = attribution.student, attribution.exercise
        due = self.course.exercises[exercise].settings.due
        arrival = self._arrival(attribution, due)
        try:
            content = attribution.file.read_notebook()
            status = place(Submission(self.course.root, student, exercise), content, arrival)
        except EntryError as error:
            return self._line(attribution, REFUSED, str(error))
        if status is Placing.OLDER:
            return self._line(attribution, Placing.UNCHANGED, "a later submission is already stored")
        if status is Placing.UNCHANGED:
            return self._line(attribution, status)
        is_late = bool(arrival.when and due and arrival.when > due)
        is_contradicted = attribution.late is False and is_late
        line = self._line(attribution, status, _time_message(attribution, arrival, due))
        untimed = attribution.platform or "" if arrival.source is Source.UNKNOWN else ""
        needs_look = line.needs_look or is_contradicted
        return replace(line, untimed=untimed, when=arrival.when, needs_look=needs_look, is_late=is_late)

    def _line(self, attribution: Attribution, status: str, message: str = "") -> CollectedLine:
        student, exercise = attribution.student, attribution.exercise
        if status != REFUSED:
            message = ", ".join(filter(None, (attribution.message, message)))
        owner = (student, exercise) if student and exercise else ("", "")
        has_remark = bool(attribution.message) and not attribution.message.startswith(OF_GROUP)
        needs_look = status == REFUSED or has_remark
        path = attribution.file.path
        return CollectedLine(str(self.archive), path, status, message, *owner, needs_look=needs_look)

    def _arrival(self, attribution: Attribution, due: datetime | None) -> Arrival:
        """Return the time at which a notebook was submitted, and the source of that time.

        The time of a file in a platform's archive is not used, because it is the time of the download. The
        instructor's own list takes precedence over times from Moodle and Gradescope.
        """
        if not self.uses_times:
            return Arrival(source=Source.IGNORED)
        file = attribution.file
        if attribution.platform is None:
            arrival = Arrival(self._in_zone(file.when, due))
        else:
            number, suffix = attribution.number, PurePosixPath(file.name).suffix.lower()
            # The time of download only orders attempts. All these times of a platform have the same zone. So
            # the order is right even if a time without a zone is read as UTC.
            is_naive = file.when is not None and file.when.tzinfo is None
            downloaded = file.when.replace(tzinfo=UTC) if file.when and is_naive else file.when
            late = bool(attribution.late)
            arrival = Arrival(None, Source.UNKNOWN, attribution.upload, downloaded, number, suffix, late)
        when = self.rules.times.of(attribution.exercise, attribution.student) or attribution.when
        return replace(arrival, when=self._in_zone(when, due), source=Source.GIVEN) if when else arrival

    def _in_zone(self, when: datetime | None, due: datetime | None) -> datetime | None:
        if when is None or when.tzinfo is not None:
            return when
        return when.replace(tzinfo=self.zone or (due.tzinfo if due is not None else None) or UTC)


def _time_message(attribution: Attribution, arrival: Arrival, due: datetime | None) -> str:
    if arrival.when is not None and due is not None:
        # Python's difference of two times in the same zone ignores daylight saving time. So convert to UTC.
        seconds_late = (arrival.when.astimezone(UTC) - due.astimezone(UTC)).total_seconds()
        contradiction = ", but Canvas does not mark it as late" if attribution.late is False else ""
        if seconds_late > 0:
            return f"{seconds_late / 3600:.1f} h late{contradiction}"
    if arrival.source is Source.UNKNOWN:
        suffix = ", but marks the submission as late" if attribution.late else ""
        return f"{attribution.platform} gives no time{suffix}"
    return ""


def _assign_rows(course: Course, rules: NamingRules) -> tuple[tuple[GivenTime, ...], Sequence[CollectedLine]]:
    """Return the rows of the instructor's list of times with students' ids, and lines on refused rows."""
    rows: list[GivenTime] = []
    refused = []
    for row in rules.times.given:
        try:
            with one_submission(course, "collecting", row.line):
                rows += _assign_row(row, rules.students, rules.exercises)
        except SubmissionError as error:
            refused.append(CollectedLine(row.line, "", REFUSED, error.problem))
    return tuple(rows), refused


def _assign_row(row: GivenTime, students: Students | None, exercises: Sequence[str]) -> list[GivenTime]:
    """Return the row with the id of its student, or one row for each member of a group.

    Without a list of students, return the row unchanged.
    """
    if row.exercise and row.exercise not in exercises:
        raise EntryError(f'"{row.exercise}" is not an exercise; {suggestion(row.exercise, exercises)}')
    if students is None:
        return [row]
    matches = students.called(row.name)
    if len(matches) > 1:
        ids = ", ".join(student.id for student in matches)
        raise EntryError(f'"{row.name}" is the name of several students ({ids}); write the id or address')
    if not matches and not (matches := students.in_group(row.name)):
        raise EntryError(students.unknown(row.name))
    return [replace(row, student=student.id) for student in matches]


def _refuse_unmatched(rows: Sequence[GivenTime], students: Collection[str]) -> Iterator[CollectedLine]:
    spellings = set(map(spelling, students))
    for row in rows:
        if spelling(row.name) not in spellings:
            problem = f'nobody called "{row.name}" submitted anything'
            question = question_after(row.name, students)
            yield CollectedLine(row.line, "", REFUSED, "; ".join(filter(None, (problem, question))))


@dataclass(frozen=True, slots=True)
class Attendance:
    """The list of students, compared with the ids in submitted/ for one exercise."""

    exercise: str
    submitted: Sequence[Student]  # the students with a submission under the id in the list
    missing: Sequence[Student]
    unknown: Sequence[str]  # ids in submitted/ that belong to no student of the list
    # Students whose folder in submitted/ is called by a listed name or address instead of the id. The keys
    # are the names of the folders.
    others: Mapping[str, Student]

    @property
    def twice(self) -> Mapping[str, Student]:
        """The entries of `others` for students who submitted under more than one name or id."""
        submitters = [*self.submitted, *self.others.values()]
        return {id_: student for id_, student in self.others.items() if submitters.count(student) > 1}


def attendance(
    course: Course, students: Students, exercise: Exercise, on_failure: OnFailure = raise_failure
) -> Attendance:
    """Compare the list of students with the submissions of `exercise`.

    A student who submitted under a listed name or address instead of the id is neither missing nor unknown.
    """
    ids = [submission.student for submission in find_submissions(course, exercise)]
    listed = {student.id: student for student in students.all}
    matches = dict[str, Sequence[Student]]()
    for id_ in (id_ for id_ in ids if id_ not in listed):
        with skipping(course, exercise.name, id_, on_failure):
            matches[id_] = students.called(id_)
    others = {id_: namesakes[0] for id_, namesakes in matches.items() if len(namesakes) == 1}
    submitted = [listed[id_] for id_ in ids if id_ in listed]
    submitters = [*submitted, *others.values()]
    missing = [student for student in students.all if student not in submitters]
    unknown = [id_ for id_ in matches if id_ not in others]
    return Attendance(exercise.name, submitted, missing, unknown, others)
