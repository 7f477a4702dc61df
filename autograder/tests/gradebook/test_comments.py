"""The words on a question in the formgrader: how it stands, a hint, failed tests, nothing that could run."""

from dataclasses import replace

import pytest

from autograder.gradebook.grades import comment
from autograder.report.report import QuestionReport, Report, Status, Verdict
from autograder.report.report import TestReport as HiddenTest

PASSED = HiddenTest("Holds.", Verdict.PASSED, 1.0, "")
FAILED = HiddenTest("Rows sum to 1.", Verdict.FAILED, 1.0, "Over which dimension?")
SLOW = HiddenTest("Is fast.", Verdict.TIMED_OUT, 1.0, "It took longer than 5 s.")
QUESTION = QuestionReport("double", Verdict.FAILED, 1.0, 2.0, "Look at dim.", None, (PASSED, FAILED, SLOW))
REPORT = Report("01_small", Status.GRADED, "", 1.0, 2.0, (), (QUESTION,))


def test_how_it_stands_hint_and_the_tests_that_did_not_pass_have_a_line_each() -> None:
    assert comment(REPORT, QUESTION).splitlines() == [
        "Partly right.",
        "Look at dim.",
        "- failed: Rows sum to 1.",
        "- timed out: Is fast.",
    ]
    assert comment(REPORT, replace(QUESTION, score=0.0, tests=())) == "Failed.\nLook at dim."


def test_a_hint_that_names_two_things_keeps_a_line_for_each() -> None:
    two = replace(QUESTION, hint="Two things are wrong:\n1. This.\n2. That.", tests=())
    assert comment(REPORT, two) == "Partly right.\nTwo things are wrong:\n1. This.\n2. That."


def test_a_right_answer_is_confirmed_in_a_word() -> None:
    passed = replace(QUESTION, verdict=Verdict.PASSED, hint="", tests=(PASSED,))
    assert comment(REPORT, passed) == "Passed."


def test_a_file_that_could_not_be_read_asks_for_a_person_whatever_the_question() -> None:
    unreadable = replace(REPORT, status=Status.UNREADABLE, message="not JSON (line 1, column 2)")
    assert comment(unreadable, QUESTION) == (
        "The notebook could not be read: not JSON (line 1, column 2). A person has to look at it."
    )


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "[click](javascript:alert(1))",
        "`code`",
        "a\x1b[2Jb\x07",
        "a\u202eb",
        "a\rb",
    ],
)
def test_a_student_s_words_are_neither_html_nor_a_link_nor_control_characters(hostile: str) -> None:
    seen = replace(QUESTION, hint=hostile, tests=(replace(FAILED, title=hostile),))
    text = comment(REPORT, seen)
    assert not set("<>[]`\x1b\x07\u202e\r") & set(text)
    assert len(text.splitlines()) == 3
    unreadable = replace(REPORT, status=Status.UNREADABLE, message=hostile)
    assert not set("<>[]`\x1b\x07\u202e\r") & set(comment(unreadable, QUESTION))
