"""A notebook of nbgrader's becomes an exercise: nothing in it is lost in silence, and its solution passes."""

from pathlib import Path
from typing import Any

import nbformat
import nbgrader
import pytest
from click.testing import CliRunner

from autograder.authoring import from_nbgrader
from autograder.authoring.new import create, create_course
from autograder.cli import main
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.course.source import Role, SourceError
from autograder.testing.exchange import Local
from autograder.testing.suite import Suite
from autograder.worker.namespace import run_code

NBGRADER = Path(nbgrader.__file__).parent
QUICKSTART = NBGRADER / "docs" / "source" / "user_guide" / "source" / "ps1" / "problem1.ipynb"
HIDDEN = NBGRADER / "tests" / "apps" / "files" / "test-hidden-tests.ipynb"
TO_DO = '''"""The hidden tests of problem1: a first draft, made from problem1.ipynb.

To do:

- sum_of_squares_uses_squares has no hidden test: it changes squares.
- sum_of_squares calls squares. If a wrong answer to squares should cost no points in sum_of_squares,\
 add `builds_on: {sum_of_squares: [squares]}` to the exercise in course.yaml. Also write an answer in\
 accepted.py in which sum_of_squares calls squares.
"""
'''
SQUARES = "def squares(n):\n    return [i * i for i in range(1, n + 1)]"
CELLS = [
    ("text", "# Circles", {}),
    ("code", "%matplotlib inline\nimport matplotlib.pyplot as plt", {}),
    ("code", "import math\nRADII = [1, 2]\n\ndef double(x):\n    return 2 * x", {}),
    ("code", "# just a look\nprint(RADII)", {}),
    ("code", "def area(r):\n    return math.pi * r**2", {"solution": True, "grade_id": "cell-1"}),
    (
        "code",
        "assert area(1) > 3\n### BEGIN HIDDEN TESTS\nfor r in RADII:\n"
        "    assert math.isclose(area(double(r)), 4 * area(r))\n"
        "with pytest.raises((TypeError, ValueError)):\n    area('no', )\n"
        "### END HIDDEN TESTS\nassert area(2) > 12",
        {"grade": True, "grade_id": "cell-2", "points": 3},
    ),
    ("code", "### BEGIN SOLUTION\nbest = 7\n### END SOLUTION", {"solution": True, "grade_id": "best"}),
    (
        "code",
        "### BEGIN HIDDEN TESTS\nassert best == 7\n### END HIDDEN TESTS",
        {"grade": True, "grade_id": "cell-3", "points": 0},
    ),
    ("code", "def unused():\n    pass", {"solution": True, "grade_id": "cell-4"}),
    ("code", "%time area(3)", {"grade": True, "grade_id": "cell-5", "points": 1}),
    (
        "code",
        '"""Is 3 "right"?"""\nassert area(3) < 30\n### AUTOTEST area(3)',
        {"grade": True, "grade_id": "cell-6", "points": 1},
    ),
    ("text", "Because.", {"solution": True, "grade": True, "grade_id": "2-why", "points": 2}),
    (
        "text",
        "Plot it.\n\n=== BEGIN MARK SCHEME ===\nOne point for labels.\n=== END MARK SCHEME ===",
        {"task": True, "grade_id": "area", "points": 1},
    ),
]


def write(path: Path, cells: list[tuple[str, str, dict[str, Any]]]) -> Path:
    notebook = nbformat.v4.new_notebook()
    for kind, text, about in cells:
        make = nbformat.v4.new_code_cell if kind == "code" else nbformat.v4.new_markdown_cell
        notebook.cells.append(make(text, metadata={"nbgrader": about} if about else {}))
    nbformat.write(notebook, path)
    return path


@pytest.fixture
def made(tmp_path: Path) -> Exercise:
    """Return the exercise that comes of CELLS."""
    create_course(tmp_path / "course", write(tmp_path / "1 circles.ipynb", CELLS))
    return load_course(tmp_path / "course").exercises["1_circles"]


def errors(exercise: Exercise, code: str) -> list[bool]:
    suite = Suite(exercise)
    return [run.error is not None for run in suite.run(Local(run_code(exercise.variant(code))))]


def test_a_course_begins_with_nbgrader_s_own_example(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["init", str(tmp_path / "course"), "--from-nbgrader", str(QUICKSTART)])
    assert (done.exit_code, done.stderr) == (0, "")
    exercise = load_course(tmp_path / "course").exercises["problem1"]
    assert exercise.points == {"squares": 2, "sum_of_squares": 1}
    assert exercise.written == {
        "sum_of_squares_equation": 1,
        "sum_of_squares_application": 2,
        "cell_938593c4a215c6cc": 4,
    }
    assert [cell.text for cell in exercise.cells if cell.role is Role.DEMO] == [
        "squares(10)",
        "sum_of_squares(10)",
    ]
    assert 'src="data:image/png' in exercise.cells[0].text
    suite = Suite(exercise)
    assert [(test.title, test.weight) for test in suite.tests] == [
        ("Check that squares returns the correct output for several inputs", 1),
        ("Check that squares raises an error for invalid inputs", 1),
        ("Check that sum_of_squares returns the correct answer for various inputs.", 0.5),
    ]
    assert [run.error for run in suite.reference_runs] == [None] * 3
    assert errors(exercise, SQUARES) == [False, True, False]
    assert exercise.suite.read_text(encoding="utf-8").startswith(TO_DO)


