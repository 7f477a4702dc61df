"""Finds out whose a file in an archive is, and for which exercise, as far as its name can be trusted.

Students choose the names inside their own archives and folders, so these never tell who the student is. A
person's name counts only where no id does: two people may share it, and some may change it.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from unicodedata import normalize

from autograder.collecting.archive import ArchiveEntry, EntryError
from autograder.collecting.metadata import GradescopeRecord, Participant, Times
from autograder.collecting.names import (
    Platform,
    PlatformName,
    common_prefix,
    logins,
    read_platform_name,
    stem,
)
from autograder.course.kept import STUDENTS
from autograder.submission.students import Student, Students, squeezed
from autograder.submission.submission import exercise_in, is_student

# 01_first-1 and 01_first (1) are 01_first, uploaded again; from the ninth time on Canvas puts a random text.
_COPY = re.compile(r"(-\d+| ?\(\d+\)|-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?")
_GRADESCOPE_FOLDER = re.compile(r"(assignment_\d+_export/)?submission_\d+/")
_NO_STUDENT = "names no student; put it into a folder named by the student's id"
_NO_METADATA = "the archive lacks Gradescope's submission_metadata.yml, or is not the whole export as it came"
_NO_ID = "is not a student's id; use letters, digits and . _ @ + -, or name the student in students.csv"
_CANVAS, _MOODLE, _GRADESCOPE = "canvas", "moodle", "gradescope"  # columns of the list of students
_UNLISTED = "is not in the list of students"
_HIDDEN = "Participant_{}"  # how the list of students names a participant of Moodle
LIST_NEEDED = (
    f"Moodle writes display names, not ids; write {STUDENTS}, beside course.yaml, with the headings "
    "id,name,email and a row for each student, such as ada,Ada Lovelace,ada@uni.edu"
)
OF_GROUP = "of group "  # how the message on a member begins
_BY_NAME = (
    'warning: only the display name "{}" says whose this is, and students can choose it; to be sure, give '
    "Moodle's grading worksheet with --times"
)


@dataclass(frozen=True, slots=True)
class Attribution:
    """Whose a file of an archive is and for which exercise."""

    student: str = ""
    exercise: str = ""  # empty where only its cells can tell
    exact: bool = True  # the file has the exercise's name, not just one that contains it
    upload: int | None = None  # Canvas's count of the files that it receives
    late: bool | None = None  # as Canvas says
    when: datetime | None = None  # goes before the time that the archive has for the file
    platform: Platform | None = None  # that made the archive
    number: str = ""  # of the person on that platform
    message: str = ""
    problem: str = ""  # why it is refused
    counts: bool = False  # among the student's notebooks for the exercise
    file: ArchiveEntry = field(default_factory=lambda: ArchiveEntry(""))

    def saying(self, message: str) -> "Attribution":
        """Return the attribution with another message before its own."""
        return replace(self, message=", ".join(filter(None, (message, self.message))))


@dataclass(frozen=True, slots=True)
class NamingRules:
    """How names are read: the course's exercises, and what the instructor has said."""

    exercises: Sequence[str]
    exercise: str = ""  # the one of all notebooks
    students: Students | None = None  # nobody else is taken
    times: Times = field(default_factory=Times)


