"""What a name in an archive says: whose notebook it is and for which exercise, as far as it can be trusted.

Platforms put what they know before what students choose, so the leftmost sign of a platform counts, and
no name in an archive of a student's own tells who the student is.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePosixPath

from autograder.collecting.entry import ArchiveEntry, plausible, stem
from autograder.collecting.gradescope_metadata import Handed
from autograder.errors import UsageError
from autograder.submission.submission import is_student

_MAX_NAME = 1000
_LEFT_OUT = {"__MACOSX", "__pycache__", ".ipynb_checkpoints", ".git", ".DS_Store"}
_CONTROLS = ("Cc", "Cs", "Zl", "Zp")
_DRIVE = re.compile(r"[A-Za-z]:")
_COPY = re.compile(r"(-\d+| ?\(\d+\))?")  # 01_first-1, 01_first (1): the same, sent again
# Canvas: its user id stays the same all through the course; the second number counts uploads.
_CANVAS = r"(?P<who>[^/]+?)_(?:(?P<late>LATE)_)?(?P<student>\d+)_(?P<number>\d+)_[^/]+"
# Moodle: its participant numbers are others in each assignment, so the name has to do.
_MOODLE = r"(?P<who>(?P<student>[^/]+?))_\d+_assignsubmission_file_?.+"
_PLATFORMS = (re.compile(_CANVAS), re.compile(_MOODLE))
_GRADESCOPE = re.compile(r"submission_\d+/")
_NO_STUDENT = "tells no student; put it into a folder named by the student's id"
_TIMES = {14: "%Y%m%d%H%M%S", 12: "%Y%m%d%H%M", 8: "%Y%m%d"}


class NamingError(Exception):
    """A name tells no student or no exercise; the message says what to do."""


class PatternError(UsageError):
    """The instructor's pattern cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a name says. A platform numbers what it gets, and may say whether it came late."""

    student: str
    exercise: str
    exact: bool = True  # the file is named as the exercise, and not just something like it
    number: int | None = None
    late: bool | None = None
    when: datetime | None = None  # to be trusted before the archive's own times


@dataclass(frozen=True, slots=True)
class Frame:
    """What holds for all names in an archive."""

    shared: str = ""  # the folder, with its slash, in which the whole class lies
    handed: Mapping[str, Handed] = field(default_factory=dict)  # by folder, from Gradescope


@dataclass(frozen=True, slots=True)
class Naming:
    """How names are read: the course's exercises, and what the instructor has said."""

    exercises: Sequence[str]
    exercise: str = ""  # all notebooks are of this one
    pattern: re.Pattern[str] | None = None
    students: Mapping[str, str] | None = None  # ids by folded id or other name; nobody else is taken

    def claims(self, entry: ArchiveEntry, frame: Frame) -> Iterator[Claim]:
        """Yield what the name of a notebook says: several claims where a group handed it in."""
        file = PurePosixPath(entry.inside or entry.name).stem
        if self.pattern is not None:
            yield self._by_pattern(self.pattern, entry.path, file)
        elif handed := _handed(entry.name, frame):
            for student in handed.students:
                yield self._claim(student, file, when=handed.when)
        else:
            name = entry.name.removeprefix(frame.shared)
            found = [match for form in _PLATFORMS if (match := form.match(name))]
            if found:
                yield self._by_platform(min(found, key=lambda match: match.end("who")), file)
            else:
                yield self._claim(self._plain(name, bool(entry.inside)), file)

    def _by_pattern(self, pattern: re.Pattern[str], path: str, file: str) -> Claim:
        """Read by the instructor's pattern, whose groups may have nbgrader's names too."""
        match = pattern.match(path)
        if match is None:
            raise NamingError("does not match the pattern")
        groups = {name: text for name, text in match.groupdict().items() if text}
        student = groups.get("student") or groups.get("student_id") or ""
        named = groups.get("exercise") or groups.get("file_id") or file
        return self._claim(student, named, when=_time(groups.get("timestamp", "")))

    def _by_platform(self, match: re.Match[str], file: str) -> Claim:
        groups = match.groupdict()
        if "number" in groups:
            late = groups["late"] is not None
            return self._claim(groups["student"], file, number=int(groups["number"][:30]), late=late)
        return self._claim(groups["student"].replace(" ", "."), file)

    def _plain(self, name: str, packed: bool) -> str:
        """Return the student: the first folder, or what stands before the exercise in the file's name."""
        if _GRADESCOPE.match(name):
            raise NamingError("tells no student; the archive lacks Gradescope's submission_metadata.yml")
        top, slash, _ = name.partition("/")
        if slash:
            return top
        own = stem(name) if packed else PurePosixPath(name).stem
        exercise = self.exercise or self._named(own)
        if exercise and own.endswith(f"_{exercise}"):
            return own.removesuffix(f"_{exercise}")
        if packed or self.exercise:
            return own
        raise NamingError(_NO_STUDENT)

    def _claim(
        self,
        student: str,
        file: str,
        *,
        number: int | None = None,
        late: bool | None = None,
        when: datetime | None = None,
    ) -> Claim:
        exercise = self.exercise or self._named(file)
        if not exercise:
            raise NamingError(
                f"tells no exercise; name it as one of {', '.join(self.exercises)}, or say --exercise"
            )
        _, named, after = file.rpartition(exercise)
        exact = bool(named) and bool(_COPY.fullmatch(after))
        return Claim(self._student(student), exercise, exact, number, late, when)

    def _named(self, text: str) -> str:
        """Return the exercise whose name stands in `text` as a word."""
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


