"""A mistake is paid once: a question that builds on a wrong one is graded with a right one, too."""

from base64 import b64decode
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from autograder.authoring.answers import solved_cells
from autograder.course.exercise import Exercise
from autograder.course.settings import Limits, Repairs
from autograder.grading.carried import compiled, reruns, with_note
from autograder.grading.grader import Grader
from autograder.report.question_view import show_question
from autograder.report.report import QuestionReport, TestReport, Verdict
from autograder.report.safe_html import Allowance
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import NotebookCell
from autograder.tests.classroom import SECRET, open_course, real_course, small
from autograder.worker.namespace import run_compiled

COURSE = real_course()
LIMITS = Limits(cell_seconds=1.5, call_seconds=1.0, memory_mb=512)
TRIPLE = "def double(x):\n    return x * 3"
HALVED = "def row_sums(x):\n    return double(x).sum(-1) / 2"
NOTE = "Your answer to `double` is wrong, so this question was graded with a right answer to it."
Grade = Callable[..., dict[str, QuestionReport]]


@pytest.fixture(scope="module")
def grade(tmp_path_factory: pytest.TempPathFactory, zygote: Zygote) -> Grade:
    """Return a function that grades answers, as if no question built on another one if they are `alone`."""
    exercise = small(open_course(tmp_path_factory.mktemp("carried") / "course"))
    suite = exercise.suite.read_text(encoding="utf-8")  # in which a right shape alone is worth half
    exercise.suite.write_text(suite.replace(", needs_results=True", ""), encoding="utf-8")
    building, apart = (
        Grader(exercise, {}, LIMITS, zygote, SECRET, builds_on, Repairs(seconds=0.2))
        for builds_on in ({"row_sums": ("double",)}, {})
    )

    def grade(*, alone: bool = False, **answers: str) -> dict[str, QuestionReport]:
        grader, cells = apart if alone else building, solved_cells(exercise, answers)
        return {question.name: question for question in grader.grade_cells(cells).report.questions}

    return grade


def test_a_later_question_is_judged_on_its_own_merit(grade: Grade) -> None:
    before = grade(alone=True, double=TRIPLE, row_sums=HALVED)
    after = grade(double=TRIPLE, row_sums=HALVED)
    assert before["row_sums"].score == 1.5
    assert (after["row_sums"].verdict, after["row_sums"].score) == (Verdict.PASSED, 3.0)
    assert after["row_sums"].hint == NOTE
    assert after["double"] == before["double"]
    assert grade(double=TRIPLE, row_sums=HALVED) == after
    view = show_question(after["row_sums"], None, Allowance())
    assert (view.badge, f"{view.lead} {view.more}".strip()) == ("passed", NOTE)


def test_what_is_wrong_all_the_same_is_said_beside_that(grade: Grade) -> None:
    double, wrong = "def double(x):\n    return x.shape", "def row_sums(x):\n    return double(x).sum(-1)"
    before = grade(alone=True, double=double, row_sums=wrong)["row_sums"]
    after = grade(double=double, row_sums=wrong)["row_sums"]
    assert (before.score, after.score, after.verdict) == (0.0, 1.5, Verdict.FAILED)
    assert after.hint.startswith(f"{NOTE} ")
    # Of two columns, the mean of the doubled numbers is the sum as well.
    assert "All tests pass after one change in line 2, at `double(x)" in after.hint


def test_calls_in_a_cell_and_a_definition_that_fails_are_carried_too(grade: Grade) -> None:
    rows = "HALF = double(torch.ones(1)) / 4\ndef row_sums(x):\n    return x.sum(-1) * HALF * 2"
    assert grade(double=TRIPLE, row_sums=rows)["row_sums"].score == 3
    assert grade(double="def double(x)\n    return x", row_sums=HALVED)["row_sums"].hint == NOTE


def test_gradients_flow_through_a_right_answer(grade: Grade) -> None:
    rows = """
def row_sums(x):
    given = x.clone().requires_grad_()
    double(given).sum().backward()
    return (x * given.grad).sum(-1) / 2
"""
    assert grade(double=TRIPLE, row_sums=rows)["row_sums"].hint == NOTE


