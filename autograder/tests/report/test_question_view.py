"""What the page says of a question: as the tests left it, while a person is awaited, and afterwards."""

from dataclasses import replace

import pytest

from autograder.grading.grader import _ANOTHER_FILE, _RULE_UNCHECKED
from autograder.report.question_view import MEANINGS, QuestionView, show_question
from autograder.report.report import AnswerLine, Entry, QuestionReport, Verdict
from autograder.report.report import TestReport as HiddenTest
from autograder.report.safe_html import Allowance

HINT = 'An instructor will look at this answer. Line 7 uses "Tensor.dot", which this question does not allow.'
RULE = HiddenTest("Written by hand.", Verdict.REVIEW, 0.0, HINT)
REVIEW = QuestionReport("dot", Verdict.REVIEW, 0.0, 3.0, HINT, None, (RULE,))
ENTRY = Entry("ann", "dot", False, 0.0, None, None, 3.0, True, "", "")
WRITTEN = QuestionReport("why", Verdict.UNGRADED, None, 2.0)
ANSWER = Entry("ann", "why", True, None, None, None, 2.0, True, "", "")


def view(question: QuestionReport, entry: Entry | None) -> QuestionView:
    return show_question(question, entry, Allowance())


FAILED = replace(REVIEW, verdict=Verdict.FAILED, hint="")
BROKEN = replace(REVIEW, verdict=Verdict.GRADER_ERROR, score=None, hint="")
SETTLED = replace(ENTRY, needs_person=False)
READ = replace(ANSWER, manual_score=2.0)
GAVE = "An instructor graded this answer and gave it"
POINTS_SET = f"{MEANINGS[Verdict.FAILED]} An instructor looked at this answer and set the points."


@pytest.mark.parametrize(
    ("question", "entry", "badge", "points", "meaning"),
    [
        (REVIEW, ENTRY, "review", "worth 3", ""),  # the hint says that an instructor looks
        (replace(REVIEW, hint=""), ENTRY, "review", "worth 3", MEANINGS[Verdict.REVIEW]),
        (REVIEW, replace(SETTLED, manual_score=3.0), "reviewed", "3 of 3", f"{GAVE} full points."),
        (REVIEW, replace(SETTLED, manual_score=1.5), "reviewed", "1.5 of 3", f"{GAVE} a part of the points."),
        (REVIEW, replace(SETTLED, manual_score=0.0), "reviewed", "0 of 3", f"{GAVE} no points."),
        (WRITTEN, ANSWER, "not graded yet", "worth 2", MEANINGS[Verdict.UNGRADED]),
        (WRITTEN, READ, "not final", "2 of 2", MEANINGS[Verdict.UNGRADED]),
        (WRITTEN, replace(READ, needs_person=False), "graded", "2 of 2", f"{GAVE} full points."),
        (
            WRITTEN, replace(ANSWER, auto_score=0.0, needs_person=False),
            "not attempted", "0 of 2", "This answer is empty.",
        ),
        (BROKEN, replace(ENTRY, auto_score=None), "grader error", "worth 3", MEANINGS[Verdict.GRADER_ERROR]),
        (
            BROKEN, replace(SETTLED, auto_score=None, manual_score=3.0),
            "graded", "3 of 3", f"{GAVE} full points.",
        ),
        (FAILED, replace(SETTLED, manual_score=1.0), "partly right", "1 of 3", POINTS_SET),
        (FAILED, replace(SETTLED, manual_score=3.0), "reviewed", "3 of 3", POINTS_SET),
        (replace(FAILED, score=2.84), None, "nearly right", "2.84 of 3", MEANINGS[Verdict.FAILED]),
        (
            replace(FAILED, verdict=Verdict.CRASHED, score=1.0), None,
            "partly right", "1 of 3", "In some tests your code stopped with an error.",
        ),
    ],
)  # fmt: skip
def test_a_badge_and_a_sentence_say_how_a_question_stands(
    question: QuestionReport, entry: Entry | None, badge: str, points: str, meaning: str
) -> None:
    seen = view(question, entry)
    assert (seen.badge, seen.points, seen.meaning) == (badge, points, meaning)


def test_a_review_promises_that_an_instructor_will_look_until_one_has() -> None:
    waiting, decided = view(REVIEW, ENTRY), view(REVIEW, replace(SETTLED, manual_score=3.0))
    assert f"{waiting.lead} {waiting.more}" == HINT
    assert decided.lead == 'Line 7 uses "Tensor.dot", which this question does not allow.'
    assert decided.tests[0].verdict == "held for review"


@pytest.mark.parametrize("hint", [_ANOTHER_FILE, _RULE_UNCHECKED])
def test_no_hint_of_the_grader_promises_a_check_after_an_instructor_has_decided(hint: str) -> None:
    decided = view(replace(REVIEW, hint=hint), replace(SETTLED, manual_score=3.0))
    assert f"{decided.lead} {decided.more}".strip() == hint[: hint.index(" An instructor will")]


def test_every_verdict_has_a_badge_and_a_sentence() -> None:
    for verdict in Verdict:
        seen = view(replace(REVIEW, verdict=verdict), None)
        assert seen.badge
        assert seen.meaning or seen.lead


@pytest.mark.parametrize(
    ("verdict", "place", "words"),
    [
        (Verdict.FAILED, None, "See what is wrong"),
        (Verdict.FAILED, AnswerLine("dot", 2), "Look at line 2"),
        (Verdict.FAILED, AnswerLine("dot", 3), "See what is wrong"),
        (Verdict.CRASHED, AnswerLine("dot", 1), "Fix the error in line 1"),
        (Verdict.CRASHED, AnswerLine("other", 1), "Fix the error"),
        (Verdict.NOT_ATTEMPTED, None, "Fill in the cell"),
        (Verdict.PASSED, None, ""),
        (Verdict.UNGRADED, None, "Wait for an instructor"),
    ],
)
def test_it_says_what_to_do_next(verdict: Verdict, place: AnswerLine | None, words: str) -> None:
    question = QuestionReport("dot", verdict, None, 3.0, "An error in line 1.", place=place)
    sources = {"dot": "def dot(a, b):\n    return a"}
    assert show_question(question, None, Allowance(), sources=sources).next == words


def test_tests_that_end_alike_make_up_one_group_which_counts_those_of_each_title() -> None:
    titles = ("Right for vectors.", "Right for one number.", "Right for vectors.")
    passed = tuple(HiddenTest(title, Verdict.PASSED) for title in titles)
    (group,) = view(replace(REVIEW, verdict=Verdict.PASSED, tests=passed), None).tests
    assert group.count == 3
    assert dict(group.titles) == {"Right for vectors.": 2, "Right for one number.": 1}


@pytest.mark.parametrize(
    ("hint", "place", "error"),
    [
        ("All tests pass after one change in line 2.", AnswerLine("dot", 2), "IndexError: 3"),
        ("All tests pass after one change.", None, ""),
        ("IndexError: 3", AnswerLine("dot", 2), ""),
        ("IndexError: 3. `forward` has three inputs.", AnswerLine("dot", 2), ""),
    ],
)
def test_an_error_has_a_line_of_its_own_unless_the_hint_contains_it(
    hint: str, place: AnswerLine | None, error: str
) -> None:
    crash = HiddenTest("Right for vectors.", Verdict.CRASHED, 0.0, "IndexError: 3")
    question = QuestionReport("dot", Verdict.CRASHED, 0.0, 3.0, hint, None, (crash,), place=place)
    assert view(question, None).error == error
