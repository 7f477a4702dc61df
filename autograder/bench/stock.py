"""Stock nbgrader on the same class: hidden tests in its own test cells, run by `nbgrader autograde`."""

import json
import os
import sys
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from statistics import median

from autograder.bench.asserts import HELPERS, Tests
from autograder.bench.crowd import class_answers, hand_in, students
from autograder.bench.figures import Full, OtherGrader, agreement
from autograder.bench.meter import Measured, measure
from autograder.course.exercise import Exercise
from autograder.course.names import checked_question
from autograder.course.notebook import NotebookJson, build_notebook
from autograder.submission.notebook import parse_notebook

BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
_CONFIGURATION = "c = get_config()\nc.CourseDirectory.course_id = 'bench'\n"


def source(exercise: Exercise, tests: Tests) -> NotebookJson:
    """Return nbgrader's source notebook with hidden tests in its cells, without the pictures."""
    made = build_notebook(exercise)
    made["cells"] = [cell for cell in made["cells"] if "demo" not in cell["metadata"].get("tags", ())]
    for cell in made["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        if question := tests.get(checked_question(grade_id) or ""):
            lines = ["", BEGIN_HIDDEN, HELPERS, *question, END_HIDDEN]
            cell["source"] = "".join(cell["source"]) + "\n".join(lines)
    return made


def release(root: Path, exercise: Exercise, tests: Tests) -> NotebookJson:
    """Make nbgrader's course folder in `root` and return the notebook that students get."""
    folder = root / "source" / exercise.name
    folder.mkdir(parents=True)
    text = json.dumps(source(exercise, tests))
    (folder / f"{exercise.name}.ipynb").write_text(text, encoding="utf-8")
    (root / "nbgrader_config.py").write_text(_CONFIGURATION, encoding="utf-8")
    _nbgrader(root, "generate_assignment", exercise.name)
    return parse_notebook((root / "release" / exercise.name / f"{exercise.name}.ipynb").read_bytes())


def grade_sample(
    root: Path, exercise: Exercise, released: NotebookJson, count: int, seed: int, ours: Full
) -> OtherGrader:
    """Grade the first `count` students' submissions; the first takes the start as well and is not counted."""
    hand_in(root, released, exercise, class_answers(exercise, count, seed))
    run = _nbgrader(root, "autograde", exercise.name)
    graded = {
        student: root / "autograded" / student / exercise.name / f"{exercise.name}.ipynb"
        for student in students(count)
    }
    written = sorted(path.stat().st_mtime_ns / 1e9 for path in graded.values())
    gaps = [later - earlier for earlier, later in pairwise(written)]
    full = {student: _right(exercise, parse_notebook(path.read_bytes())) for student, path in graded.items()}
    again = _nbgrader(root, "autograde", exercise.name).seconds
    agrees = agreement(full, ours, len(exercise.points))
    return OtherGrader(
        "stock nbgrader", version("nbgrader"), median(gaps), len(gaps), run.peak_mb, *agrees, again
    )


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
