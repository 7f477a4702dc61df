"""A question is judged as the notebook stood at its check; the page names a later change that matters."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from autograder.course.code import code_parts
from autograder.course.course import Course
from autograder.course.rule import Rule, all_operators
from autograder.course.settings import Limits
from autograder.grading.grader import Grader
from autograder.grading.states import as_judged, changing_cell, judged_after
from autograder.report.report import QuestionReport, Verdict
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook, NotebookCell
from autograder.tests.classroom import SECRET, cell_of, open_course, small, solved, stripped

DEF, CHECK = "def f(x):\n    return x", '@check("f")\ndef _():\n    pass'
STUB = "def f(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
WRONG = "def row_sums(x):\n    return x.sum(dim=0)"
RIGHT = "def row_sums(x):\n    return x.sum(dim=-1)"


def cells(*codes: str | tuple[str, str]) -> list[NotebookCell]:
    """Return code cells; where there are two texts, the second is the grade_id."""
    both = [(code, "") if isinstance(code, str) else code for code in codes]
    return [NotebookCell(number, "code", text, name) for number, (text, name) in enumerate(both)]


@pytest.mark.parametrize(
    ("codes", "after"),
    [
        (("import torch", DEF, CHECK, "f = f(1)"), 2),
        ((DEF, ("pass", "check-f"), "f = 1"), 1),
        ((DEF, "x = 1", "# Check of f\nassert f(1) == 1", "f = 1"), 2),
        ((CHECK, DEF, "x = 1"), 1),  # the check stands above the answer
        ((STUB, CHECK, DEF, "x = 1"), 2),
        ((STUB, DEF, CHECK), 2),
        ((DEF, DEF, CHECK, CHECK), 2),
        (((DEF, "f"), "f = f(1)"), 0),  # the check is gone
        ((DEF, "x = 1", "f = f(1)"), 0),
        (((DEF, "f"), "def f(x):\n    return None"), 0),
        (((STUB, "f"), DEF, "f(1)"), 1),
        ((DEF, DEF, "f(1)"), 1),
        ((DEF, "def f(y):  # an experiment\n    return None"), 0),
        (("def f(y):\n    return 1", "def f(y):\n    return 2"), 1),
        (("f = torch.exp", "x = 1"), 0),
        ((STUB,), 0),
        (("class f:\n    pass", "y = f()"), 0),
        (("def other(x): return x",), None),
    ],
)
def test_a_question_is_judged_at_its_check_or_after_its_answer(
    codes: tuple[str | tuple[str, str], ...], after: int | None
) -> None:
    assert judged_after({"f": STUB}, cells(*codes)).get("f") == after


def test_what_is_judged_is_what_stood_above_and_names_that_were_new_below() -> None:
    codes = cells("import torch", DEF, "f = None", "def helper(x): return x", "range = 5")
    kept = as_judged(code_parts(cell.text for cell in codes), 1, codes)
    assert [piece.at for piece in kept] == [0, 1, 3, 4]


@pytest.mark.parametrize(
    ("code", "is_seen"),
    [
        ("f = 1", True),
        ("x, (f, y) = 1, (2, 3)", True),
        ("for f in ():\n    pass", True),
        ("import math as f", True),
        ("if True:\n    def f(x): return x", True),
        ("from math import *", True),
        ("del f", True),
        ("%reset -f", True),
        ("%xdel f", True),
        ("print(f)", False),
        ("def g(f):\n    f = 1", False),
        ("[f for f in ()]", False),
        ("globals()['f'] = 1", False),
    ],
)
def test_the_cell_that_changes_a_name_is_seen_by_its_code(code: str, *, is_seen: bool) -> None:
    codes = cells(DEF, "x = 1", code, "y = 1")
    found = changing_cell("f", 0, list(code_parts(cell.text for cell in codes)), codes)
    assert found == (codes[2] if is_seen else None)
    assert changing_cell("f", 2, list(code_parts(cell.text for cell in codes)), codes) is None


class Desk:
    """Grades the small exercise with cells added below, above or between its own."""

    def __init__(
        self, course: Course, zygote: Zygote, more_tests: str = "", rules: Mapping[str, Rule] = {}
    ) -> None:
        self.exercise = small(course)
        with self.exercise.suite.open("a", encoding="utf-8") as suite:
            suite.write(more_tests)
        self._grader = Grader(self.exercise, rules, Limits(memory_mb=512), zygote, SECRET)

    def grade(self, *below: str, check: bool = True, metadata: bool = True, **answers: str) -> QuestionReport:
        """Return the report on row_sums; without its `check`, or without `metadata`, as after an export."""
        made = solved(self.exercise, **answers)
        if not check:
            made["cells"].remove(cell_of(made, "check-row_sums"))
        made = made if metadata else stripped(made)
        added = [{"cell_type": "code", "metadata": {}, "source": text} for text in below]
        notebook = {**made, "nbformat_minor": 4, "cells": [*made["cells"], *added]}
        report = self._grader.grade(Notebook(json.dumps(notebook).encode())).report
        return next(question for question in report.questions if question.name == "row_sums")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, zygote: Zygote) -> Desk:
    return Desk(open_course(tmp_path_factory.mktemp("desk") / "course"), zygote)


@pytest.mark.parametrize(
    "below",
    [
        ["row_sums = row_sums(torch.ones(2, 2))"],
        [WRONG.replace("(x)", "(x, dim=0)")],
        ["row_sums = None", "double = row_sums"],
        ["def helper(x):\n    return x", "torch = Tensor = None"],
        ["range = sum = len = 5"],
        ["from torch import *", "sum = 3"],
        ["%reset -f"],
        ["del row_sums, torch"],
        ["class row_sums:\n    pass", "row_sums = row_sums()"],
        ["globals()['row_sums'] = None"],
        ["globals().clear()"],
    ],
)
@pytest.mark.parametrize(
    "form", [{}, {"check": False}, {"metadata": False}, {"check": False, "metadata": False}]
)
def test_no_later_cell_takes_points_from_a_right_answer(
    desk: Desk, below: list[str], form: dict[str, bool]
) -> None:
    question = desk.grade(*below, **form)  # type: ignore[arg-type]
    assert (question.verdict, question.score, question.hint) == (Verdict.PASSED, 3.0, "")


@pytest.fixture(scope="module")
def ruled(tmp_path_factory: pytest.TempPathFactory, zygote: Zygote) -> Desk:
    rules = {"row_sums": Rule((), all_operators(("basics", "sums", "products")))}
    return Desk(open_course(tmp_path_factory.mktemp("ruled") / "course"), zygote, rules=rules)


@pytest.mark.parametrize(
    "below",
    [
        "torch.use_deterministic_algorithms(True)",
        "torch.set_deterministic_debug_mode('error')",
        "torch.set_num_threads(2)",
        "torch.set_default_device('meta')",
        "torch.set_default_dtype(torch.float64)",
        "torch.set_grad_enabled(False)",
        "torch.autocast('cpu').__enter__()",
        "torch.set_autocast_enabled('cpu', True)",
    ],
)
def test_no_mode_of_torch_takes_points_from_a_right_answer(ruled: Desk, below: str) -> None:
    answer = """
