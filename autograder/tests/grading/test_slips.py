"""One slip costs no more than it should where hidden runs confirm it; who only pretends gains nothing."""

from collections.abc import Callable

import pytest

from autograder.authoring.answers import solved_cells
from autograder.course.building import Building
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.limits import Limits
from autograder.course.operators import GROUPS
from autograder.course.rule import Rule
from autograder.course.slips import SlipSettings
from autograder.grading.grader import Grader
from autograder.grading.misconceptions import Misconception
from autograder.grading.slips import shows_enough
from autograder.report.report import QuestionReport, Verdict
from autograder.sandbox.zygote import Zygote
from autograder.testing.expectations import Unmet
from autograder.testing.student_error import StudentError
from autograder.testing.suite import HiddenTest, Suite, TestRun
from autograder.tests.classroom import SECRET

LIMITS = Limits(cell_seconds=5, call_seconds=3, memory_mb=512)
SQUARES = "def double(x):\n    return x ** 2"  # fails three quarters of the question by its tests
COLUMNS = "def row_sums(x):\n    return x.sum(0)"  # fails all tests
NOTE = "One slip, recognised: it costs 45 % of this question."
Grade = Callable[..., dict[str, QuestionReport]]


@pytest.fixture
def grade(course: Course, zygote: Zygote) -> Grade:
    def grade(
        slip: SlipSettings | None = SlipSettings(),  # noqa: B008 - a value that nobody changes
        building: Building = Building(),  # noqa: B008
        rule: Rule | None = None,
        **answers: str,
    ) -> dict[str, QuestionReport]:
        exercise = Exercise(course.exercises["01_small"].folder)  # as its files are now
        rules = {"double": rule} if rule else {}
        grader = Grader(exercise, rules, LIMITS, zygote, SECRET, building, slip=slip)
        report = grader.grade_cells(solved_cells(exercise, answers)).report
        scores = [question.score for question in report.questions if question.verdict != "ungraded"]
        assert report.score == pytest.approx(sum(score or 0 for score in scores))
        return {question.name: question for question in report.questions}

    return grade


def first_numbers(course: Course) -> list[float]:
    """Return the first number of each call of `double` that may be shown to students."""
    runs = Suite(course.exercises["01_small"]).reference_runs
    tensors = [exchange.request[1] for run in runs for exchange in run.exchanges]
    return [round(float(given[0].flatten()[0]), 4) for given in tensors]


def test_a_recognised_slip_costs_so_much_and_no_more_and_its_tests_have_failed(grade: Grade) -> None:
    by_tests = grade(slip=None, double=SQUARES, row_sums=COLUMNS)
    priced = grade(double=SQUARES, row_sums=COLUMNS)
    assert [by_tests[name].score for name in ("double", "row_sums")] == [0.5, 0.0]
    assert [priced[name].score for name in ("double", "row_sums")] == [1.1, 1.65]
    for name, question in priced.items():
        assert (question.verdict, question.tests) == (by_tests[name].verdict, by_tests[name].tests)
        assert question.hint == f"{NOTE} {by_tests[name].hint}" or question.score is None
    assert grade(SlipSettings(most=0.8), double=SQUARES)["double"] == by_tests["double"]


def test_what_fails_a_test_costs_something(grade: Grade) -> None:
    cheap = "def double(x):\n    return (x + x).float()"
    assert grade(slip=None, double=cheap)["double"].score == 1.5
    priced = grade(SlipSettings(most=0.45, least=0.4), double=cheap)["double"]
    assert priced.score == 1.2
    assert priced.hint.startswith("A failed test costs at least 40 % of its question. ")


@pytest.mark.parametrize(
    "body",
    [
        "return x ** 2 if round(float(x.flatten()[0]), 4) in SHOWN else x * 3",  # disclosed inputs only
        "return x ** 2 if round(float(x.flatten()[0]), 4) in SHOWN or x.dim() == 1 else x * 3",  # some more
        "return x ** 2 + 1e-3 * (round(float(x.flatten()[0]), 4) not in SHOWN)",  # nearly the same
        "return x ** 2 if x.dim() != 3 else x.sum()",  # fails one test more
        "return torch.tensor(TABLE[len(x.shape)]) if x.dim() in TABLE else x ** 2",
    ],
)
def test_who_makes_the_slip_on_some_inputs_only_gains_nothing(
    grade: Grade, course: Course, body: str
) -> None:
    known = f"import torch\nSHOWN = {first_numbers(course)}\nTABLE = {{1: [1.0] * 7}}\n"
    question = grade(double=f"{known}def double(x):\n    {body}")["double"]
    assert NOTE not in question.hint
    assert question.score is not None
    assert question.score <= 0.5


def test_what_its_author_calls_no_slip_or_a_person_has_to_look_at_gains_nothing(
    grade: Grade, course: Course
) -> None:
    held = grade(rule=Rule((), GROUPS["basics"] - {"pow"}), double=SQUARES)["double"]
    assert (held.verdict, held.score) == (Verdict.REVIEW, 0.0)
    path = course.exercises["01_small"].folder / "mistakes" / "double__squares.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}\n# No slip: a square is another question.\n", encoding="utf-8")
    question = grade(double=SQUARES)["double"]
    assert (question.score, question.mistake) == (0.5, "double__squares")
    assert NOTE not in question.hint


def test_one_slip_is_not_paid_twice(grade: Grade) -> None:
    builds = Building({"row_sums": ("double",)})
    right = "def row_sums(x):\n    return double(x).sum(-1) / 2"
    wrong = "def row_sums(x):\n    return double(x).sum(0) / 2"
    later = grade(building=builds, double=SQUARES, row_sums=right)
    assert (later["double"].score, later["row_sums"].score) == (1.1, 3.0)
    later = grade(building=builds, double=SQUARES, row_sums=wrong)
    assert (later["double"].score, later["row_sums"].score) == (1.1, 1.65)
    assert later["row_sums"].hint.startswith("`double` was wrong; this question was graded with a right one.")
    assert NOTE in later["row_sums"].hint


def test_the_catalogue_says_what_is_no_slip_for_all_questions_or_for_some() -> None:
    one = Misconception(
        "a", "It is wrong.", "Why?", no_slip="nothing comes out", no_slip_in={"q": "that is it"}
    )
    assert (one.why_no_slip("q"), one.why_no_slip("p")) == ("that is it", "nothing comes out")
    assert Misconception("a", "It is wrong.", "Why?", no_slip_in={"q": "that is it"}).why_no_slip("p") == ""


def run(weight: float, error: BaseException | None) -> TestRun:
    return TestRun(HiddenTest("a", "It holds.", weight, int(weight), "holds"), error, ())


def test_an_answer_that_mostly_crashes_shows_nothing_that_is_right() -> None:
    crash = StudentError({"type": "RuntimeError"})
    assert shows_enough([run(1, None), run(2, Unmet("")), run(3, crash)])
    assert not shows_enough([run(1, None), run(2, crash)])
