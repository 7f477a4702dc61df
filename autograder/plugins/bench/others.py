"""Stock nbgrader and Otter on the same class, with the same hidden tests in their own cells and files."""

import json
import os
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import median
from textwrap import indent

import torch

from autograder.authoring.answers import fill
from autograder.course.exercise import Exercise
from autograder.course.names import checked_question
from autograder.course.notebook import NotebookJson, build_notebook
from autograder.plugins.bench.asserts import HELPERS, Tests, hidden_tests
from autograder.plugins.bench.ours import Answers, Bench, Graded, Measured, hand_in, measure
from autograder.submission.notebook import parse_notebook

BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
OTTER = "7.0.0"
Grader = Callable[[Answers], Graded]


def prepare(bench: Bench) -> dict[Grader, int]:
    """Install Otter, make nbgrader's release, and return both graders, with how many submissions suffice."""
    programs = _install_otter(bench)
    tests = hidden_tests(bench.exercise)
    root, name = bench.folder / "stock", bench.exercise.name
    folder = root / "source" / name
    folder.mkdir(parents=True)
    (folder / f"{name}.ipynb").write_text(json.dumps(source(bench.exercise, tests)), encoding="utf-8")
    settings = "c = get_config()\nc.CourseDirectory.course_id = 'bench'\n"
    (root / "nbgrader_config.py").write_text(settings, encoding="utf-8")
    _nbgrader(root, "generate_assignment", name)
    notebook = parse_notebook((root / "release" / name / f"{name}.ipynb").read_bytes())
    return {
        partial(_stock, root, bench.exercise, notebook): 21,
        partial(_otter, bench, notebook, tests, programs): 9,
    }


def source(exercise: Exercise, tests: Tests) -> NotebookJson:
    """Return nbgrader's source notebook with hidden tests in its cells, without the pictures."""
    made = build_notebook(exercise)
    made["cells"] = [cell for cell in made["cells"] if "demo" not in cell["metadata"].get("tags", ())]
    for cell in made["cells"]:
        if question := tests.get(_question(cell)):
            lines = ["", BEGIN_HIDDEN, HELPERS, *question, END_HIDDEN]
            cell["source"] = "".join(cell["source"]) + "\n".join(lines)
    return made


def _question(cell: NotebookJson) -> str:
    return checked_question(cell["metadata"].get("nbgrader", {}).get("grade_id", "")) or ""


def _stock(root: Path, exercise: Exercise, released: NotebookJson, crowd: Answers) -> Graded:
    """Grade with `nbgrader autograde`; a second run, which grades nothing, takes what the start takes."""
    hand_in(root, released, exercise, crowd)
    run, again = (_nbgrader(root, "autograde", exercise.name) for _ in range(2))
    full = {}
    for student in crowd:
        path = root / "autograded" / student / exercise.name / f"{exercise.name}.ipynb"
        cells = parse_notebook(path.read_bytes())["cells"]
        raised = {
            _question(cell)
            for cell in cells
            if any(output["output_type"] == "error" for output in cell.get("outputs", ()))
        }
        full[student] = frozenset(exercise.points) - raised
    seconds = run.seconds - again.seconds
    return Graded(
        f"stock nbgrader {version('nbgrader')}", len(crowd), seconds, run.peak_mb, full, again.seconds
    )


def _nbgrader(root: Path, *words: str) -> Measured:
    """Run nbgrader with our own Python, whose folder must be on the path because nbgrader calls `alembic`."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return measure([sys.executable, "-m", "nbgrader", *words], root, {"PATH": path})


def _install_otter(bench: Bench) -> Path:
    """Return the folder of Otter's programs; they are installed in build/bench/ if they are not there yet."""
    root = bench.course.root
    folder, constraints = bench.course.build / "bench" / "otter", root / "constraints.txt"
    pins = [f"otter-grader=={OTTER}", f"torch=={torch.__version__.partition('+')[0]}"]
    pins.append(f"ipykernel=={version('ipykernel')}")
    ready = folder / "ready"  # lists what was installed, once all of it is there
    if not ready.is_file() or ready.read_text(encoding="utf-8") != "\n".join(pins):
        measure([sys.executable, "-m", "venv", "--clear", str(folder)], root)
        bounds = ["-c", str(constraints)] if constraints.is_file() else []
        measure([str(folder / "bin/python"), "-m", "pip", "install", "--quiet", *bounds, *pins], root)
        ready.write_text("\n".join(pins), encoding="utf-8")
    return folder / "bin"


def _otter(bench: Bench, released: NotebookJson, tests: Tests, programs: Path, crowd: Answers) -> Graded:
    """Grade each submission by a process of its own: `otter run`."""
    exercise, root = bench.exercise, bench.folder / "otter"
    root.mkdir()
    package = root / "autograder.zip"
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr("otter_config.json", json.dumps({"lang": "python", "pdf": False}))
        for question, points in exercise.points.items():
            archive.writestr(f"tests/{question}.py", ok_file(question, points, tests[question]))
    runs, full = [], {}
    for student, written in crowd.items():
        folder = root / student
        folder.mkdir()
        notebook, filled = folder / f"{exercise.name}.ipynb", fill(released, written)
        plain = {**filled, "cells": [{**cell, "metadata": {}} for cell in filled["cells"]]}
        notebook.write_text(json.dumps(plain), encoding="utf-8")
        options = ["--no-logo", "-a", str(package), "-o", str(folder)]
        runs.append(measure([str(programs / "otter"), "run", *options, str(notebook)], folder))
        results = json.loads((folder / "results.json").read_text(encoding="utf-8"))["tests"]
        best = {test["name"] for test in results if test.get("score") == test.get("max_score")}
        full[student] = frozenset(exercise.points) & best
    seconds = median(run.seconds for run in runs) * len(runs)
    return Graded(f"Otter {OTTER}", len(runs), seconds, max(run.peak_mb for run in runs), full)


def ok_file(question: str, points: float, tests: list[str]) -> str:
    """Return the tests of a question in OK format, in which each test is a doctest."""
    cases = [{"code": _doctest(test), "hidden": True, "locked": False} for test in tests]
    suite = {"cases": cases, "scored": True, "setup": "", "teardown": "", "type": "doctest"}
    return f"OK_FORMAT = True\ntest = { ({'name': question, 'points': points, 'suites': [suite]})!r}\n"


def _doctest(test: str) -> str:
    """Return one doctest, which defines all its helpers because doctests share no names."""
    code = f"{HELPERS}def check():\n{indent(test, '    ')}\ncheck()"
    return "\n".join(f"{'...' if line.startswith(' ') else '>>>'} {line}" for line in code.split("\n"))
