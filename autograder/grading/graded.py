"""What became of one submission, in a form that goes from one process or machine to another."""

import json
from dataclasses import dataclass
from typing import Any

from autograder.grading.grader import Graded
from autograder.grading.session import MAX_SHOWN, CellResult
from autograder.report.outputs import checked_outputs
from autograder.report.report import Report
from autograder.testing.student_error import StudentError


@dataclass(frozen=True, slots=True)
class Mark:
    """A report with what the cells showed; `fault` tells those who run the course of a failure of ours."""

    graded: Graded
    fault: str = ""

    def to_json(self) -> str:
        """Return the mark on one line of JSON."""
        results = {str(number): _packed(result) for number, result in self.graded.results.items()}
        return json.dumps({"report": self.graded.report.as_dict(), "results": results, "fault": self.fault})

    @staticmethod
    def from_json(text: str) -> "Mark":
        """Rebuild a mark from `to_json`."""
        data = json.loads(text)
        results = {int(number): _unpacked(result) for number, result in data["results"].items()}
        return Mark(Graded(Report.from_dict(data["report"]), results), str(data["fault"]))


def _packed(result: CellResult) -> dict[str, Any]:
    error = result.error
    told = error and {"type": error.type, "message": error.message, "places": error.places}
    return {"outputs": [output.as_dict() for output in result.outputs], "error": told}


def _unpacked(data: dict[str, Any]) -> CellResult:
    error = StudentError(data["error"]) if data["error"] else None
    return CellResult(checked_outputs(data["outputs"], MAX_SHOWN), error)
