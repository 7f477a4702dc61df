"""A classroom for tests: the small course, and notebooks as students hand them in."""

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

from autograder.authoring.answers import fill, right_answers, stubs
from autograder.course.answers import ACCEPTED, MISTAKES
from autograder.course.course import KEY_FILE, Course, load_course
from autograder.course.exercise import Exercise
from autograder.course.notebook import NotebookJson, build_notebook
from autograder.submission.submission import Submission

HERE = Path(__file__).parent
CONFIG = HERE.parent.parent / "nbgrader_config.py"
HELD_OUT = HERE / "held_out"  # wrong answers that play no part in grading, by exercise
WRONG_SUMS = "def row_sums(x):\n    return x.sum(dim=0)"
ANSWER = "A factor common to all terms can be taken out."
SECRET = bytes(range(32))
Notebook = NotebookJson


@cache
def real_course() -> Course:
    """Return the course of this repository, which all tests share and none may change."""
    return load_course(CONFIG.parent)


def copy_small_course(root: Path) -> Course:
    """Return a fresh copy of the small course in the new folder `root`, always with the same secret."""
    shutil.copytree(HERE / "small_course", root, ignore=shutil.ignore_patterns("__pycache__"))
    (root / KEY_FILE).write_text(SECRET.hex(), encoding="ascii")
    return load_course(root)


def open_course(root: Path) -> Course:
    """Return a fresh copy of the small course in the new folder `root`, with nbgrader's settings."""
    course = copy_small_course(root)
    shutil.copy(CONFIG, root)
    return course


def small(course: Course) -> Exercise:
    """Return the course's exercise."""
    return course.exercises["01_small"]


def write_answer(exercise: Exercise, marker: str, code: str) -> str:
    """Add a cell to accepted.py or mistakes.py, and return the place of its marker."""
    path = exercise.folder / (ACCEPTED if marker.startswith("accepted") else MISTAKES)
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(f"{text}# %% {marker}\n{code}\n", encoding="utf-8")
    return f"{path}:{text.count(chr(10)) + 1}"


def answered(exercise: Exercise, **answers: str) -> Notebook:
    """Return the released notebook with `answers` in the cells of these names."""
    return fill(build_notebook(exercise), {**stubs(exercise), **answers})


def solved(exercise: Exercise, **answers: str) -> Notebook:
    """Return the notebook with the reference's answers, save where `answers` has others."""
    return answered(exercise, **{**right_answers(exercise), "why": ANSWER, **answers})


def stripped(made: Notebook) -> Notebook:
    """Return the notebook as an export from elsewhere leaves it: no metadata, no cell ids."""
    for cell in made["cells"]:
        cell["metadata"] = {}
        del cell["id"]
    return {**made, "metadata": {}, "nbformat_minor": 4}


def cell_of(made: Notebook, name: str) -> dict[str, Any]:
    """Return the cell with this grade_id."""
    return next(c for c in made["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == name)


def hand_in(course: Course, student: str, made: Notebook | str | bytes, late: str = "") -> Submission:
    """Put a notebook, or anything else, where collected submissions lie."""
    submission = Submission(course.root, student, small(course).name)
    submission.folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(made) if isinstance(made, dict) else made
    content = text.encode() if isinstance(text, str) else text
    submission.notebook.write_bytes(content)
    if late:
        (submission.folder / "timestamp.txt").write_text(late, encoding="utf-8")
    return submission
