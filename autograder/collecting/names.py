"""Judges the names of files in archives: which are unsafe, which nobody means, and which are the same."""

import re
import unicodedata
from pathlib import PurePosixPath

from autograder.collecting.entry import MAX_NAME

_LEFT_OUT = {"__MACOSX", "__pycache__", ".ipynb_checkpoints", ".git", ".DS_Store"}
_CONTROLS = ("Cc", "Cs", "Zl", "Zp")
_DRIVE = re.compile(r"[A-Za-z]:")


def name_problem(name: str) -> str:
    """Return what is wrong with a name; it is not corrected, since nobody knows what was meant."""
    if any(unicodedata.category(letter) in _CONTROLS for letter in name):
        return "has control characters in its name"
    if name.startswith("/") or "\\" in name or _DRIVE.match(name):
        return "has an absolute name, or one with backslashes"
    if ".." in name.split("/"):
        return "leads out of its folder"
    return "has too long a name" if len(name) > MAX_NAME else ""


def folded(name: str) -> str:
    """Return a form that two names share if some file system takes one for the other."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def left_out(name: str) -> bool:
    """Whether the file is one that operating systems and editors leave everywhere."""
    parts = PurePosixPath(name).parts
    return bool(_LEFT_OUT.intersection(parts)) or any(part.startswith("._") for part in parts)
