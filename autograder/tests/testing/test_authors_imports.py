"""Authors import from one place, which loads no more than it must."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import autograder.testing

HERE = Path(__file__).parent
COURSES = (HERE.parents[2] / "solutions", HERE.parent / "small_course" / "solutions")
SUITES = [path for solutions in COURSES for path in sorted(solutions.glob("*/test_hidden.py"))]


@pytest.mark.parametrize("path", SUITES, ids=lambda path: path.parent.name)
def test_a_hidden_suite_takes_all_from_autograder_testing(path: Path) -> None:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    ours = [
        *(node.module for node in nodes if isinstance(node, ast.ImportFrom)),
        *(alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names),
    ]
    assert {name for name in ours if name and name.startswith("autograder")} == {"autograder.testing"}


def test_every_name_that_authors_may_import_is_there_and_hides_no_module() -> None:
    assert autograder.testing.__all__
    assert all(getattr(autograder.testing, name) is not None for name in autograder.testing.__all__)
    modules = {path.stem for path in Path(autograder.testing.__file__).parent.glob("*.py")}
    assert modules.isdisjoint(autograder.testing.__all__)


def test_it_loads_nothing_before_a_name_is_used() -> None:
    program = (
        "import sys, autograder.testing\nprint([name for name in ('torch', 'pytest') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
