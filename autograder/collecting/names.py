"""Parses file names as platforms and students write them."""

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
# Some browsers save the notebook X.ipynb as X.ipynb.txt or X.ipynb.json, and the next time as X.ipynb
# (1).txt. Canvas renames a second upload to X.ipynb-1.txt.
_NOTEBOOK = re.compile(
    r"(?P<stem>.+)\.ipynb(?P<copy>( ?\(\d+\)|-\d+)?\.(txt|json))?", re.IGNORECASE | re.DOTALL
)
# The name that Canvas gives to a file. It has these parts, joined by "_": the user's name without spaces and
# punctuation, "LATE" if the file is late, the user's id, the upload's id, and the student's own file name.
# Neither id begins with 0. In an anonymous assignment, "anon_" and five letters or digits replace the user's
# name and id.
_CANVAS = re.compile(
    r"(?P<owner>[^\x00-/:-@\[-^`{-\x7f]*?)_"  # \w would not match combining accents or vowel signs
    r"(?:(?P<late>LATE)_)?(?P<number>[1-9]\d*)_(?P<upload>[1-9]\d*)_(?P<file>[^/]+)"
)
_ANONYMOUS = re.compile(
    r"(?:(?P<late>LATE)_)?(?P<number>(?P<owner>anon_[1-9A-HJ-NP-Za-km-z]{5}))_(?P<upload>\d+)_(?P<file>[^/]+)"
)
# The name that Moodle gives to a file or folder. It begins with the full name of the participant or group.
# Moodle replaces each "_" in this name by a space. Then a number follows, except after the name of the
# default group, which has all students without a group. Each assignment has its own numbers.
_MOODLE = re.compile(r"(?P<owner>[^/_]+)(?:_(?P<number>\d+))?_assignsubmission_file_?.+")
# If a student types a text into a page, Moodle and Canvas write an HTML file. Canvas also does so for links
# and media. These patterns and replacements turn the name of such a file into the name of an uploaded file.
_TYPED = (
    (re.compile(r"_assignsubmission_onlinetext"), "_assignsubmission_file"),
    (re.compile(r"_([1-9]\d*)_(text|media|link)\.html?$"), r"_\1_1_\2.html"),
)


def plausible(when: datetime) -> datetime | None:
    """Return `when`, or None if it is before 1991 or after 2099. The year 1970 or 1980 means "no time"."""
    return when if 1990 < when.year < 2100 else None


def name_problem(name: str) -> str:
    """Return the reason why a file of this name is refused, or ""."""
    if any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in name):
        return "has control characters in its name"
    if name.startswith("/") or "\\" in name or re.match("[A-Za-z]:", name):
        return "has an absolute path, or a backslash in its name"
    if ".." in name.split("/"):
        return "leads out of its folder"
    return "has a name that is too long" if len(name) > MAX_NAME else ""


def with_folders(name: str) -> str:
    """Replace backslashes by slashes, because PowerShell 5.1 writes paths with backslashes into a zip.

    If the result is not a valid name, return `name` unchanged. A later step refuses it.
    """
    slashed = name.replace("\\", "/")
    return name if name_problem(slashed) else slashed


def left_out(name: str) -> bool:
    """Whether the file is a by-product of an operating system or an editor, such as .DS_Store."""
    return any(part in _LEFT_OUT or part.startswith("._") for part in PurePosixPath(name).parts)


def notebook_stem(name: str) -> str | None:
    """Return a notebook's file name without folder and suffixes, or None for other files."""
    match = _NOTEBOOK.fullmatch(PurePosixPath(name).name)
    return match["stem"] + (match["copy"] or "").rpartition(".")[0] if match else None


def is_notebook(name: str, exercises: Iterable[str]) -> bool:
    """Whether a file is a notebook, or an exported notebook whose name contains an exercise's name."""
    path = PurePosixPath(name)
    is_named_export = is_export(name) and any(exercise in path.stem for exercise in exercises)
    return notebook_stem(path.name) is not None or is_named_export


def is_export(name: str) -> bool:
    """Whether a file of this name may be an exported notebook: a Python script, or Quarto or R Markdown."""
    return name.lower().endswith((".py", ".qmd", ".rmd"))


def is_archive(name: str) -> bool:
    """Whether a file of this name is opened as an archive."""
    return name.lower().endswith(_ARCHIVES)


def stem(name: str) -> str:
    """Return the last part of a path without its suffix, or without all suffixes of a notebook or archive."""
    file = PurePosixPath(name).name
    archive_stems = (file[: -len(end)] for end in reversed(_ARCHIVES) if file.lower().endswith(end))
    return notebook_stem(name) or next(archive_stems, PurePosixPath(name).stem)


