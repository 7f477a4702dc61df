"""A class in numbers: how exercises went, and which known mistakes were made."""

import pytest

from autograder.publishing.statistics import ExerciseStatistics, class_statistics
from autograder.report.report import Verdict
from autograder.tests.publishing.works import RIGHT, unreadable, work


def test_an_exercise_has_its_lowest_median_mean_and_highest_score_in_percent() -> None:
    works = [work("a", RIGHT), work("b", {"double": 2.0, "row_sums": 0.5}), unreadable("c")]
    statistics = class_statistics([*works, work("a", RIGHT, "02_next")])
    first, second = statistics.exercises
    assert statistics.students == 3
    assert (first.name, first.handed_in, first.shares) == ("01_small", 3, (0.5, 1.0))
    assert first.score_summary == pytest.approx((50, 75, 75, 100))
    assert second.score_summary == (100,) * 4


def test_an_exercise_without_any_score_has_no_summary() -> None:
    (exercise,) = class_statistics([work("a", {"double": Verdict.GRADER_ERROR, "row_sums": 3.0})]).exercises
    assert exercise.score_summary == (None,) * 4
    assert sum(exercise.histogram) == 0


def test_shares_are_sorted_into_tenths_with_full_marks_in_the_last() -> None:
    shares = (0.0, 0.0999, 0.1, 0.3, 0.7 - 0.4, 0.95, 1.0, 1.2, -0.1)
    exercise = ExerciseStatistics("01_small", len(shares), shares)
    assert exercise.histogram == (3, 1, 0, 2, 0, 0, 0, 0, 0, 3)


def test_mistakes_are_ranked_by_how_many_made_them() -> None:
    works = [
        work("a", {"double": "double__squares", "row_sums": 3.0}),
        work("b", {"double": 2.0, "row_sums": "row_sums__columns"}),
        work("c", {"double": 2.0, "row_sums": "row_sums__columns"}),
    ]
    mistakes = [(mistake.name, mistake.students) for mistake in class_statistics(works).mistakes]
    assert mistakes == [("row_sums__columns", ("b", "c")), ("double__squares", ("a",))]
