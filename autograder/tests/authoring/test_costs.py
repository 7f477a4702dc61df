"""What each known mistake costs of its question is counted from the tests that it fails."""

from autograder.authoring.costs import CRASHES, Cost, costs, findings, summary, table
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.slips import SlipSettings
from autograder.grading.diagnosis import Diagnosis
from autograder.grading.slips import Slips
from autograder.testing.suite import Suite


def test_a_mistake_costs_the_weight_of_the_tests_that_it_fails(course: Course) -> None:
    exercise = course.exercises["01_small"]
    suite = Suite(exercise)
    found = {(one.question, one.mistake): one for one in costs(exercise, Slips(Diagnosis(suite)))}
    in_place = found["double", "in_place"]
    weights = [test.weight for test in suite.of("double")]
    assert in_place.least == in_place.most
    assert round(in_place.most * sum(weights), 6) in weights
    assert set(found) == {(one.question, one.name.partition("__")[2]) for one in exercise.mistakes}


def test_a_slip_costs_what_it_may_and_an_outlier_needs_its_author_s_reason(course: Course) -> None:
    folder = course.exercises["01_small"].folder
    crash = '"""Look at the shape."""\n\n\ndef row_sums(x):\n    return x.sum(1, 2)\n'
    (folder / "mistakes/row_sums__crashes.py").write_text(crash, encoding="utf-8")
    no_slip = (
        '"""Nothing is summed."""\n# No slip: the sum is the question.\n\n\ndef row_sums(x):\n    return x\n'
    )
    (folder / "mistakes/row_sums__nothing.py").write_text(no_slip, encoding="utf-8")
    exercise = Exercise(folder)
    slips = Slips(Diagnosis(Suite(exercise)), SlipSettings())
    found = {one.mistake: one for one in costs(exercise, slips)}
    seen = {name: (round(one.least, 6), one.because) for name, one in found.items()}
    assert seen["squares"] == seen["columns"] == (0.45, "")
    assert seen["crashes"] == (1.0, CRASHES)
    assert seen["nothing"] == (1.0, "the sum is the question.")
    assert not [*findings(exercise, found.values(), slips)]
    (finding,) = findings(exercise, FOUND[2:4], slips)
    assert finding.startswith(f"{folder}: double__near costs 20 to 46 %; let its tests weigh otherwise")


def cost(mistake: str, least: float, most: float, because: str = "") -> Cost:
    return Cost("01_small", "double", mistake, least, most, because)


FOUND = (
    cost("cheap", 0.02, 0.3),
    cost("dear", 0.5, 0.9),
    cost("fair", 0.1, 0.45),
    cost("near", 0.2, 0.46),
    cost("other", 0.05, 0.05),
    cost("stops", 1.0, 1.0, CRASHES),
    cost("empty", 0.9, 0.9, "nothing is computed"),
)


def test_outliers_are_shown_the_farthest_first() -> None:
    first, second = summary(FOUND)
    assert first == (
        "1 of 7 known mistakes cost 10 % to 45 % of their question, 1 crash in most tests, 1 are no slips; "
        "all are in build/costs.csv"
    )
    assert second == "  double: dear 50 to 90 %, cheap 2 to 30 %, other 5 %, and 3 more"
    assert [*summary(FOUND, whole=True)][1].endswith("other 5 %, near 20 to 46 %, stops 100 %, empty 90 %")
    assert not [*summary(())]


def test_all_costs_go_into_a_table() -> None:
    assert table(FOUND[:2]).splitlines() == [
        "exercise,question,mistake,least,most,because",
        "01_small,double,cheap,2,30,",
        "01_small,double,dear,50,90,",
    ]