def class_folder(paths: Sequence[str], exercises: Sequence[str]) -> str:
    """Return the folder with the files of the whole class, such as "export/", or "" if there is none.

    The folder must be the only one at the top. It must have files of at least two students, because a
    student's own archive may also have a single folder at the top.
    """
    tops = {path.partition("/")[0] for path in paths}
    below = [path.partition("/")[2] for path in paths]
    students = {path.partition("/")[0] for path in below} - set(exercises)
    if len(tops) != 1 or len(students) < 2:
        return ""
    is_uniform = all("/" in path for path in below) or all(read_platform_name(path) for path in below)
    return f"{tops.pop()}/" if is_uniform else ""


def listed_class_folder(paths: Sequence[str], is_listed: Callable[[str], bool]) -> str:
    """Return the folder of the class, such as "a/b/", or "" if there is none.

    The search begins at the top, and enters each folder that is the only item. The first folder with several
    items is the folder of the class if one of these items has a listed student's name. But if a folder that
    was entered has such a name, there is no folder of the class. A student could have submitted this folder,
    with folders named after other students inside.
    """
    outer = ""
    while len(tops := {path.partition("/")[0] for path in paths}) == 1:
        (top,) = tops
        paths = [path.partition("/")[2] for path in paths]
        if is_listed(top) or not all(paths):
            return ""
        outer += f"{top}/"
    return outer if any(map(is_listed, tops)) else ""


# ILIAS: "Lovelace_Ada_login_12345". Blackboard: the assignment's title, the user name and the time, then the
# student's own file name.
_ILIAS = re.compile(r"(?P<before>[^/]+_[^/]+_[^/]+)_\d+")
_BLACKBOARD = re.compile(r"(?P<before>[^/]+?)_attempt_\d{4}(-\d\d){5}[_.].*")


def logins(name: str) -> Iterator[str]:
    """Yield possible logins from the name of an ILIAS folder or of a Blackboard file, the longest first.

    There are several, because a login and the text before it may contain underscores. The part of the name
    that the student chose is not used.
    """
    if match := _BLACKBOARD.fullmatch(name) or _ILIAS.fullmatch(name):
        parts = match["before"].split("_")
        yield from ("_".join(parts[start:]) for start in range(1, len(parts)))


_MIN_NAMES = 3


def common_prefix(names: Collection[str]) -> str:
    """Return the longest common prefix that ends with "-", or "". GitHub Classroom adds such a prefix.

    With fewer than three names, the result is "", because the prefix could be part of the logins.
    """
    if len(names) < _MIN_NAMES:
        return ""
    first, last = min(names), max(names)
    pairs = enumerate(zip(first, last, strict=False))
    length = next((index for index, (left, right) in pairs if left != right), len(first))
    return first[: first.rfind("-", 0, length) + 1]


class Platform(StrEnum):
    """A platform that writes the time of the download, not of the submission, into its archives."""

    CANVAS = "Canvas"
    GRADESCOPE = "Gradescope"
    MOODLE = "Moodle"


@dataclass(frozen=True, slots=True)
class PlatformName:
    """The parts of a file or folder name that a platform wrote."""

    platform: Platform
    owner: str  # the name of a person or group; in an anonymous assignment of Canvas, the same as `number`
    number: str  # the number of the person or group; empty if Moodle wrote no number
    upload: int | None = None  # the number that Canvas gave to the file
    late: bool | None = None  # whether Canvas marks the file as late; None for Moodle
    other_number: str = ""  # a second number in the name, if either number may be the person's


def read_platform_name(name: str, exercises: Iterable[str] = ()) -> PlatformName | None:
    """Parse a name that Canvas or Moodle wrote. Return None for other names.

    If patterns of both platforms match, Canvas's pattern for anonymous assignments takes precedence. If that
    pattern does not match, the pattern that finds the shorter `owner` is used.
    """
    moodle = _MOODLE.match(name)
    canvas = _ANONYMOUS.match(name) or _CANVAS.match(name)
    if canvas and (not moodle or canvas.re is _ANONYMOUS or canvas.end("owner") < moodle.end("owner")):
        other_number = "" if canvas.re is _ANONYMOUS else _other_number(canvas, exercises)
        upload, late = int(canvas["upload"][:30]), bool(canvas["late"])
        return PlatformName(Platform.CANVAS, canvas["owner"], canvas["number"], upload, late, other_number)
    return PlatformName(Platform.MOODLE, moodle["owner"], moodle["number"] or "") if moodle else None


def _other_number(match: re.Match[str], exercises: Iterable[str]) -> str:
    """Return the second number that may be the person's, or "".

    In user_1_678_9001_x.ipynb, the person is "user" with the number 1, or "user_1" with the number 678.
    """
    has_third = re.match(r"[1-9]\d*_", match["file"])
    begins_with_exercise = any(match["file"].startswith(exercise) for exercise in exercises)
    return match["upload"] if has_third and match["owner"] and not begins_with_exercise else ""


def as_uploaded(name: str) -> str:
    """Turn the name of a typed text into the name of an uploaded file. Other names are not changed."""
    for form, uploaded in _TYPED:
        name = form.sub(uploaded, name)
    return name
