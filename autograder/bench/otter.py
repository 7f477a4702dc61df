"""Otter on the same class: `otter run` in an environment of its own, with the same hidden tests."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from statistics import median

import torch

from autograder.authoring.answers import fill
from autograder.bench.asserts import HELPERS
from autograder.bench.crowd import class_answers
from autograder.bench.meter import BenchError, measure
from autograder.bench.stock import Sample
from autograder.course.exercise import Exercise
from autograder.course.notebook import NotebookJson

VERSION = "7.0.0"
_READY = "ready"  # a file that lists what was installed, once all of it is there


def environment(folder: Path, constraints: Path, notify: Callable[[str], None]) -> Path:
    """Return the folder of Otter's programs; its environment is made in `folder` if it is not there yet."""
    pins = [f"otter-grader=={VERSION}", f"torch=={torch.__version__.partition('+')[0]}"]
    pins.append(f"ipykernel=={version('ipykernel')}")
    ready = folder / _READY
    if not ready.is_file() or ready.read_text(encoding="utf-8") != "\n".join(pins):
        notify(f"installing {', '.join(pins)} in {folder}; this may take minutes")
        _call(sys.executable, "-m", "venv", "--clear", str(folder))
        bounds = ["-c", str(constraints)] if constraints.is_file() else []
        _call(str(folder / "bin/python"), "-m", "pip", "install", "--quiet", *bounds, *pins)
        ready.write_text("\n".join(pins), encoding="utf-8")
    return folder / "bin"


def sample(
    programs: Path, root: Path, exercise: Exercise, released: NotebookJson, count: int, seed: int,
    tests: Mapping[str, list[str]],
) -> Sample:  # fmt: skip
    """Grade the submissions of the first `count` students, each by a process of its own."""
    root.mkdir(parents=True)
    package = pack(root / "autograder.zip", exercise, tests)
    runs, full = [], {}
    for student, written in class_answers(exercise, count, seed):
        folder = root / student
        folder.mkdir()
        notebook = folder / f"{exercise.name}.ipynb"
        notebook.write_text(json.dumps(_plain(fill(released, written))), encoding="utf-8")
        command = [str(programs / "otter"), "run", "--no-logo", "-a", str(package), "-o", str(folder)]
        runs.append(measure([*command, str(notebook)], folder))
        results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        full[student] = _right(exercise, results)
    seconds, peak = median(run.seconds for run in runs), max(run.peak_mb for run in runs)
    return Sample(VERSION, seconds, count, peak, full)


def pack(path: Path, exercise: Exercise, tests: Mapping[str, list[str]]) -> Path:
    """Write Otter's autograder.zip, with a file of tests in OK format for each question."""
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("otter_config.json", json.dumps({"lang": "python", "pdf": False}))
        for question, points in exercise.points.items():
            package.writestr(f"tests/{question}.py", ok_file(question, points, tests[question]))
    return path


def ok_file(question: str, points: float, tests: list[str]) -> str:
    """Return the tests of a question in OK format, in which each test is a doctest."""
    cases = [{"code": "\n".join(_case(test)), "hidden": True, "locked": False} for test in tests]
    suite = {"cases": cases, "scored": True, "setup": "", "teardown": "", "type": "doctest"}
    return f"OK_FORMAT = True\ntest = { ({'name': question, 'points': points, 'suites': [suite]})!r}\n"


def _case(test: str) -> Iterator[str]:
    """Yield the lines of one doctest, which defines all its helpers because doctests share no names."""
    body = "\n".join(f"    {line}" for line in test.split("\n"))
    yield from _doctest(f"{HELPERS}def check():\n{body}\ncheck()")


def _doctest(code: str) -> Iterator[str]:
    for line in code.strip().split("\n"):
        yield f"{'...' if line.startswith(' ') else '>>>'} {line}"


def _plain(notebook: NotebookJson) -> NotebookJson:
    """Return the notebook without nbgrader's metadata, which Otter does not know."""
    return {**notebook, "cells": [{**cell, "metadata": {}} for cell in notebook["cells"]]}


def _right(exercise: Exercise, results: Mapping[str, list[Mapping[str, object]]]) -> frozenset[str]:
    """Return the questions with full points."""
    best = {test["name"] for test in results["tests"] if test.get("score") == test.get("max_score")}
    return frozenset(name for name in exercise.points if name in best)


def _call(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - Python itself
    if done.returncode != 0:
        raise BenchError(f"{' '.join(command)}: {done.stderr.strip()[-1000:]}")
