"""A page before the due date tells no more than its course allows."""

from dataclasses import replace

from autograder.course.attempts import Tells
from autograder.gradebook.early import early_report
from autograder.tests.report.test_example_view import SHOWN
from autograder.tests.report.test_feedback_page import QUESTION, REPORT


def test_a_small_wrong_call_is_a_hint_and_goes_with_the_hints() -> None:
    report = replace(REPORT, questions=(replace(QUESTION, shown=SHOWN, mistake="double__triple"),))
    (question,) = early_report(report, Tells.TESTS)[0].questions
    assert (question.shown, question.hint, question.mistake) == (None, "", None)
    for tells in (Tells.HINTS, None):
        assert early_report(report, tells)[0] == report