def test_a_right_answer_is_no_source_of_marks_for_the_earlier_question(grade: Grade) -> None:
    keeps = "import torch\ndef row_sums(x):\n    torch.kept = double\n    return double(x).sum(-1) / 2"
    reads = """
def double(x):
    kept = getattr(torch, "kept", double)
    return x * 3 if kept is double else kept(x)
"""
    alone = grade(alone=True, double=reads, row_sums="def row_sums(x):\n    return x.sum(-1)")["double"]
    after = grade(double=reads, row_sums=keeps)
    assert after["double"].score == alone.score
    assert after["row_sums"].score == 3


def test_a_right_answer_crosses_as_compiled_code_alone() -> None:
    reference = (
        "import math\nLIMIT = 3\nUNUSED = 'unused'",
        'def helper(x):\n    """Help."""\n    return x + LIMIT  # a comment',
        'def a(x):\n    """Add."""\n    y = helper(x)\n    return y',
        "def b(x):\n    return a(x) * 17",
        "y = b(2)",
    )
    given = compiled(reference, ["a"], ["b"])
    right = run_compiled(given.code, given.names)["a"]
    assert right(1) == 4
    assert right.__globals__.keys() - {"__name__", "__builtins__"} == {"LIMIT", "helper", "a"}
    for word in (b"Help", b"Add", b"comment", b"nused", b"math"):
        assert word not in b64decode(given.code)


def of(verdict: Verdict, *, name: str = "a", score: float = 0.0) -> QuestionReport:
    return QuestionReport(name, verdict, score, 2.0, "", None, (TestReport("It holds.", verdict),))


def cells(*codes: str) -> list[NotebookCell]:
    return [NotebookCell(number, "code", code) for number, code in enumerate(codes)]


ROW = """
# %% solution="a"
def a(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION

# %% check="a" points=1
a(1)

# %% solution="row"
row = []
### BEGIN SOLUTION
total = a(3)
row.append(total)
### END SOLUTION

# %% check="row" points=1
row
"""
ROW_TESTS = '''
from autograder.testing import expect, question, value_of


@question("a")
def test_a(student):
    """It doubles."""
    expect(student.a(3) == 6, "The result is too large.")


@question("row")
def test_row(student):
    """The row has one number."""
    expect(value_of(student.row) == [6], "The row has other numbers.")
'''
MADE = "def a(x):\n    return x"


@pytest.mark.parametrize(
    ("verdicts", "codes", "expected"),
    [
        ({"a": "failed", "b": "failed"}, (MADE, "def b(x):\n    return a(x)"), True),
        ({"a": "failed", "b": "crashed"}, (MADE, "c = a", "def b(x):\n    return c(x)"), True),
        ({"a": "failed", "b": "failed"}, (MADE, "def b(x):\n    return x"), False),  # it does not call it
        (  # another one does, which happens to use a variable of the same name
            {"a": "failed", "b": "failed"},
            (MADE, "def other(x):\n    y = a(x)", "def b(x):\n    y = x\n    return y"),
            False,
        ),
        ({"a": "passed", "b": "failed"}, (MADE, "def b(x):\n    return a(x)"), False),
        ({"a": "failed", "b": "passed"}, (MADE, "def b(x):\n    return a(x)"), False),
        ({"a": "failed", "b": "review"}, (MADE, "def b(x):\n    return a(x)"), False),
        ({"a": "grader error", "b": "failed"}, (MADE, "def b(x):\n    return a(x)"), False),
        ({"a": "not attempted", "b": "failed"}, (MADE, "def b(x):\n    return a(x)"), False),
        ({"a": "not defined", "b": "failed"}, ("def b(x):\n    return a(x)",), False),
        (  # an empty answer carries nothing forward
            {"a": "failed", "b": "failed"},
            ('def a(x):\n    """Nothing."""\n    return None', "def b(x):\n    return a(x)"),
            False,
        ),
        ({"a": "not defined", "b": "failed"}, ("def a(x:\n    x", "def b(x):\n    return a(x)"), True),
        ({"a": "failed", "b": "failed"}, (MADE, "b = a(1)"), True),
        ({"a": "failed", "b": "failed"}, (MADE, "b = []\ny = a(1)\nb.append(y)"), True),
        ({"a": "failed", "b": "failed"}, (MADE, "b = []\ny = a(1)"), False),
        ({"a": "failed", "b": "failed"}, (MADE, "b = []", "b.append(a(1))"), False),
    ],
)
def test_a_question_runs_again_where_it_calls_one_that_fails_too(
    verdicts: Mapping[str, str], codes: tuple[str, ...], expected: bool
) -> None:
    questions = {name: of(Verdict(verdict), name=name) for name, verdict in verdicts.items()}
    found = reruns({"b": ("a",)}, questions, cells(*codes))
    assert found == ([{"b": ["a"]}] if expected else [])


