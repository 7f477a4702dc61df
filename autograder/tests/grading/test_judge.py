"""A question is judged by its tests; where its basic test fails, the others state facts and do not nudge."""

import pytest

from autograder.grading.outcomes import facts, leading, stated, summarize
from autograder.report.report import TestReport, Verdict
from autograder.testing.suite import HiddenTest

WRONG = "The result has the right shape, but 3 of its 6 values are wrong, first at [0, 1]."
SHAPE, VALUES, WIDTH, PRECISION = (
    HiddenTest("softmax", name, weight, number, name, basic)
    for number, (name, weight, basic) in enumerate(
        [("shape", 1.0, False), ("values", 2.0, False), ("width", 1.0, False), ("precision", 1.0, False)]
    )
)
HINTS = {
    SHAPE: "",
    VALUES: f"{WRONG} Over which dimension?",
    WIDTH: f"{WRONG} What is d_k? Its root scales. Whose root?",
    PRECISION: "The result must be float64, but it is float32.",
}


def reports(*failed: HiddenTest) -> dict[HiddenTest, TestReport]:
    return {
        test: TestReport(test.title, Verdict.FAILED, 1.0, hint)
        if test in failed
        else TestReport(test.title, Verdict.PASSED)
        for test, hint in HINTS.items()
    }


def test_where_the_basic_values_are_wrong_the_other_tests_ask_nothing() -> None:
    before = reports(VALUES, WIDTH, PRECISION)
    after = stated(before)
    assert after[VALUES] == before[VALUES]
    assert after[WIDTH].hint == f"{WRONG} Its root scales."
    assert after[PRECISION] == before[PRECISION]


def test_where_they_are_right_each_test_nudges() -> None:
    before = reports(WIDTH, PRECISION)
    assert stated(before) == before


def test_a_marked_test_is_the_basic_one_and_equal_weights_mark_none() -> None:
    one, other = (HiddenTest("q", str(n), 1.0, n, str(n), False) for n in range(2))
    marked = HiddenTest("q", "2", 1.0, 2, "2", True)
    wrong = {test: TestReport("t", Verdict.FAILED, 1.0, "It is wrong. Why?") for test in (one, other)}
    assert stated(wrong) == wrong
    hints = [report.hint for report in stated({**wrong, marked: wrong[one]}).values()]
    assert hints == ["It is wrong.", "It is wrong.", "It is wrong. Why?"]


def test_of_the_failures_that_say_all_they_know_the_rarest_supplies_the_words() -> None:
    rarity = {SHAPE: 9, VALUES: 5, WIDTH: 1, PRECISION: 3}.__getitem__
    both = reports(VALUES, WIDTH)
    assert leading(both, stated(both), rarity) == HINTS[VALUES]
    three = reports(VALUES, WIDTH, PRECISION)
    assert leading(three, stated(three), rarity) == HINTS[PRECISION]
    later = reports(WIDTH, PRECISION)
    assert leading(later, stated(later), rarity) == HINTS[WIDTH]
    assert leading(reports(), stated(reports()), rarity) == ""


@pytest.mark.parametrize(
    ("hint", "left"),
    [
        ("", ""),
        ("Is it so?", "Is it so?"),
        ("No gradient reaches x. Did .item() or .detach() cut it off?", "No gradient reaches x."),
        (f"{WRONG} Signs count.", f"{WRONG} Signs count."),
    ],
)
def test_facts_are_what_is_left_without_questions(hint: str, left: str) -> None:
    assert facts(hint) == left


CASES = [
    ("passed passed", "passed", 4.0),
    ("passed failed", "failed", 2.0),
    ("crashed failed", "failed", 0.0),
    ("not attempted|not attempted", "not attempted", 0.0),
    ("passed|not attempted", "failed", 2.0),
    ("failed|not judged|passed|passed", "failed", 2.0),
    ("not judged|passed", "failed", 2.0),
    ("timed out|failed", "timed out", 0.0),
    ("blocked|failed", "blocked", 0.0),
    ("review|passed", "review", 0.0),
    ("grader error|passed", "grader error", None),
]


@pytest.mark.parametrize(("verdicts", "worst", "score"), CASES)
def test_the_worst_verdict_speaks_and_the_passed_weight_scores(
    verdicts: str, worst: str, score: float | None
) -> None:
    words = verdicts.split("|") if "|" in verdicts else verdicts.split()
    question = summarize("q", 4, tuple(TestReport("title", Verdict(word), 1, word) for word in words))
    assert (question.verdict, question.score) == (worst, score)


def test_weights_share_the_points() -> None:
    tests = (TestReport("a", Verdict.PASSED, 3), TestReport("b", Verdict.FAILED, 1, "look"))
    question = summarize("q", 2, tests)
    assert (question.score, question.hint) == (1.5, "look")
