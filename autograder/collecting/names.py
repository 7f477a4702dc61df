"""Reads file names as platforms and students write them."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import PurePosixPath

from autograder.errors import UsageError

MAX_NAME = 1000
_ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz")
_LEFT_OUT = {"__MACOSX", "__pycache__", ".ipynb_checkpoints", ".git", ".DS_Store", "Thumbs.db", "desktop.ini"}
# Browsers save a notebook as X.ipynb.txt, X.ipynb.json or, the second time, X.ipynb (1).txt; Canvas adds -1.
_NOTEBOOK = re.compile(
    r"(?P<stem>.+)\.ipynb(?P<copy>( ?\(\d+\)|-\d+)?\.(txt|json))?", re.IGNORECASE | re.DOTALL
)
_GRADESCOPE = re.compile(r"(assignment_\d+_export/)?submission_\d+/")
# Canvas: a name without spaces and punctuation, LATE, the user's id, the upload's, and the student's own file
# name. Both ids never begin with 0. An anonymous assignment has an id of five letters and digits instead.
_CANVAS = re.compile(
    r"(?P<owner>[^\x00-/:-@\[-^`{-\x7f]*?)_"  # accents, and vowels in some scripts, are no letters to \w
    r"(?:(?P<late>LATE)_)?(?P<user>[1-9]\d*)_(?P<upload>[1-9]\d*)_(?P<file>[^/]+)"
)
_ANONYMOUS = re.compile(r"(?:(?P<late>LATE)_)?(?P<owner>anon_[1-9A-HJ-NP-Za-km-z]{5})_(?P<upload>\d+)_[^/]+")
# Moodle: the full name or the group's, in which _ has become a space, and a number that counts participants
# anew in each assignment. The group of those who are in no group has no number.
_MOODLE = re.compile(r"(?P<owner>[^/_]+)(?:_(?P<number>\d+))?_assignsubmission_file_?.+")
# Moodle's "Participant", which stands for every name while marking is blind. In a class it is known in any
# language by standing for several people; these words are for an archive of one.
_PARTICIPANTS = {"participant", "teilnehmerin", "teilnehmer", "participante", "partecipante", "deelnemer"}
_PARTICIPANTS |= {"uczestnik", "deltagare", "участник", "参加者", "参与者"}
_TIMES = {14: "%Y%m%d%H%M%S", 12: "%Y%m%d%H%M", 8: "%Y%m%d"}


def plausible(when: datetime) -> datetime | None:
    """Return `when`, or None for years that archives write where they know no time, such as 1970 or 1980."""
    return when if 1990 < when.year < 2100 else None


class PatternError(UsageError):
    """The instructor's pattern cannot be used; the message says why."""


def name_problem(name: str) -> str:
    """Return what is wrong with a name; it is not corrected, since nobody knows what was meant."""
    if any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in name):
        return "has control characters in its name"
    if name.startswith("/") or "\\" in name or re.match("[A-Za-z]:", name):
        return "has an absolute name, or one with backslashes"
    if ".." in name.split("/"):
        return "leads out of its folder"
    return "has too long a name" if len(name) > MAX_NAME else ""


def left_out(name: str) -> bool:
    """Whether the file is one that operating systems and editors leave everywhere."""
    return any(part in _LEFT_OUT or part.startswith("._") for part in PurePosixPath(name).parts)


def notebook_stem(name: str) -> str | None:
    """Return the name of a notebook's file without its endings; or None where it has none of them."""
    match = _NOTEBOOK.fullmatch(PurePosixPath(name).name)
    return match["stem"] + (match["copy"] or "").rpartition(".")[0] if match else None


def is_archive(name: str) -> bool:
    """Whether a file of this name is opened as an archive."""
    return name.lower().endswith(_ARCHIVES)


def stem(name: str) -> str:
    """Return the last part of a name, for an archive without its suffix."""
    last = PurePosixPath(name).name
    return next((last[: -len(end)] for end in reversed(_ARCHIVES) if last.lower().endswith(end)), last)


def is_gradescope(name: str) -> bool:
    """Whether the file lies in a folder of Gradescope's, whose name names no student."""
    return bool(_GRADESCOPE.match(name))


def class_folder(paths: Sequence[str], exercises: Sequence[str]) -> str:
    """Return the folder, with its slash, in which the whole class lies, or an empty text.

    A class has at least two students: the only folder of an archive may be a student's own.
    """
    tops = {path.partition("/")[0] for path in paths}
    below = [path.partition("/")[2] for path in paths]
    students = {path.partition("/")[0] for path in below} - set(exercises)
    if len(tops) != 1 or len(students) < 2:
        return ""
    uniform = all("/" in path for path in below) or all(read_platform_name(path) for path in below)
    return f"{tops.pop()}/" if uniform else ""


