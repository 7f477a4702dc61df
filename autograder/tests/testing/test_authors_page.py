"""The page on hidden tests shows tests that run, and authors import from one place."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import autograder.testing
from autograder.course.exercise import Exercise
from autograder.testing.exchange import Local
from autograder.testing.inputs import numbered_inputs
from autograder.testing.suite import Suite
from autograder.worker.namespace import run_code

PAGE = (Path(autograder.testing.__file__).parent / "README.md").read_text(encoding="utf-8")
SOURCE = """\
# %%
import torch
from torch import nn

# %% solution="half"
def half(x):
    ### BEGIN SOLUTION
    return x / 2
    ### END SOLUTION

# %% check="half" points=1
half(torch.ones(2))

# %% solution="plot_halves"
def plot_halves(numbers):
    ### BEGIN SOLUTION
    import matplotlib.pyplot as plt

    plt.figure()
    plt.plot([number / 2 for number in numbers])
    ### END SOLUTION

# %% check="plot_halves" points=1
plot_halves([1.0])

# %% solution="Scale"
class Scale(nn.Module):
    ### BEGIN SOLUTION
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return x * self.weight
    ### END SOLUTION

# %% check="Scale" points=1
Scale(2)

# %% solution="is_rising"
def is_rising(function):
    ### BEGIN SOLUTION
    return function(1.0) > function(0.0)
    ### END SOLUTION

# %% check="is_rising" points=1
is_rising(abs)

# %% solution="noisy"
def noisy(x, generator):
    ### BEGIN SOLUTION
    return x + torch.randn(x.shape, generator=generator)
    ### END SOLUTION

# %% check="noisy" points=1
noisy(torch.ones(2), torch.Generator())
"""
WRONG = [
    "def half(x):\n    return x.div_(2)",
    "def plot_halves(numbers):\n    import matplotlib.pyplot as plt\n    plt.figure()\n    plt.plot(numbers)",
    "class Scale(nn.Linear):\n    def __init__(self, size):\n        super().__init__(size, size)",
    "def is_rising(function):\n    return True",
    "def noisy(x, generator):\n    return x + torch.randn(x.shape)",
]


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    folder = tmp_path_factory.mktemp("course") / "01_page"
    folder.mkdir()
    (folder / "01_page.py").write_text(SOURCE, encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (folder / "test_hidden.py").write_text("\n\n".join(examples), encoding="utf-8")
    return Suite(Exercise(folder))


def test_its_examples_pass_on_right_answers(suite: Suite) -> None:
    assert [run.error for run in suite.reference_runs] == [None] * 6


@pytest.mark.parametrize("wrong", WRONG)
def test_its_examples_fail_on_wrong_answers(suite: Suite, wrong: str) -> None:
    backend = Local(run_code(suite.exercise.variant(wrong)))
    assert any(run.error for run in suite.run(backend, numbered_inputs(b"secret", "01_page", 1)))


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
