"""Reads the graded work of a class: each submission's scores, report, code and regrade requests.

To request a regrade, a student writes a line such as "Regrade softmax: REASON" in a text cell or a comment,
and hands in the notebook again. If a line begins with "Regrade" but names no question, the dashboard shows
the line and the right form. An instructor can also list requests in regrade_requests.csv. Students need this
after the due date, because a notebook that they hand in again would count as late. A request that an
instructor has marked as done is ignored, even if it occurs again.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import islice
from typing import Any

from autograder.collecting.attempts import Attempt, read_attempts, recorded_attempt
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import OnFailure, raise_failure, skipping
from autograder.course.kept import REQUESTS as LIST
from autograder.errors import UsageError
from autograder.gradebook.grades import read_graded
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
_MAX_REQUESTS, _MAX_REASON = 20, 300  # requests in a notebook; characters of a reason


@dataclass(frozen=True, slots=True)
class RegradeRequest:
    """A student's request to grade a question again."""

    student: str
    exercise: str
    question: str
    reason: str

    @property
    def words(self) -> str:
        """A description of the request without its student and exercise."""
        return f"asks to regrade {self.question}: {self.reason or 'no reason given'}"

    @property
    def digest(self) -> str:
        """A hash of the request's student, exercise, question and reason."""
        content = json.dumps([self.student, self.exercise, self.question, self.reason])
        return hashlib.sha256(content.encode()).hexdigest()


class RegradeRequests:
    """The open requests of a course."""

    def __init__(self, course: Course) -> None:
        self._root = course.root
        with reading(self._root) as store:
            rows = store.execute(REQUESTS.select()).all()
        self._done = {(row.student, row.exercise, row.asked_as, row.digest) for row in rows}
        # The open requests in regrade_requests.csv, by row number.
        self.rows = {row: request for row, request in _listed(course) if not self._is_done(request)}

    def of(self, student: str, exercise: str, notebook: dict[str, Any]) -> tuple[RegradeRequest, ...]:
        """Return the open requests on a submission, from regrade_requests.csv and the autograded notebook."""
        listed = (each for each in self.rows.values() if (each.student, each.exercise) == (student, exercise))
        requests = dict.fromkeys((*listed, *_in_notebook(student, exercise, notebook)))
        return tuple(request for request in requests if not self._is_done(request))

    def finish(self, requests: Sequence[RegradeRequest]) -> None:
        """Store that an instructor has marked these requests as done."""
        time = datetime.now(UTC).isoformat(timespec="seconds")
        for request in requests:
            student, exercise, digest = request.student, request.exercise, request.digest
            row = {"student": student, "exercise": exercise, "question": request.question, "time": time}
            with writing(self._root) as store:
                store.execute(REQUESTS.insert().values(**row, asked_as=student, digest=digest))
            self._done.add((student, exercise, student, digest))

    def _is_done(self, request: RegradeRequest) -> bool:
        """Whether a request is marked as done, even if the student has got a new id since then."""
        same = (row for row in self._done if row[:2] == (request.student, request.exercise))
        return any(replace(request, student=asked_as).digest == digest for _, _, asked_as, digest in same)


