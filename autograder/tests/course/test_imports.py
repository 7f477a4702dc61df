"""Courses are read and submissions collected without a wait for torch or nbgrader."""

import subprocess
import sys

PROGRAM = """
import sys
from importlib import import_module
from pkgutil import iter_modules

for room in ("course", "collecting", "submission"):
    package = import_module(f"autograder.{room}")
    for name in [module.name for module in iter_modules(package.__path__)]:
        import_module(f"autograder.{room}.{name}")
print(*sorted({"torch", "nbgrader", "jupytext"} & set(sys.modules)))
"""


def test_importing_courses_collecting_and_submissions_loads_neither_torch_nor_nbgrader() -> None:
    """Nor jupytext, which brings Jupyter's server along: only reading a source needs it."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == []
