"""How long a student waits for `pytest` in the assignment's folder, and for `autograder run`."""

import json
import shutil
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from autograder.authoring.answers import fill, released, right_answers
from autograder.bench.figures import Waiting
from autograder.bench.meter import measure
from autograder.bench.ours import command
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.submission.notebook import read_notebook

_QUIET = {
    "MPLBACKEND": "agg",
    "PYTHONDONTWRITEBYTECODE": "1",
    # These plugins come with our own tests and no student has them. Jupyter's plugins stay.
    "PYTEST_ADDOPTS": "-p no:hypothesispytest -p no:xdist -p no:xdist.looponfail",
}


def measure_waiting(course: Course, exercise: Exercise, parent: Path, repeats: int, *, warm: bool) -> Waiting:
    """Measure with a solved notebook in a copy of the assignment's folder, each command in a new process."""
    with TemporaryDirectory(dir=parent) as folder:
        here = Path(folder) / exercise.name
        shutil.copytree(course.assignments / exercise.name, here)
        notebook = here / f"{exercise.name}.ipynb"
        solved = fill(released(course.assignments, exercise), right_answers(exercise))
        notebook.write_text(json.dumps(solved, indent=1), encoding="utf-8")
        (Path(folder) / "cells.py").write_text(_program(exercise, notebook), encoding="utf-8")
        commands = (
            [sys.executable, str(Path(folder) / "cells.py")],
            [sys.executable, "-m", "pytest", "-q"],
            command(course.root, ["run", "--unsafe", str(notebook)]),
        )
        for words in commands if warm else ():
            measure(words, here, _QUIET)  # fills the disk's cache, from which all then gain alike
        cells, pytest, run = (
            median(measure(words, here, _QUIET).seconds for _ in range(repeats)) for words in commands
        )
        return Waiting(cells, pytest, run)


def _program(exercise: Exercise, notebook: Path) -> str:
    """Return the notebook's code as a program, without its pictures."""
    cells = [cell.text for cell in read_notebook(notebook).cells if cell.kind == "code"]
    return "\n".join(["import torch", *(text for text in cells if text not in exercise.demos)]) + "\n"
