"""Questions about one's own code: every answer is true, nothing hidden shows, hostile code does no harm."""

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
from autograder.plugins.viva.sheets import Examiner, Question, Sheet, write_sheet
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook
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
        for name, value in question.call.inputs
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
        assert not any(one.gives_away(other) for one in sheet.questions for other in sheet.questions)
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


def test_nothing_of_hidden_tests_or_solutions_shows(sheets: list[Sheet]) -> None:
    reference = "".join(cell.text for cell in ATTENTION.cells if cell.is_reference)
    mine = {question.answer.name for sheet in sheets for question in sheet.questions}
    with Path(ATTENTION.suite).open(encoding="utf-8") as file:
        tests = {name for line in file for name in re.findall(r"def (\w+)\(", line)}
    for sheet in sheets:
        shown = repr([(one.text, one.options, one.note, one.call.inputs) for one in sheet.questions])
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
    asked = [(one.text, one.options, one.call.inputs) for one in first.questions]
    assert asked == [(one.text, one.options, one.call.inputs) for one in again.questions]
    for other in (examined(1, row_sums=LOOP), examined(row_sums=LOOP.replace("total", "sums"))):
        assert other.key != first.key
        assert {one.call.inputs for one in other.questions}.isdisjoint(
            one.call.inputs for one in first.questions
        )


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


def test_the_command_writes_pages_marks_letters_and_names_what_is_missing(ready: Course) -> None:
    def run(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["--course", str(ready.root), "viva", *words])
        return done.exit_code, done.output

    hand_in(ready, "ann", solved(small(ready), row_sums=LOOP))
    hand_in(ready, "bob", "no notebook")
    (ready.root / "students.csv").write_text("id,name\nann,Ann Lee\nbob,Bob Bee\n", encoding="utf-8")
    code, said = run("--class", "01_small")
    assert code == 0
    *written, unread = said.splitlines()
    assert written == [
        "wrote build/viva/01_small/for_students/ann.html",
        "wrote build/viva/01_small/examiner.html",
    ]
    assert unread.startswith("01_small bob (Bob Bee): the notebook cannot be read: not a notebook; it must")
    page = (ready.build / "viva" / "01_small" / "examiner.html").read_text(encoding="utf-8")
    assert page.count('<th scope="row">ann (Ann Lee)</th>') == 5
    assert '<th scope="row">bob (Bob Bee)</th>' in page
    letters = "".join(re.findall(r"<strong>([a-d])</strong>", page))
    assert len(letters) == 5
    assert run("ann", "01_small", "--mark", letters)[1].endswith("5 of 5 are right\n")
    assert "question 1: wrong" in run("ann", "01_small", "--mark", "-" + letters[1:])[1]
    typed = ", ".join(letters).upper()
    assert run("ann", "01_small", "--mark", typed)[1].endswith("5 of 5 are right\n")
    for wrong in ("abc", letters + "a", letters[1:] + "e", ""):
        assert run("ann", "01_small", "--mark", wrong)[0] == 2
    assert run("ann", "01_small") == (0, "wrote build/viva/01_small/with_answers/ann.html\n")
    sheet = (ready.build / "viva" / "01_small" / "with_answers" / "ann.html").read_text(encoding="utf-8")
    assert "questions about the code of ann (Ann Lee)</h1>" in sheet
    for words in (
        ["ann"],
        ["cy", "01_small"],
        ["../ann", "01_small"],
        ["ann", "01_small", "--class", "01_small"],
    ):
        assert run(*words)[0] == 2
