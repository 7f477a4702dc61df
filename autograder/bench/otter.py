"""Otter on the same class: `otter run` in an environment of its own, with the same hidden tests."""

import json
import sys
import zipfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from statistics import median
from textwrap import indent

import torch

from autograder.authoring.answers import fill
from autograder.bench.asserts import HELPERS, Tests
from autograder.bench.crowd import ClassAnswers
from autograder.bench.figures import Full, OtherGrader, agreement
from autograder.bench.meter import measure
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.notebook import NotebookJson

VERSION = "7.0.0"
_READY = "ready"  # a file that lists what was installed, once all of it is there


def install(course: Course, notify: Callable[[str], None]) -> Path:
    """Return the folder of Otter's programs; they are installed in build/bench/ if they are not there yet."""
    folder, constraints = course.build / "bench" / "otter", course.root / "constraints.txt"
    pins = [f"otter-grader=={VERSION}", f"torch=={torch.__version__.partition('+')[0]}"]
    pins.append(f"ipykernel=={version('ipykernel')}")
    ready = folder / _READY
    if not ready.is_file() or ready.read_text(encoding="utf-8") != "\n".join(pins):
        notify(f"installing {', '.join(pins)} in {folder}; this may take minutes")
        measure([sys.executable, "-m", "venv", "--clear", str(folder)], course.root)
        bounds = ["-c", str(constraints)] if constraints.is_file() else []
        measure([str(folder / "bin/python"), "-m", "pip", "install", "--quiet", *bounds, *pins], course.root)
        ready.write_text("\n".join(pins), encoding="utf-8")
    return folder / "bin"


def grade_sample(
    root: Path, exercise: Exercise, released: NotebookJson, crowd: ClassAnswers, tests: Tests, ours: Full,
    programs: Path,
) -> OtherGrader:  # fmt: skip
    """Grade the submissions of a class, each by a process of its own."""
    root.mkdir(parents=True)
    package = pack(root / "autograder.zip", exercise, tests)
    runs, full = [], {}
    for student, written in crowd:
        folder = root / student
        folder.mkdir()
        notebook = folder / f"{exercise.name}.ipynb"
        notebook.write_text(json.dumps(_plain(fill(released, written))), encoding="utf-8")
        options = ["--no-logo", "-a", str(package), "-o", str(folder)]
        runs.append(measure([str(programs / "otter"), "run", *options, str(notebook)], folder))
        results = json.loads((folder / "results.json").read_text(encoding="utf-8"))["tests"]
        best = {test["name"] for test in results if test.get("score") == test.get("max_score")}
        full[student] = frozenset(exercise.points) & best
    seconds, peak = median(run.seconds for run in runs), max(run.peak_mb for run in runs)
    return OtherGrader(
        "Otter", VERSION, seconds, len(runs), peak, *agreement(full, ours, len(exercise.points))
    )


def pack(path: Path, exercise: Exercise, tests: Tests) -> Path:
    """Write Otter's autograder.zip, with a file of tests in OK format for each question."""
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("otter_config.json", json.dumps({"lang": "python", "pdf": False}))
        for question, points in exercise.points.items():
            package.writestr(f"tests/{question}.py", ok_file(question, points, tests[question]))
    return path


def ok_file(question: str, points: float, tests: list[str]) -> str:
    """Return the tests of a question in OK format, in which each test is a doctest."""
    cases = [{"code": _case(test), "hidden": True, "locked": False} for test in tests]
    suite = {"cases": cases, "scored": True, "setup": "", "teardown": "", "type": "doctest"}
    return f"OK_FORMAT = True\ntest = { ({'name': question, 'points': points, 'suites': [suite]})!r}\n"


def _case(test: str) -> str:
    """Return one doctest, which defines all its helpers because doctests share no names."""
    code = f"{HELPERS}def check():\n{indent(test, '    ')}\ncheck()"
    return "\n".join(f"{'...' if line.startswith(' ') else '>>>'} {line}" for line in code.split("\n"))


def _plain(notebook: NotebookJson) -> NotebookJson:
    """Return the notebook without nbgrader's metadata, which Otter does not know."""
    return {**notebook, "cells": [{**cell, "metadata": {}} for cell in notebook["cells"]]}
