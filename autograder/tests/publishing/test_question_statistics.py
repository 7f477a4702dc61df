"""How a question went: its mean, its accidents, whether it discriminates, and what its check is worth."""

from dataclasses import replace

import pytest

from autograder.report.report import TestReport as HiddenTest
from autograder.report.report import Verdict
from autograder.tests.publishing.works import RIGHT, question, statistics_of, unreadable, work


def test_each_question_has_its_mean_and_its_accidents() -> None:
    works = [
        work("a", RIGHT),
        work("b", {"double": 1.0, "row_sums": Verdict.TIMED_OUT}),
        work("c", {"double": Verdict.CRASHED, "row_sums": Verdict.CRASHED}),
        work("d", {"double": Verdict.NOT_ATTEMPTED, "row_sums": 3.0}),
        unreadable("e"),
    ]
    double, sums = statistics_of("double", *works), statistics_of("row_sums", *works)
    assert (double.mean, double.full_marks, len(double.scores)) == (0.75, 1, 4)
    assert (double.count(Verdict.CRASHED), double.count(Verdict.NOT_ATTEMPTED)) == (1, 1)
    assert (sums.mean, sums.count(Verdict.TIMED_OUT), sums.count(Verdict.CRASHED)) == (1.5, 1, 1)


def test_a_question_without_a_score_has_no_mean() -> None:
    assert statistics_of("why", work("a", RIGHT)).mean is None


def test_a_crash_counts_where_another_test_failed_too() -> None:
    mixed = question("double", Verdict.FAILED)
    mixed = replace(mixed, tests=(*mixed.tests, HiddenTest("It runs.", Verdict.CRASHED, 1.0, "")))
    one = work("a", RIGHT)
    assert one.report is not None
    report = replace(one.report, questions=(mixed, *one.report.questions[1:]))
    assert statistics_of("double", replace(one, report=report)).count(Verdict.CRASHED) == 1


def test_a_question_discriminates_when_the_good_ones_get_it_right() -> None:
    good = [work(f"a{n}", RIGHT) for n in range(4)]
    weak = [work(f"b{n}", {"double": 0.0, "row_sums": 1.0}) for n in range(4)]
    assert statistics_of("double", *good, *weak).discrimination == pytest.approx(1)
    strange = [work(f"c{n}", {"double": 0.0, "row_sums": 3.0}) for n in range(4)]
    opposite = [work(f"d{n}", {"double": 2.0, "row_sums": 0.0}) for n in range(4)]
    assert statistics_of("double", *strange, *opposite).discrimination == pytest.approx(-1)
    # By hand: scores 2, 2, 0, 0, 2 against 3, 3, 0, 3, 0.
    mixed = [(2.0, 3.0), (2.0, 3.0), (0.0, 0.0), (0.0, 3.0), (2.0, 0.0)]
    works = [work(f"e{n}", {"double": d, "row_sums": r}) for n, (d, r) in enumerate(mixed)]
    assert statistics_of("double", *works).discrimination == pytest.approx(1 / 6)


def test_too_few_or_equal_answers_say_nothing_about_a_question() -> None:
    equal = [work(f"a{n}", RIGHT) for n in range(20)]
    few = [work("a", RIGHT), work("b", {"double": 0.0, "row_sums": 0.0})]
    assert statistics_of("double", *equal).discrimination is None
    assert statistics_of("double", *few).discrimination is None


def test_a_person_s_score_counts_before_ours() -> None:
    one = work("a", {"double": 0.0, "row_sums": 3.0})
    first, *rest = one.submission.entries
    by_hand = replace(one.submission, entries=(replace(first, manual_score=2.0), *rest))
    assert statistics_of("double", replace(one, submission=by_hand)).mean == 2


def test_checks_and_hidden_tests_are_compared_both_ways() -> None:
    works = [
        work("a", RIGHT, double=True),
        work("b", {"double": 0.0, "row_sums": 3.0}, double=True, row_sums=False),
        work("c", {"double": Verdict.NOT_ATTEMPTED, "row_sums": Verdict.REVIEW}, double=False, row_sums=True),
        work("d", {"double": Verdict.CRASHED, "row_sums": 3.0}, double=False),
    ]
    double, sums = statistics_of("double", *works), statistics_of("row_sums", *works)
    assert (double.only_check_passes, double.only_tests_pass, double.compared) == (("b",), (), 3)
    assert (sums.only_check_passes, sums.only_tests_pass, sums.compared) == ((), ("b",), 1)
    assert double.check_disagrees
    assert not statistics_of("double", *works[:1]).check_disagrees
