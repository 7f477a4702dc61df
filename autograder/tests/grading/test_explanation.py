"""What a failed test does with disclosed inputs gives its student a verdict and a hint."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from autograder.course.course import Course
from autograder.course.settings import Limits
from autograder.grading.cell_result import CellResult
from autograder.grading.explanation import Explainer
from autograder.grading.session import ExhaustedError, LeftOut, Session
from autograder.report.report import Verdict
from autograder.sandbox.process import DeadlineError, DiedError
from autograder.submission.notebook import NotebookCell
from autograder.testing.exchange import Exchange, Local, NotDefinedError
from autograder.testing.expectations import NotJudged, Unmet
from autograder.testing.student_error import StudentError
from autograder.testing.suite import Suite, TestRun
from autograder.tests.grading.workers import ScriptedZygote
from autograder.worker.namespace import run_code
from autograder.worker.protocol import Header, ProtocolError, Tensors

LIMITS = Limits(cell_seconds=3, call_seconds=2)
CELLS = (
    NotebookCell(1, "code", "def double(x):\n    raise NotImplementedError()"),
    NotebookCell(2, "code", "def row_sums(x):\n    return x.sums()", "row_sums"),
)


@pytest.fixture
def session() -> Session:
    return Session(ScriptedZygote(), CELLS, LIMITS)


@pytest.fixture
def suite(course: Course) -> Suite:
    return Suite(course.exercises["01_small"])


@pytest.fixture
def judge(suite: Suite, session: Session) -> Callable[..., tuple[Verdict, str]]:
    """Return a function that gives the verdict and hint on an error, after answers if there were any."""
    explainer = Explainer(suite, CELLS, session)

    def judge(error: BaseException | None, *exchanges: Exchange, number: int = 0) -> tuple[Verdict, str]:
        report = explainer.explain(TestRun(suite.tests[number], error, exchanges))
        assert report.title == suite.tests[number].title
        return report.verdict, report.hint

    return judge


Judged = Callable[..., tuple[Verdict, str]]


def answered(reply: Header, *tensors: torch.Tensor) -> Exchange:
    return Exchange(({}, []), (reply, list[torch.Tensor](tensors)))


def error(kind: str, message: str = "", *places: list[int], bases: Sequence[str] = ()) -> Header:
    return {"type": kind, "message": message, "places": list(places), "bases": [kind, *bases]}


def raised(described: Header) -> tuple[StudentError, Exchange]:
    return StudentError(described), answered({"error": described})


@pytest.mark.parametrize(
    ("problem", "verdict", "hint"),
    [
        (None, Verdict.FAILED, ""),
        (Unmet("Rows must sum to 1."), Verdict.FAILED, "Rows must sum to 1."),
        (NotJudged("It ignores w."), Verdict.NOT_JUDGED, "It ignores w."),
        (ExhaustedError(), Verdict.FAILED, ""),
        (DeadlineError(), Verdict.TIMED_OUT, "A call computed for longer than 2 s. Can its loop end?"),
        (DeadlineError(slept=True), Verdict.TIMED_OUT, "A call waited for longer than 2 s. What does it"),
        (DiedError("it broke"), Verdict.CRASHED, "A call ended the program: it broke."),
        (ProtocolError("?"), Verdict.CRASHED, "A call came back with something that is no answer."),
        (NotDefinedError("triple"), Verdict.NOT_DEFINED, "The notebook does not define triple."),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_each_kind_of_error_has_its_verdict(
    judge: Judged, problem: BaseException | None, verdict: Verdict, hint: str
) -> None:
    found, words = judge(problem)
    assert found is verdict
    assert words.startswith(hint)


@pytest.mark.parametrize(
    ("described", "verdict", "hint"),
    [
        (error("ValueError", "no", [2, 2]), "crashed", "ValueError: no (the cell of row_sums, line 2)"),
        (error("ValueError"), "crashed", "ValueError"),
        (error("NotImplementedError", "", [1, 2]), "not attempted", 'Replace "raise NotImplementedError()"'),
        (error("NotImplementedError", "later", [2, 2]), "crashed", "NotImplementedError: later"),
        (
            error("OwnError", "no socket", [2, 2], bases=["PermissionError"]),
            "blocked",
            "The sandbox refused this: no socket (the cell of row_sums, line 2)",
        ),
    ],
)
def test_an_exception_is_a_crash_a_stub_or_a_wall(
    judge: Judged, described: Header, verdict: str, hint: str
) -> None:
    found, words = judge(*raised(described))
    assert found == verdict
    assert words.startswith(hint)


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


def test_a_cell_that_dies_with_words_of_time_has_crashed_all_the_same(suite: Suite) -> None:
    def answers(header: Header) -> Header:
        raise DiedError("the process wrote longer than it may")

    with Session(ScriptedZygote(answers), CELLS, LIMITS) as session:
        session.start()
        run = TestRun(suite.tests[3], NotDefinedError("row_sums"), ())
        report = Explainer(suite, CELLS, session).explain(run)
    assert report.verdict is Verdict.CRASHED


def test_a_name_in_a_cell_that_fails_has_that_cells_error_for_a_hint(judge: Judged, session: Session) -> None:
    session.results[2] = CellResult((), StudentError(error("SyntaxError", "expected ':'", [2, 1])))
    assert judge(NotDefinedError("row_sums")) == (
        Verdict.NOT_DEFINED,
        "The cell that defines row_sums fails: SyntaxError: expected ':' (the cell of row_sums, line 1)",
    )


@pytest.mark.parametrize(
    ("reply", "tensors", "seen"),
    [
        ({"value": None}, [], "None"),
        ({"value": 0.5}, [], "a float"),
        ({"value": {"tuple": [1, 2]}}, [], "2 values"),
        ({"value": {"dict": []}}, [], "an empty dict"),
        (
            {"value": {"dict": [["size", 3], ["mean", {"float": "nan"}]]}},
            [],
            "a dict with the keys 'mean', 'size'",
        ),
        ({"value": {"float": "nan"}}, [], "a float"),
        ({"value": {"handle": 0, "type": "numpy.ndarray"}}, [], "numpy.ndarray"),
        ({"value": {"tensor": 0}}, [torch.ones(2)], "a float32 tensor of shape (2,)"),
        ({"value": {"tensor": 0}}, [torch.ones(3, 5).double()], "a float64 tensor of shape (3, 5)"),
        ({"value": {"tensor": 9}}, [], "something else"),
    ],
)
def test_a_test_that_breaks_on_an_answer_of_another_kind_fails(
    judge: Judged, reply: Header, tensors: Tensors, seen: str
) -> None:
    verdict, hint = judge(TypeError("in the test"), answered(reply, *tensors))
    assert verdict is Verdict.FAILED
    assert hint == f"A call must give a float32 tensor of shape (3, 5), but it gave {seen}."


DESCRIBED = "def double(x):\n    return ({'mean': x.mean(), 'sizes': list(x.shape)}, 'a table')"


@pytest.mark.parametrize(
    ("items", "hint"),
    [
        ([{"dict": [["sizes", {"list": [3, 5]}], ["mean", {"tensor": 0}]]}, "3"], ""),
        (
            ["3", {"dict": [["sizes", {"list": [3, 5]}], ["mean", {"tensor": 0}]]}],
            "'mean', 'sizes', but it gave a str.",
        ),
        (
            [{"dict": [["avg", {"tensor": 0}], ["sizes", {"list": [3, 5]}]]}, "3"],
            "a dict with the keys 'avg', 'sizes'.",
        ),
        (
            [{"dict": [["sizes", {"list": [3]}], ["mean", {"tensor": 0}]]}, "3"],
            "must give 2 values, but it gave 1 value.",
        ),
        (
            [{"dict": [["sizes", {"list": [3, 5]}], ["mean", 1]]}, "3"],
            "tensor of shape (), but it gave an int.",
        ),
    ],
)
def test_so_does_one_that_breaks_on_what_an_answer_holds(
    suite: Suite, session: Session, items: list[Any], hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suite, "_solution", lambda: Local(run_code((DESCRIBED,))))
    run = TestRun(
        suite.tests[0], KeyError("mean"), (answered({"value": {"tuple": items}}, torch.tensor(1.0)),)
    )
    report = Explainer(suite, CELLS, session).explain(run)
    assert report.hint.endswith(hint)
    assert bool(report.hint) == bool(hint)


def test_a_test_that_breaks_on_an_answer_of_the_right_kind_has_no_words_for_it(judge: Judged) -> None:
    assert judge(TypeError("in the test"), answered({"value": {"tensor": 0}}, torch.zeros(3, 5))) == (
        Verdict.FAILED,
        "",
    )
