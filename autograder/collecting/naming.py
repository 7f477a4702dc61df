"""Tells from a name in an archive whose notebook it is and for which exercise, as far as it can be trusted.

No name inside an archive of a student's own tells who the student is.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath

from autograder.collecting.entry import ArchiveEntry, stem
from autograder.collecting.gradescope_metadata import GradescopeRecord
from autograder.collecting.names import folded
from autograder.collecting.pattern import match_pattern
from autograder.collecting.platforms import is_gradescope, match_platform
from autograder.submission.submission import is_student

_COPY = re.compile(r"(-\d+| ?\(\d+\))?")  # 01_first-1 and 01_first (1) are 01_first, uploaded again
_NO_STUDENT = "tells no student; put it into a folder named by the student's id"


class NamingError(Exception):
    """A name tells no student or no exercise; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """Whose notebook it is and for which exercise, by its name.

    A platform numbers the files it receives, and may say whether they came late.
    """

    student: str
    exercise: str
    exact: bool = True  # the file has the exercise's name, not just one that contains it
    number: int | None = None
    late: bool | None = None
    when: datetime | None = None  # goes before the time that the archive has for the file


@dataclass(frozen=True, slots=True)
class ArchiveContext:
    """What holds for all names of one archive."""

    class_folder: str = ""  # with its slash
    gradescope: Mapping[str, GradescopeRecord] = field(default_factory=dict)  # by folder


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
        if self.pattern is not None:
            yield self._by_pattern(self.pattern, entry.path, file)
        elif record := _gradescope_record(entry.name, context):
            for student in record.students:
                yield self._attribution(student, file, when=record.when)
        else:
            name = entry.name.removeprefix(context.class_folder)
            if match := match_platform(name):
                yield self._by_platform(match, file)
            else:
                yield self._attribution(self._by_folder(name, bool(entry.inside)), file)

    def _by_pattern(self, pattern: re.Pattern[str], path: str, file: str) -> Attribution:
        match = match_pattern(pattern, path)
        if match is None:
            raise NamingError("does not match the pattern")
        return self._attribution(match.student, match.exercise or file, when=match.when)

    def _by_platform(self, match: re.Match[str], file: str) -> Attribution:
        groups = match.groupdict()
        if "number" in groups:
            late = groups["late"] is not None
            return self._attribution(groups["student"], file, number=int(groups["number"][:30]), late=late)
        return self._attribution(groups["student"].replace(" ", "."), file)

    def _by_folder(self, name: str, packed: bool) -> str:
        """Return the student: the first folder, or the part of a file's name before the exercise."""
        if is_gradescope(name):
            raise NamingError(
                "tells no student; the archive lacks Gradescope's submission_metadata.yml, "
                "or is not the whole export as it came"
            )
        top, slash, _ = name.partition("/")
        if slash:
            return top
        own = stem(name) if packed else PurePosixPath(name).stem
        exercise = self.exercise or self._exercise_in(own)
        if exercise and own.endswith(f"_{exercise}"):
            return own.removesuffix(f"_{exercise}")
        if packed or self.exercise:
            return own
        raise NamingError(_NO_STUDENT)

    def _attribution(
        self,
        student: str,
        file: str,
        *,
        number: int | None = None,
        late: bool | None = None,
        when: datetime | None = None,
    ) -> Attribution:
        exercise = self.exercise or self._exercise_in(file)
        if not exercise:
            names = ", ".join(self.exercises)
            raise NamingError(f"tells no exercise; name it as one of {names}, or say --exercise")
        _, named, rest = file.rpartition(exercise)
        exact = bool(named) and bool(_COPY.fullmatch(rest))
        return Attribution(self._student(student), exercise, exact, number, late, when)

    def _exercise_in(self, text: str) -> str:
        """Return the longest name of an exercise that stands in `text` as a word of its own."""
        found = [
            name for name in self.exercises if re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", text)
        ]
        return max(found, key=len, default="")

    def _student(self, name: str) -> str:
        """Return the id of the student whom the archive calls `name`."""
        if self.students is not None:
            known = self.students.get(folded(name)) or self.students.get(folded(name.replace(".", " ")))
            if known is None:
                raise NamingError(f'"{name}" is not in the list of students')
            return known
        if name in self.exercises or not name:
            raise NamingError(_NO_STUDENT)
        if not is_student(name):
            raise NamingError(
                f'"{name}" is no student\'s id; use letters, digits and . _ @ + -, '
                "or give the id in a list with --students"
            )
        return name


def _gradescope_record(name: str, context: ArchiveContext) -> GradescopeRecord | None:
    """Return what Gradescope says about the outermost folder in which a file lies."""
    parts = name.split("/")
    keys = ("/".join(parts[:depth]) for depth in (1, 2))
    return next((context.gradescope[key] for key in keys if key in context.gradescope), None)
