"""Keeps who may hand in later, and until when: in extensions.csv, which may be edited by hand, too.

A student may get an extension long before there is a submission, so the gradebook has no place for it.
"""

import csv
from datetime import datetime
from pathlib import Path

from autograder.course.course import Course
from autograder.course.kept import EXTENSIONS
from autograder.course.moments import MomentError, read_moment
from autograder.errors import UsageError
from autograder.gradebook.lists import rewrite
from autograder.submission.students import read_rows
from autograder.submission.submission import is_student

HEADER = ["student", "exercise", "until"]
Extensions = dict[tuple[str, str], str]  # the moment as it was written, by student and exercise


class ExtensionError(UsageError):
    """An extension cannot be given, or extensions.csv not be read; the message says why."""


def extend(course: Course, student: str, exercise: str, until: str | None) -> None:
    """Let a student hand in until then, or as everybody else if `until` is None."""
    if not is_student(student):
        raise ExtensionError(f'"{student}" is no student\'s id; use letters, digits and . _ @ + -')
    kept = _read(course)
    kept.pop((student, exercise), None)
    if until is not None:
        due, moment = course.due(exercise), _moment(until, "UNTIL")
        if due is None:
            raise ExtensionError(f"{exercise} is never due; give it a `due` in course.yaml first")
        if moment <= due:
            raise ExtensionError(f"UNTIL: {until} is not after {due.isoformat()}, when {exercise} is due")
        kept[student, exercise] = until
    rows = [[*who, moment] for who, moment in sorted(kept.items())]
    rewrite(course.root / EXTENSIONS, [HEADER, *rows])


def read_extensions(course: Course, exercise: str) -> dict[str, datetime] | None:
    """Return until when students may hand in `exercise`, for those who have an extension.

    It is None where there is no list: then extensions are those that somebody gave through nbgrader.
    """
    path = course.root / EXTENSIONS
    if not path.is_file():
        return None
    return {
        student: _moment(until, f"{path}: {student} {name}")
        for (student, name), until in _read(course).items()
        if name == exercise
    }


def _read(course: Course) -> Extensions:
    path = course.root / EXTENSIONS
    if not path.is_file():
        return {}
    try:
        header, *rows = read_rows(path)
    except (ValueError, csv.Error):
        raise ExtensionError(f"{path}: cannot be read; save it as CSV in UTF-8 with a header") from None
    if [cell.strip() for cell in header] != HEADER:
        raise ExtensionError(f"{path}:1: must be {','.join(HEADER)}")
    found: Extensions = {}
    for number, row in enumerate(rows, 2):
        cells = [cell.strip() for cell in row]
        if any(cells):
            found.update([_row(course, path, number, cells)])
    return found


def _row(course: Course, path: Path, number: int, cells: list[str]) -> tuple[tuple[str, str], str]:
    if len(cells) != len(HEADER) or not is_student(cells[0]) or cells[1] not in course.exercises:
        raise ExtensionError(f"{path}:{number}: is no extension; write a student's id, an exercise, a moment")
    _moment(cells[2], f"{path}:{number}")
    return (cells[0], cells[1]), cells[2]


def _moment(text: str, place: str) -> datetime:
    try:
        return read_moment(text)
    except MomentError as error:
        shown = "2026-03-01 18:00 Europe/Berlin"
        raise ExtensionError(f'{place}: "{text}" {error}; write it as {shown}') from None
