"""Finds out whose a file in an archive is, and for which exercise, as far as its name can be trusted.

Students choose the names inside their own archives and folders, so these never tell who the student is. A
person's name counts only where no id does: two people may share it, and some may change it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import PurePosixPath
from unicodedata import normalize

from autograder.collecting.archive import ArchiveEntry, EntryError
from autograder.collecting.metadata import GradescopeRecord, TimeRow, Times
from autograder.collecting.names import (
    MoodleNames,
    Platform,
    PlatformName,
    is_gradescope,
    match_pattern,
    moodle_names,
    notebook_stem,
    read_platform_name,
    stem,
)
from autograder.submission.students import Student, Students, squeezed
from autograder.submission.submission import is_student

# 01_first-1 and 01_first (1) are 01_first, uploaded again; from the ninth time on Canvas puts a random text.
_COPY = re.compile(r"(-\d+| ?\(\d+\)|-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?")
_NO_STUDENT = "names no student; put it into a folder named by the student's id"
_NO_ID = "is not a student's id; use letters, digits and . _ @ + -, or give the id in a list with --students"
_CANVAS, _MOODLE, _GRADESCOPE = "canvas", "moodle", "gradescope"  # columns of the list of students
_UNLISTED = "is not in the list of students"


@dataclass(frozen=True, slots=True)
class Attribution:
    """Whose notebook it is and for which exercise, by its name."""

    student: str
    exercise: str = ""  # empty where only its cells can tell
    exact: bool = True  # the file has the exercise's name, not just one that contains it
    upload: int | None = None  # Canvas's count of the files that it receives
    late: bool | None = None  # as Canvas says
    when: datetime | None = None  # goes before the time that the archive has for the file
    platform: Platform | None = None  # that made the archive
    number: str = ""  # of the person on that platform
    message: str = ""
    problem: str = ""  # why it cannot be attributed


@dataclass(frozen=True, slots=True)
class ArchiveContext:
    """What holds for all names of one archive."""

    class_folder: str = ""  # with its slash
    gradescope: Mapping[str, GradescopeRecord] = field(default_factory=dict)  # by folder
    moodle: MoodleNames = field(default_factory=MoodleNames)

    def record(self, name: str) -> GradescopeRecord | None:
        """Return what Gradescope says about the outermost folder in which a file lies."""
        parts = name.split("/")
        return self.gradescope.get(parts[0]) or self.gradescope.get("/".join(parts[:2]))


@dataclass(frozen=True, slots=True)
class NamingRules:
    """How names are read: the course's exercises, and what the instructor has said."""

    exercises: Sequence[str]
    exercise: str = ""  # the one of all notebooks
    pattern: re.Pattern[str] | None = None
    students: Students | None = None  # nobody else is taken
    times: Times = field(default_factory=Times)

    def context(
        self, names: Sequence[str], class_folder: str, gradescope: Mapping[str, GradescopeRecord]
    ) -> ArchiveContext:
        """Return what holds for all of an archive's names together."""
        found = (self.platform_name(name.removeprefix(class_folder)) for name in names)
        return ArchiveContext(class_folder, gradescope, moodle_names(filter(None, found)))

    def platform_name(self, name: str) -> PlatformName | None:
        """Return what Canvas or Moodle has written into a name."""
        return read_platform_name(name, self.exercises)

    def attributions(self, entry: ArchiveEntry, context: ArchiveContext) -> Iterator[Attribution]:
        """Yield what the name of a notebook says: one attribution for each member of a group."""
        file = _stem(entry.inside or entry.name)
        name = entry.name.removeprefix(context.class_folder)
        people = Identification(self.students, self.times, context.moodle)
        written = self.platform_name(name)
        members: Iterable[Attribution]
        if self.pattern is not None:
            found = match_pattern(self.pattern, entry.path)
            if found is None:
                raise EntryError("does not match the pattern")
            student, exercise, when = found
            file = exercise or file
            matched = Attribution(self._student(people, student), when=when)
            members = [_of_platform(matched, written) if written else matched]
        elif record := context.record(entry.name):
            members = people.submitters(record)
        elif written:
            members = people.members(written)
        else:
            members = [Attribution(self._student(people, self._by_folder(name, bool(entry.inside))))]
        for member in members:
            yield self._with_exercise(member, file)

    def _with_exercise(self, found: Attribution, file: str) -> Attribution:
        exercise = self.exercise or self._exercise_in(file)
        if not exercise:
            return replace(found, exact=False)
        _, named, rest = file.rpartition(exercise)
        return replace(found, exercise=exercise, exact=bool(named and _COPY.fullmatch(rest)))

    def _exercise_in(self, text: str) -> str:
        """Return the longest name of an exercise that stands in `text` as a word of its own."""
        words = ((name, rf"(?<![^\W_]){re.escape(name)}(?![^\W_])") for name in self.exercises)
        return max((name for name, word in words if re.search(word, text)), key=len, default="")

    def _student(self, people: "Identification", name: str) -> str:
        """Return the id of the student whom the archive calls `name`."""
        if not name or name in self.exercises:
            raise EntryError(_NO_STUDENT)
        return people.student(name)

    def _by_folder(self, name: str, packed: bool) -> str:
        """Return the student: the first folder, or the part of a file's name before the exercise."""
        if is_gradescope(name):
            reason = "lacks Gradescope's submission_metadata.yml, or is not the whole export as it came"
            raise EntryError(f"names no student; the archive {reason}")
        top, slash, _ = name.partition("/")
        if slash:
            return top
        own = stem(name) if packed else _stem(name)
        exercise = self.exercise or self._exercise_in(own)
        student = own.removesuffix(f"_{exercise}") if exercise else own
        if student == own and not (packed or self.exercise):
            raise EntryError(_NO_STUDENT)
        return student


