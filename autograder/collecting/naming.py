"""Tells from a name in an archive whose notebook it is and for which exercise, as far as it can be trusted.

A student chooses the names inside their own archive or folder, so none of these tells who the student is.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import PurePosixPath

from autograder.collecting.entry import ArchiveEntry, EntryError
from autograder.collecting.gradescope_metadata import GradescopeRecord
from autograder.collecting.identity import Identification
from autograder.collecting.instructor import match_pattern
from autograder.collecting.names import is_gradescope, notebook_stem, stem
from autograder.collecting.platforms import (
    MoodleNames,
    Platform,
    PlatformName,
    moodle_names,
    read_platform_name,
)
from autograder.collecting.times import Times
from autograder.submission.students import Students

# 01_first-1 and 01_first (1) are 01_first, uploaded again; from the ninth time on Canvas puts a random text.
_COPY = re.compile(r"(-\d+| ?\(\d+\)|-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?")
_NO_STUDENT = "tells no student; put it into a folder named by the student's id"


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
    problem: str = ""  # why it is nobody's


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
        if self.pattern is not None:
            found = match_pattern(self.pattern, entry.path)
            if found is None:
                raise EntryError("does not match the pattern")
            student = self._student(people, found.student)
            matched = self._attribution(student, found.exercise or file, when=found.when)
            yield self._with_platform(matched, self.platform_name(name))
        elif record := context.record(entry.name):
            yield from self._by_gradescope(people, record, file)
        elif written := self.platform_name(name):
            yield from self._by_platform(people, written, file)
        else:
            student = self._student(people, self._by_folder(name, bool(entry.inside)))
            yield self._attribution(student, file)

    def _by_gradescope(
        self, people: Identification, record: GradescopeRecord, file: str
    ) -> Iterator[Attribution]:
        for student in record.students:
            try:
                id_ = people.student(student, record.emails.get(student, ""), "gradescope")
                found = self._attribution(id_, file, when=record.when)
                yield replace(found, platform=Platform.GRADESCOPE)
            except EntryError as error:
                yield Attribution("", problem=str(error))

    def _by_platform(self, people: Identification, name: PlatformName, file: str) -> Iterator[Attribution]:
        for member in people.members(name):
            if member.problem:
                yield Attribution("", problem=member.problem)
                continue
            when = member.row.when if member.row else None
            found = replace(self._attribution(member.student, file, when=when), message=member.message)
            number = "" if member.grouped or name.doubtful else name.own_number
            yield replace(self._with_platform(found, name), number=number)

    def _with_platform(self, found: Attribution, name: PlatformName | None) -> Attribution:
        """Return the attribution with what the platform itself says about the file."""
        if name is None:
            return found
        return replace(found, upload=name.upload, late=name.late, platform=name.platform)

    def _by_folder(self, name: str, packed: bool) -> str:
        """Return the student: the first folder, or the part of a file's name before the exercise."""
        if is_gradescope(name):
            reason = "lacks Gradescope's submission_metadata.yml, or is not the whole export as it came"
            raise EntryError(f"tells no student; the archive {reason}")
        top, slash, _ = name.partition("/")
        if slash:
            return top
        own = stem(name) if packed else _stem(name)
        exercise = self.exercise or self._exercise_in(own)
        student = own.removesuffix(f"_{exercise}") if exercise else own
        if student == own and not (packed or self.exercise):
            raise EntryError(_NO_STUDENT)
        return student

    def _attribution(self, student: str, file: str, when: datetime | None = None) -> Attribution:
        exercise = self.exercise or self._exercise_in(file)
        if not exercise:
            return Attribution(student, exact=False, when=when)
        _, named, rest = file.rpartition(exercise)
        return Attribution(student, exercise, bool(named and _COPY.fullmatch(rest)), when=when)

    def _exercise_in(self, text: str) -> str:
        """Return the longest name of an exercise that stands in `text` as a word of its own."""
        words = ((name, rf"(?<![^\W_]){re.escape(name)}(?![^\W_])") for name in self.exercises)
        return max((name for name, word in words if re.search(word, text)), key=len, default="")

    def _student(self, people: Identification, name: str) -> str:
        """Return the id of the student whom the archive calls `name`."""
        if not name or name in self.exercises:
            raise EntryError(_NO_STUDENT)
        return people.student(name)


def _stem(name: str) -> str:
    """Return the name of a file without its ending, or without both of a notebook that a browser saved."""
    return notebook_stem(name) or PurePosixPath(name).stem