def cells_of(notebook: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield each cell of an autograded notebook, with nbgrader's metadata about it ({} if there is none)."""
    yield from ((cell, cell["metadata"].get("nbgrader", {})) for cell in notebook.get("cells", ()))


def _in_notebook(student: str, exercise: str, notebook: dict[str, Any]) -> Iterator[RegradeRequest]:
    """Yield the requests in the cells that the student may change."""
    texts = ("".join(cell.get("source", "")) for cell, about in cells_of(notebook) if not about.get("locked"))
    lines = (line for text in texts for line in text.splitlines() if _BEGUN.match(line))
    for line in islice(lines, _MAX_REQUESTS):
        if match := _LINE.match(line):
            yield _request(student, exercise, match[1], match[2])
        else:
            form = 'names no question; the right form is "Regrade QUESTION: REASON"'
            yield _request(student, exercise, "?", f'"{line.strip()[:100]}" {form}')


def _listed(course: Course) -> Iterator[tuple[int, RegradeRequest]]:
    """Yield each row of regrade_requests.csv: the row's number, and the request."""
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
    return RegradeRequest(student, exercise, question, " ".join(printable(reason, " ").split())[:_MAX_REASON])


@dataclass(frozen=True)
class GradedWork:
    """One student's submission for one exercise: its scores, report, code and regrade requests."""

    exercise: str
    submission: GradebookSubmission
    report: Report | None  # None until the submission is graded
    answers: Mapping[str, str] = field(default_factory=dict)  # the student's code, by question
    requests: Sequence[RegradeRequest] = ()  # open requests
    is_late_untimed: bool = False  # whether the platform marks the submission as late but gives no time

    @property
    def student(self) -> str:
        """The student's id."""
        return self.submission.student

    @property
    def is_unreadable(self) -> bool:
        """Whether the file could not be read, and no instructor has graded it yet."""
        waits = any(entry.waits for entry in self.submission.entries)
        return self.report is not None and self.report.status is Status.UNREADABLE and waits

    @cached_property
    def questions(self) -> Mapping[str, QuestionReport]:
        """The reports on questions, by name; empty if the file could not be read."""
        if self.report is None or self.report.status is Status.UNREADABLE:
            return {}
        return {question.name: question for question in self.report.questions}

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """The gradebook's entries, by question."""
        return {entry.question: entry for entry in self.submission.entries}

    @cached_property
    def tested(self) -> Sequence[Entry]:
        """The gradebook's entries on tested questions. A tested question has hidden tests."""
        return [entry for entry in self.submission.entries if not entry.written]

    @cached_property
    def score(self) -> float | None:
        """The sum of the scores of tested questions, or None if one of them has no score yet."""
        scores = [entry.score for entry in self.tested if entry.score is not None]
        return sum(scores) if self.questions and len(scores) == len(self.tested) else None

    @property
    def share(self) -> float | None:
        """`score` divided by the points of all tested questions, or None without a score or points."""
        points = sum(entry.max_score for entry in self.tested)
        return None if self.score is None or points <= 0 else self.score / points

    @property
    def untouched(self) -> bool:
        """Whether the student attempted none of the tested questions."""
        verdicts = {question.verdict for question in self.questions.values()} - {Verdict.UNGRADED}
        return verdicts == {Verdict.NOT_ATTEMPTED}


def read_graded_work(
    course: Course, exercises: Sequence[Exercise], on_failure: OnFailure = raise_failure
) -> Iterator[GradedWork]:
    """Yield all students' graded work, exercise by exercise, and sorted by student within an exercise."""
    requests = RegradeRequests(course)
    for exercise in exercises:
        with reading(course.root) as store:
            reports = recorded_reports(store, exercise.name)
            by_student = read_attempts(store, course.root, exercise.name)
        attempts = {student: recorded_attempt(some) or some[-1] for student, some in by_student.items()}
        for submission in read_gradebook(course, exercise, on_failure=on_failure):
            work: GradedWork | None = None
            with skipping(course, exercise.name, submission.student, on_failure):
                report, attempt = reports.get(submission.student), attempts.get(submission.student)
                work = _read_work(course, exercise, submission, report, attempt, requests)
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
    notebook = read_graded(folder)
    return GradedWork(
        exercise.name,
        submission,
        report,
        _answers(notebook),
        requests.of(submission.student, exercise.name, notebook),
        attempt is not None and attempt.arrival.is_late_untimed,
    )


def _answers(notebook: dict[str, Any]) -> dict[str, str]:
    return {
        about["grade_id"]: "".join(cell["source"])
        for cell, about in cells_of(notebook)
        if about.get("solution") and cell.get("cell_type") == "code"
    }
