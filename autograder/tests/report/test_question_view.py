"""What the page says of a question: as the tests left it, while a person is awaited, and afterwards."""

from dataclasses import replace

import pytest

from autograder.report.question_view import MEANINGS, QuestionView, show_question
from autograder.report.report import GradebookEntry, Place, QuestionReport, Verdict
from autograder.report.report import TestReport as HiddenTest
from autograder.report.safe_html import Allowance

HINT = 'This question asks you to do without "Tensor.dot". An instructor will look at it before it scores.'
RULE = HiddenTest("Written by hand.", Verdict.REVIEW, 0.0, HINT)
REVIEW = QuestionReport("dot", Verdict.REVIEW, 0.0, 3.0, HINT, None, (RULE,))
ENTRY = GradebookEntry("ann", "dot", False, 0.0, None, None, 3.0, True, "", "")
WRITTEN = QuestionReport("why", Verdict.UNGRADED, None, 2.0)
ANSWER = GradebookEntry("ann", "why", True, None, None, None, 2.0, True, "", "")


def view(question: QuestionReport, entry: GradebookEntry | None, unreadable: bool = False) -> QuestionView:
    return show_question(question, entry, Allowance(), unreadable=unreadable)


def test_a_review_says_that_a_person_will_look_until_one_has() -> None:
    waiting = view(REVIEW, ENTRY)
    assert (waiting.badge, waiting.meaning) == ("review", MEANINGS[Verdict.REVIEW])
    assert f"{waiting.lead} {waiting.more}" == HINT


@pytest.mark.parametrize(
    ("score", "given"), [(3.0, "full points"), (1.5, "a part of the points"), (0.0, "no points")]
)
def test_a_decided_review_says_what_was_decided_and_promises_nothing(score: float, given: str) -> None:
    decided = view(REVIEW, replace(ENTRY, manual_score=score, needs_person=False))
    assert decided.badge == "reviewed"
    assert decided.meaning == f"An instructor graded this answer and gave it {given}."
    assert (decided.lead, decided.more) == ('This question asks you to do without "Tensor.dot".', "")
    assert decided.tests[0].verdict == "held for review"


def test_a_written_answer_is_not_graded_until_a_person_has_read_it() -> None:
    waiting = view(WRITTEN, ANSWER)
    assert (waiting.badge, waiting.points) == ("not graded yet", "worth 2")
    read = view(WRITTEN, replace(ANSWER, manual_score=2.0, needs_person=False))
    assert (read.badge, read.points) == ("graded", "2 of 2")
    assert read.meaning == "An instructor graded this answer and gave it full points."


def test_an_answer_with_points_that_is_to_be_looked_at_again_is_not_final() -> None:
    again = view(WRITTEN, replace(ANSWER, manual_score=2.0))
    assert (again.badge, again.points) == ("not final", "2 of 2")


def test_a_written_answer_that_was_never_begun_needs_no_reader() -> None:
    none = view(WRITTEN, replace(ANSWER, auto_score=0.0, needs_person=False))
    assert (none.badge, none.meaning) == ("not attempted", "This answer is empty.")


def test_what_a_person_has_settled_where_the_autograder_failed_is_said() -> None:
    failed = replace(REVIEW, verdict=Verdict.GRADER_ERROR, score=None, hint="")
    settled = replace(ENTRY, auto_score=None, manual_score=3.0, needs_person=False)
    assert view(failed, settled).badge == "graded"
    assert view(failed, settled).meaning == "An instructor graded this answer and gave it full points."
    assert view(failed, replace(ENTRY, auto_score=None)).badge == "grader error"


def test_an_unreadable_file_that_a_person_has_graded_is_no_longer_unreadable() -> None:
    question = replace(REVIEW, verdict=Verdict.NOT_ATTEMPTED, hint="")
    assert view(question, ENTRY, unreadable=True).badge == "unreadable"
    assert (
        view(question, replace(ENTRY, manual_score=1.0, needs_person=False), unreadable=True).badge
        == "graded"
    )


def test_points_that_a_person_has_set_are_said_to_be_so() -> None:
    question = replace(REVIEW, verdict=Verdict.FAILED, hint="")
    changed = view(question, replace(ENTRY, manual_score=1.0, needs_person=False))
    assert (changed.badge, changed.points) == ("partly right", "1 of 3")
    assert changed.meaning.endswith("An instructor looked at it and set the points.")
    assert view(question, replace(ENTRY, manual_score=3.0, needs_person=False)).badge == "reviewed"


def test_an_answer_with_most_of_the_points_is_not_called_failed() -> None:
    nearly = view(replace(REVIEW, verdict=Verdict.FAILED, score=2.84, hint=""), None)
    assert (nearly.badge, nearly.points) == ("nearly right", "2.84 of 3")
    assert nearly.meaning == MEANINGS[Verdict.FAILED]
    partly = view(replace(REVIEW, verdict=Verdict.CRASHED, score=1.0, hint=""), None)
    assert partly.badge == "partly right"
    assert partly.meaning == "In some tests your code stopped with an error."


def test_a_hint_that_names_two_things_has_two_parts() -> None:
    two = view(
        replace(REVIEW, verdict=Verdict.FAILED, hint="Two things are wrong:\n1. This. (1. no)\n2. That."),
        None,
    )
    assert (two.lead, two.parts) == ("Two things are wrong:", ("This. (1. no)", "That."))
    assert view(REVIEW, None).parts == ()


def test_every_verdict_has_a_badge_and_a_sentence() -> None:
    for verdict in Verdict:
        seen = view(replace(REVIEW, verdict=verdict), None)
        assert seen.badge
        assert seen.meaning


def test_a_crash_that_several_tests_met_is_shown_once_with_their_number() -> None:
    errors = ("NameError: y", "IndexError: 3", "IndexError: 3", "NameError: y", "ValueError: odd")
    tests = tuple(HiddenTest(f"Title {n}.", Verdict.CRASHED, 1.0, error) for n, error in enumerate(errors))
    shown = view(QuestionReport("dot", Verdict.CRASHED, 0.0, 3.0, errors[0], None, tests), None)
    assert shown.lead == "NameError: y (in 2 tests)"
    assert shown.tally == "0 of 5 tests passed"
    assert [(group.hint, group.count) for group in shown.tests] == [
        (None, 2),
        ("IndexError: 3", 2),
        ("ValueError: odd", 1),
    ]


@pytest.mark.parametrize(
    ("verdict", "place", "words"),
    [
        (Verdict.FAILED, None, "See what is wrong"),
        (Verdict.FAILED, Place("dot", 2), "Look at line 2"),
        (Verdict.FAILED, Place("dot", 3), "See what is wrong"),
        (Verdict.CRASHED, Place("dot", 1), "Fix the error in line 1"),
        (Verdict.CRASHED, Place("other", 1), "Fix the error"),
        (Verdict.NOT_ATTEMPTED, None, "Replace the stub"),
        (Verdict.PASSED, None, ""),
        (Verdict.UNGRADED, None, "Wait for a grader"),
    ],
)
def test_it_says_what_to_do_next(verdict: Verdict, place: Place | None, words: str) -> None:
    question = QuestionReport("dot", verdict, None, 3.0, "An error in line 1.", place=place)
    sources = {"dot": "def dot(a, b):\n    return a"}
    assert show_question(question, None, Allowance(), unreadable=False, sources=sources).next == words
