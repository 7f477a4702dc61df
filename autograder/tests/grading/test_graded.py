"""What grading came to goes to other processes whole, on one checked line; our failures go to a log."""

import json

import pytest

from autograder.course.course import Course
from autograder.grading.graded import CellResult, Graded, Output, describe_failure, report_on
from autograder.report.report import QuestionReport, Report, Status, Verdict, written
from autograder.testing.exchange import StudentError
from autograder.tests.classroom import real_course

QUESTION = QuestionReport("double", Verdict.FAILED, 1.5, 2.0, "Twice?\nTwice!", "double__squares", ())
REPORT = Report(
    "01_small", Status.GRADED, "one\ntwo \u202e", 1.5, 2.0, ("seccomp",), (QUESTION, written("w", 1.0))
)
SHOWN = (
    Output("printed\n\x1b[31m", "stdout"),
    Output("warned", "stderr"),
    Output(data=(("text/plain", "<Figure>"), ("text/html", "<b>x</b>"), ("image/png", "iVBORw0KGgo="))),
)
ERROR = StudentError({"type": "ValueError", "message": "no", "places": [[3, 2], [1, None]]})
GRADED = Graded(REPORT, {0: CellResult(SHOWN), 12: CellResult((), ERROR)}, "a problem", "Traceback\n  here\n")


def test_all_of_it_comes_back_on_one_line_and_the_same_each_time() -> None:
    line = GRADED.to_json()
    there = Graded.from_json(line)
    assert "\n" not in line
    assert there.to_json() == line
    assert there.report == REPORT
    assert (there.problem, there.traceback) == (GRADED.problem, GRADED.traceback)
    assert there.results.keys() == {0, 12}
    assert there.results[0] == CellResult(SHOWN)
    error = there.results[12].error
    assert error is not None
    assert (error.type, error.message, error.places) == ("ValueError", "no", ((3, 2), (1, None)))


@pytest.mark.parametrize(
    "claimed", [{"text": "x", "stream": "stdin"}, {"data": [["text/plain", 7]]}, "no output at all"]
)
def test_what_arrives_in_another_form_is_refused(claimed: object) -> None:
    data = json.loads(GRADED.to_json())
    data["results"]["0"]["outputs"].append(claimed)
    with pytest.raises(ValueError, match="outputs"):
        Graded.from_json(json.dumps(data))


def test_a_report_has_its_questions_in_the_notebook_s_order() -> None:
    exercise = real_course().exercises["01_dot_products"]
    tested = tuple(QuestionReport(name, Verdict.PASSED, most, most) for name, most in exercise.points.items())
    report = report_on(exercise, tested, ())
    assert [question.name for question in report.questions][3:] == [
        "softmax", "why_softmax", "context_vector", "why_shift",
    ]  # fmt: skip


FAILED = Report("01_small", Status.GRADER_ERROR, "We failed.", None, 5.0, (), ())
TRACEBACK = 'Traceback (most recent call last):\n  File "grader.py", line 1\nRuntimeError: no\n'
OURS = Graded(FAILED, {}, "RuntimeError: no", TRACEBACK)


def test_the_line_says_where_one_traceback_after_another_is_kept(course: Course) -> None:
    log = course.build / "autograder.log"
    for student in ("ann", "ben"):
        problem = f"RuntimeError: no; see {log} for details"
        assert describe_failure(course, f"01_small {student}", OURS) == problem
    kept = log.read_text(encoding="utf-8")
    assert [line.split()[4] for line in kept.splitlines() if "01_small" in line] == ["ann:", "ben:"]
    assert kept.endswith(f" ERROR 01_small ben: RuntimeError: no\n{TRACEBACK}")


@pytest.mark.parametrize("problem", ["grader error in double; see the report", ""])
def test_a_problem_without_a_traceback_needs_no_log(course: Course, problem: str) -> None:
    assert describe_failure(course, "01_small ann", Graded(FAILED, {}, problem)) == problem
    assert not course.build.exists()


def test_a_traceback_cannot_steer_the_terminal_and_reaches_nobody_s_screen(
    course: Course, capfd: pytest.CaptureFixture[str]
) -> None:
    hostile = f"{TRACEBACK}\x1b]0;owned\x07\u202e\ud800"
    problem = "RuntimeError:\n\x1b[31mno \ud800"
    describe_failure(course, "01_small ann", Graded(FAILED, {}, problem, hostile))
    kept = (course.build / "autograder.log").read_text(encoding="utf-8")
    assert not set("\x1b\x07\u202e\ud800") & set(kept)
    assert "01_small ann: RuntimeError: no" in kept
    assert capfd.readouterr() == ("", "")