class Platform(StrEnum):
    """A platform whose archives have the time of the download; not all tell when something was handed in."""

    CANVAS = "Canvas"
    GRADESCOPE = "Gradescope"
    MOODLE = "Moodle"


@dataclass(frozen=True, slots=True)
class PlatformName:
    """What a platform has written into a name."""

    platform: Platform
    owner: str  # a person or a group
    number: str = ""  # of the person or group; empty where the platform hides it or has none
    upload: int | None = None  # Canvas's count of the files that it receives
    late: bool | None = None  # as Canvas says
    doubtful: str = ""  # another number that may be the person's

    @property
    def own_number(self) -> str:
        """What stands for the person in names that the platform reads back; Canvas may hide the number."""
        return self.number or (self.owner if self.platform is Platform.CANVAS else "")


@dataclass(frozen=True, slots=True)
class MoodleNames:
    """What the names of a whole archive of Moodle's tell together."""

    blind: str = ""  # the word that stands for every name
    numbers: Mapping[str, frozenset[str]] = field(default_factory=dict)  # by name; two people may share one


def read_platform_name(name: str, exercises: Iterable[str] = ()) -> PlatformName | None:
    """Return what Canvas or Moodle has written into a name: the leftmost sign of a platform counts."""
    canvas, moodle = _CANVAS.match(name), _MOODLE.match(name)
    if found := _ANONYMOUS.match(name):
        return PlatformName(
            Platform.CANVAS, found["owner"], "", _number(found["upload"]), bool(found["late"])
        )
    if canvas and (not moodle or canvas.end("owner") < moodle.end("owner")):
        upload, late = _number(canvas["upload"]), bool(canvas["late"])
        doubtful = _doubtful(canvas, exercises)
        return PlatformName(Platform.CANVAS, canvas["owner"], canvas["user"], upload, late, doubtful)
    return PlatformName(Platform.MOODLE, moodle["owner"], moodle["number"] or "") if moodle else None


def moodle_names(names: Iterable[PlatformName]) -> MoodleNames:
    """Return which names of Moodle's stand for several people, and whether all of them hide who it is."""
    numbers: dict[str, set[str]] = defaultdict(set)
    for name in names:
        if name.platform is Platform.MOODLE and name.number:
            numbers[name.owner].add(name.number)
    only = next(iter(numbers)) if len(numbers) == 1 else ""
    hidden = only.casefold() in _PARTICIPANTS or (len(numbers.get(only, ())) > 1 and " " not in only)
    return MoodleNames(only if hidden else "", {owner: frozenset(found) for owner, found in numbers.items()})


def _doubtful(match: re.Match[str], exercises: Iterable[str]) -> str:
    """Return the second number where the name may end in the first one, as in user_1_678_9001_x.ipynb."""
    third = re.match(r"[1-9]\d*_", match["file"])
    begins = any(match["file"].startswith(exercise) for exercise in exercises)
    return match["upload"] if third and match["owner"] and not begins else ""


def _number(text: str) -> int:
    return int(text[:30])


def read_pattern(text: str) -> re.Pattern[str]:
    """Return the pattern that an instructor has typed."""
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise PatternError(f"--pattern: {error}") from None
    if not {"student", "student_id"} & set(pattern.groupindex):
        raise PatternError("--pattern: finds no student; add a group (?P<student>...)")
    return pattern


def match_pattern(pattern: re.Pattern[str], path: str) -> tuple[str, str, datetime | None] | None:
    """Return student, exercise and time as the pattern finds them; a text is empty where it finds none.

    Its groups may have the names that nbgrader uses, too.
    """
    match = pattern.match(path)
    if match is None:
        return None
    groups = {name: text for name, text in match.groupdict().items() if text}
    student = groups.get("student") or groups.get("student_id") or ""
    exercise = groups.get("exercise") or groups.get("file_id") or ""
    return student, exercise, _time(groups.get("timestamp", ""))


def _time(text: str) -> datetime | None:
    """Return the UTC time whose digits `text` has, from the year on, however they are separated."""
    digits = re.sub(r"\D", "", text)[:14]
    try:
        return plausible(datetime.strptime(digits, _TIMES[len(digits)]).replace(tzinfo=UTC))
    except (KeyError, ValueError):
        return None
