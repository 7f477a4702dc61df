"""Reads file names as platforms and students write them."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import PurePosixPath

MAX_NAME = 1000
_ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz")
_LEFT_OUT = {"__MACOSX", "__pycache__", ".ipynb_checkpoints", ".git", ".DS_Store", "Thumbs.db", "desktop.ini"}
# Browsers save a notebook as X.ipynb.txt, X.ipynb.json or, the second time, X.ipynb (1).txt; Canvas adds -1.
_NOTEBOOK = re.compile(
    r"(?P<stem>.+)\.ipynb(?P<copy>( ?\(\d+\)|-\d+)?\.(txt|json))?", re.IGNORECASE | re.DOTALL
)
# Canvas: a name without spaces and punctuation, LATE, the user's id, the upload's, and the student's own file
# name. Both ids never begin with 0. An anonymous assignment has an id of five letters and digits instead.
_CANVAS = re.compile(
    r"(?P<owner>[^\x00-/:-@\[-^`{-\x7f]*?)_"  # accents, and vowels in some scripts, are no letters to \w
    r"(?:(?P<late>LATE)_)?(?P<number>[1-9]\d*)_(?P<upload>[1-9]\d*)_(?P<file>[^/]+)"
)
_ANONYMOUS = re.compile(
    r"(?:(?P<late>LATE)_)?(?P<number>(?P<owner>anon_[1-9A-HJ-NP-Za-km-z]{5}))_(?P<upload>\d+)_(?P<file>[^/]+)"
)
# Moodle: the full name or the group's, in which _ has become a space, and a number that counts participants
# anew in each assignment. The group of those who are in no group has no number.
_MOODLE = re.compile(r"(?P<owner>[^/_]+)(?:_(?P<number>\d+))?_assignsubmission_file_?.+")
# What was typed into Moodle's or Canvas's own page comes as a page under names of its own.
_TYPED = (
    (re.compile(r"_assignsubmission_onlinetext"), "_assignsubmission_file"),
    (re.compile(r"_([1-9]\d*)_(text|media|link)\.html?$"), r"_\1_1_\2.html"),
)


def plausible(when: datetime) -> datetime | None:
    """Return `when`, or None for years that archives write where they know no time, such as 1970 or 1980."""
    return when if 1990 < when.year < 2100 else None


def name_problem(name: str) -> str:
    """Return what is wrong with a name; it is not corrected, since nobody knows what was meant."""
    if any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in name):
        return "has control characters in its name"
    if name.startswith("/") or "\\" in name or re.match("[A-Za-z]:", name):
        return "has an absolute name, or one with backslashes"
    if ".." in name.split("/"):
        return "leads out of its folder"
    return "has too long a name" if len(name) > MAX_NAME else ""


def with_folders(name: str) -> str:
    """Return a name with a slash for each backslash, as PowerShell 5.1 writes names into a zip.

    A name that would lead elsewhere stays as it is, and is refused.
    """
    slashed = name.replace("\\", "/")
    return name if name_problem(slashed) else slashed


def left_out(name: str) -> bool:
    """Whether the file is one that operating systems and editors leave everywhere."""
    return any(part in _LEFT_OUT or part.startswith("._") for part in PurePosixPath(name).parts)


def notebook_stem(name: str) -> str | None:
    """Return the name of a notebook's file without its endings; or None where it has none of them."""
    match = _NOTEBOOK.fullmatch(PurePosixPath(name).name)
    return match["stem"] + (match["copy"] or "").rpartition(".")[0] if match else None


def is_notebook(name: str, exercises: Iterable[str]) -> bool:
    """Whether a file is a notebook, or a text that was exported from one and kept its name."""
    path = PurePosixPath(name)
    exported = is_export(name) and any(exercise in path.stem for exercise in exercises)
    return notebook_stem(path.name) is not None or exported


def is_export(name: str) -> bool:
    """Whether a file of this name may be a notebook's export as a script, or as a document of Quarto or R."""
    return name.lower().endswith((".py", ".qmd", ".rmd"))


def is_archive(name: str) -> bool:
    """Whether a file of this name is opened as an archive."""
    return name.lower().endswith(_ARCHIVES)


