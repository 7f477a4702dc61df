"""A source is read into cells, or its author reads on which line it is wrong."""

import re
from pathlib import Path

import jupytext
import pytest

from autograder.course.exercise import Exercise
from autograder.course.notebook import build_notebook
from autograder.course.source import Role, SourceError, read_source
from autograder.tests.classroom import real_course

COURSE = real_course()
GOOD = '''# %% [markdown]
# # Title

# %%
import torch

# %% solution="double"
def double(x):
    """Twice x."""
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION

# %% check="double" points=2
assert double(1) == 2

# %% demo
print(double(3))

# %% [markdown] manual="why" points=1
# ### BEGIN SOLUTION
# Because.
# ### END SOLUTION
'''


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    folder = tmp_path / "01_small"
    folder.mkdir()
    (folder / "01_small.py").write_text(GOOD, encoding="utf-8")
    return Exercise(folder)


def test_cells_have_roles_names_and_points(exercise: Exercise) -> None:
    roles = [(cell.role, cell.name, cell.points) for cell in exercise.cells]
    assert roles == [
        (Role.TEXT, "", 0),
        (Role.CODE, "", 0),
        (Role.SOLUTION, "double", 0),
        (Role.CHECK, "double", 2),
        (Role.DEMO, "", 0),
        (Role.MANUAL, "why", 1),
    ]
    assert (exercise.points, exercise.written) == ({"double": 2.0}, {"why": 1.0})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("points=2", "", "01_small.py:14: this cell needs points above 0 and below a million"),
        ("points=2", "points=0", "needs points above 0"),
        ("points=2", "points=1e400", "01_small.py:14: this cell needs points above 0"),
        ("points=2", "pints=2", 'the unknown key "pints"; use one of solution, check, manual, demo'),
        (
            "points=2",
            "points=nan",
            '01_small.py:14: this cell has a marker with an unreadable part, "points=nan";',
        ),
        (
            "points=2",
            "points=2 demo",
            '01_small.py:14: this cell has a marker with an unreadable part, "demo"; put',
        ),
        ('check="double"', 'check="treble"', 'question "double" has no check; add a cell check="double"'),
        ("def double", "def treble", 'the solution cell of "double" does not define double'),
        (
            "### BEGIN SOLUTION\n    return",
            "return",
            '"double" needs its answer between "### BEGIN SOLUTION"',
        ),
        ('="double"', '="double" check="double"', "01_small.py:7: this cell is both solution and check"),
        (
            'solution="double"',
            '[markdown] solution="double"',
            "01_small.py:7: this cell is marked solution, so it must be a code cell",
        ),
        (
            'manual="why"',
            'manual="why not"',
            '"why not" is not a valid name; use the letters a to z, digits and _',
        ),
        (
            'manual="why"',
            'manual="hälfte"',
            '"hälfte" is not a valid name; use the letters a to z, digits and _',
        ),
        (
            'solution="double"',
            "solution=double",
            "01_small.py:7: this cell has a marker with an unreadable part",
        ),
        ("    return 2 * x\n", "", '01_small.py:8: "double" has nothing between "### BEGIN SOLUTION" and'),
    ],
)
def test_a_problem_in_the_source_is_reported_with_its_fix(
    exercise: Exercise, old: str, new: str, message: str
) -> None:
    exercise.source.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SourceError, match=re.escape(message)) as caught:
        read_source(exercise.source)
    assert str(exercise.source) in str(caught.value)


def test_an_answer_that_an_instructor_grades_may_be_code(exercise: Exercise) -> None:
    code = "### BEGIN SOLUTION\nplot = [double(1)]\n\n(1, 2)\n### END SOLUTION"
    head = GOOD.partition("# %% [markdown] manual")[0]
    exercise.source.write_text(f'{head}# %% manual="why" points=1\n{code}\n', encoding="utf-8")
    cell = exercise.cells[-1]
    assert (cell.role, cell.is_code, cell.is_reference, cell.rubric) == (Role.MANUAL, True, True, [])
    assert cell.released() == "# YOUR CODE HERE\nraise NotImplementedError()"
    built = build_notebook(exercise)["cells"][-1]
    about = built["metadata"]["nbgrader"]
    assert (built["cell_type"], about["grade"], about["solution"]) == ("code", True, True)


def test_each_cell_knows_the_line_on_which_its_text_begins(exercise: Exercise) -> None:
    lines = GOOD.split("\n")
    assert [lines[cell.line - 1] for cell in exercise.cells] == [
        "# # Title",
        "import torch",
        "def double(x):",
        "assert double(1) == 2",
        "print(double(3))",
        "# ### BEGIN SOLUTION",
    ]


def test_a_marker_inside_a_string_does_not_shift_the_lines(exercise: Exercise) -> None:
    text = GOOD.replace('"""Twice x."""', '"""Twice x.\n# %% is no cell\n"""')
    exercise.source.write_text(text, encoding="utf-8")
    check = next(cell for cell in exercise.cells if cell.role is Role.CHECK)
    assert text.split("\n")[check.line - 1] == "assert double(1) == 2"


def test_a_check_may_hold_what_only_a_notebook_understands(exercise: Exercise) -> None:
    """Checks and demos run in students' notebooks alone, so magics are no syntax errors there."""
    exercise.source.write_text(GOOD.replace("print(double", "!ls\nprint(double"), encoding="utf-8")
    assert exercise.points == {"double": 2.0}


SOURCES = [exercise.source.read_text(encoding="utf-8") for exercise in COURSE.exercises.values()]
OTHERS = [
    "# ---\n# jupyter:\n#   a: 1\n# ---\n\n# %% [markdown]\n# # A\n#b\n\n# %% demo\n# !ls\n# %time x\n",
    "x = 1\n#%%\ny = 2\n# %% [md]\n# z",
]


@pytest.mark.parametrize("text", [*SOURCES, *OTHERS])
def test_cells_are_those_of_jupytext(tmp_path: Path, text: str) -> None:
    path, text = tmp_path / "one.py", text.replace("![", "[").replace("%load", "%time")  # no other files
    path.write_text(text, encoding="utf-8")
    theirs = jupytext.reads(text, fmt="py:percent").cells
    assert [(not cell.is_code, cell.text) for cell in read_source(path)] == [
        (cell.cell_type == "markdown", cell.source) for cell in theirs
    ]
