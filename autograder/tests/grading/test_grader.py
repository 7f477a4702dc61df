"""One submission after another through a real worker: each is graded, none stops the next."""

import json
from typing import Any

import pytest

from autograder.authoring.answers import solved_cells
from autograder.course.course import Course
from autograder.course.rule import GROUPS, Rule
from autograder.course.settings import Limits, Repairs, RepairsShown
from autograder.grading.grader import Grader
from autograder.report.example import rounded
from autograder.report.report import QuestionReport, Report, Status, Verdict
from autograder.sandbox.process import Worker
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook, NotebookCell
from autograder.testing.inputs import DISCLOSED, Inputs, hidden_inputs
from autograder.tests.classroom import SECRET, cell_of, open_course, small, solved

FORGING = r"""
import os, stat
def row_sums(x):
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode): os.write(number, b"\xff" * 100)
        except OSError: pass
"""
LIMITS = Limits(cell_seconds=0.5, call_seconds=0.5, memory_mb=512)
FULL = 5.0


class Desk:
    """Grades the small exercise with other answers, and looks for no repairs."""

    def __init__(self, course: Course, zygote: Zygote) -> None:
        self.exercise = small(course)
        rules = {"double": Rule(("mul",), GROUPS["basics"])}
        repairs = Repairs(RepairsShown.OFF)
        self.grader = Grader(self.exercise, rules, LIMITS, zygote, SECRET, repairs=repairs)

    def cells(self, **answers: str) -> tuple[NotebookCell, ...]:
        return solved_cells(self.exercise, {"double": "def double(x):\n    return x + x", **answers})

    def grade(self, **answers: str) -> Report:
        return self.grader.grade_cells(self.cells(**answers)).report


def with_texts(made: dict[str, Any], *texts: str) -> Notebook:
    """Return a notebook as a file, with text cells of these words above its others."""
    above = [{"cell_type": "markdown", "metadata": {}, "source": text} for text in texts]
    return Notebook(json.dumps({**made, "cells": [*above, *made["cells"]]}).encode())


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, zygote: Zygote) -> Desk:
    return Desk(open_course(tmp_path_factory.mktemp("desk") / "course"), zygote)


def of(report: Report, name: str) -> QuestionReport:
    return next(question for question in report.questions if question.name == name)


def test_a_failed_question_shows_its_smallest_wrong_call_on_disclosed_inputs_alone(desk: Desk) -> None:
    wrong = desk.cells(row_sums="def row_sums(x):\n    return x.sum(-1) + 1")
    reports = [desk.grader.grade_cells(wrong, Inputs(key)).report for key in (b"one", b"two")]
    shown = of(reports[0], "row_sums").shown
    assert shown is not None
    (given,), got, asked = shown.given, shown.got, shown.asked
    assert (given.name, given.shape, got.shape, asked.shape) == ("x", (5, 2), (5,), (5,))
    run = desk.grader.suite.reference_run(desk.grader.suite.tests[4], DISCLOSED)
    assert given.numbers == tuple(map(rounded, run.exchanges[0].request[1][0].flatten().tolist()))
    assert reports[0].to_json() == reports[1].to_json()
    assert of(reports[0], "double").shown is None


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> list[Worker]:
    """Return the workers that are forked from now on."""
    workers, fork = list[Worker](), Zygote.fork

    def kept(self: Zygote, limits: Limits) -> Worker:
        workers.append(fork(self, limits))
        return workers[-1]

    monkeypatch.setattr(Zygote, "fork", kept)
    return workers


def test_a_question_that_loses_a_worker_loses_no_more(desk: Desk, forked: list[Worker]) -> None:
    answer = "import os\ndef row_sums(x):\n    os._exit(0) if len(x) != 2 else None\n    return x.sum(-1)"
    report = desk.grade(row_sums=answer)
    assert len(of(report, "row_sums").tests) == 2
    assert len(forked) == 2  # one for hidden inputs, one for disclosed ones