def stem(name: str) -> str:
    """Return the last part of a name without its ending, or without all endings of a notebook or archive."""
    last = PurePosixPath(name).name
    archived = (last[: -len(end)] for end in reversed(_ARCHIVES) if last.lower().endswith(end))
    return notebook_stem(name) or next(archived, PurePosixPath(name).stem)


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


def listed_class_folder(paths: Sequence[str], is_listed: Callable[[str], bool]) -> str:
    """Return the folder, with its slash, in which folders of several listed students lie, or an empty text.

    No folder around them may be a student's own, who may have packed others' names.
    """
    around = ""
    while len(tops := {path.partition("/")[0] for path in paths}) == 1:
        (top,) = tops
        paths = [path.partition("/")[2] for path in paths]
        if is_listed(top) or not all(paths):
            return ""
        around += f"{top}/"
    return around if any(map(is_listed, tops)) else ""


# ILIAS: "Lovelace_Ada_login_12345". Blackboard: the title, the user name and the time, then the student's own
# file name.
_ILIAS = re.compile(r"(?P<before>[^/]+_[^/]+_[^/]+)_\d+")
_BLACKBOARD = re.compile(r"(?P<before>[^/]+?)_attempt_\d{4}(-\d\d){5}[_.].*")


def logins(name: str) -> Iterator[str]:
    """Yield what may be a student's login in the name of a folder of ILIAS or of a file of Blackboard.

    The longest comes first, since both the title and a login may hold underscores. Nothing comes from the
    part of a name that a student can choose.
    """
    if match := _BLACKBOARD.fullmatch(name) or _ILIAS.fullmatch(name):
        parts = match["before"].split("_")
        yield from ("_".join(parts[place:]) for place in range(1, len(parts)))


_LEAST_NAMES = 3


def common_prefix(names: Collection[str]) -> str:
    """Return the beginning that GitHub Classroom writes before each login: the assignment's name and "-".

    At least three names must have it: the beginning of fewer may be a part of their logins.
    """
    if len(names) < _LEAST_NAMES:
        return ""
    first, last = min(names), max(names)
    length = next(
        (place for place, pair in enumerate(zip(first, last, strict=False)) if len({*pair}) > 1), len(first)
    )
    return first[: first.rfind("-", 0, length) + 1]


class Platform(StrEnum):
    """A platform whose archives have the time of the download; not all tell when something was handed in."""

    CANVAS = "Canvas"
    GRADESCOPE = "Gradescope"
    MOODLE = "Moodle"


@dataclass(frozen=True, slots=True)
class PlatformName:
    """What a platform has written into a name."""

    platform: Platform
    owner: str  # a person or a group; in an anonymous assignment of Canvas, the same as the number
    number: str  # of the person or group; empty where Moodle has none
    upload: int | None = None  # Canvas's count of the files that it receives
    late: bool | None = None  # as Canvas says
    doubtful: str = ""  # another number that may be the person's


def read_platform_name(name: str, exercises: Iterable[str] = ()) -> PlatformName | None:
    """Return what Canvas or Moodle has written into a name: the leftmost sign of a platform counts."""
    moodle = _MOODLE.match(name)
    canvas = _ANONYMOUS.match(name) or _CANVAS.match(name)
    if canvas and (not moodle or canvas.re is _ANONYMOUS or canvas.end("owner") < moodle.end("owner")):
        doubtful = "" if canvas.re is _ANONYMOUS else _doubtful(canvas, exercises)
        upload, late = int(canvas["upload"][:30]), bool(canvas["late"])
        return PlatformName(Platform.CANVAS, canvas["owner"], canvas["number"], upload, late, doubtful)
    return PlatformName(Platform.MOODLE, moodle["owner"], moodle["number"] or "") if moodle else None


def _doubtful(match: re.Match[str], exercises: Iterable[str]) -> str:
    """Return the second number where the name may end in the first one, as in user_1_678_9001_x.ipynb."""
    third = re.match(r"[1-9]\d*_", match["file"])
    begins = any(match["file"].startswith(exercise) for exercise in exercises)
    return match["upload"] if third and match["owner"] and not begins else ""


def as_uploaded(name: str) -> str:
    """Return the name of a page that was typed on a platform as if it was a file that was uploaded."""
    for form, uploaded in _TYPED:
        name = form.sub(uploaded, name)
    return name
