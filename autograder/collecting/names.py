"""Judges the names of files in archives: what is wrong with them, and what the class has in common."""

import re
import unicodedata
from collections.abc import Sequence
from pathlib import PurePosixPath

from autograder.collecting.platforms import read_platform_name

MAX_NAME = 1000
_ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz", ".tbz2", ".tar.bz2", ".txz", ".tar.xz")
_LEFT_OUT = {"__MACOSX", "__pycache__", ".ipynb_checkpoints", ".git", ".DS_Store", "Thumbs.db", "desktop.ini"}
# Browsers save a notebook as X.ipynb.txt, X.ipynb.json or, the second time, X.ipynb (1).txt; Canvas adds -1.
_NOTEBOOK = re.compile(
    r"(?P<stem>.+)\.ipynb(?P<copy>( ?\(\d+\)|-\d+)?\.(txt|json))?", re.IGNORECASE | re.DOTALL
)
_GRADESCOPE = re.compile(r"(assignment_\d+_export/)?submission_\d+/")


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
    """Whether the file lies in a folder of Gradescope's, whose name tells no student."""
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
