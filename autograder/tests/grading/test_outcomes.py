"""Of a hidden run only its outcome counts; a disclosed run explains it to the student."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
import torch

from autograder.course.exercise import Exercise
from autograder.course.settings import Limits
from autograder.grading.explanation import RunSubmission
from autograder.grading.graded import CellResult
from autograder.grading.outcomes import (
    TestOutcome,
    attribute_fault,
    drop_follow_up_questions,
    facts,
    is_better,
    max_leaked_bits,
    most_specific_hint,
    summarize,
)
from autograder.grading.session import LeftOut, Session
from autograder.report.report import AnswerLine, QuestionReport, TestReport, Verdict
from autograder.submission.notebook import NotebookCell
from autograder.testing.exchange import ExhaustedError, Local, LostError, NotDefinedError, StudentError
from autograder.testing.expectations import NotJudged, Unmet
from autograder.testing.inputs import DISCLOSED, numbered_inputs
from autograder.testing.suite import HiddenTest, Run, Suite
from autograder.tests.classroom import copy_small_course, small
from autograder.tests.grading.workers import ScriptedZygote
from autograder.worker.namespace import Namespace
from autograder.worker.protocol import Header, Parts, ProtocolError
from autograder.worker.values import Encoder

LIMITS = Limits(cell_seconds=3, call_seconds=2)
CELLS = (
    NotebookCell(1, "code", "def double(x):\n    raise NotImplementedError()"),
    NotebookCell(2, "code", "def row_sums(x):\n    return x.sums()", "row_sums"),
)
STUB = "NotImplementedError"
TEST = HiddenTest("double", "It doubles.", 2.0, 0, "test_double")
Judged = Callable[..., tuple[Verdict, str]]


@pytest.fixture(scope="module")
def exercise(tmp_path_factory: pytest.TempPathFactory) -> Exercise:
    """Return the small exercise, with one more hidden test."""
    exercise = small(copy_small_course(tmp_path_factory.mktemp("outcomes") / "course"))
    with exercise.suite.open("a", encoding="utf-8") as suite:
        suite.write(BREAKING)
    return exercise


@pytest.fixture
def session() -> Session:
    return Session(ScriptedZygote(), CELLS, LIMITS)


@pytest.fixture
def judge(exercise: Exercise, session: Session) -> Judged:
    """Return a function that gives verdict and hint of a test that ends with an error on disclosed inputs."""

    def judge(error: BaseException | None) -> tuple[Verdict, str]:
        hidden = Run.ended(TEST, Unmet("row 1127 sums to 0.25"))
        outcome = TestOutcome(TEST, hidden, Run.ended(TEST, error))
        report = RunSubmission(exercise, CELLS, session).explain(outcome)
        assert report.title == TEST.title
        return report.verdict, report.hint

    return judge


def error(kind: str, message: str = "", *places: list[int], bases: Sequence[str] = ()) -> Header:
    return {"type": kind, "message": message, "places": list(places), "bases": [kind, *bases]}


@pytest.mark.parametrize(
    ("problem", "verdict", "hint"),
    [
        (Unmet("Rows must sum to 1."), Verdict.FAILED, "Rows must sum to 1."),
        (AssertionError("0.25 == 0.5"), Verdict.FAILED, ""),
        (NotJudged("It ignores w."), Verdict.NOT_JUDGED, "It ignores w."),
        (StudentError(error("E025", "0.25", [2, 1127])), Verdict.CRASHED, "E025: 0.25 (the cell of row_sums"),
        (StudentError(error("E", "no", [2, 2])), Verdict.CRASHED, "E: no (the cell of row_sums, line 2)"),
        (StudentError(error("ValueError")), Verdict.CRASHED, "ValueError"),
        (StudentError(error(STUB, "", [1, 2])), Verdict.NOT_ATTEMPTED, f'Replace "raise {STUB}()"'),
        (StudentError(error(STUB, "later", [2, 2])), Verdict.CRASHED, f"{STUB}: later"),
        (
            StudentError(error("OwnError", "no socket", [2, 2], bases=["PermissionError"])),
            Verdict.BLOCKED,
            "The sandbox refused this: no socket (the cell of row_sums, line 2)",
        ),
        (LostError(Verdict.TIMED_OUT, "A call waited."), Verdict.TIMED_OUT, "A call waited."),
        (
            ProtocolError("?"),
            Verdict.CRASHED,
            "After a call, the program that runs your code sent something that is not a valid reply.",
        ),
        (
            NotDefinedError("triple"),
            Verdict.NOT_DEFINED,
            "The notebook does not define triple. Is the name spelled",
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_a_hidden_run_tells_only_that_a_test_fails_and_a_disclosed_run_tells_how(
    judge: Judged, problem: BaseException, verdict: Verdict, hint: str
) -> None:
    found, words = judge(problem)
    assert found is verdict
    assert words.startswith(hint)
    hidden = TestOutcome(TEST, Run.ended(TEST, problem)).report
    assert hidden == TestReport(TEST.title, Verdict.FAILED, TEST.weight, "")


@pytest.mark.parametrize("problem", [None, ExhaustedError(), KeyError("in the test")])
def test_a_test_that_fails_on_hidden_inputs_alone_fails_without_a_word(
    judge: Judged, problem: BaseException | None
) -> None:
    assert judge(problem) == (Verdict.FAILED, "")


@pytest.mark.parametrize(
    ("problem", "verdict", "hint"),
    [
        (None, Verdict.PASSED, ""),
        (ExhaustedError(), Verdict.TIMED_OUT, "The notebook had used up its time before this could be "),
        (TypeError(), Verdict.GRADER_ERROR, 'The hidden test "It doubles." could not judge this answer. '),
    ],
)
def test_other_outcomes_of_hidden_runs_explain_themselves(
    exercise: Exercise, session: Session, problem: BaseException | None, verdict: Verdict, hint: str
) -> None:
    outcome = TestOutcome(TEST, Run.ended(TEST, problem), Run.ended(TEST, Unmet("no")))
    report = RunSubmission(exercise, CELLS, session).explain(outcome)
    assert report.verdict is verdict
    assert report.hint.startswith(hint)


@pytest.mark.parametrize(
    "left_out",
    [
        LeftOut(Verdict.TIMED_OUT, "ran and ran"),
        LeftOut(Verdict.CRASHED, "ended the program: the process wrote longer than it may"),
    ],
)
def test_a_name_in_a_cell_that_was_left_out_has_the_verdict_of_that_cell(
    judge: Judged, session: Session, left_out: LeftOut
) -> None:
    session.lost[2] = left_out
    expected = f"The cell that defines row_sums {left_out.why}."
    assert judge(NotDefinedError("row_sums")) == (left_out.verdict, expected)


def test_a_name_in_a_cell_that_fails_has_that_cells_error_for_a_hint(judge: Judged, session: Session) -> None:
    session.results[2] = CellResult((), StudentError(error("SyntaxError", "expected ':'", [2, 1])))
    assert judge(NotDefinedError("row_sums")) == (
        Verdict.NOT_DEFINED,
        "The cell that defines row_sums fails: SyntaxError: expected ':' (the cell of row_sums, line 1)",
    )


BREAKING = '''

@question("double")
def test_by_chance(student):
    """It holds for most inputs."""
    assert student.double(torch.rand(())) > 0.2

@question("double")
def test_breaks(student):
    """It holds."""
    made = student.define("def made(): return ({'mean': torch.ones(()), 'sizes': [3, 5]}, 'a table')", "made")
    made()
    student.double(torch.ones(3, 5))
    raise TypeError("in the test")
'''
MUST_GIVE = "A call must give a float32 tensor of shape (3, 5), but it gave"
TABLE, TENSOR = ({"sizes": [3, 5], "mean": torch.tensor(1.0)}, "3"), torch.zeros(3, 5)
Breaking = Callable[[object, object], Run]


@pytest.fixture(scope="module")
def breaking(exercise: Exercise) -> Breaking:
    """Return a function that runs a test which breaks after two answers: a table, and a tensor."""
    made = Suite(exercise)

    def answer(value: object) -> tuple[Header, Parts]:
        encoder = Encoder(lambda other: {"handle": 0, "type": type(other).__name__})
        return {"value": encoder.encode(value)}, encoder.parts

    def breaking(table: object, double: object) -> Run:
        answers = iter(map(answer, (table, double)))
        with Session(ScriptedZygote(lambda _: next(answers)), (), LIMITS) as session:
            (run,) = made.run(session, DISCLOSED, {made.tests[-1]})
        return attribute_fault(made, run, DISCLOSED)

    return breaking


def test_a_test_that_fails_a_right_answer_with_some_inputs_is_to_blame_for_these(exercise: Exercise) -> None:
    suite = Suite(exercise)
    test, inputs = suite.tests[-2], [numbered_inputs(b"secret", exercise.name, one) for one in range(40)]
    wrong = Local(Namespace({"double": lambda x: 0 * x}))
    verdicts = [attribute_fault(suite, suite.run_one(test, wrong, one), one).kind for one in inputs]
    fair = [suite.is_fair(test, one) for one in inputs]
    assert {*fair} == {True, False}
    assert verdicts == [Verdict.FAILED if one else Verdict.GRADER_ERROR for one in fair]


@pytest.mark.parametrize(
    ("table", "double", "hint"),
    [
        (TABLE, None, f"{MUST_GIVE} None."),
        (TABLE, 0.5, f"{MUST_GIVE} a float."),
        (TABLE, (1, 2), f"{MUST_GIVE} 2 values."),
        (TABLE, {}, f"{MUST_GIVE} an empty dict."),
        (TABLE, {"size": 3, "mean": math.nan}, f"{MUST_GIVE} a dict with the keys 'mean', 'size'."),
        (TABLE, math.nan, f"{MUST_GIVE} a float."),
        (TABLE, object(), f"{MUST_GIVE} object."),
        (TABLE, torch.ones(2), f"{MUST_GIVE} a float32 tensor of shape (2,)."),
        (TABLE, torch.ones(3, 5).double(), f"{MUST_GIVE} a float64 tensor of shape (3, 5)."),
        (("3", TABLE[0]), TENSOR, "contain a dict with the keys 'mean', 'sizes', but it contained a str."),
        (({"avg": torch.tensor(1.0), "sizes": [3, 5]}, "3"), TENSOR, "a dict with the keys 'avg', 'sizes'."),
        (
            ({"sizes": [3], "mean": torch.tensor(1.0)}, "3"),
            TENSOR,
            "The result of a call must contain 2 values, but it contained 1 value.",
        ),
        (
            ({"sizes": [3, 5], "mean": 1}, "3"),
            TENSOR,
            "tensor of shape (), but it contained an int.",
        ),
    ],
)
def test_a_test_fails_that_breaks_on_an_answer_of_another_kind_or_on_what_an_answer_holds(
    breaking: Breaking, table: object, double: object, hint: str
) -> None:
    run = breaking(table, double)
    assert run.kind is Verdict.FAILED
    assert run.detail.endswith(hint)


def test_a_test_that_breaks_on_answers_of_the_right_kind_is_our_failure(breaking: Breaking) -> None:
    run = breaking(TABLE, TENSOR)
    assert (run.kind, run.detail) == (Verdict.GRADER_ERROR, "")


GIVEN = "import torch\n\ntable = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])"


@pytest.mark.parametrize(
    ("places", "words", "place"),
    [
        ([[3, 2]], " (the cell of double, line 2)", AnswerLine("double", 2)),
        ([[4, 1]], " (the cell of row_sums, line 1)", AnswerLine("row_sums", 1)),
        ([[8, 2], [3, 2]], " (code cell 4, line 2)", None),
        ([[1, 3], [3, 2]], " (the cell of double, line 2)", AnswerLine("double", 2)),
        ([[1, 3]], " (code cell 1, line 3)", None),
        ([[3, None]], " (the cell of double)", None),
        ([[3, 99]], " (the cell of double, line 99)", AnswerLine("double", 99)),
        ([[77, 1], [3, 2]], " (the cell of double, line 2)", AnswerLine("double", 2)),
        ([[77, 1]], "", None),
        ([], "", None),
    ],
)
def test_an_error_is_placed_in_the_students_own_cell_where_it_passed_one(
    exercise: Exercise, session: Session, places: list[object], words: str, place: AnswerLine | None
) -> None:
    assert GIVEN in exercise.given
    cells = (
        NotebookCell(1, "code", GIVEN),
        NotebookCell(3, "code", "def double(x):\n    return x.doubled()"),
        NotebookCell(4, "code", "row_sums = lambda x: x", "row_sums"),
        NotebookCell(8, "code", "def helper(x):\n    raise ValueError"),
    )
    run = Run.ended(TEST, StudentError({"type": "ValueError", "places": places}))
    submitted, outcome = RunSubmission(exercise, cells, session), TestOutcome(TEST, run, run)
    assert submitted.explain(outcome).hint == f"ValueError{words}"
    assert submitted.place(outcome) == place


@pytest.mark.parametrize("tests", [1, 2, 45])
def test_the_bound_counts_each_report_that_a_run_can_come_to(tests: int) -> None:
    """Three outcomes for each test, and a point from which on no time was left, or none to explain them."""
    reports = 3**tests * (tests + 2)
    assert math.log2(reports) <= max_leaked_bits(tests) < math.log2(reports) + 1
    assert (
        max_leaked_bits(tests, building=2) == max_leaked_bits(tests) + 4
    )  # which of two runs, and whether explained
    assert (
        max_leaked_bits(tests, questions=3) == max_leaked_bits(tests) + 3
    )  # the notebook at the check, or at the end


WRONG = "The result has the right shape, but 3 of its 6 values are wrong, first at [0, 1]."
SHAPE, VALUES, WIDTH, PRECISION = (
    HiddenTest("softmax", name, 1.0, number, name, basic=name == "values")
    for number, name in enumerate(["shape", "values", "width", "precision"])
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
    after = drop_follow_up_questions(before)
    assert after[VALUES] == before[VALUES]
    assert after[WIDTH].hint == f"{WRONG} Its root scales."
    assert after[PRECISION] == before[PRECISION]


def test_where_they_are_right_each_test_nudges() -> None:
    before = reports(WIDTH, PRECISION)
    assert drop_follow_up_questions(before) == before


@pytest.mark.parametrize(
    ("values", "shape"), [(Verdict.PASSED, Verdict.PASSED), (Verdict.FAILED, Verdict.NOT_JUDGED)]
)
def test_what_needs_results_is_judged_only_if_these_are_right(values: Verdict, shape: Verdict) -> None:
    needs = replace(SHAPE, needs_results=True)
    before = {needs: TestReport("shape", Verdict.PASSED), VALUES: TestReport("values", values, basic=True)}
    assert drop_follow_up_questions(before)[needs].verdict is shape
    failed = {**before, needs: TestReport("shape", Verdict.FAILED, hint="It is flat.")}
    assert drop_follow_up_questions(failed)[needs] == failed[needs]


def test_of_the_failures_that_say_all_they_know_the_rarest_supplies_the_words() -> None:
    failing_mistakes = {SHAPE: 9, VALUES: 5, WIDTH: 1, PRECISION: 3}.__getitem__
    both = reports(VALUES, WIDTH)
    assert most_specific_hint(both, drop_follow_up_questions(both), failing_mistakes) == HINTS[VALUES]
    three = reports(VALUES, WIDTH, PRECISION)
    assert most_specific_hint(three, drop_follow_up_questions(three), failing_mistakes) == HINTS[PRECISION]
    later = reports(WIDTH, PRECISION)
    assert most_specific_hint(later, drop_follow_up_questions(later), failing_mistakes) == HINTS[WIDTH]
    assert most_specific_hint(reports(), drop_follow_up_questions(reports()), failing_mistakes) == ""


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


@pytest.mark.parametrize(
    ("basic", "others", "score", "halves"),
    [
        ("1", "11", 4, ""),
        ("1", "10", 3, "3 of 4 points: 2 of 2 for right results, 1 of 2 for the other tests"),
        ("11", "00", 2, "2 of 4 points: 2 of 2 for right results, 0 of 2 for the other tests"),
        ("10", "11", 2, "2 of 4 points: 0 of 2 for right results, 2 of 2 for the other tests"),
        ("00", "00", 0, ""),
        ("11", "", 4, ""),
        ("10", "", 0, ""),
    ],
)
def test_half_is_for_results_and_half_for_everything_else(
    basic: str, others: str, score: float, halves: str
) -> None:
    tests = tuple(
        TestReport(kind, Verdict.PASSED if passes == "1" else Verdict.FAILED, basic=kind == "basic")
        for kind, all_passes in (("basic", basic), ("other", others))
        for passes in all_passes
    )
    question = summarize("q", 4, tests)
    assert (question.score, question.halves_in_words) == (score, halves)


def test_weights_share_the_half_for_everything_else() -> None:
    tests = (TestReport("a", Verdict.PASSED, 3), TestReport("b", Verdict.FAILED, 1, "look"))
    question = summarize("q", 2, tests)
    assert (question.score, question.hint) == (1.5, "look")


def paid(verdict: Verdict, score: float | None, *passes: bool) -> QuestionReport:
    """Return the report on a question of 2 points; `passes` has its tests, of which the first is basic."""
    tests = tuple(
        TestReport("It holds.", Verdict.PASSED if good else Verdict.FAILED, basic=not number)
        for number, good in enumerate(passes)
    )
    return QuestionReport("double", verdict, score, 2.0, tests=tests)


FULL, MORE, LESS, NOTHING = (
    paid(Verdict.PASSED, 2.0),
    paid(Verdict.FAILED, 1.5),
    paid(Verdict.FAILED, 0.5),
    paid(Verdict.CRASHED, 0.0),
)
HELD, HELD_FOR_LESS = (
    paid(Verdict.REVIEW, 0.0, True, False),
    paid(Verdict.REVIEW, 0.0, False, True, False, False),
)
BROKEN = paid(Verdict.GRADER_ERROR, None)


@pytest.mark.parametrize(
    ("again", "before"),
    [
        (MORE, LESS),
        (FULL, MORE),
        (FULL, HELD),
        (FULL, BROKEN),
        (MORE, HELD),  # these points need no instructor
        (HELD, NOTHING),  # an instructor may give all points
        (HELD, HELD_FOR_LESS),
    ],
)
def test_of_two_judgments_the_one_that_earns_more_is_better(
    again: QuestionReport, before: QuestionReport
) -> None:
    assert (is_better(again, before), is_better(before, again)) == (True, False)


@pytest.mark.parametrize(
    ("again", "before"), [(LESS, LESS), (FULL, FULL), (HELD, HELD), (BROKEN, LESS), (MORE, BROKEN)]
)
def test_neither_of_two_judgments_is_better_if_they_earn_the_same_or_one_has_no_score(
    again: QuestionReport, before: QuestionReport
) -> None:
    assert not is_better(again, before)
    assert not is_better(before, again)