def read_pattern(text: str) -> re.Pattern[str]:
    """Return the pattern that an instructor has typed."""
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise PatternError(f"--pattern: {error}") from None
    if not {"student", "student_id"} & set(pattern.groupindex):
        raise PatternError("--pattern: finds no student; add a group (?P<student>...)")
    return pattern


def name_fault(name: str) -> str:
    """Return what is wrong with a name in an archive; it is not mended, for who knows what was meant."""
    if any(unicodedata.category(letter) in _CONTROLS for letter in name):
        return "has control characters in its name"
    if name.startswith("/") or "\\" in name or _DRIVE.match(name):
        return "has an absolute name, or one with backslashes"
    if ".." in name.split("/"):
        return "leads out of its folder"
    return "has too long a name" if len(name) > _MAX_NAME else ""


def folded(name: str) -> str:
    """Return what is the same for all names that some file system takes for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def left_out(name: str) -> bool:
    """Whether systems put files of such names everywhere and nobody means them."""
    parts = PurePosixPath(name).parts
    return bool(_LEFT_OUT.intersection(parts)) or any(part.startswith("._") for part in parts)


def shared_folder(paths: Sequence[str], exercises: Sequence[str]) -> str:
    """Return the folder, with its slash, in which the whole class lies; an empty text where there is none.

    A class has two students at least: what lies in the one folder of an archive may be one student's.
    """
    tops = {path.partition("/")[0] for path in paths}
    below = [path.partition("/")[2] for path in paths]
    students = {path.partition("/")[0] for path in below} - set(exercises)
    if len(tops) != 1 or len(students) < 2:
        return ""
    told = all("/" in path for path in below) or all(_is_platform(path) for path in below)
    return f"{tops.pop()}/" if told else ""


def _is_platform(path: str) -> bool:
    return any(form.match(path) for form in _PLATFORMS)


def _handed(name: str, frame: Frame) -> Handed | None:
    """Return what Gradescope says of the folder in which a file lies, the outermost one."""
    parts = name.split("/")
    return next(
        (frame.handed[key] for count in (1, 2) if (key := "/".join(parts[:count])) in frame.handed), None
    )


def _time(text: str) -> datetime | None:
    """Return the UTC time that `text` tells, from the year on, however it is punctuated."""
    digits = re.sub(r"\D", "", text)[:14]
    try:
        return plausible(datetime.strptime(digits, _TIMES[len(digits)]).replace(tzinfo=UTC))
    except (KeyError, ValueError):
        return None
