"""What each known mistake costs of its question is counted from the tests that it fails."""

from autograder.authoring.costs import Cost, costs, summary, table
from autograder.course.course import Course
from autograder.grading.diagnosis import Diagnosis
from autograder.testing.suite import Suite


def test_a_mistake_costs_the_weight_of_the_tests_that_it_fails(course: Course) -> None:
    exercise = course.exercises["01_small"]
    suite = Suite(exercise)
    found = {(one.question, one.mistake): one for one in costs(exercise, Diagnosis(suite))}
    in_place = found["double", "in_place"]
    weights = [test.weight for test in suite.of("double")]
    assert in_place.least == in_place.most
    assert round(in_place.most * sum(weights), 6) in weights
    assert set(found) == {(one.question, one.name.partition("__")[2]) for one in exercise.mistakes}


def cost(mistake: str, least: float, most: float) -> Cost:
    return Cost("01_small", "double", mistake, least, most)


FOUND = (
    cost("cheap", 0.02, 0.3),
    cost("dear", 0.5, 0.9),
    cost("fair", 0.1, 0.45),
    cost("near", 0.2, 0.46),
    cost("other", 0.05, 0.05),
)


def test_outliers_are_shown_the_farthest_first() -> None:
    first, second = summary(FOUND)
    assert first == "1 of 5 known mistakes cost 10% to 45% of their question; all are in build/costs.csv"
    assert second == "  double: dear 50 to 90 %, cheap 2 to 30 %, other 5 %, and 1 more"
    assert [*summary(FOUND, whole=True)][1].endswith("other 5 %, near 20 to 46 %")
    assert not [*summary(())]


def test_all_costs_go_into_a_table() -> None:
    assert table(FOUND[:2]).splitlines() == [
        "exercise,question,mistake,least,most",
        "01_small,double,cheap,2,30",
        "01_small,double,dear,50,90",
    ]
