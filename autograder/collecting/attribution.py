"""Determines the student and the exercise of a file, from the parts of its name that can be trusted.

Students choose the names inside their own archives and folders, so these names never decide who the student
is. A person's name is used only if there is no id, because two people can have the same name, and on some
platforms users can change it.
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

# The ends of the names of repeated uploads, such as 01_first-1 and 01_first (1). From the ninth upload on,
# Canvas appends a UUID.
_COPY = re.compile(r"(-\d+| ?\(\d+\)|-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?")
_GRADESCOPE_FOLDER = re.compile(r"(assignment_\d+_export/)?submission_\d+/")
_ALSO_GROUP = "a group's name, which a student could have taken as a display name"
_OWN_FOLDER = "put the file into a folder with the student's id as its name"
_NO_STUDENT = f"does not name a student; {_OWN_FOLDER}"
_NO_METADATA = "collect Gradescope's export unchanged, with its submission_metadata.yml"
_NO_ID = "is not a student's id; use letters, digits and . _ @ + -, or name the student in students.csv"
_CANVAS, _MOODLE, _GRADESCOPE = "canvas", "moodle", "gradescope"  # columns of the list of students
_UNLISTED = "is not in the list of students"
# Advice if several students have the same name. The key is the platform that gives the name, or "" for the
# name of a folder or file.
_FIXES = {
    "": "name the folder or file after the student's id",
    _CANVAS: f"write the number that Canvas gives this student into {STUDENTS}, in the column {_CANVAS}",
    _MOODLE: "pass Moodle's grading worksheet with --times",
    _GRADESCOPE: f"write the student's name on Gradescope into {STUDENTS}, in the column {_GRADESCOPE}",
}
_HIDDEN = "Participant_{}"  # the name that Moodle shows instead of a hidden name; {} is the person's number
LIST_NEEDED = (
    f"Moodle writes display names instead of ids; write {STUDENTS}, next to course.yaml, with the headings "
    '"id,name,email" and a row for each student, such as "ada,Ada Lovelace,ada@uni.edu"'
)
OF_GROUP = "of group "  # the beginning of the message about a submission of a group
_BY_NAME = (
    'warning: only the display name "{}" identifies the student, and students can choose it; to be sure, '
    "pass Moodle's grading worksheet with --times"
)


@dataclass(frozen=True, slots=True)
class Attribution:
    """The student and the exercise of a file in an archive, or the reason why it is refused."""

    student: str = ""
    exercise: str = ""  # empty while the exercise is unknown
    # Whether the file's name ends with the exercise's name, apart from a mark such as "-1".
    exact: bool = True
    upload: int | None = None  # the number that Canvas gave to the file
    late: bool | None = None  # whether Canvas marks the file as late; None for other platforms
    when: datetime | None = None  # the time of submission; it takes precedence over the time of the file
    platform: Platform | None = None  # the platform that made the archive
    number: str = ""  # the number of the person on that platform
    message: str = ""
    problem: str = ""  # the reason why the file is refused
    counts: bool = False  # whether this is the last of the student's notebooks for the exercise
    file: ArchiveEntry = field(default_factory=lambda: ArchiveEntry(""))

    def with_message(self, message: str) -> "Attribution":
        """Return the attribution with `message` before the message that it has already."""
        return replace(self, message=", ".join(filter(None, (message, self.message))))


@dataclass(frozen=True, slots=True)
class NamingRules:
    """The lists that are used to find the owner of a file by the file's name."""

    exercises: Sequence[str]  # the exercises of the course
    exercise: str = ""  # the exercise of all notebooks, if the instructor names it
    students: Students | None = None  # the list of students, if there is one; nobody else is accepted
    times: Times = field(default_factory=Times)  # with the participants in Moodle's worksheets