def row_sums(x):
    large = torch.ones(500, 500) @ torch.ones(500, 500)
    return x @ torch.ones(x.shape[-1]) + 0 * torch.logsumexp(x, dim=-1) + 0 * large[0, 0]
"""
    question = ruled.grade(below, row_sums=answer)
    assert (question.score, question.hint) == (3.0, "")


def test_an_answer_keeps_what_it_reads_and_gets_what_was_new_below(desk: Desk) -> None:
    answer = "dim = -1\ndef row_sums(x):\n    return helper(x)"
    question = desk.grade("def helper(x):\n    return x.sum(dim=dim)", "dim = 0", row_sums=answer)
    assert (question.verdict, question.hint) == (Verdict.PASSED, "")


def test_an_answer_learns_nothing_from_being_judged_twice(desk: Desk) -> None:
    learns = """
MODE, CALLS = 1, []
def row_sums(x):
    CALLS.append(x)
    return x.sum(dim=-1) * (1 if MODE == 2 and len(CALLS) > 2 else 2)
"""
    assert desk.grade("MODE = 2", row_sums=learns).verdict is Verdict.FAILED


def test_a_later_change_that_makes_an_answer_right_counts_and_is_named(desk: Desk) -> None:
    question = desk.grade("x = 1", RIGHT, row_sums=WRONG)
    assert (question.verdict, question.score) == (Verdict.PASSED, 3.0)
    assert question.hint.endswith(
        " changes `row_sums` after the check of this question."
        " The tests ran with and without this change."
        " The result with this change counts, because it is better."
    )


MORE_TESTS = '''

@question("row_sums")
def test_keeps_the_precision(student):
    """The precision stays."""
    expect_tensor(student.row_sums(torch.randn(4, 3, dtype=torch.float64)), (4,), torch.float64)


@question("row_sums")
def test_leaves_rows_alone(student):
    """The rows are not written to."""
    x = torch.randn(4, 3)
    expect_unchanged(student.row_sums.inspect(x), x)
'''
RIGHT_SUMS = """
def row_sums(x):
    sums = x.sum(dim=-1).float()
    x.zero_()
    return sums