class Owners:
    """Whose the files of one archive are, by the instructor's rules and what all its names tell together."""

    def __init__(
        self,
        rules: NamingRules,
        names: Iterable[str] = (),
        class_folder: str = "",
        gradescope: Mapping[str, GradescopeRecord] | None = None,
        numbers: Mapping[tuple[str, str], str] | None = None,
    ) -> None:
        self.class_folder = class_folder  # with its slash
        self._rules, self._students, self._times = rules, rules.students, rules.times
        self._gradescope = gradescope or {}  # by folder
        self._stored = numbers or {}  # students by the numbers with which they came before
        self._came_as: dict[tuple[str, str], set[str]] = defaultdict(set)  # these numbers, by student
        for (scope, number), student in self._stored.items():
            self._came_as[scope, student].add(number)
        # Of people in Moodle, of whom two may share a name.
        self._numbers: dict[str, set[str]] = defaultdict(set)
        self._canvas_users: dict[str, set[str]] = defaultdict(set)
        folders = set[str]()
        for name in names:
            with suppress(Exception):  # `of` fails on this name, too, and its caller reports that
                self._note(name, folders)
        self._before_login = common_prefix(folders)

    def _note(self, name: str, folders: set[str]) -> None:
        """Store the number that a platform has written into a name, or add its first folder to `folders`."""
        written = self.platform_name(name)
        if written is None:
            folders.add(name.removeprefix(self.class_folder).partition("/")[0])
        elif written.platform is Platform.CANVAS:
            self._canvas_users[squeezed(written.owner)].add(written.number)
        elif written.number:
            self._numbers[written.owner].add(written.number)

    def platform_name(self, name: str) -> PlatformName | None:
        """Return what Canvas or Moodle has written into a name."""
        return read_platform_name(name.removeprefix(self.class_folder), self._rules.exercises)

    def record(self, name: str) -> GradescopeRecord | None:
        """Return what Gradescope says about the outermost folder in which a file lies."""
        parts = name.split("/")
        return self._gradescope.get(parts[0]) or self._gradescope.get("/".join(parts[:2]))

    def of(self, file: ArchiveEntry, by_cells: str = "") -> list[Attribution]:
        """Return whose a notebook is: one attribution for each member of a group.

        If its name tells no exercise, the exercise is `by_cells`, which its cells tell. EntryError says why
        nobody can tell.
        """
        own = stem(file.inside or file.name)
        exercise = self._rules.exercise or exercise_in(own, self._rules.exercises) or by_cells
        _, named, rest = own.rpartition(exercise) if exercise else ("", "", "")
        exact = bool(named and _COPY.fullmatch(rest))
        return [
            replace(one, file=file, exercise=exercise, exact=exact) for one in self._members(file, exercise)
        ]

    def _members(self, file: ArchiveEntry, exercise: str) -> Iterable[Attribution]:
        if record := self.record(file.name):
            return self._submitters(record)
        if (written := self.platform_name(file.name)) is None:
            return self._in_folder(self._folder_name(file))
        is_canvas = written.platform is Platform.CANVAS
        members = self._canvas(written) if is_canvas else self._moodle(written, exercise)
        upload, late, platform = written.upload, written.late, written.platform
        return (replace(one, upload=upload, late=late, platform=platform) for one in members)

    def _in_folder(self, name: str) -> list[Attribution]:
        """Return whose a folder of this name is: a student's, or that of a group in the list."""
        students = self._students
        if students is None or students.called(name):
            return [Attribution(self._id(name))]
        if group := students.in_group(name):
            return [*_of_group(name, group)]
        for login in self._logins(name):
            if listed := students.called(login):
                return [Attribution(_one(login, listed))]
        return [Attribution(self._id(name))]

    def _logins(self, name: str) -> Iterator[str]:
        """Yield what may be a login in a name that ILIAS, Blackboard or GitHub Classroom made."""
        yield from logins(name)
        plain = (exercise.replace("_", "-").casefold() for exercise in self._rules.exercises)
        for before in (self._before_login.casefold(), *(f"{exercise}-" for exercise in plain)):
            if before and name.casefold().startswith(before):
                yield name[len(before) :]

    def _folder_name(self, file: ArchiveEntry) -> str:
        """Return what names the student: the first folder, or a file's name before the exercise."""
        name = file.name.removeprefix(self.class_folder)
        if _GRADESCOPE_FOLDER.match(name):
            raise EntryError(f"names no student; {_NO_METADATA}")
        student, slash, _ = name.partition("/")
        if not slash:
            own = stem(name)
            exercise = self._rules.exercise or exercise_in(own, self._rules.exercises)
            student = own.removesuffix(f"_{exercise}") if exercise else own
            if next(logins(name), ""):
                return name
            if student == own and not (file.inside or self._rules.exercise):
                raise EntryError(_NO_STUDENT)
        if not student or student in self._rules.exercises:
            raise EntryError(_NO_STUDENT)
        return student

    def _id(self, name: str, email: str = "", platform: str = "") -> str:
        """Return the id of the student who has this id, name or address."""
        if self._students is None:
            return _checked(name, name)
        found = self._students.called(name, platform) or (self._students.called(email) if email else ())
        return _one(name, found)

    def _submitters(self, record: GradescopeRecord) -> Iterator[Attribution]:
        for student, email in record.submitters:
            try:
                id_ = self._id(student, email, _GRADESCOPE)
                yield Attribution(id_, when=record.when, platform=Platform.GRADESCOPE)
            except EntryError as error:
                yield Attribution(problem=str(error))

    def _canvas(self, name: PlatformName) -> Iterator[Attribution]:
        number = "" if name.doubtful else name.number
        if self._students is not None and name.owner != name.number:
            yield from self._listed_in_canvas(name, number, self._students)
        elif name.doubtful:
            users = f"{name.number} or {name.doubtful}"
            fix = "write the right number into students.csv, in the column canvas"
            raise EntryError(f"is of Canvas's user {users}; {fix}")
        else:
            yield Attribution(self._id(name.number, platform=_CANVAS), number=number)

    def _listed_in_canvas(self, name: PlatformName, number: str, students: Students) -> Iterator[Attribution]:
        ids = filter(None, (name.number, name.doubtful))
        listed = [one for text in ids for one in students.called(text, _CANVAS)]
        if len({one.id for one in listed}) > 1:
            raise EntryError(f"is of Canvas's user {name.number} or {name.doubtful}, and both are listed")
        came = [self._stored_student("", number), self._stored_student("", name.doubtful)]
        user = next(filter(None, (*listed, *came)), None)
        group = students.in_group(name.owner)
        if group and user is None:
            fix = f'write {number or "the number"} into the column "{_CANVAS}" of the member who has it'
            raise EntryError(f'"{name.owner}" is a group, and could be the name that somebody chose; {fix}')
        if group and user is not None and user in group and not _is_called(user, name.owner):
            yield from _of_group(name.owner, group)
        elif user is not None:
            strange = user.names and not _is_called(user, name.owner)
            hint = f'"{name.owner}" in Canvas (if that is a group, list its members)' if strange else ""
            yield Attribution(user.id, number=number, message=hint)
        elif named := [one for one in students.squeezed(name.owner) if not _has_number(one)]:
            student = _one(name.owner, named)
            self._expect_number("", student, name, self._canvas_users[squeezed(name.owner)])
            yield Attribution(student, number=number)
        else:
            raise EntryError(f'"{name.number}", whom Canvas calls "{name.owner}", {_UNLISTED}')

    def _stored_student(self, scope: str, number: str) -> Student | None:
        """Return the listed student who has come with this number before."""
        id_ = self._stored.get((scope, number), "") if number else ""
        return next((one for one in self._students.all if one.id == id_), None) if self._students else None

    def _expect_number(self, scope: str, student: str, name: PlatformName, users: Collection[str]) -> None:
        """Refuse a name that more than one user of a platform has: all but one of them have chosen it."""
        before = self._came_as.get((scope, student), set())
        others = sorted(before - {name.number, name.doubtful}) if name.number not in before else []
        if others or (len(users) > 1 and name.number not in before):
            numbers = ", ".join(others or sorted(users))
            column = name.platform.casefold()
            fix = f'write the right number into the column "{column}" of the list of students'
            if name.platform is Platform.MOODLE:
                fix = "give Moodle's grading worksheet with --times"
            is_called = f'"{name.owner}" is the name of {student}, who came as {name.platform}\'s {numbers}'
            several = f'"{name.owner}" is the name of several users of {name.platform} ({numbers})'
            raise EntryError(f"{is_called if others else several}; {fix}")

    def _moodle(self, name: PlatformName, exercise: str) -> Iterator[Attribution]:
        if self._students is None:
            raise EntryError(LIST_NEEDED)
        # What is also a person's name is the person's.
        members = () if self._times.namesakes(name.owner) else self._times.group(name.owner)
        hidden = _HIDDEN.format(name.number)
        if name.number and (listed := self._students.called(hidden, _MOODLE)):
            yield Attribution(_one(hidden, listed), number=name.number)
        elif members:
            yield from (self._member(name.owner, row) for row in members)
        elif group := self._listed_group(name, self._students):
            yield from _of_group(name.owner, group)
        elif not name.number:
            problem = f'is of Moodle\'s "{name.owner}", whose members it does not name; list them as a group'
            raise EntryError(problem)
        elif row := self._row(name):
            yield Attribution(self.person(row), when=row.when, number=name.number)
        elif len(self._numbers[name.owner]) > 1:
            fix = f'give Moodle\'s grading worksheet with --times, or list {hidden} in the column "{_MOODLE}"'
            raise EntryError(f'"{name.owner}" is the name of several people; {fix}')
        elif student := self._stored.get((exercise, name.number), "") if exercise else "":
            yield Attribution(self._id(student), number=name.number)
        else:
            student = self._id(name.owner, platform=_MOODLE)
            self._expect_number(exercise, student, name, ())
            yield Attribution(student, number=name.number, message=_BY_NAME.format(name.owner))

    def _row(self, name: PlatformName) -> Participant | None:
        """Return the worksheet's row on a participant, before whose name older versions put TEAM- perhaps."""
        parts = name.owner.split("-")
        ends = ("-".join(parts[place:]).strip() for place in range(len(parts)))
        rows = (self._times.participant(name.number, end) for end in ends if end)
        return next(filter(None, rows), None)

    def _member(self, group: str, row: Participant) -> Attribution:
        try:
            return Attribution(self.person(row), when=row.when, message=f"{OF_GROUP}{group}")
        except EntryError as error:
            return Attribution(problem=str(error))

    def _listed_group(self, name: PlatformName, students: Students) -> Sequence[Student]:
        """Return the list's members of a group.

        Groups and people have numbers, and people choose their names: only the worksheet knows all of them.
        """
        if students.called(name.owner, _MOODLE) or self._times.namesakes(name.owner):
            return ()
        group = students.in_group(name.owner)
        if group and name.number and not self._times.participants:
            fix = "give Moodle's grading worksheet with --times"
            raise EntryError(f'"{name.owner}" is a group, and could be the name that somebody chose; {fix}')
        return group

    def person(self, row: Participant) -> str:
        """Return the id of whom the worksheet means: its address is of one person alone."""
        if self._students is None:
            raise EntryError(LIST_NEEDED)
        hidden, by_address = _HIDDEN.format(row.number), row.email or row.name
        called = self._students.called
        return _one(row.name, called(hidden, _MOODLE) or called(by_address) or called(row.name, _MOODLE))


def _checked(id_: str, name: str) -> str:
    """Return the id that stands for a name where there is no list of students."""
    if not is_student(id_ := normalize("NFC", id_)):  # macOS writes an accent apart from its letter
        raise EntryError(f'"{name}" {_NO_ID}')
    return id_


def _of_group(group: str, members: Sequence[Student]) -> Iterator[Attribution]:
    return (Attribution(one.id, message=f"{OF_GROUP}{group}") for one in members)


def _one(name: str, found: Sequence[Student]) -> str:
    if len(found) > 1:
        ids = ", ".join(student.id for student in found)
        raise EntryError(f'"{name}" is the name of several students ({ids}); tell them apart with --times')
    if not found:
        raise EntryError(f'"{name}" {_UNLISTED}')
    return found[0].id


def _is_called(student: Student, name: str) -> bool:
    """Whether Canvas may call this student so."""
    return student in Students((student,)).squeezed(name) or squeezed(name) == squeezed(student.id)


def _has_number(student: Student) -> bool:
    """Whether the list gives an id that may be Canvas's, so that a name alone proves nothing."""
    return _CANVAS in student.platforms or any(text.isdigit() for text in (student.id, *student.names))
