"""The result of grading one submission, in a form that can be sent between processes and machines.

This module loads no torch, and nor does whoever reads what is graded.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from autograder.course.course import Course, log_of
from autograder.course.exercise import Exercise
from autograder.report.outputs import Output, checked_outputs
from autograder.report.report import QuestionReport, Report, Status, Verdict, bounded, total, written
from autograder.report.text import clean_text, terminal_line
from autograder.testing.student_error import StudentError

MAX_SHOWN = 16 << 20  # characters that a whole notebook may show
_LOG = "autograder"
_OURS = (
    "The autograder failed on this submission, not you. It has no score yet; your instructor has been told."
)


@dataclass(frozen=True, slots=True)
class CellResult:
    """What one cell showed when it ran, and the exception that ended it, if one did."""

    outputs: tuple[Output, ...]
    error: StudentError | None


@dataclass(frozen=True, slots=True)
class Graded:
    """What grading one submission came to; it goes whole from the grader to the gradebook.

    `problem` and `traceback` are for those who run the course, where grading failed on our side. `again` says
    that another attempt may succeed.
    """

    report: Report
    results: Mapping[int, CellResult]  # what each code cell showed when it ran, by the cell's number
    problem: str = ""
    traceback: str = ""
    again: bool = False

    def to_json(self) -> str:
        """Return all of it on one line of JSON."""
        results = {number: _packed(result) for number, result in self.results.items()}
        words = {"problem": self.problem, "traceback": self.traceback, "again": self.again}
        return json.dumps({"report": self.report.as_dict(), "results": results, **words})

    @staticmethod
    def from_json(text: str) -> "Graded":
        """Rebuild what `to_json` has written."""
        data = json.loads(text)
        results = {int(number): _unpacked(result) for number, result in data["results"].items()}
        report = Report.from_dict(data["report"])
        return Graded(report, results, str(data["problem"]), str(data["traceback"]), bool(data["again"]))


def report_on(
    exercise: Exercise, questions: tuple[QuestionReport, ...], walls: tuple[str, ...], message: str
) -> Report:
    """Return the report on a submission, of bounded size: the tested questions, then the written."""
    score, maximum = total(questions)
    status = Status.GRADED if score is not None else Status.GRADER_ERROR
    answers = tuple(written(name, points) for name, points in exercise.written.items())
    return bounded(Report(exercise.name, status, message, score, maximum, walls, questions + answers))


def failure_report(exercise: Exercise, walls: tuple[str, ...], why: str = "") -> Report:
    """Return the report without a score that says no more than that we failed, and perhaps why."""
    told = f"{why} It has no score yet; an instructor will look at it." if why else _OURS
    points = exercise.points.items()
    questions = tuple(QuestionReport(name, Verdict.GRADER_ERROR, None, most, told) for name, most in points)
    return replace(report_on(exercise, questions, walls, told), status=Status.GRADER_ERROR, score=None)


def describe_failure(course: Course, submission: str, graded: Graded) -> str:
    """Return what failed on our side while `submission` was graded, and where to read on, or nothing.

    The traceback goes to build/autograder.log.
    """
    if not graded.traceback:
        return graded.problem
    with log_of(course, _LOG) as log:
        problem, details = terminal_line(graded.problem), clean_text(graded.traceback).rstrip()
        log.error("%s: %s\n%s", submission, problem, details)
    return f"{graded.problem}; {course.build / _LOG}.log says more"


def _packed(result: CellResult) -> dict[str, Any]:
    error = result.error
    packed = error and {"type": error.type, "message": error.message, "places": error.places}
    return {"outputs": [output.as_dict() for output in result.outputs], "error": packed}


def _unpacked(data: dict[str, Any]) -> CellResult:
    error = StudentError(data["error"]) if data["error"] else None
    return CellResult(checked_outputs(data["outputs"], MAX_SHOWN), error)
