"""The result of grading one submission, in a form that can be sent between processes and machines.

This module does not import torch, so the process that writes the gradebook does not load it.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice
from typing import Annotated, Any

from pydantic import Field, PlainSerializer, PlainValidator, TypeAdapter

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import log_of
from autograder.report.report import QuestionReport, Report, Status, Verdict, bounded, total, written
from autograder.report.text import clean_text, terminal_line, writable
from autograder.testing.exchange import StudentError

MAX_SHOWN = 16 << 20  # greatest number of characters in all outputs of a notebook
_MEDIA_TYPES = ("text/plain", "text/html", "text/markdown", "text/latex", "image/png")
_STREAMS = ("stdout", "stderr")
_MAX_OUTPUTS = 200  # greatest number of outputs of a cell; only a manipulated worker sends more
_FORM = 100  # about how many characters an output takes in a notebook's JSON, besides its text and data
_LOG = "autograder"
_OURS = (
    "The autograder failed on this submission. This is not your mistake. "
    "The submission has no score yet; your instructor will check it."
)


@dataclass(frozen=True, slots=True)
class Output:
    """A printed `text` and its `stream`, or the `data` of a displayed object: (media type, content) pairs."""

    text: str = ""
    stream: Annotated[str, Field(pattern="^(stdout|stderr)?$")] = ""
    data: tuple[tuple[str, str], ...] = ()

    @property
    def size(self) -> int:
        """The approximate number of characters of this output in a notebook."""
        return _FORM + len(self.text) + sum(len(form) for _, form in self.data)


@dataclass(frozen=True, slots=True)
class CellResult:
    """The outputs of one cell that ran, and the exception that ended it, if any."""

    outputs: tuple[Output, ...] = ()
    error: Annotated[StudentError, PlainValidator(StudentError), PlainSerializer(vars)] | None = None


@dataclass(frozen=True, slots=True)
class Graded:
    """The whole result of grading one submission, which the grader sends to the gradebook.

    Students read only the report. The other values may quote hidden tests. If the grader itself failed,
    `problem` and `traceback` describe the failure for an instructor. If `again` is true, a second attempt may
    succeed. `warnings` are tracebacks of errors that do not stop grading. Such errors occur in the search for
    a mistake, in the check of a question's rule, or in a test.
    """

    report: Report
    results: Mapping[int, CellResult] = field(default_factory=dict)  # by cell number
    problem: str = ""
    traceback: str = ""
    again: bool = False
    warnings: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return this result as one line of JSON."""
        return json.dumps(_JSON.dump_python(self, warnings=False))

    @staticmethod
    def from_json(text: str) -> "Graded":
        """Return the result that `to_json` wrote."""
        return _JSON.validate_python(json.loads(text))


_JSON = TypeAdapter(Graded)


def checked_outputs(claimed: Any, max_characters: int) -> tuple[Output, ...]:
    """Return the first valid outputs in `claimed`, as many as fit into `max_characters` characters."""
    outputs = list(islice(_valid_outputs(claimed), _MAX_OUTPUTS))
    totals = accumulate(output.size for output in outputs)
    return tuple(output for output, total in zip(outputs, totals, strict=True) if total <= max_characters)


def _valid_outputs(claimed: Any) -> Iterator[Output]:
    for output in claimed if isinstance(claimed, list) else ():
        match output:
            case {"output_type": "stream", "name": str(name), "text": str(text)} if name in _STREAMS:
                yield Output(text=writable(text), stream=name)
            case {"output_type": "display_data", "data": dict(data)}:
                forms_by_type = ((kind, data.get(kind)) for kind in _MEDIA_TYPES)
                if forms := tuple(
                    (kind, writable(form)) for kind, form in forms_by_type if isinstance(form, str)
                ):
                    yield Output(data=forms)


def report_on(
    exercise: Exercise, questions: tuple[QuestionReport, ...], walls: tuple[str, ...], message: str = ""
) -> Report:
    """Return the report on a submission, with long texts cut. `walls` names the restrictions on workers."""
    score, maximum = total(questions)
    status = Status.GRADED if score is not None else Status.GRADER_ERROR
    answers = tuple(written(name, points) for name, points in exercise.written.items())
    places = {cell.name: place for place, cell in enumerate(exercise.own_cells)}
    ordered = tuple(sorted(questions + answers, key=lambda question: places[question.name]))
    return bounded(Report(exercise.name, status, message, score, maximum, walls, ordered))


def failure_report(exercise: Exercise, walls: tuple[str, ...], why: str = "") -> Report:
    """Return a report without a score. It says that the grader failed and, if given, `why`."""
    hint = f"{why} It has no score yet; an instructor will look at it." if why else _OURS
    points = exercise.points.items()
    questions = tuple(QuestionReport(name, Verdict.GRADER_ERROR, None, most, hint) for name, most in points)
    return replace(report_on(exercise, questions, walls, hint), status=Status.GRADER_ERROR, score=None)


def describe_failure(course: Course, submission: str, graded: Graded) -> str:
    """Return the failure of the grader on `submission`, or "".

    The traceback and the warnings are written to build/autograder.log.
    """
    if graded.warnings:
        with log_of(course, _LOG) as log:
            for warning in graded.warnings:
                details = clean_text(warning).rstrip()
                log.warning("%s: grading continued after this error\n%s", submission, details)
    if not graded.traceback:
        return graded.problem
    with log_of(course, _LOG) as log:
        problem, details = terminal_line(graded.problem), clean_text(graded.traceback).rstrip()
        log.error("%s: %s\n%s", submission, problem, details)
    return f"{graded.problem}; see {course.build / _LOG}.log for details"