"""
MEANS = "def row_sums(x):\n    return x.mean(dim=-1)"  # passes more tests, but none of the half for results


def test_the_state_that_earns_more_counts_even_if_fewer_tests_pass(tmp_path: Path, zygote: Zygote) -> None:
    desk = Desk(open_course(tmp_path / "course"), zygote, MORE_TESTS)
    sums, means = desk.grade(row_sums=RIGHT_SUMS), desk.grade(row_sums=MEANS)
    assert (sums.score, means.score) == (2.0, 1.0)
    assert desk.grade(MEANS, row_sums=RIGHT_SUMS).score == 2.0
    assert desk.grade(RIGHT_SUMS, row_sums=MEANS).score == 2.0


def test_a_later_answer_that_breaks_no_rule_counts(tmp_path: Path, zygote: Zygote) -> None:
    rules = {"row_sums": Rule((), all_operators(("basics", "sums")))}
    desk = Desk(open_course(tmp_path / "course"), zygote, rules=rules)
    by_product = "def row_sums(x):\n    return x.mv(torch.ones(x.shape[-1], dtype=x.dtype))"
    assert desk.grade(row_sums=by_product).verdict is Verdict.REVIEW
    assert desk.grade(WRONG, row_sums=by_product).verdict is Verdict.REVIEW
    later = desk.grade(RIGHT, row_sums=by_product)
    assert (later.verdict, later.score) == (Verdict.PASSED, 3.0)
    assert later.hint.endswith(" The result with this change counts, because it is better.")


def test_a_draft_that_uses_what_is_forbidden_holds_no_answer(tmp_path: Path, zygote: Zygote) -> None:
    desk = Desk(open_course(tmp_path / "course"), zygote, rules={"row_sums": Rule(("einsum",))})
    draft = "def row_sums(x):\n    return torch.einsum('ij->i', x)"
    assert desk.grade(row_sums=draft).verdict is Verdict.REVIEW
    assert desk.grade(row_sums=f"{draft}\n\n{RIGHT}").score == 3.0
    assert desk.grade(RIGHT, row_sums=draft).score == 3.0
    assert desk.grade(draft, row_sums=RIGHT).score == 3.0
    assert desk.grade(row_sums=f"{draft}\n\n1 / 0\n\n{RIGHT}").verdict is Verdict.REVIEW


def test_no_repair_explains_an_answer_that_was_changed_later(desk: Desk) -> None:
    plain = desk.grade(row_sums=WRONG)
    assert "tests pass after one change" in plain.hint
    changed = desk.grade("row_sums = row_sums(torch.ones(2, 2))", row_sums=WRONG)
    assert changed.verdict is plain.verdict is Verdict.FAILED
    assert (
        "changes `row_sums` after the check of this question. The tests ran without this change."
        in changed.hint
    )
    assert "tests pass after" not in changed.hint
    unrelated = desk.grade("double = None", "import torch", "y = 1", row_sums=WRONG)
    assert unrelated.hint == plain.hint


@pytest.mark.parametrize(
    ("above", "said"),
    [
        ("raise ValueError('no')\ndef helper(x):\n    return x", "`helper`, fails: ValueError: no"),
        ("%%no_such_magic\ndef helper(x):\n    return x", "`helper`, fails: UsageError"),
        (
            "from my_helpers import helper",
            "It should come from `from my_helpers import helper`, which was left",
        ),
        ("import os\nos._exit(1)\nhelper = 1", "which defines `helper`, ended the program"),
    ],
)
def test_a_missing_name_is_explained_by_its_cell_and_by_no_repair(desk: Desk, above: str, said: str) -> None:
    question = desk.grade(above, row_sums="def row_sums(x):\n    return helper(x.sum(dim=-1))")
    assert said in question.hint
    assert "tests pass after" not in question.hint
