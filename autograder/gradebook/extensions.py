"""Keeps who may hand in later, and until when: in extensions.csv, which may be edited by hand, too.

A student may get an extension long before there is a submission, so the gradebook has no place for it.
"""

import csv
from collections.abc import Collection, Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from autograder.course.course import Course
from autograder.course.kept import EXTENSIONS
from autograder.course.moments import MomentError, read_moment, read_span
from autograder.errors import UsageError
from autograder.gradebook.lists import rewrite
from autograder.report.text import one_line
from autograder.submission.students import Students, listed_students, read_rows
from autograder.submission.submission import has_come, is_student

HEADER = ["student", "exercise", "until"]
_LONGEST = 200  # letters of a line
Extensions = dict[tuple[str, str], str]  # the moment as it was written, by student and exercise


class ExtensionError(UsageError):
    """An extension cannot be given, or extensions.csv not be read; the message says why."""


def extend(
    course: Course, student: str, exercise: str, until: str | None, *, keep_later: bool = False
) -> str:
    """Let a student hand in until then, or as everybody else if `until` is None; return what was kept.

    A time after the due date, such as "+2 days", is kept as the moment that it comes to. With `keep_later`
    a longer extension that the student has stays.
    """
    kept, students = _read(course), listed_students(course.root)
    before = dict(kept)
    given_back = kept.pop((student, exercise), None) is not None and until is None
    if students is not None and not given_back and (problem := students.unknown(student)):
        raise ExtensionError(problem)
    if not is_student(student):
        raise ExtensionError(f'"{student}" is no student\'s id; use letters, digits and . _ @ + -')
    if until is not None:
        if (due := course.due(exercise)) is None:
            raise ExtensionError(f"{exercise} is never due; give it a `due` in course.yaml first")
        until = _after(due, until) if until.startswith("+") else until
        moment = _moment(until, "UNTIL")
        if moment <= due:
            raise ExtensionError(f"UNTIL: {until} is not after {due.isoformat()}, when {exercise} is due")
        if keep_later and (known := before.get((student, exercise))) and _moment(known, EXTENSIONS) > moment:
            until = known
        kept[student, exercise] = until
    rows = [[*who, moment] for who, moment in sorted(kept.items())]
    rewrite(course.root / EXTENSIONS, [HEADER, *rows])
    return until or ""


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


def unknown_students(course: Course, students: Students, exercises: Collection[str]) -> Iterator[str]:
    """Yield a line on each row for somebody who is not in the list and has handed in nothing."""
    for number, (student, exercise), _ in _rows(course):
        problem = students.unknown(student)
        if problem and exercise in exercises and not has_come(course, student):
            yield f"{EXTENSIONS}:{number}: {one_line(problem, _LONGEST)}"


def _read(course: Course) -> Extensions:
    return {whose: moment for _, whose, moment in _rows(course)}


def _rows(course: Course) -> Iterator[tuple[int, tuple[str, str], str]]:
    """Yield each extension with the number of its row."""
    path = course.root / EXTENSIONS
    if not path.is_file():
        return
    try:
        header, *rows = read_rows(path)
    except (ValueError, csv.Error):
        raise ExtensionError(f"{path}: cannot be read; save it as CSV in UTF-8 with a header") from None
    if [cell.strip() for cell in header] != HEADER:
        raise ExtensionError(f"{path}:1: must be {','.join(HEADER)}")
    for number, row in enumerate(rows, 2):
        cells = [cell.strip() for cell in row]
        if any(cells):
            yield number, *_row(course, path, number, cells)


def _row(course: Course, path: Path, number: int, cells: list[str]) -> tuple[tuple[str, str], str]:
    if len(cells) != len(HEADER) or not is_student(cells[0]) or cells[1] not in course.exercises:
        raise ExtensionError(f"{path}:{number}: is no extension; write a student's id, an exercise, a moment")
    _moment(cells[2], f"{path}:{number}")
    return (cells[0], cells[1]), cells[2]


def _after(due: datetime, text: str) -> str:
    """Return the moment that is such a time as "+2 days" after the due date, as it is written in the list."""
    try:
        moment = read_span(text.removeprefix("+").strip()).after(due)
    except MomentError as error:
        raise ExtensionError(f'UNTIL: "{text}" {error}') from None
    zone = moment.tzinfo.key if isinstance(moment.tzinfo, ZoneInfo) else ""
    return f"{moment.replace(tzinfo=None).isoformat(' ')} {zone}" if zone else moment.isoformat(" ")


def _moment(text: str, place: str) -> datetime:
    try:
        return read_moment(text)
    except MomentError as error:
        shown = "2026-03-01 18:00 Europe/Berlin"
        raise ExtensionError(f'{place}: "{text}" {error}; write it as {shown}') from None