def test_hidden_parts_are_in_the_hidden_tests_alone(course: Course) -> None:
    create(course, "02_hidden", HIDDEN)
    folder = course.root / "solutions" / "02_hidden"
    source, tests = (
        (folder / name).read_text(encoding="utf-8") for name in ("02_hidden.py", "test_hidden.py")
    )
    assert "assert squares(2) == [1, 4]" in source
    assert "squares(11)" not in source
    assert "assert squares(2) == [1, 4]" in tests
    assert "assert squares(11) == " in tests
    assert "HIDDEN TESTS" not in source + tests


def test_each_kind_of_cell_finds_its_place(made: Exercise) -> None:
    roles = [(cell.role.value, cell.name) for cell in made.own_cells]
    assert roles == [
        *(("text", ""), ("demo", ""), ("code", ""), ("code", ""), ("demo", "")),
        *(("solution", "area"), ("check", "area"), ("solution", "best"), ("check", "best")),
        *(
            ("solution", "unused"),
            ("manual", "_2_why"),
            ("text", ""),
            ("manual", "area_"),
            ("check", "unused"),
        ),
    ]
    assert (made.points, made.written) == ({"area": 5, "best": 1, "unused": 1}, {"_2_why": 2, "area_": 1})
    check = next(cell for cell in made.cells if cell.role is Role.CHECK)
    seen = ["assert area(1) > 3", "", "assert area(2) > 12", "", "area(3)"]
    assert check.text.split("\n")[:7] == [
        '@check("area")',
        "def check_area():",
        *(f"    {line}".rstrip() for line in seen),
    ]
    assert next(cell for cell in made.cells if cell.name == "_2_why").released() == "YOUR ANSWER HERE"


def test_a_draft_gets_at_functions_variables_and_imports_of_the_notebook(made: Exercise) -> None:
    tests = made.suite.read_text(encoding="utf-8")
    assert "- cell-5: `%time` is left out." in tests
    assert "- No cell tests unused. Write its check and hidden tests." in tests
    assert "- cell-6 uses nbgrader's autotest: replace AUTOTEST lines with asserts." in tests
    assert """Is 3 'right'?""" in tests
    with pytest.raises(SourceError, match='question "unused" has no hidden test; add one'):
        Suite(made)
    assert "expect_raises(('TypeError', 'ValueError'), area, 'no')" in tests
    added = (
        '\n\n@question("unused")\ndef test_nothing(student):\n    """It returns."""\n    student.unused()\n'
    )
    made.suite.write_text(f"{tests}\n\n{added}", encoding="utf-8")
    assert errors(made, "def area(r):\n    return math.pi * r**2") == [False] * 5
    assert errors(made, "def area(r):\n    return math.pi * r") == [True, False, False, False, False]
    assert errors(made, "best = 8") == [False, True, False, False, False]


@pytest.mark.parametrize("cells", [CELLS[:5], None])
def test_another_file_is_refused_and_nothing_is_written(
    tmp_path: Path, cells: list[tuple[str, str, dict[str, Any]]] | None
) -> None:
    path = tmp_path / "lesson.ipynb"
    path.write_text("no notebook", encoding="utf-8")
    if cells is not None:
        write(path, cells)
    done = CliRunner().invoke(main, ["init", str(tmp_path / "course"), "--from-nbgrader", str(path)])
    fix = "give the path of a notebook with solutions and tests from nbgrader's source folder"
    assert done.stderr == f"{path}: is not a notebook with cells that nbgrader grades; {fix}\n"
    assert done.exit_code == 3
    assert not (tmp_path / "course").exists()


HEADING: tuple[str, str, dict[str, Any]] = ("text", "## Part 2", {})
ASKS: tuple[str, str, dict[str, Any]] = ("text", "Would you have been a farmer?", {})
MODEL = "Students do not see this model answer, so ask the question in a text cell above it."


@pytest.mark.parametrize(
    ("above", "text", "shown", "note"),
    [
        ([], "In which year, **and why?**", True, "asks a question without a model answer: write one"),
        ([HEADING], "In which year?", True, "asks a question without a model answer: write one below it."),
        ([ASKS], "In 2001. Or in 2002?", False, f"ends with a question. {MODEL}"),
        ([], "In 2001.", False, f"has no description above it. {MODEL}"),
        ([HEADING], "### BEGIN SOLUTION\nIn 2001?\n### END SOLUTION", False, "has no description above it"),
        ([ASKS], "In 2001.", False, ""),
    ],
)
def test_students_see_the_question_of_a_written_answer(
    tmp_path: Path, above: list[tuple[str, str, dict[str, Any]]], text: str, shown: bool, note: str
) -> None:
    about = {"solution": True, "grade": True, "grade_id": "farmer", "points": 2}
    cells = [*CELLS[:6], *above, ("text", text, about)]
    create_course(tmp_path / "course", write(tmp_path / "rain.ipynb", cells))
    exercise = load_course(tmp_path / "course").exercises["rain"]
    *_, before, written = exercise.own_cells
    assert (written.name, before.text == text) == ("farmer", shown)
    assert (from_nbgrader.NO_ANSWER in written.text, text in written.text) == (shown, not shown)
    listed = " ".join(exercise.suite.read_text(encoding="utf-8").split())
    assert (f"- farmer {note}" in listed) if note else ("- farmer" not in listed)