def test_all_runs_of_a_submission_together_take_no_more_than_its_seconds(
    course: Course, zygote: Zygote, forked: list[Worker]
) -> None:
    """First run, explanation and runs with right earlier answers: none gets the seconds anew."""
    limits = Limits(cell_seconds=0.4, call_seconds=0.2, total_seconds=1.6, memory_mb=512)
    builds_on = {"row_sums": ("double",)}
    grader = Grader(course.exercises["01_small"], {}, limits, zygote, SECRET, builds_on)
    double = "def double(x):\n    while True: pass"
    row_sums = "import time\ndef row_sums(x):\n    time.sleep(0.15)\n    return double(x)"
    cells = solved_cells(course.exercises["01_small"], {"double": double, "row_sums": row_sums})
    report = grader.grade_cells(cells).report
    assert report.score == 0
    assert len(forked) > 3
    assert 0.8 < sum(worker.seconds for worker in forked) < 2


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_an_answer_whose_cell_is_text_by_mistake_is_run_and_a_text_as_code_is_not(
    desk: Desk, kind: str
) -> None:
    made = solved(desk.exercise, double="def double(x):\n    return x + x", why="raise SystemExit")
    for name, changed in {"double": kind, "row_sums": kind, "why": "code"}.items():
        cell_of(made, name)["cell_type"] = changed
    graded = desk.grader.grade(Notebook(json.dumps(made).encode()))
    assert graded.report.score == FULL
    assert not [result for result in graded.results.values() if result.error]


DISTURBING = (
    "import sys; sys.exit(0)",
    "!ls",
    "%run other.py",
    "input()",
    "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()",
    "for _ in range(100_000): display(1)",
    "1 / 0",
    "def broken(:",
    "torch.allclose = torch.equal = lambda *a, **k: True",
    "torch.set_default_dtype(torch.float64); torch.set_grad_enabled(False)",
    "import os; os.close(3); os.chdir('/')",
)


def test_what_other_cells_do_costs_no_question(desk: Desk) -> None:
    cells = desk.cells()
    others = (NotebookCell(len(cells) + n, "code", code) for n, code in enumerate(DISTURBING))
    report = desk.grader.grade_cells((*cells, *others)).report
    assert (report.status, report.score, report.max_score) == (Status.GRADED, FULL, FULL)
    assert [question.verdict for question in report.questions] == ["passed", "passed", "ungraded"]


def test_grading_twice_gives_the_same_bytes(desk: Desk) -> None:
    wrong = {"row_sums": "def row_sums(x):\n    return x.sum(0)"}
    assert desk.grade(**wrong).to_json() == desk.grade(**wrong).to_json()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("torch.mul(x, 2)", 'Line 2 uses "mul", which'),
        (
            "torch.einsum('...,->...', x, torch.full((), 2.0, dtype=x.dtype))",
            "Line 2 calls einsum, which",
        ),
    ],
)
def test_what_a_rule_forbids_is_for_review_and_scores_nothing_yet(desk: Desk, body: str, said: str) -> None:
    report = desk.grade(double=f"def double(x):\n    return {body}")
    question = of(report, "double")
    assert (question.verdict, question.score, question.shown) == (Verdict.REVIEW, 0, None)
    assert said in question.hint  # an operator is named because disclosed runs called it, too
    assert of(report, "row_sums").verdict == Verdict.PASSED


@pytest.mark.parametrize("body", ["return 'x'", "return torch.mul(x.flatten()[:0], 2)"])
def test_nobody_has_to_look_at_what_scores_nothing_anyway(desk: Desk, body: str) -> None:
    question = of(desk.grade(double=f"def double(x):\n    {body}"), "double")
    assert (question.verdict, question.score) == (Verdict.FAILED, 0)
    assert "person" not in question.hint


@pytest.mark.parametrize(
    "code", ["def softmax(x):\n    return x", "@app.cell\ndef _():\n    def double(x):\n        return x + x"]
)
def test_somebody_looks_at_a_file_in_which_nothing_is_defined_that_the_exercise_asks_for(
    desk: Desk, code: str
) -> None:
    report = desk.grader.grade_cells(
        (NotebookCell(0, "code", "import torch"), NotebookCell(1, "code", code))
    ).report
    assert {question.verdict for question in report.questions[:2]} == {Verdict.REVIEW}
    assert report.score == 0
    assert report.message.startswith("This file contains no answer to this exercise.")
    one = NotebookCell(2, "code", "def double(x):\n    return x +")
    again = desk.grader.grade_cells((NotebookCell(1, "code", code), one)).report
    assert of(again, "double").verdict is Verdict.NOT_DEFINED


def test_a_draft_beside_a_clean_definition_is_for_review_whichever_ran(desk: Desk) -> None:
    clean = "def double(x):\n    return x + x\n"
    draft = "import torch\ndef double(x):\n    return torch.mul(x, 2)\n"
    for first, second in ((draft, clean), (clean, draft)):
        question = of(desk.grade(double=f"{first}1 / 0\n{second}"), "double")
        assert (question.verdict, question.tests[0].verdict) == (Verdict.REVIEW, Verdict.PASSED)


