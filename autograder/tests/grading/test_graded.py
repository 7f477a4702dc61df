"""What grading came to, on its way from one process or machine to another: whole, on one line, checked."""

import json

import pytest

from autograder.grading.cell_result import CellResult
from autograder.grading.graded import Graded
from autograder.report.outputs import Output
from autograder.report.report import QuestionReport, Report, Status, Verdict, written
from autograder.testing.student_error import StudentError

QUESTION = QuestionReport("double", Verdict.FAILED, 1.5, 2.0, "Twice?\nTwice!", "double__squares", ())
REPORT = Report(
    "01_small", Status.GRADED, "one\ntwo \u202e", 1.5, 2.0, ("seccomp",), (QUESTION, written("w", 1))
)
SHOWN = (
    Output("printed\n\x1b[31m", "stdout"),
    Output("warned", "stderr"),
    Output(data=(("text/plain", "<Figure>"), ("text/html", "<b>x</b>"), ("image/png", "iVBORw0KGgo="))),
)
ERROR = StudentError({"type": "ValueError", "message": "no", "places": [[3, 2], [1, None]]})
GRADED = Graded(
    REPORT, {0: CellResult(SHOWN, None), 12: CellResult((), ERROR)}, "a problem", "Traceback\n  here\n"
)


def test_all_of_it_comes_back() -> None:
    there = Graded.from_json(GRADED.to_json())
    assert there.report == REPORT
    assert (there.problem, there.traceback) == (GRADED.problem, GRADED.traceback)
    assert list(there.results) == [0, 12]
    assert there.results[0] == CellResult(SHOWN, None)
    error = there.results[12].error
    assert error is not None
    assert (error.type, error.message, error.places) == ("ValueError", "no", ((3, 2), (1, None)))


def test_it_is_one_line_and_the_same_each_time() -> None:
    line = GRADED.to_json()
    assert "\n" not in line
    assert Graded.from_json(line).to_json() == line


def test_a_report_alone_has_no_problem() -> None:
    there = Graded.from_json(Graded(REPORT, {}).to_json())
    assert there == Graded(REPORT, {}, problem="", traceback="")


@pytest.mark.parametrize(
    "claimed",
    [
        {"output_type": "stream", "name": "stdin", "text": "x"},
        {"output_type": "display_data", "data": {"application/javascript": "alert(1)"}},
        {"output_type": "display_data", "data": {"text/plain": 7}},
        "no output at all",
    ],
)
def test_outputs_are_checked_again_where_they_arrive(claimed: object) -> None:
    data = json.loads(GRADED.to_json())
    data["results"]["0"]["outputs"].append(claimed)
    assert Graded.from_json(json.dumps(data)).results[0] == CellResult(SHOWN, None)
