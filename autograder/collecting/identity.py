"""Tells whom Canvas or Moodle means by a name that it has written: one student, a group's members, or nobody.

A name may be anybody's, so it counts only where no id does: two people may share it, and some may change it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from unicodedata import normalize

from autograder.collecting.entry import EntryError
from autograder.collecting.platforms import MoodleNames, Platform, PlatformName
from autograder.collecting.times import TimeRow, Times
from autograder.submission.students import Student, Students, squeezed
from autograder.submission.submission import is_student

NO_ID = "is no student's id; use letters, digits and . _ @ + -, or give the id in a list with --students"
_CANVAS, _MOODLE = "canvas", "moodle"  # columns of the list of students
_UNLISTED = "is not in the list of students"


@dataclass(frozen=True, slots=True)
class Member:
    """One of those whose notebook it is."""

    student: str
    message: str = ""
    row: TimeRow | None = None  # of the worksheet
    problem: str = ""  # why it is not taken for this member
    grouped: bool = False  # the platform means a group


@dataclass(frozen=True, slots=True)
class Identification:
    """What is known of people: the list of students, the worksheet, and the names in the whole archive."""

    students: Students | None = None
    times: Times = field(default_factory=Times)
    moodle: MoodleNames = field(default_factory=MoodleNames)

    def members(self, name: PlatformName) -> Iterator[Member]:
        """Yield whose notebook it is; EntryError says why nobody can tell."""
        yield from self._canvas(name) if name.platform is Platform.CANVAS else self._moodle(name)

    def student(self, name: str, email: str = "", platform: str = "") -> str:
        """Return the id of the student who has this id, name or address."""
        if self.students is None:
            if not is_student(id_ := normalize("NFC", name)):  # macOS writes an accent apart from its letter
                raise EntryError(f'"{name}" {NO_ID}')
            return id_
        found = self.students.called(name, platform) or (self.students.called(email) if email else ())
        return _one(name, found)

    def _canvas(self, name: PlatformName) -> Iterator[Member]:
        if not name.number:
            yield Member(self.student(name.who, platform=_CANVAS))
        elif self.students is None:
            if name.doubtful:
                users = f"{name.number} or {name.doubtful}"
                raise EntryError(f"is of Canvas's user {users}; list the right one with --students")
            yield Member(self.student(name.number))
        else:
            yield from self._listed_in_canvas(name, self.students)

    def _listed_in_canvas(self, name: PlatformName, students: Students) -> Iterator[Member]:
        found = _by_canvas_id(students, name)
        group = students.in_group(name.who)
        named = [one for one in students.squeezed(name.who) if not _has_number(one)]
        if group and (found is None or (found in group and not _is_called(found, name.who))):
            yield from (Member(one.id, f"of group {name.who}", grouped=True) for one in group)
        elif found is not None:
            strange = found.names and not _is_called(found, name.who)
            hint = f'"{name.who}" in Canvas (if that is a group, list its members)' if strange else ""
            yield Member(found.id, hint)
        elif named:
            yield Member(_one(name.who, named))
        else:
            raise EntryError(f'"{name.number}", whom Canvas calls "{name.who}", {_UNLISTED}')

    def _moodle(self, name: PlatformName) -> Iterator[Member]:
        blind = name.who == self.moodle.blind
        row = self.times.participant(name.number) if blind else self._row(name)
        if blind:
            yield Member(self._blind(name, row), "", row)
        elif rows := self._rows(name):
            yield from (self._of_group(name.who, one) for one in rows)
        elif group := self._listed_group(name):
            yield from (Member(one.id, f"of group {name.who}", grouped=True) for one in group)
        elif not name.number:
            raise EntryError(
                f'is of Moodle\'s "{name.who}", whose members it does not name; list them as a group'
            )
        elif row is not None:
            yield Member(self.person(row), "", row)
        else:
            yield Member(self._named(name))

    def _row(self, name: PlatformName) -> TimeRow | None:
        """Return the worksheet's row on a participant, before whose name older versions put TEAM- perhaps."""
        parts = name.who.split("-")
        ends = ("-".join(parts[place:]).strip() for place in range(len(parts)))
        rows = (self.times.participant(name.number, end) for end in ends if end)
        return next(filter(None, rows), None)

    def _rows(self, name: PlatformName) -> Sequence[TimeRow]:
        """Return the worksheet's rows on a group; what is also a person's name is the person's."""
        return () if self.times.namesakes(name.who) else self.times.group(name.who)

    def _of_group(self, group: str, row: TimeRow) -> Member:
        try:
            return Member(self.person(row), f"of group {group}", row, grouped=True)
        except EntryError as error:
            return Member("", problem=str(error))

    def _listed_group(self, name: PlatformName) -> Sequence[Student]:
        """Return the list's members of a group; what is also a person's name is the person's.

        Groups and people have numbers, and people choose their names: only the worksheet knows all of them.
        """
        if self.students is None or self.students.called(name.who, _MOODLE) or self.times.namesakes(name.who):
            return ()
        group = self.students.in_group(name.who)
        if group and name.number and not self.times.has_participants:
            fix = "give Moodle's grading worksheet with --times"
            raise EntryError(f'"{name.who}" is a group, and could be the name that somebody chose; {fix}')
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
            raise EntryError(f'"{name}" {NO_ID}')
        return id_

    def _named(self, name: PlatformName) -> str:
        """Return the id of the only one who has this name."""
        if len(self.moodle.numbers.get(name.who, ())) > 1:
            raise EntryError(
                f'"{name.who}" is the name of several people; give Moodle\'s grading worksheet with --times'
            )
        return self.student(name.who if self.students else _joined(name.who), platform=_MOODLE)


def _one(name: str, found: Sequence[Student]) -> str:
    if len(found) > 1:
        ids = ", ".join(student.id for student in found)
        raise EntryError(
            f'"{name}" is the name of several students ({ids}); say who with --times or --pattern'
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


def _is_called(student: Student, who: str) -> bool:
    """Whether Canvas may call this student so."""
    return student in Students((student,)).squeezed(who) or squeezed(who) == squeezed(student.id)


def _has_number(student: Student) -> bool:
    """Whether the list gives an id that may be Canvas's, so that a name alone proves nothing."""
    return _CANVAS in student.platforms or any(text.isdigit() for text in (student.id, *student.names))


def _joined(name: str) -> str:
    """Return the id that stands for a name where nothing else does."""
    return name.replace(" ", ".")
