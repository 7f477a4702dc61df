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
from autograder.collecting.instructor import match_pattern
from autograder.collecting.names import folded, is_gradescope, match_platform, stem
from autograder.submission.submission import is_student

_COPY = re.compile(r"(-\d+| ?\(\d+\))?")  # 01_first-1 and 01_first (1) are 01_first, uploaded again
_NO_STUDENT = "tells no student; put it into a folder named by the student's id"
_NO_ID = "is no student's id; use letters, digits and . _ @ + -, or give the id in a list with --students"


@dataclass(frozen=True, slots=True)
class Attribution:
    """Whose notebook it is and for which exercise, by its name."""

    student: str
    exercise: str
    exact: bool = True  # the file has the exercise's name, not just one that contains it
    number: int | None = None  # the platform's, which counts the files that it receives
    late: bool | None = None  # as the platform says
    when: datetime | None = None  # goes before the time that the archive has for the file


@dataclass(frozen=True, slots=True)
class ArchiveContext:
    """What holds for all names of one archive."""

    class_folder: str = ""  # with its slash
    gradescope: Mapping[str, GradescopeRecord] = field(default_factory=dict)  # by folder

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
    students: Mapping[str, str] | None = None  # ids by folded id or other name; nobody else is taken

    def attributions(self, entry: ArchiveEntry, context: ArchiveContext) -> Iterator[Attribution]:
        """Yield what the name of a notebook says: one attribution for each member of a group."""
        file = PurePosixPath(entry.inside or entry.name).stem
        name = entry.name.removeprefix(context.class_folder)
        if self.pattern is not None:
            found = match_pattern(self.pattern, entry.path)
            if found is None:
                raise EntryError("does not match the pattern")
            yield self._attribution(found.student, found.exercise or file, when=found.when)
        elif record := context.record(entry.name):
            for student in record.students:
                yield self._attribution(student, file, when=record.when)
        elif match := match_platform(name):
            yield self._by_platform(match, file)
        else:
            yield self._attribution(self._by_folder(name, bool(entry.inside)), file)

    def _by_platform(self, match: re.Match[str], file: str) -> Attribution:
        groups = match.groupdict()
        if "number" not in groups:
            return self._attribution(groups["student"].replace(" ", "."), file)
        late, number = groups["late"] is not None, int(groups["number"][:30])
        return replace(self._attribution(groups["student"], file), number=number, late=late)

    def _by_folder(self, name: str, packed: bool) -> str:
        """Return the student: the first folder, or the part of a file's name before the exercise."""
        if is_gradescope(name):
            reason = "lacks Gradescope's submission_metadata.yml, or is not the whole export as it came"
            raise EntryError(f"tells no student; the archive {reason}")
        top, slash, _ = name.partition("/")
        if slash:
            return top
        own = stem(name) if packed else PurePosixPath(name).stem
        exercise = self.exercise or self._exercise_in(own)
        student = own.removesuffix(f"_{exercise}") if exercise else own
        if student == own and not (packed or self.exercise):
            raise EntryError(_NO_STUDENT)
        return student

    def _attribution(self, student: str, file: str, when: datetime | None = None) -> Attribution:
        exercise = self.exercise or self._exercise_in(file)
        if not exercise:
            names = ", ".join(self.exercises)
            raise EntryError(f"tells no exercise; name it as one of {names}, or say --exercise")
        _, named, rest = file.rpartition(exercise)
        return Attribution(self._student(student), exercise, bool(named and _COPY.fullmatch(rest)), when=when)

    def _exercise_in(self, text: str) -> str:
        """Return the longest name of an exercise that stands in `text` as a word of its own."""
        words = ((name, rf"(?<![^\W_]){re.escape(name)}(?![^\W_])") for name in self.exercises)
        return max((name for name, word in words if re.search(word, text)), key=len, default="")

    def _student(self, name: str) -> str:
        """Return the id of the student whom the archive calls `name`."""
        if self.students is not None:
            known = self.students.get(folded(name)) or self.students.get(folded(name.replace(".", " ")))
            if known is None:
                raise EntryError(f'"{name}" is not in the list of students')
            return known
        if name in self.exercises or not name:
            raise EntryError(_NO_STUDENT)
        if not is_student(name):
            raise EntryError(f'"{name}" {_NO_ID}')
        return name
