"""Stock nbgrader on the same class: hidden tests in its own test cells, run by `nbgrader autograde`."""

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from statistics import median

from autograder.bench.asserts import HELPERS
from autograder.bench.crowd import hand_in, students
from autograder.bench.meter import Measured, measure
from autograder.course.exercise import Exercise
from autograder.course.names import checked_question
from autograder.course.notebook import NotebookJson, build_notebook
from autograder.submission.notebook import parse_notebook

BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
_CONFIGURATION = "c = get_config()\nc.CourseDirectory.course_id = 'bench'\n"


@dataclass(frozen=True, slots=True)
class Sample:
    """What another grader took for some submissions, one after another, and its results."""

    version: str
    each: float  # seconds, the median
    count: int  # of submissions of which that is the median
    peak_mb: float
    full: dict[str, frozenset[str]]  # by student: the questions with full marks
    again: float | None = None  # seconds, for the same submissions once more


def source(exercise: Exercise, tests: Mapping[str, list[str]]) -> NotebookJson:
    """Return nbgrader's source notebook with hidden tests in its cells, without the pictures."""
    made = build_notebook(exercise)
    made["cells"] = [cell for cell in made["cells"] if "demo" not in cell["metadata"].get("tags", ())]
    for cell in made["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        if question := tests.get(checked_question(grade_id) or ""):
            lines = ["", BEGIN_HIDDEN, HELPERS, *question, END_HIDDEN]
            cell["source"] = "".join(cell["source"]) + "\n".join(lines)
    return made


def release(root: Path, exercise: Exercise, tests: Mapping[str, list[str]]) -> NotebookJson:
    """Make nbgrader's course folder in `root` and return the notebook that students get."""
    folder = root / "source" / exercise.name
    folder.mkdir(parents=True)
    text = json.dumps(source(exercise, tests))
    (folder / f"{exercise.name}.ipynb").write_text(text, encoding="utf-8")
    (root / "nbgrader_config.py").write_text(_CONFIGURATION, encoding="utf-8")
    _nbgrader(root, "generate_assignment", exercise.name)
    return parse_notebook((root / "release" / exercise.name / f"{exercise.name}.ipynb").read_bytes())


def sample(
    root: Path, exercise: Exercise, released: NotebookJson, count: int, seed: int, *, again: bool
) -> Sample:
    """Grade the first `count` students' submissions; the first takes the start as well and is not counted."""
    hand_in(root, released, exercise, count, seed)
    run = _nbgrader(root, "autograde", exercise.name)
    graded = [
        root / "autograded" / student / exercise.name / f"{exercise.name}.ipynb"
        for student in students(count)
    ]
    written = sorted(path.stat().st_mtime_ns / 1e9 for path in graded)
    gaps = [later - earlier for earlier, later in pairwise(written)]
    full = {
        student: _right(exercise, parse_notebook(path.read_bytes()))
        for student, path in zip(students(count), graded, strict=True)
    }
    repeated = _nbgrader(root, "autograde", exercise.name).seconds if again else None
    return Sample(version("nbgrader"), median(gaps), len(gaps), run.peak_mb, full, repeated)


def _right(exercise: Exercise, graded: NotebookJson) -> frozenset[str]:
    """Return the questions whose test cell raised nothing."""
    failed = {
        checked_question(name := cell["metadata"].get("nbgrader", {}).get("grade_id", "")) or name
        for cell in graded["cells"]
        if any(output["output_type"] == "error" for output in cell.get("outputs", ()))
    }
    return frozenset(exercise.points) - failed


def _nbgrader(root: Path, *words: str) -> Measured:
    """Run nbgrader with our own Python, whose folder must be on the path because nbgrader calls `alembic`."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return measure([sys.executable, "-m", "nbgrader", *words], root, {"PATH": path})
