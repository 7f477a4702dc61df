"""Reads the instructor's list of students: the id of each, and the names that platforms use."""

import csv
from collections.abc import Mapping
from pathlib import Path

from autograder.collecting.names import folded
from autograder.errors import UsageError
from autograder.submission.submission import is_student


class RosterError(UsageError):
    """The list cannot be used; the message says where and what to do."""


def read_roster(path: Path) -> Mapping[str, str]:
    """Return ids by folded name. Each row of the CSV is a student: the id, then any other names."""
    known: dict[str, str] = {}
    try:
        rows = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError, csv.Error):
        raise RosterError(f"{path}: cannot be read; save it as CSV in UTF-8") from None
    for number, row in enumerate(rows, 1):
        names = [name for cell in row if (name := cell.strip())]
        if names and not is_student(names[0]):
            raise RosterError(
                f'{path}:{number}: "{names[0]}" is no id; put one of letters, digits and . _ @ + - first'
            )
        for name in names:
            if known.setdefault(folded(name), names[0]) != names[0]:
                raise RosterError(
                    f'{path}:{number}: "{name}" stands for two students; delete it in both rows'
                )
    return known
