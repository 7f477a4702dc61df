"""Questions about one's own code: every answer is true, nothing hidden shows, hostile code does no harm."""

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner

from autograder.authoring.answers import fill, right_answers
from autograder.cli import main
from autograder.course.course import Course, load_course
from autograder.course.notebook import build_notebook
from autograder.plugins.viva.calls import Outcome, find_calls
from autograder.plugins.viva.sheets import Examiner, Question, Sheet, compared, sums_to_one, write_sheet
from autograder.plugins.viva.source import Answer, read_answer
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook, NotebookCell
from autograder.testing.suite import Suite
from autograder.tests.classroom import hand_in, real_course, small, solved

COURSE = real_course()
ATTENTION = COURSE.exercises["04_scaled_dot_product"]
STEPS = '''\
def scaled_dot_product_attention(queries, keys, values):
    """Mix values."""
    # scores first
    scores = queries @ keys.transpose(-2, -1)
    scaled = scores / keys.size(-1) ** 0.5
    weights = torch.softmax(scaled, dim=-1)
    return weights @ values
'''
LOOP = """\
def row_sums(x):
    total = x[:, 0] * 0
    for column in range(x.shape[1]):
        total = total + x[:, column]
    return total
"""


def answer_of(code: str, name: str) -> Answer:
    found = read_answer(name, [NotebookCell(3, "code", code)])
    assert found is not None
    return found


def notebook(made: dict[str, Any]) -> Notebook:
    return Notebook(json.dumps(made).encode())


@pytest.fixture
def examined(course: Course, zygote: Zygote) -> Callable[..., Sheet]:
    """Return what makes a sheet for the small course's notebook with some answers."""
    with (course.root / "course.yaml").open("a", encoding="utf-8") as file:
        file.write("    limits: {call_seconds: 0.5}\n")
    course = load_course(course.root)

    def sheet(seed: int = 0, **answers: str) -> Sheet:
        made = notebook(solved(small(course), **answers))
        return Examiner(small(course), zygote, seed).sheet("ann", made)

    return sheet


@pytest.fixture(scope="module")
def sheets(zygote: Zygote) -> list[Sheet]:
    """Return sheets on a real exercise, for several seeds; one answer has a line for each step."""
    answers = {**right_answers(ATTENTION), "scaled_dot_product_attention": STEPS}
    made = notebook(fill(build_notebook(ATTENTION), answers))
    return [Examiner(ATTENTION, zygote, seed).sheet("ann", made) for seed in range(2)]


@pytest.fixture(scope="module")
def asked(sheets: list[Sheet]) -> list[Question]:
    return [question for sheet in sheets for question in sheet.questions]


def given(question: Question) -> dict[str, Any]:
    """Return what goes into a call, read from the page's own words."""
    return {
        name: eval(value.replace("tensor", "torch.tensor"), {"torch": torch})
        for name, value in question.call.given
    }


def run_apart(question: Question, changed: Callable[[str], str] = lambda text: text, **other: Any) -> Any:
    """Call an answer without any of the plug-in's or the worker's code."""
    variables: dict[str, Any] = {}
    answers = [
        cell.text for cell in ATTENTION.cells if cell.is_reference and cell.name != question.answer.name
    ]
    for text in (*answers, changed(question.answer.text)):
        exec(compile(text, "answer", "exec"), variables)
    try:
        result = variables[question.answer.name](**{**given(question), **other})
    except Exception as error:
        return error
    return result[0] if isinstance(result, tuple) else result


def test_each_sheet_has_five_questions_of_several_kinds_with_one_right_option(sheets: list[Sheet]) -> None:
    assert len({sheet.key for sheet in sheets}) == len(sheets)
    for sheet in sheets:
        assert len(sheet.questions) == 5
        assert len({question.kind for question in sheet.questions}) >= 4
        assert not any(one.answers(other) for one in sheet.questions for other in sheet.questions)
        for question in sheet.questions:
            assert 2 <= len(set(question.options)) == len(question.options) <= 4
            assert question.options["abcd".index(question.letter)] == question.right


def test_the_value_of_a_result_is_that_of_a_run_apart(asked: list[Question]) -> None:
    values = [question for question in asked if question.kind == "value"]
    assert values
    for question in values:
        result, place = run_apart(question), re.search(r"element (\[.*?\])", question.text)
        number = result[tuple(json.loads(place[1]))] if place else result
        assert f"{float(number):.2f}" == question.right