@pytest.mark.parametrize(
    "code",
    [
        "import ast\nget_ipython().ast_transformers.append(ast.NodeTransformer())",
        "import re, inspect, pickle\nword = re.compile('mul')\nprint(vars(), inspect.signature(double))",
        "class Stack:\n    def push(self, x):\n        return torch.mul(x, 2)",
        "@no_such.package\ndef experiment(x):\n    return torch.mul(x, 2)",
    ],
)
@pytest.mark.parametrize("above", [True, False])
def test_a_cell_that_the_answer_does_not_reach_sends_nobody_to_an_instructor(
    desk: Desk, code: str, *, above: bool
) -> None:
    cells = [cell.text for cell in desk.cells()]
    codes = [*cells[:1], code, *cells[1:]] if above else [*cells, code]
    numbered = tuple(NotebookCell(number, "code", code) for number, code in enumerate(codes))
    assert of(desk.grader.grade_cells(numbered).report, "double").verdict is Verdict.PASSED


def test_a_forged_answer_costs_its_own_question(desk: Desk) -> None:
    report = desk.grade(row_sums=FORGING)
    forged = of(report, "row_sums")
    assert (forged.verdict, forged.score) == (Verdict.CRASHED, 0.0)
    lost = "After a call, the program that runs your code sent something that is not a valid reply."
    assert {test.hint for test in forged.tests} == {lost}
    assert (
        "was stopped, because the program that ran it sent the grader something that is not a valid reply"
        in report.message
    )
    assert of(report, "double").verdict is Verdict.PASSED
    assert desk.grade(row_sums=FORGING) == report


def test_what_one_submission_leaves_behind_the_next_does_not_see(desk: Desk) -> None:
    spy = "import os, torch; open('left', 'w').write('x'); os.environ['LEFT'] = '1'; torch.left = 1; left = 1"
    look = "import os, torch\nfound = os.listdir(), 'LEFT' in os.environ, hasattr(torch, 'left')"
    cells = desk.cells()
    desk.grader.grade_cells((*cells, NotebookCell(98, "code", spy)))
    seen = desk.grader.grade_cells((*cells, NotebookCell(98, "code", look + "\nprint(found)"))).results[98]
    assert seen.outputs[0].text == "([], False, False)\n"


def test_text_cells_choose_other_hidden_inputs_for_the_same_code(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    met, files = list[Inputs](), list[str]()

    def noted(secret: bytes, exercise: str, file: str) -> Inputs:
        files.append(file)
        met.append(hidden_inputs(secret, exercise, file))
        return met[-1]

    monkeypatch.setattr("autograder.grading.grader.hidden_inputs", noted)
    made = solved(desk.exercise)
    for text in ("one", "one", "two", "three", "four"):
        desk.grader.grade(with_texts(made, text))
    assert met[0] == met[1]
    assert len(set(files)) == 4
    assert len({inputs.key for inputs in met}) > 1  # two files get the same set with a chance of 1 in SETS


def test_a_worker_learns_nothing_of_text_cells_and_tracebacks_name_cells_as_the_file_counts_them(
    desk: Desk,
) -> None:
    look = "import sys\nprint(sys._getframe().f_code.co_filename)"
    fail = "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()"
    made = solved(desk.exercise, row_sums="def row_sums(x):\n    return x.nothing")
    own = [{"cell_type": "code", "metadata": {}, "source": code, "outputs": []} for code in (look, fail)]
    made = {**made, "cells": [*made["cells"], *own]}
    files = [with_texts(made), with_texts(made, "a", "b", "c")]
    first, second = (desk.grader.grade(file) for file in files)
    last = [max(graded.results) for graded in (first, second)]
    assert last[1] == last[0] + 3
    both = list(zip((first.results, second.results), last, strict=True))
    seen, shown = ([results[number - n].outputs[0].text for results, number in both] for n in (1, 0))
    assert seen[0] == seen[1]
    for text, number in zip(shown, last, strict=True):
        assert f'File "cell {number + 1} of the notebook", line 3' in text
    assert "(the cell of row_sums, line 2)" in of(first.report, "row_sums").hint
    assert of(first.report, "row_sums").hint == of(second.report, "row_sums").hint
