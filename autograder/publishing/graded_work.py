"""Reads the graded work of a class: each submission's gradebook entry, report, code and regrade requests.

A student asks for a second look by a line that begins with "Regrade", the question's name and a colon, in a
text cell or a comment, and hands the notebook in again. A line of another form is listed with the right
one. After the due date that would be late, so there is a list as well, regrade_requests.csv, which somebody
keeps or a form writes. Once a person has said that a request is done, the same words ask no more.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import islice
from typing import Any

from autograder.collecting.attempts import Attempt, all_attempts, recorded_attempts
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import OnFailure, raise_failure, skipping
from autograder.course.kept import REQUESTS as LIST
from autograder.errors import UsageError
from autograder.gradebook.pages import read_gradebook
from autograder.records.database import reading, writing
from autograder.records.reports import recorded_reports
from autograder.records.tables import REQUESTS
from autograder.report.report import (
    Entry,
    GradebookSubmission,
    QuestionReport,
    Report,
    Status,
    Verdict,
)
from autograder.report.text import printable
from autograder.submission.students import read_rows
from autograder.submission.submission import Submission

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


@dataclass(frozen=True)
class GradedWork:
    """One student's work on one exercise; its report is None until we have graded it."""

    exercise: str
    submission: GradebookSubmission
    report: Report | None
    answers: Mapping[str, str] = field(default_factory=dict)  # the student's code, by question
    requests: Sequence[RegradeRequest] = ()  # which nobody has done yet
    is_late_untimed: bool = False  # late as the platform says, which gives no time

    @property
    def student(self) -> str:
        """The student's id."""
        return self.submission.student

    @property
    def is_unreadable(self) -> bool:
        """Whether the file could not be read, and no person has settled what becomes of it."""
        waits = any(entry.waits for entry in self.submission.entries)
        return self.report is not None and self.report.status is Status.UNREADABLE and waits

    @cached_property
    def questions(self) -> Mapping[str, QuestionReport]:
        """What tests found, by question; nothing for a file that could not be read."""
        if self.report is None or self.report.status is Status.UNREADABLE:
            return {}
        return {question.name: question for question in self.report.questions}

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """The gradebook's entries, by question."""
        return {entry.question: entry for entry in self.submission.entries}

    @cached_property
    def tested(self) -> Sequence[Entry]:
        """The gradebook's entries on the questions that tests grade."""
        return [entry for entry in self.submission.entries if not entry.written]

    @cached_property
    def score(self) -> float | None:
        """The score of all tested questions, or None while one of them has no score."""
        scores = [entry.score for entry in self.tested if entry.score is not None]
        return sum(scores) if self.questions and len(scores) == len(self.tested) else None

    @property
    def share(self) -> float | None:
        """The scored part of the tested points, between 0 and 1, or None while it is not known."""
        points = sum(entry.max_score for entry in self.tested)
        return None if self.score is None or points <= 0 else self.score / points

    @property
    def untouched(self) -> bool:
        """Whether the student attempted none of the questions that tests grade."""
        verdicts = {question.verdict for question in self.questions.values()} - {Verdict.UNGRADED}
        return verdicts == {Verdict.NOT_ATTEMPTED}


def read_graded_work(
    course: Course, exercises: Sequence[Exercise], on_failure: OnFailure = raise_failure
) -> Iterator[GradedWork]:
    """Yield the work on each of `exercises` in turn, in the order of the students' ids."""
    requests = RegradeRequests(course)
    for exercise in exercises:
        with reading(course.root) as store:
            reports = recorded_reports(store, exercise.name)
        newest = {student: some[-1] for student, some in all_attempts(course.root, exercise.name).items()}
        attempts = newest | recorded_attempts(course.root, exercise.name)
        for submission in read_gradebook(course, exercise, on_failure=on_failure):
            work: GradedWork | None = None
            with skipping(course, exercise.name, submission.student, on_failure):
                known = reports.get(submission.student), attempts.get(submission.student)
                work = _read_work(course, exercise, submission, *known, requests)
            if work is not None:
                yield work


def _read_work(
    course: Course,
    exercise: Exercise,
    submission: GradebookSubmission,
    report: Report | None,
    attempt: Attempt | None,
    requests: RegradeRequests,
) -> GradedWork:
    folder = Submission(course.root, submission.student, exercise.name)
    notebook = autograded_notebook(folder)
    return GradedWork(
        exercise.name,
        submission,
        report,
        _answers(notebook),
        requests.of(submission.student, exercise.name, notebook),
        attempt is not None and attempt.arrival.is_late_untimed,
    )


def autograded_notebook(submission: Submission) -> dict[str, Any]:
    """Return the autograded notebook, or an empty one where there is none."""
    with suppress(OSError, ValueError):
        if isinstance(notebook := json.loads(submission.autograded.read_bytes()), dict):
            return notebook
    return {}


def _answers(notebook: dict[str, Any]) -> dict[str, str]:
    return {
        about["grade_id"]: "".join(cell["source"])
        for cell, about in cells_of(notebook)
        if about.get("solution") and cell.get("cell_type") == "code"
    }