@dataclass(frozen=True, slots=True)
class Identification:
    """What is known of people: the list of students, the worksheet, and the names in the whole archive."""

    students: Students | None = None
    times: Times = field(default_factory=Times)
    moodle: MoodleNames = field(default_factory=MoodleNames)

    def student(self, name: str, email: str = "", platform: str = "") -> str:
        """Return the id of the student who has this id, name or address."""
        if self.students is None:
            if not is_student(id_ := normalize("NFC", name)):  # macOS writes an accent apart from its letter
                raise EntryError(f'"{name}" {_NO_ID}')
            return id_
        found = self.students.called(name, platform) or (self.students.called(email) if email else ())
        return _one(name, found)

    def submitters(self, record: GradescopeRecord) -> Iterator[Attribution]:
        """Yield whose submission it is on Gradescope."""
        for student in record.students:
            try:
                id_ = self.student(student, record.emails.get(student, ""), _GRADESCOPE)
                yield Attribution(id_, when=record.when, platform=Platform.GRADESCOPE)
            except EntryError as error:
                yield Attribution("", problem=str(error))

    def members(self, name: PlatformName) -> Iterator[Attribution]:
        """Yield whose notebook it is on Canvas or Moodle; EntryError says why nobody can tell."""
        found = self._canvas(name) if name.platform is Platform.CANVAS else self._moodle(name)
        return (_of_platform(member, name) for member in found)

    def _canvas(self, name: PlatformName) -> Iterator[Attribution]:
        if not name.number:
            yield _single(name, self.student(name.owner, platform=_CANVAS))
        elif self.students is not None:
            yield from self._listed_in_canvas(name, self.students)
        elif name.doubtful:
            users = f"{name.number} or {name.doubtful}"
            raise EntryError(f"is of Canvas's user {users}; list the right one with --students")
        else:
            yield _single(name, self.student(name.number))

    def _listed_in_canvas(self, name: PlatformName, students: Students) -> Iterator[Attribution]:
        found = _by_canvas_id(students, name)
        group = students.in_group(name.owner)
        named = [one for one in students.squeezed(name.owner) if not _has_number(one)]
        if group and (found is None or (found in group and not _is_called(found, name.owner))):
            yield from _of_group(name.owner, group)
        elif found is not None:
            strange = found.names and not _is_called(found, name.owner)
            hint = f'"{name.owner}" in Canvas (if that is a group, list its members)' if strange else ""
            yield _single(name, found.id, hint)
        elif named:
            yield _single(name, _one(name.owner, named))
        else:
            raise EntryError(f'"{name.number}", whom Canvas calls "{name.owner}", {_UNLISTED}')

    def _moodle(self, name: PlatformName) -> Iterator[Attribution]:
        if name.owner == self.moodle.blind:
            row = self.times.participant(name.number)
            yield _single(name, self._blind(name, row), row=row)
        elif rows := self._rows(name):
            yield from (self._of_worksheet_group(name.owner, one) for one in rows)
        elif group := self._listed_group(name):
            yield from _of_group(name.owner, group)
        elif not name.number:
            raise EntryError(
                f'is of Moodle\'s "{name.owner}", whose members it does not name; list them as a group'
            )
        else:
            row = self._row(name)
            yield _single(name, self.person(row) if row else self._named(name), row=row)

    def _row(self, name: PlatformName) -> TimeRow | None:
        """Return the worksheet's row on a participant, before whose name older versions put TEAM- perhaps."""
        parts = name.owner.split("-")
        ends = ("-".join(parts[place:]).strip() for place in range(len(parts)))
        rows = (self.times.participant(name.number, end) for end in ends if end)
        return next(filter(None, rows), None)

    def _rows(self, name: PlatformName) -> Sequence[TimeRow]:
        """Return the worksheet's rows on a group; what is also a person's name is the person's."""
        return () if self.times.namesakes(name.owner) else self.times.group(name.owner)

    def _of_worksheet_group(self, group: str, row: TimeRow) -> Attribution:
        try:
            return Attribution(self.person(row), when=row.when, message=f"of group {group}")
        except EntryError as error:
            return Attribution("", problem=str(error))

    def _listed_group(self, name: PlatformName) -> Sequence[Student]:
        """Return the list's members of a group; what is also a person's name is the person's.

        Groups and people have numbers, and people choose their names: only the worksheet knows all of them.
        """
        if (
            self.students is None
            or self.students.called(name.owner, _MOODLE)
            or self.times.namesakes(name.owner)
        ):
            return ()
        group = self.students.in_group(name.owner)
        if group and name.number and not self.times.has_participants:
            fix = "give Moodle's grading worksheet with --times"
            raise EntryError(f'"{name.owner}" is a group, and could be the name that somebody chose; {fix}')
        return group

    def _blind(self, name: PlatformName, row: TimeRow | None) -> str:
        """Return the id under which Moodle hides a student, unless the list or the worksheet lifts it."""
        hidden = f"Participant_{name.number}"
        if self.students is None:
            return self.student(hidden)
        found = self.students.called(hidden, _MOODLE) or (self.students.called(row.email) if row else ())
        if not found:
            raise EntryError(f'"{hidden}" {_UNLISTED}; reveal the names in Moodle, or list this id')
        return _one(hidden, found)

    def person(self, row: TimeRow) -> str:
        """Return the id of whom the worksheet means: its address is of one person alone."""
        (name,) = row.names
        if self.students is not None:
            return _one(name, self.students.called(row.email or name) or self.students.called(name, _MOODLE))
        id_ = row.email if self.times.namesakes(name) > 1 else normalize("NFC", _joined(name))
        if not is_student(id_):
            raise EntryError(f'"{name}" {_NO_ID}')
        return id_

    def _named(self, name: PlatformName) -> str:
        """Return the id of the only one who has this name."""
        if len(self.moodle.numbers.get(name.owner, ())) > 1:
            raise EntryError(
                f'"{name.owner}" is the name of several people; give Moodle\'s grading worksheet with --times'
            )
        return self.student(name.owner if self.students else _joined(name.owner), platform=_MOODLE)


