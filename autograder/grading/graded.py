"""The result of grading one submission, in a form that can be sent between processes and machines.

This module loads no torch, and nor does whoever reads what is graded.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice
from typing import Annotated, Any

from pydantic import Field, PlainSerializer, PlainValidator, TypeAdapter

from autograder.course.course import Course, log_of
from autograder.course.exercise import Exercise
from autograder.report.report import QuestionReport, Report, Status, Verdict, bounded, total, written
from autograder.report.text import clean_text, terminal_line, writable
from autograder.testing.exchange import StudentError

MAX_SHOWN = 16 << 20  # characters that a whole notebook may show
_MEDIA_TYPES = ("text/plain", "text/html", "text/markdown", "text/latex", "image/png")
_STREAMS = ("stdout", "stderr")
_MAX_OUTPUTS = 200  # no honest worker sends more of one cell
_FORM = 100  # characters, about, that an output takes in a notebook beside what it holds
_LOG = "autograder"
_OURS = (
    "The autograder failed on this submission, not you. It has no score yet; your instructor has been told."
)


@dataclass(frozen=True, slots=True)
class Output:
    """Either text printed to `stream`, or one shown object in several forms, by media type."""

    text: str = ""
    stream: Annotated[str, Field(pattern="^(stdout|stderr)?$")] = ""
    data: tuple[tuple[str, str], ...] = ()

    @property
    def size(self) -> int:
        """How many characters it takes in a notebook, about."""
        return _FORM + len(self.text) + sum(len(form) for _, form in self.data)


@dataclass(frozen=True, slots=True)
class CellResult:
    """What one cell showed when it ran, and the exception that ended it, if one did."""

    outputs: tuple[Output, ...] = ()
    error: Annotated[StudentError, PlainValidator(StudentError), PlainSerializer(vars)] | None = None


@dataclass(frozen=True, slots=True)
class Graded:
    """What grading one submission came to; it goes whole from the grader to the gradebook.

    `problem` and `traceback` are for those who run the course, where grading failed on our side. `again` says
    that another attempt may succeed. `warnings` are tracebacks of failures that change no score: a mistake
    that could not be named, or a rule that an instructor has to check.
    """

    report: Report
    results: Mapping[int, CellResult] = field(default_factory=dict)  # by the number of each cell that ran
    problem: str = ""
    traceback: str = ""
    again: bool = False
    warnings: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return all of it on one line of JSON."""
        return json.dumps(_JSON.dump_python(self, warnings=False))

    @staticmethod
    def from_json(text: str) -> "Graded":
        """Rebuild what `to_json` has written."""
        return _JSON.validate_python(json.loads(text))


_JSON = TypeAdapter(Graded)


def checked_outputs(claimed: Any, room: int) -> tuple[Output, ...]:
    """Return the `claimed` outputs of a known form, until one does not fit into `room` characters."""
    outputs = list(islice(_known(claimed), _MAX_OUTPUTS))
    totals = accumulate(output.size for output in outputs)
    return tuple(output for output, total in zip(outputs, totals, strict=True) if total <= room)


def _known(claimed: Any) -> Iterator[Output]:
    for output in claimed if isinstance(claimed, list) else ():
        match output:
            case {"output_type": "stream", "name": str(name), "text": str(text)} if name in _STREAMS:
                yield Output(text=writable(text), stream=name)
            case {"output_type": "display_data", "data": dict(data)}:
                found = ((kind, data.get(kind)) for kind in _MEDIA_TYPES)
                if forms := tuple((kind, writable(form)) for kind, form in found if isinstance(form, str)):
                    yield Output(data=forms)


def report_on(
    exercise: Exercise, questions: tuple[QuestionReport, ...], walls: tuple[str, ...], message: str = ""
) -> Report:
    """Return the report on a submission, of bounded size, with its questions in the notebook's order."""
    score, maximum = total(questions)
    status = Status.GRADED if score is not None else Status.GRADER_ERROR
    answers = tuple(written(name, points) for name, points in exercise.written.items())
    places = {cell.name: place for place, cell in enumerate(exercise.own_cells)}
    ordered = tuple(sorted(questions + answers, key=lambda question: places[question.name]))
    return bounded(Report(exercise.name, status, message, score, maximum, walls, ordered))


def failure_report(exercise: Exercise, walls: tuple[str, ...], why: str = "") -> Report:
    """Return the report without a score that says no more than that we failed, and perhaps why."""
    told = f"{why} It has no score yet; an instructor will look at it." if why else _OURS
    points = exercise.points.items()
    questions = tuple(QuestionReport(name, Verdict.GRADER_ERROR, None, most, told) for name, most in points)
    return replace(report_on(exercise, questions, walls, told), status=Status.GRADER_ERROR, score=None)


def describe_failure(course: Course, submission: str, graded: Graded) -> str:
    """Return what failed on our side while `submission` was graded, and where to read on, or nothing.

    The traceback and the warnings go to build/autograder.log.
    """
    if graded.warnings:
        with log_of(course, _LOG) as log:
            for warning in graded.warnings:
                details = clean_text(warning).rstrip()
                log.warning("%s: could not be explained or checked\n%s", submission, details)
    if not graded.traceback:
        return graded.problem
    with log_of(course, _LOG) as log:
        problem, details = terminal_line(graded.problem), clean_text(graded.traceback).rstrip()
        log.error("%s: %s\n%s", submission, problem, details)
    return f"{graded.problem}; {course.build / _LOG}.log says more"
