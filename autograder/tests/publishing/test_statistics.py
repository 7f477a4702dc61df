"""A class in numbers: exercises, questions, known mistakes, and who needs an instructor."""

from dataclasses import replace

import pytest

from autograder.publishing.dashboard import Concern, ExerciseStatistics, class_statistics, find_concerns
from autograder.report.report import TestReport as HiddenTest
from autograder.report.report import Verdict
from autograder.tests.publishing.works import (
    POINTS,
    RIGHT,
    in_gradebook,
    question,
    statistics_of,
    unreadable,
    work,
)


def test_an_exercise_has_its_lowest_median_mean_and_highest_score_in_percent() -> None:
    works = [work("a", RIGHT), work("b", RIGHT), work("c", {"double": 2.0, "row_sums": 0.5})]
    statistics = class_statistics([*works, unreadable("d"), work("a", RIGHT, "02_next")])
    assert statistics.students == 4
    assert statistics.exercises[0].score_summary == pytest.approx((50, 100, 250 / 3, 100))


def test_an_exercise_without_any_score_has_no_summary() -> None:
    (exercise,) = class_statistics([work("a", {"double": Verdict.GRADER_ERROR, "row_sums": 3.0})]).exercises
    assert exercise.score_summary == (None,) * 4
    assert sum(exercise.histogram) == 0


def test_shares_are_sorted_into_tenths_with_full_marks_in_the_last() -> None:
    shares = (0.0, 0.0999, 0.1, 0.3, 0.7 - 0.4, 0.95, 1.0, 1.2, -0.1)
    exercise = ExerciseStatistics("01_small", len(shares), shares)
    assert exercise.histogram == (3, 1, 0, 2, 0, 0, 0, 0, 0, 3)


def test_a_crash_counts_where_another_test_failed_too() -> None:
    mixed = question("double", Verdict.FAILED)
    mixed = replace(mixed, tests=(*mixed.tests, HiddenTest("It runs.", Verdict.CRASHED, 1.0, "")))
    one = work("a", RIGHT)
    assert one.report is not None
    report = replace(one.report, questions=(mixed, *one.report.questions[1:]))
    assert statistics_of("double", replace(one, report=report)).count(Verdict.CRASHED) == 1


def test_a_question_discriminates_when_the_good_ones_get_it_right() -> None:
    # By hand: scores 2, 2, 0, 0, 2 against 3, 3, 0, 3, 0.
    mixed = [(2.0, 3.0), (2.0, 3.0), (0.0, 0.0), (0.0, 3.0), (2.0, 0.0)]
    works = [work(f"e{n}", {"double": d, "row_sums": r}) for n, (d, r) in enumerate(mixed)]
    assert statistics_of("double", *works).discrimination == pytest.approx(1 / 6)


def test_too_few_or_equal_answers_say_nothing_about_a_question() -> None:
    equal = [work(f"a{n}", RIGHT) for n in range(20)]
    few = [work("a", RIGHT), work("b", {"double": 0.0, "row_sums": 0.0})]
    assert statistics_of("double", *equal).discrimination is None
    assert statistics_of("double", *few).discrimination is None


def test_those_who_need_a_look_are_named_the_gravest_first() -> None:
    works = [
        work("a", RIGHT),
        work("b", dict.fromkeys(POINTS, Verdict.NOT_ATTEMPTED)),
        work("c", {"double": Verdict.REVIEW, "row_sums": 3.0}),
        unreadable("d", "cut off"),
        work("e", {"double": Verdict.GRADER_ERROR, "row_sums": 3.0}),
        replace(work("f", RIGHT), report=None),
        replace(work("g", RIGHT), is_late_untimed=True),
        work("a", {"double": 2.0, "row_sums": 0.5}, "02_next"),
        work("c", {"double": 2.0, "row_sums": 3.0}, "02_next"),
    ]
    assert find_concerns(works) == (
        Concern("e", "01_small", "grader error in double"),
        Concern("f", "01_small", "not graded yet"),
        Concern("d", "01_small", "unreadable: cut off"),
        Concern("c", "01_small", "review of double"),
        Concern("g", "01_small", "late according to Canvas, time unknown: collect again with --times"),
        Concern("b", "01_small", "nothing attempted"),
        Concern("a", "02_next", "fell from 100% in 01_small to 50%"),
    )


def test_what_a_person_has_settled_needs_no_look() -> None:
    for settled in (work("a", {"double": Verdict.REVIEW, "row_sums": 3.0}), unreadable("b")):
        assert settled.report is not None
        submission = in_gradebook(settled.student, settled.report, person=False)
        assert find_concerns([replace(settled, submission=submission)]) == ()


def test_a_large_drop_is_measured_from_the_latest_work_that_has_a_score() -> None:
    assert find_concerns([work("a", RIGHT), work("a", {"double": 2.0, "row_sums": 1.5}, "02_next")]) == ()
    failed = work("a", {"double": Verdict.GRADER_ERROR, "row_sums": 3.0}, "02_next")
    works = [work("a", RIGHT), failed, work("a", {"double": 0.0, "row_sums": 0.0}, "03_last")]
    assert [concern.why for concern in find_concerns(works)] == [
        "grader error in double",
        "fell from 100% in 01_small to 0%",
    ]