def test_a_change_gives_what_it_gives_in_a_run_apart(asked: list[Question]) -> None:
    changes = [question for question in asked if question.kind == "change"]
    assert changes
    for question in changes:
        found = re.search(r"line (\d+) were (?:left out|`(.*)`)\?$", question.text)
        assert found

        def changed(text: str, number: int = int(found[1]), code: str = found[2] or "pass") -> str:
            tree = ast.parse(text)
            for node in ast.walk(tree):
                for place, one in enumerate(getattr(node, "body", ()) if isinstance(node, ast.stmt) else ()):
                    if one.lineno == number:
                        node.body[place] = ast.parse(code).body[0]  # type: ignore[attr-defined]
            return ast.unparse(tree)

        usual, result = run_apart(question), run_apart(question, changed)
        if isinstance(result, Exception):
            assert question.right == f"an error, {type(result).__name__}"
        elif result.shape != usual.shape:
            assert question.right == f"a result of shape {tuple(result.shape)}"
        else:
            same = torch.allclose(usual, result, atol=1e-4)
            assert question.right == (
                "the same result as before" if same else "other numbers in the same shape"
            )


def test_shapes_and_the_line_of_the_sum_are_those_of_the_steps(asked: list[Question]) -> None:
    mine = [one for one in asked if one.answer.name == "scaled_dot_product_attention"]
    for question in mine:
        queries, keys, values = given(question).values()
        if question.kind == "sum":
            assert question.right == "line 6"
        if question.kind == "shape":
            quoted = re.search(r"`(.*)`", question.text)
            known = {"queries": queries, "keys": keys, "values": values, "torch": torch}
            for line in STEPS.split("\n")[3:6]:
                exec(line.strip(), known)
            assert quoted
            assert question.right == str(tuple(eval(quoted[1], known).shape))
    assert {"shape", "sum"} <= {question.kind for question in mine}


def test_nothing_of_hidden_tests_or_solutions_shows(sheets: list[Sheet]) -> None:
    reference = "".join(cell.text for cell in ATTENTION.cells if cell.is_reference)
    mine = {question.answer.name for sheet in sheets for question in sheet.questions}
    with Path(ATTENTION.suite).open(encoding="utf-8") as file:
        tests = {name for line in file for name in re.findall(r"def (\w+)\(", line)}
    for sheet in sheets:
        shown = repr([(one.text, one.options, one.note, one.call.given) for one in sheet.questions])
        assert not [name for name in tests if name in shown and name not in reference]
    assert mine <= set(ATTENTION.points)


def test_the_page_is_as_it_was(
    course: Course, examined: Callable[..., Sheet], golden: Callable[[str, str], None]
) -> None:
    sheet = examined(row_sums=LOOP)
    golden("viva.html", write_sheet(course, sheet, answers=True).read_text(encoding="utf-8"))
    page = write_sheet(course, sheet, answers=False).read_text(encoding="utf-8")
    assert "Answer:" not in page
    assert all(question.note not in page for question in sheet.questions if question.note)


def test_the_same_code_and_seed_get_the_same_sheet_and_others_another(examined: Callable[..., Sheet]) -> None:
    first = examined(row_sums=LOOP)
    again = examined(row_sums=LOOP)
    assert first.key == again.key
    asked = [(one.text, one.options, one.call.given) for one in first.questions]
    assert asked == [(one.text, one.options, one.call.given) for one in again.questions]
    for other in (examined(1, row_sums=LOOP), examined(row_sums=LOOP.replace("total", "sums"))):
        assert other.key != first.key
        assert {one.call.given for one in other.questions}.isdisjoint(
            one.call.given for one in first.questions
        )


IN_A_HELPER = """\
def row_sums(x):
    def added(columns):
        return columns[0] + columns[1] + columns[2]
    return added(x.T)
"""
INDICES = """\
def row_sums(x):
    places = torch.arange(2)[None, :]
    return x.sum(dim=1) + 0 * places.sum()
"""


def test_an_error_in_two_lines_and_indices_that_sum_to_one_get_no_question(
    examined: Callable[..., Sheet],
) -> None:
    for code, kind in ((IN_A_HELPER, "error"), (INDICES, "sum")):
        mine = [one for one in examined(row_sums=code).questions if one.answer.name == "row_sums"]
        assert mine
        assert kind not in {one.kind for one in mine}


HOSTILE = {
    "an endless loop": "def row_sums(x):\n    while True:\n        pass\n",
    "an end": "import os\ndef row_sums(x):\n    os._exit(0)\n",
    "a reply of its own": "import os\ndef row_sums(x):\n    return [os.write(n, b'{}') for n in (3, 4, 5)]\n",
    "an error": "def row_sums(x):\n    raise ValueError('<script>alert(1)</script>')\n",
    "an object": "def row_sums(x):\n    return object()\n",
    "a huge value": "def row_sums(x):\n    return torch.zeros(1).expand(10**12)\n",
    "no code": "def row_sums(x:\n",
    "deep code": "def row_sums(x):\n    return " + "(" * 5000 + ")" * 5000,
    "chance": "def row_sums(x):\n    return torch.randn(3)\n",
}


HARMLESS_IF_CLEANED = """\
def row_sums(x):
    tag = '<script>alert(1)</script>\u202e'
    try:
        open('CANARY', 'w')
    except OSError:
        pass
    print(tag)
    return x.sum(dim=len('<b>') - 2)
"""


