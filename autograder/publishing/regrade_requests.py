"""Finds regrade requests: lines in students' notebooks, and regrade_requests.csv.

A student writes a line that begins with "Regrade", the question's name and a colon, in a text cell or a
comment, and hands the notebook in again. A line of another form is listed with the right one. After the due
date that would be late, so there is a list as well: a CSV with the columns student, exercise, question and
reason, which somebody keeps or a form writes. Once a person has said that a request is done, the same words
ask no more.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from autograder.course.course import Course
from autograder.course.kept import REQUESTS as LIST
from autograder.errors import UsageError
from autograder.report.text import printable
from autograder.submission.store import REQUESTS, reading, writing
from autograder.submission.students import read_rows

_COLUMNS = ["student", "exercise", "question", "reason"]
_BEGUN = re.compile(r"[^\w\n]{0,20}regrade\b", re.IGNORECASE)
_LINE = re.compile(_BEGUN.pattern + r"[ \t]+`?(\w[\w.-]{0,99})`?[ \t]*:[ \t]*(.*)", re.IGNORECASE)
_MOST, _LONGEST = 20, 300  # requests in a notebook, letters of a reason


@dataclass(frozen=True, slots=True)
class RegradeRequest:
    """That a student wants a question to be looked at again."""

    student: str
    exercise: str
    question: str
    reason: str

    @property
    def words(self) -> str:
        """What there is to say about it beside the student and the exercise."""
        return f"asks to regrade {self.question}: {self.reason or 'no reason given'}"

    @property
    def digest(self) -> str:
        """What tells this request from the next one on the same question."""
        told = json.dumps([self.student, self.exercise, self.question, self.reason])
        return hashlib.sha256(told.encode()).hexdigest()


class RegradeRequests:
    """The requests of a course that nobody has done yet."""

    def __init__(self, course: Course) -> None:
        self._root = course.root
        with reading(self._root) as store:
            rows = store.execute(REQUESTS.select()).all()
        self._done = {(row.student, row.exercise, row.asked_as, row.digest) for row in rows}
        self.rows = {row: one for row, one in _listed(course) if not self._is_done(one)}  # of the list

    def of(self, student: str, exercise: str, notebook: dict[str, Any]) -> tuple[RegradeRequest, ...]:
        """Return those about one submission, whose autograded notebook this is."""
        own = (one for one in self.rows.values() if (one.student, one.exercise) == (student, exercise))
        found = dict.fromkeys((*own, *_in_notebook(student, exercise, notebook)))
        return tuple(one for one in found if not self._is_done(one))

    def finish(self, requests: Sequence[RegradeRequest]) -> None:
        """Store that an instructor has done these."""
        time = datetime.now(UTC).isoformat(timespec="seconds")
        for one in requests:
            row = {"student": one.student, "exercise": one.exercise, "question": one.question, "time": time}
            with writing(self._root) as store:
                store.execute(REQUESTS.insert().values(**row, asked_as=one.student, digest=one.digest))
            self._done.add((one.student, one.exercise, one.student, one.digest))

    def _is_done(self, request: RegradeRequest) -> bool:
        mine = (row for row in self._done if row[:2] == (request.student, request.exercise))
        return any(replace(request, student=asked_as).digest == digest for _, _, asked_as, digest in mine)


def cells_of(notebook: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the cells of an autograded notebook, each with what nbgrader says of it."""
    yield from ((cell, cell["metadata"].get("nbgrader", {})) for cell in notebook.get("cells", ()))


def _in_notebook(student: str, exercise: str, notebook: dict[str, Any]) -> Iterator[RegradeRequest]:
    """Yield the requests in the cells that the student may change."""
    texts = ("".join(cell.get("source", "")) for cell, about in cells_of(notebook) if not about.get("locked"))
    lines = (line for text in texts for line in text.splitlines() if _BEGUN.match(line))
    for line in islice(lines, _MOST):
        if match := _LINE.match(line):
            yield _request(student, exercise, match[1], match[2])
        else:
            form = 'names no question; the form is "Regrade QUESTION: REASON"'
            yield _request(student, exercise, "?", f'"{line.strip()[:100]}" {form}')


def _listed(course: Course) -> Iterator[tuple[int, RegradeRequest]]:
    """Yield the requests of the list, each with the number of its row."""
    path = course.root / LIST
    if not path.is_file():
        return
    header, *rows = read_rows(path) or [[]]
    columns = [cell.strip().casefold() for cell in header]
    if not set(_COLUMNS) <= set(columns):
        raise UsageError(f"{path}:1: must have the columns {', '.join(_COLUMNS)}")
    for number, row in enumerate(rows, 2):
        cells = dict(zip(columns, (cell.strip() for cell in row), strict=False))
        if any(cells.values()):
            yield number, _request(*(cells.get(name, "") for name in _COLUMNS))


def _request(student: str, exercise: str, question: str, reason: str) -> RegradeRequest:
    told = " ".join(printable(reason, " ").split())[:_LONGEST]
    return RegradeRequest(student, exercise, question, told)