def test_a_variable_that_is_changed_by_a_wrong_earlier_answer_is_judged_on_its_own_merit(
    tmp_path: Path, zygote: Zygote
) -> None:
    (folder := tmp_path / "01_row").mkdir()
    (folder / "01_row.py").write_text(ROW, encoding="utf-8")
    (folder / "test_hidden.py").write_text(ROW_TESTS, encoding="utf-8")
    exercise = Exercise(folder)
    grader = Grader(exercise, {}, LIMITS, zygote, SECRET, {"row": ("a",)}, Repairs(seconds=0.2))
    cells = solved_cells(exercise, {"a": "def a(x):\n    return 3 * x"})
    _, row = grader.grade_cells(cells).report.questions
    assert (row.verdict, row.hint) == (Verdict.PASSED, NOTE.replace("double", "a"))


def test_questions_share_a_worker_where_none_of_them_stands_in_for_another() -> None:
    questions = {name: of(Verdict.FAILED, name=name) for name in "abcd"}
    built = {"b": ("a",), "c": ("a",), "d": ("a", "b", "c")}
    calling = (
        "def b(x):\n    return a(x)",
        "def helper(x):\n    return a(x)",
        "def d(x):\n    return b(a(x))",
    )
    found = reruns(built, questions, cells(MADE, *calling, "class c:\n    def f(self):\n        helper(1)"))
    assert found == [{"b": ["a"], "c": ["a"]}, {"d": ["a", "b"]}]


@pytest.mark.parametrize("code", ["def b(x):\n    return a(x", "def b(x):\n    return a(" + "(" * 500])
def test_code_that_cannot_be_read_may_call_anything(code: str) -> None:
    questions = {name: of(Verdict.FAILED, name=name) for name in "ab"}
    assert reruns({"b": ("a",)}, questions, cells(MADE, code)) == [{"b": ["a"]}]


def test_names_without_end_are_followed_once_each() -> None:
    questions = {name: of(Verdict.FAILED, name=name) for name in "ab"}
    many = [f"n{number}" for number in range(30_000)]
    for code in ("=".join(["b", *many[:9000]]), " ".join(many), "b=" + "\n".join(many[:5000])):
        assert reruns({"b": ("a",)}, questions, cells(MADE, code)) == []


def test_the_note_names_each_wrong_earlier_answer() -> None:
    assert with_note(of(Verdict.FAILED), ["a", "b"]).hint == (
        "Your answers to `a` and `b` are wrong, so this question was graded with right answers to them."
    )


def test_a_worker_holds_no_right_answer_on_which_its_question_does_not_build(zygote: Zygote) -> None:
    exercise = COURSE.exercises["03_causal_averaging"]
    grader = Grader.of_course(COURSE, exercise, zygote, SECRET)
    grader.marks_only = True
    wrong = "def {}(length):\n    return torch.full((length, length), 7.0)"
    answers = {name: wrong.format(name) for name in ("causal_average_weights", "causal_mask_scores")}
    answers["causal_average"] = (
        "def causal_average(x):\n    return causal_average_weights(x.shape[-2]).to(x) @ x"
    )
    # The weights of causal averaging are those that the softmax of the mask gives.
    answers["causal_softmax_weights"] = """
def causal_softmax_weights(length):
    causal_mask_scores(length)
    return causal_average_weights(length)
"""
    report = grader.grade_cells(solved_cells(exercise, answers)).report
    questions = {question.name: question for question in report.questions}
    assert questions["causal_average"].verdict is Verdict.PASSED
    assert questions["causal_softmax_weights"].score == 0
