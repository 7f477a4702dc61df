"""A page before the due date tells no more than its course allows."""

from dataclasses import replace

from nbformat import NotebookNode

from autograder.course.settings import Tells
from autograder.gradebook.pages import early_cells, early_report
from autograder.report.report import Status, TestReport, Verdict
from autograder.tests.report.test_example import SHOWN
from autograder.tests.report.test_feedback_page import QUESTION, REPORT


def test_a_small_wrong_call_is_a_hint_and_goes_with_the_hints() -> None:
    report = replace(REPORT, questions=(replace(QUESTION, shown=SHOWN, mistake="double__triple"),))
    (question,) = early_report(report, Tells.TESTS)[0].questions
    assert (question.shown, question.hint, question.mistake) == (None, "", None)
    for tells in (Tells.HINTS, None):
        assert early_report(report, tells)[0] == report


def test_a_page_tells_outcomes_alone_and_nothing_that_a_submission_can_choose_besides() -> None:
    ways = (Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.BLOCKED, Verdict.NOT_DEFINED, Verdict.NOT_ATTEMPTED)
    tests = tuple(TestReport("A fact.", verdict, 1.0, "words") for verdict in (*ways, Verdict.PASSED))
    wrong = replace(QUESTION, verdict=Verdict.CRASHED, tests=tests)
    empty = replace(QUESTION, verdict=Verdict.NOT_ATTEMPTED, tests=tests[4:5])
    report = replace(REPORT, message="Code cell 3 computed for longer than 2 s.", questions=(wrong, empty))
    told = early_report(report, Tells.TESTS)[0]
    assert [test.verdict for test in told.questions[0].tests] == [Verdict.FAILED] * 5 + [Verdict.PASSED]
    assert told.questions[0].verdict is Verdict.FAILED
    assert told.questions[1].verdict is Verdict.NOT_ATTEMPTED
    for tells in (Tells.SCORE, Tells.TESTS):
        message = early_report(report, tells)[0].message
        assert message
        assert "3" not in message
        unreadable = replace(report, status=Status.UNREADABLE, message="not JSON")
        assert early_report(unreadable, tells)[0].message == "not JSON"


def test_a_page_shows_no_outputs_before_all_may_be_told() -> None:
    code = NotebookNode(cell_type="code", source="x", outputs=["what another attempt has left"])
    text = NotebookNode(cell_type="markdown", source="y")
    for tells in (Tells.SCORE, Tells.TESTS):
        assert early_cells([code, text], tells) == [{**code, "outputs": []}, text]
    assert early_cells([code, text], None) == early_cells([code, text], Tells.HINTS) == [code, text]