class Owners:
    """Determines the owners of one archive's files, from the names of all files and the naming rules."""

    def __init__(
        self,
        rules: NamingRules,
        names: Iterable[str] = (),
        class_folder: str = "",
        gradescope: Mapping[str, GradescopeRecord] | None = None,
        numbers: Mapping[tuple[str, str], str] | None = None,
    ) -> None:
        self.class_folder = class_folder  # the folder with all students' files, such as "export/", or ""
        self._rules, self._students, self._times = rules, rules.students, rules.times
        self._gradescope = gradescope or {}  # the submitters and times of each folder of Gradescope
        # The students of earlier collections, by number: the result of `stored_numbers`.
        self._stored = numbers or {}
        # The numbers of each student. The keys are (exercise, student) for Moodle, ("", student) for Canvas.
        self._stored_numbers: dict[tuple[str, str], set[str]] = defaultdict(set)
        for (scope, number), student in self._stored.items():
            self._stored_numbers[scope, student].add(number)
        # The numbers that each name has in this archive: several, if people share the name.
        self._moodle_numbers: dict[str, set[str]] = defaultdict(set)
        self._canvas_numbers: dict[str, set[str]] = defaultdict(set)
        folders = set[str]()
        for name in names:
            with suppress(Exception):  # the method `of` will raise the same error for this file
                self._add_name(name, folders)
        self._before_login = common_prefix(folders)

    def _add_name(self, name: str, folders: set[str]) -> None:
        """Store the number in a name from Canvas or Moodle, or else add the first folder to `folders`."""
        platform_name = self.platform_name(name)
        if platform_name is None:
            folders.add(name.removeprefix(self.class_folder).partition("/")[0])
        elif platform_name.platform is Platform.CANVAS:
            self._canvas_numbers[squeezed(platform_name.owner)].add(platform_name.number)
        elif platform_name.number:
            self._moodle_numbers[platform_name.owner].add(platform_name.number)

    def platform_name(self, name: str) -> PlatformName | None:
        """Return the parts of a name that Canvas or Moodle wrote, or None for other names."""
        return read_platform_name(name.removeprefix(self.class_folder), self._rules.exercises)

    def record(self, name: str) -> GradescopeRecord | None:
        """Return Gradescope's record of the submission that a file belongs to, or None."""
        parts = name.split("/")
        return self._gradescope.get(parts[0]) or self._gradescope.get("/".join(parts[:2]))

    def of(self, file: ArchiveEntry, by_cells: str = "") -> list[Attribution]:
        """Return a notebook's attribution to its student, or one attribution for each member of a group.

        `by_cells` is the exercise that the notebook's cells show. It is used if the file's name contains no
        exercise. Raise EntryError if no owner can be determined.
        """
        file_stem = stem(file.inside or file.name)
        exercise = self._rules.exercise or exercise_in(file_stem, self._rules.exercises) or by_cells
        _, match, rest = file_stem.rpartition(exercise) if exercise else ("", "", "")
        exact = bool(match and _COPY.fullmatch(rest))
        members = self._members(file, exercise)
        return [replace(member, file=file, exercise=exercise, exact=exact) for member in members]

    def _members(self, file: ArchiveEntry, exercise: str) -> Iterable[Attribution]:
        if record := self.record(file.name):
            return self._submitters(record)
        if (name := self.platform_name(file.name)) is None:
            return self._in_folder(self._folder_name(file))
        is_canvas = name.platform is Platform.CANVAS
        members = self._canvas(name) if is_canvas else self._moodle(name, exercise)
        upload, late, platform = name.upload, name.late, name.platform
        return (replace(member, upload=upload, late=late, platform=platform) for member in members)

    def _in_folder(self, name: str) -> list[Attribution]:
        """Return the owners of a folder of this name: a student, or the members of a listed group."""
        students = self._students
        if students is None or students.called(name):
            return [Attribution(self._id(name))]
        if group := students.in_group(name):
            return [*_of_group(name, group)]
        for login in self._logins(name):
            if listed := students.called(login):
                return [Attribution(_only_id(login, listed))]
        return [Attribution(self._id(name))]

    def _logins(self, name: str) -> Iterator[str]:
        """Yield the user names that `name` may contain if ILIAS, Blackboard or GitHub Classroom wrote it."""
        yield from logins(name)
        exercises = (exercise.replace("_", "-").casefold() for exercise in self._rules.exercises)
        for prefix in (self._before_login.casefold(), *(f"{exercise}-" for exercise in exercises)):
            if prefix and name.casefold().startswith(prefix):
                yield name[len(prefix) :]

    def _folder_name(self, file: ArchiveEntry) -> str:
        """Return the part of a path that names the student: the first folder or, without a folder, the file.

        The exercise is removed from the end of a file's name. A name that Blackboard wrote is returned whole,
        because `_logins` finds the user name in it.
        """
        name = file.name.removeprefix(self.class_folder)
        if _GRADESCOPE_FOLDER.match(name):
            raise EntryError(f"does not name a student; {_NO_METADATA}")
        student, slash, _ = name.partition("/")
        if not slash:
            file_stem = stem(name)
            exercise = self._rules.exercise or exercise_in(file_stem, self._rules.exercises)
            student = file_stem.removesuffix(f"_{exercise}") if exercise else file_stem
            if next(logins(name), ""):
                return name
            if student == file_stem and not (file.inside or self._rules.exercise):
                raise EntryError(_NO_STUDENT)
        if not student or student in self._rules.exercises:
            raise EntryError(_NO_STUDENT)
        return student

    def _id(self, name: str, email: str = "", platform: str = "") -> str:
        """Return the id of the listed student whose id or name is `name`, or who has this email address.

        If there is no list of students, `name` must be the id.
        """
        if self._students is None:
            # macOS writes "é" as two characters, which are joined here.
            if not is_student(id_ := normalize("NFC", name)):
                raise EntryError(f'"{name}" {_NO_ID}')
            return id_
        students = self._students.called(name, platform) or (self._students.called(email) if email else ())
        return _only_id(name, students, _FIXES[platform])

    def _submitters(self, record: GradescopeRecord) -> Iterator[Attribution]:
        for student, email in record.submitters:
            try:
                id_ = self._id(student, email, _GRADESCOPE)
                yield Attribution(id_, when=record.when, platform=Platform.GRADESCOPE)
            except EntryError as error:
                yield Attribution(problem=str(error))

    def _canvas(self, name: PlatformName) -> Iterator[Attribution]:
        number = "" if name.other_number else name.number
        if self._students is not None and name.owner != name.number:
            yield from self._listed_in_canvas(name, number, self._students)
        elif name.other_number:
            users = f"{name.number} or {name.other_number}"
            fix = f"write this student's number into {STUDENTS}, in the column {_CANVAS}"
            raise EntryError(f"belongs to Canvas's user {users}; {fix}")
        else:
            yield Attribution(self._id(name.number, platform=_CANVAS), number=number)

    def _listed_in_canvas(self, name: PlatformName, number: str, students: Students) -> Iterator[Attribution]:
        ids = filter(None, (name.number, name.other_number))
        listed = [student for id_ in ids for student in students.called(id_, _CANVAS)]
        if len({student.id for student in listed}) > 1:
            users = f"{name.number} or {name.other_number}"
            problem = f"belongs to Canvas's user {users}, and both users are in the list of students"
            raise EntryError(f"{problem}; {_OWN_FOLDER}")
        stored = [self._stored_student(id_, students) for id_ in (number, name.other_number)]
        user = next(filter(None, (*listed, *stored)), None)
        group = students.in_group(name.owner)
        if group and user is None:
            cell = f'in the column "{_CANVAS}" and the row of the member who submitted this file'
            fix = f"write {number or 'the number'} into {STUDENTS}, {cell}"
            raise EntryError(f'"{name.owner}" is {_ALSO_GROUP}; {fix}')
        if group and user is not None and user in group and not _is_called(user, name.owner):
            yield from _of_group(name.owner, group)
        elif user is not None:
            message = ""
            if user.names and not _is_called(user, name.owner):
                fix = f'if this is a group, write its name into the column "group" of {STUDENTS}'
                message = f'called "{name.owner}" in Canvas; {fix}'
            yield Attribution(user.id, number=number, message=message)
        elif namesakes := [other for other in students.squeezed(name.owner) if not _has_number(other)]:
            id_ = _only_id(name.owner, namesakes, _FIXES[_CANVAS])
            self._expect_number("", id_, name, self._canvas_numbers[squeezed(name.owner)])
            yield Attribution(id_, number=number)
        else:
            raise EntryError(f'Canvas\'s user {name.number}, called "{name.owner}", {_UNLISTED}')

    def _stored_student(self, number: str, students: Students) -> Student | None:
        """Return the listed student whose earlier submissions had this number on Canvas, or None."""
        id_ = self._stored.get(("", number), "") if number else ""
        return next((student for student in students.all if student.id == id_), None)

    def _expect_number(self, scope: str, student: str, name: PlatformName, users: Collection[str]) -> None:
        """Raise EntryError if `student` was identified by a name that another user may have chosen.

        A student whose earlier submissions had the number in `name` is accepted. Any other student is refused
        if earlier submissions had other numbers, or if several `users` of the platform have the name.
        """
        before = self._stored_numbers.get((scope, student), set())
        others = sorted(before - {name.number, name.other_number}) if name.number not in before else []
        if others or (len(users) > 1 and name.number not in before):
            numbers = ", ".join(others or sorted(users))
            column = name.platform.casefold()
            fix = f'write the right number into the column "{column}" of the list of students'
            if name.platform is Platform.MOODLE:
                fix = "pass Moodle's grading worksheet with --times"
            problem = f'"{name.owner}" is the name of several users of {name.platform} ({numbers})'
            if others:
                former = f"{name.platform}'s number {numbers}, not {name.number}"
                problem = f'"{name.owner}" is the name of {student}, whose earlier submissions have {former}'
            raise EntryError(f"{problem}; {fix}")

    def _moodle(self, name: PlatformName, exercise: str) -> Iterator[Attribution]:
        if self._students is None:
            raise EntryError(LIST_NEEDED)
        # If a participant has the same name as a group, the file is not attributed to the group.
        members = () if self._times.namesakes(name.owner) else self._times.group(name.owner)
        hidden = _HIDDEN.format(name.number)
        if name.number and (listed := self._students.called(hidden, _MOODLE)):
            yield Attribution(_only_id(hidden, listed), number=name.number)
        elif members:
            yield from (self._member(name.owner, row) for row in members)
        elif group := self._listed_group(name, self._students):
            yield from _of_group(name.owner, group)
        elif not name.number:
            problem = f'belongs to Moodle\'s group "{name.owner}", whose members are unknown'
            raise EntryError(
                f'{problem}; write this name into the column "group" of {STUDENTS} for each member'
            )
        elif row := self._row(name):
            yield Attribution(self.person(row), when=row.when, number=name.number)
        elif len(self._moodle_numbers[name.owner]) > 1:
            entry = f'{hidden} into {STUDENTS}, in the column "{_MOODLE}"'
            fix = f"pass Moodle's grading worksheet with --times, or write {entry}"
            raise EntryError(f'"{name.owner}" is the name of several people; {fix}')
        elif student := self._stored.get((exercise, name.number), "") if exercise else "":
            yield Attribution(self._id(student), number=name.number)
        else:
            student = self._id(name.owner, platform=_MOODLE)
            self._expect_number(exercise, student, name, ())
            yield Attribution(student, number=name.number, message=_BY_NAME.format(name.owner))

    def _row(self, name: PlatformName) -> Participant | None:
        """Return the worksheet's row on a participant, or None.

        Older versions of Moodle write the group and "-" before the name. So the text after each "-" is also
        tried as the name.
        """
        parts = name.owner.split("-")
        endings = ("-".join(parts[start:]).strip() for start in range(len(parts)))
        rows = (self._times.participant(name.number, ending) for ending in endings if ending)
        return next(filter(None, rows), None)

    def _member(self, group: str, row: Participant) -> Attribution:
        try:
            return Attribution(self.person(row), when=row.when, message=f"{OF_GROUP}{group}")
        except EntryError as error:
            return Attribution(problem=str(error))

    def _listed_group(self, name: PlatformName, students: Students) -> Sequence[Student]:
        """Return the members of the listed group that owns a file, or () if no listed group owns the file.

        A student can choose a group's name as a display name. Moodle's worksheet shows whether a participant
        has this name. Without the worksheet, the file is refused if a number follows the name, because the
        names of students' files have such a number.
        """
        if students.called(name.owner, _MOODLE) or self._times.namesakes(name.owner):
            return ()
        group = students.in_group(name.owner)
        if group and name.number and not self._times.participants:
            fix = "pass Moodle's grading worksheet with --times"
            raise EntryError(f'"{name.owner}" is {_ALSO_GROUP}; {fix}')
        return group

    def person(self, row: Participant) -> str:
        """Return the id of the student in a row of the worksheet.

        The student is looked up by number. If that fails, the email address is tried, and then the name.
        """
        if self._students is None:
            raise EntryError(LIST_NEEDED)
        hidden, address = _HIDDEN.format(row.number), row.email or row.name
        called = self._students.called
        listed = called(hidden, _MOODLE) or called(address) or called(row.name, _MOODLE)
        return _only_id(row.name, listed, f"write {hidden} into {STUDENTS}, in the column {_MOODLE}")


def _of_group(group: str, members: Sequence[Student]) -> Iterator[Attribution]:
    return (Attribution(member.id, message=f"{OF_GROUP}{group}") for member in members)


def _only_id(name: str, students: Sequence[Student], fix: str = _FIXES[""]) -> str:
    """Return the id of the only student in `students`. All of them are called `name`.

    Raise EntryError if there is no student or more than one. In the second case the message ends with `fix`.
    """
    if len(students) > 1:
        ids = ", ".join(student.id for student in students)
        raise EntryError(f'"{name}" is the name of several students ({ids}); {fix}')
    if not students:
        raise EntryError(f'"{name}" {_UNLISTED}')
    return students[0].id


def _is_called(student: Student, name: str) -> bool:
    """Whether `name` is this student's name or id without spaces and punctuation, which Canvas leaves out."""
    return student in Students((student,)).squeezed(name) or squeezed(name) == squeezed(student.id)


def _has_number(student: Student) -> bool:
    """Whether the list has a number that may be this student's number on Canvas.

    The number is in the column "canvas", or it is the id or a name. If there is such a number, a file with a
    different number belongs to somebody else, even if the file has the student's name.
    """
    return _CANVAS in student.platforms or any(text.isdigit() for text in (student.id, *student.names))