def _single(name: PlatformName, student: str, message: str = "", row: TimeRow | None = None) -> Attribution:
    """Return the attribution to one student, whose number on the platform the name has unless in doubt."""
    number = "" if name.doubtful else name.own_number
    return Attribution(student, when=row.when if row else None, number=number, message=message)


def _of_group(group: str, members: Sequence[Student]) -> Iterator[Attribution]:
    return (Attribution(one.id, message=f"of group {group}") for one in members)


def _of_platform(found: Attribution, name: PlatformName) -> Attribution:
    """Return the attribution with what the platform itself says about the file."""
    return replace(found, upload=name.upload, late=name.late, platform=name.platform)


def _stem(name: str) -> str:
    """Return the name of a file without its ending, or without both of a notebook that a browser saved."""
    return notebook_stem(name) or PurePosixPath(name).stem


def _one(name: str, found: Sequence[Student]) -> str:
    if len(found) > 1:
        ids = ", ".join(student.id for student in found)
        raise EntryError(
            f'"{name}" is the name of several students ({ids}); tell them apart with --times or --pattern'
        )
    if not found:
        raise EntryError(f'"{name}" {_UNLISTED}')
    return found[0].id


def _by_canvas_id(students: Students, name: PlatformName) -> Student | None:
    """Return the student with this user id; of two possible ones only one may be listed."""
    found = [one for text in (name.number, name.doubtful) if text for one in students.called(text, _CANVAS)]
    if len({student.id for student in found}) > 1:
        raise EntryError(f"is of Canvas's user {name.number} or {name.doubtful}, and both are listed")
    return found[0] if found else None


def _is_called(student: Student, name: str) -> bool:
    """Whether Canvas may call this student so."""
    return student in Students((student,)).squeezed(name) or squeezed(name) == squeezed(student.id)


def _has_number(student: Student) -> bool:
    """Whether the list gives an id that may be Canvas's, so that a name alone proves nothing."""
    return _CANVAS in student.platforms or any(text.isdigit() for text in (student.id, *student.names))


def _joined(name: str) -> str:
    """Return the id that stands for a name where nothing else does."""
    return name.replace(" ", ".")