@pytest.mark.parametrize("code", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_answer_costs_its_own_questions_alone(code: str, examined: Callable[..., Sheet]) -> None:
    sheet = examined(row_sums=code)
    assert {question.answer.name for question in sheet.questions} == {"double"}


def test_markup_and_files_of_a_submission_do_nothing(
    course: Course, examined: Callable[..., Sheet], tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    code = HARMLESS_IF_CLEANED.replace("CANARY", str(canary))
    sheet = examined(row_sums=code)
    assert "row_sums" in {question.answer.name for question in sheet.questions}
    text = write_sheet(course, sheet, answers=True).read_text(encoding="utf-8")
    assert not canary.exists()
    assert "&lt;script&gt;" in text
    assert "<script" not in text
    assert "<b>" not in text
    assert "Content-Security-Policy" in text


def test_inputs_that_a_test_has_written_down_are_not_used(course: Course) -> None:
    suite = small(course).suite
    suite.write_text(re.sub(r"torch\.randn\([^)]*\)", "torch.ones(3, 2)", suite.read_text(encoding="utf-8")))
    answer = answer_of(LOOP, "row_sums")
    assert not list(find_calls(Suite(small(course)), answer, "key"))


def test_the_command_writes_pages_marks_letters_and_names_what_is_missing(ready: Course) -> None:
    def run(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["--course", str(ready.root), "viva", *words])
        return done.exit_code, done.output

    hand_in(ready, "ann", solved(small(ready), row_sums=LOOP))
    hand_in(ready, "bob", "no notebook")
    code, said = run("--class", "01_small")
    assert code == 0
    assert said.splitlines() == [
        "wrote build/viva/01_small/for_students/ann.html",
        "wrote build/viva/01_small/examiner.html",
        "01_small bob: the notebook cannot be read: not JSON (line 1, column 1); save it from Jupyter",
    ]
    page = (ready.build / "viva" / "01_small" / "examiner.html").read_text(encoding="utf-8")
    letters = "".join(re.findall(r"<strong>([a-d])</strong>", page))
    assert len(letters) == 5
    assert run("ann", "01_small", "--mark", letters)[1].endswith("5 of 5 are right\n")
    assert "question 1: wrong" in run("ann", "01_small", "--mark", "-" + letters[1:])[1]
    typed = ", ".join(letters).upper()
    assert run("ann", "01_small", "--mark", typed)[1].endswith("5 of 5 are right\n")
    for wrong in ("abc", letters + "a", letters[1:] + "e", ""):
        assert run("ann", "01_small", "--mark", wrong)[0] == 2
    assert run("ann", "01_small") == (0, "wrote build/viva/01_small/with_answers/ann.html\n")
    for words in (
        ["ann"],
        ["cy", "01_small"],
        ["../ann", "01_small"],
        ["ann", "01_small", "--class", "01_small"],
    ):
        assert run(*words)[0] == 2


def test_an_answer_is_read_by_lines_of_its_cell_without_comments_and_docstrings() -> None:
    answer = answer_of("import torch\n\n" + STEPS, "scaled_dot_product_attention")
    assert [*answer.lines] == [3, 6, 7, 8, 9]
    assert answer.cell == 3


def test_inner_results_come_in_order_from_what_runs_always() -> None:
    answer = answer_of("def f(x, y):\n    a = g(x) + (h(y) if y else 1)\n    return a.sum()\n", "f")
    assert [(one.line, one.quoted) for one in answer.inner()] == [(2, "g(x)"), (2, "a"), (3, "a.sum()")]
    answer = answer_of("def f(x, y):\n    a = g(x)\n    if y:\n        return a\n    return a.sum()\n", "f")
    assert [one.quoted for one in answer.inner()] == ["a"]  # none comes from behind a return


@pytest.mark.parametrize(
    ("shape", "numbers", "whole"),
    [
        ((2, 2), (0.5, 0.5, 1, 0), True),
        ((2, 2), (0.5, 0.6, 1, 0), False),
        ((2,), (1, 0), False),
        ((2, 1), (1, 1), False),
    ],
)
def test_rows_that_sum_to_one(shape: tuple[int, ...], numbers: tuple[float, ...], whole: bool) -> None:
    assert sums_to_one(shape, numbers) is whole


def test_an_outcome_is_told_by_how_it_differs() -> None:
    usual = Outcome(shape=(2,), numbers=(1.0, 2.0))
    assert compared(usual, usual) == "the same result as before"
    assert compared(usual, Outcome(shape=(2,), numbers=(1.0, 3.0))) == "other numbers in the same shape"
    assert compared(usual, Outcome(shape=(1, 2), numbers=(1.0, 2.0))) == "a result of shape (1, 2)"
    assert compared(usual, Outcome(error="TypeError")) == "an error, TypeError"
    assert compared(usual, Outcome(said="None")) == "the result None"
    pair, other = (Outcome(shape=(2,), numbers=(1.0, 2.0, last)) for last in (3.0, 4.0))
    assert compared(pair, other) == "other numbers in the same shape"
