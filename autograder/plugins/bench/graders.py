"""Grades a class with this grader, stock nbgrader and Otter, by the same hidden tests."""

import json
import os
import shutil
import sys
import zipfile
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median

import autograder
from autograder.authoring.answers import fill, released
from autograder.course.course import Course, copy_course
from autograder.course.exercise import Exercise
from autograder.course.names import checked_question
from autograder.course.notebook import NotebookJson, build_notebook
from autograder.plugins.bench import replay
from autograder.plugins.bench.measure import Answers, BenchError, Graded, class_answers, hand_in, measure
from autograder.publishing.graded_work import autograded_notebook, stored_report
from autograder.report.report import Status
from autograder.submission.notebook import parse_notebook
from autograder.submission.submission import Submission
from autograder.testing.exchange import Reply
from autograder.testing.suite import Suite
from autograder.worker.protocol import pack

OTTER = "7.0.0"
_TESTS = "tests.json"
_NEEDED = ("torch", "ipykernel", "safetensors")
NBGRADER = (sys.executable, "-m", "nbgrader")
Hidden = Callable[[str], Sequence[str]]  # the lines of Python that test a question


@dataclass(frozen=True, slots=True)
class Bench:
    """One exercise of a course, and an empty folder for what is made of it."""

    course: Course
    exercise: Exercise
    folder: Path

    def ours(self, crowd: Answers, jobs: int) -> Graded:
        """Grade a class with this grader, in a course of its own."""
        name, root = self.exercise.name, self.folder / f"ours-{jobs}"
        shutil.copytree(self.course.assignments / name, root / "assignments" / name)
        made = copy_course(self.course, [self.exercise], root)
        hand_in(root, released(made.assignments, self.exercise), self.exercise, crowd)
        # All submissions are our own, so fewer walls than the course demands are enough.
        words = ["--course", str(root), "grade", name, "--jobs", str(jobs), "--unsafe"]
        taken = measure([sys.executable, "-m", "autograder", *words], root)
        full, walls = dict[str, frozenset[str]](), tuple[str, ...]()
        for student in crowd:
            report = stored_report(autograded_notebook(Submission(root, student, name)))
            if report is None or report.status is not Status.GRADED:
                raise BenchError(f"{name} {student}: not graded")
            full[student] = frozenset(one.name for one in report.questions if one.score == one.max_score)
            walls = report.sandbox
        shutil.rmtree(root)
        return Graded(f"this grader, {jobs} job{'s' * (jobs > 1)}", *taken, full, walls)

    def others(self) -> list[Graded]:
        """Grade the beginning of the class with stock nbgrader, and with Otter, which is installed first."""
        programs = install_otter(self.course)
        (self.folder / _TESTS).write_text(json.dumps(recorded(self.exercise)), encoding="utf-8")
        handed_out = release_stock(self.folder / "stock", self.exercise, self._hidden)
        os.sync()  # what the installation has written is on the disk before anything is measured
        return [
            self._stock(handed_out, class_answers(self.exercise, 21)),
            self._otter(handed_out, programs, class_answers(self.exercise, 9)),
        ]

    def _stock(self, handed_out: NotebookJson, crowd: Answers) -> Graded:
        """Grade with `nbgrader autograde`; a second run, which grades nothing, takes what the start takes."""
        root, name = self.folder / "stock", self.exercise.name
        full = {}
        hand_in(root, handed_out, self.exercise, crowd)
        (whole, peak), (start, _) = (measure([*NBGRADER, "autograde", name], root) for _ in range(2))
        for student in crowd:
            path = root / "autograded" / student / name / f"{name}.ipynb"
            cells = parse_notebook(path.read_bytes())["cells"]
            failed = [c for c in cells if any(o["output_type"] == "error" for o in c.get("outputs", ()))]
            full[student] = frozenset(self.exercise.points) - set(map(_question, failed))
        return Graded(f"stock nbgrader {version('nbgrader')}", whole - start, peak, full)

    def _hidden(self, question: str) -> list[str]:
        return replaying(question, self.folder / _TESTS)

    def _otter(self, handed_out: NotebookJson, programs: Path, crowd: Answers) -> Graded:
        """Grade each submission by a process of its own: `otter run`."""
        root, name = self.folder / "otter", self.exercise.name
        package = root / "autograder.zip"
        pack_otter(package, self.exercise, self._hidden)
        runs, full = [], {}
        for student, written in crowd.items():
            folder = root / student
            folder.mkdir()
            notebook, filled = folder / f"{name}.ipynb", fill(handed_out, written)
            plain = {**filled, "cells": [{**cell, "metadata": {}} for cell in filled["cells"]]}
            notebook.write_text(json.dumps(plain), encoding="utf-8")
            options = ["--no-logo", "-a", str(package), "-o", str(folder)]
            runs.append(measure([str(programs / "otter"), "run", *options, str(notebook)], folder))
            results = json.loads((folder / "results.json").read_text(encoding="utf-8"))["tests"]
            best = {test["name"] for test in results if test.get("score") == test.get("max_score")}
            full[student] = frozenset(self.exercise.points) & best
        seconds, peaks = zip(*runs, strict=True)
        return Graded(f"Otter {OTTER}", median(seconds) * len(runs), max(peaks), full)


def install_otter(course: Course) -> Path:
    """Return the folder of Otter's programs; they are installed in build/bench/ unless they are there."""
    folder = course.build / "bench" / "otter"
    packages = {package: version(package).partition("+")[0] for package in _NEEDED}
    pins = [f"{package}=={number}" for package, number in {"otter-grader": OTTER, **packages}.items()]
    ready = folder / "ready"  # lists what was installed, once all of it is there
    if not ready.is_file() or ready.read_text(encoding="utf-8") != "\n".join(pins):
        measure([sys.executable, "-m", "venv", "--clear", str(folder)], course.root)
        constraints = course.root / "constraints.txt"
        bounds = ["-c", str(constraints)] if constraints.is_file() else []
        measure([str(folder / "bin/python"), "-m", "pip", "install", "--quiet", *bounds, *pins], course.root)
        ready.write_text("\n".join(pins), encoding="utf-8")
    return folder / "bin"


def release_stock(root: Path, exercise: Exercise, hidden: Hidden) -> NotebookJson:
    """Release an exercise as nbgrader does, in a course of its own in `root`; return the notebook."""
    name = exercise.name
    (root / "source" / name).mkdir(parents=True)
    notebook = json.dumps(source(exercise, hidden))
    (root / "source" / name / f"{name}.ipynb").write_text(notebook, encoding="utf-8")
    settings = "c = get_config()\nc.CourseDirectory.course_id = 'bench'\n"
    (root / "nbgrader_config.py").write_text(settings, encoding="utf-8")
    measure([*NBGRADER, "generate_assignment", name], root)
    return parse_notebook((root / "release" / name / f"{name}.ipynb").read_bytes())


def pack_otter(package: Path, exercise: Exercise, hidden: Hidden) -> None:
    """Write the zip with which Otter grades an exercise, in a new folder."""
    package.parent.mkdir()
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr("otter_config.json", json.dumps({"lang": "python", "pdf": False}))
        for question, points in exercise.points.items():
            archive.writestr(f"tests/{question}.py", ok_file(question, points, hidden(question)))


def recorded(exercise: Exercise) -> replay.Recorded:
    """Return the requests of the hidden tests, and the reference's answers."""
    tests: replay.Recorded = {name: [] for name in exercise.points}
    for run in Suite(exercise).reference_runs:
        if run.error is not None:
            raise BenchError(f'the reference fails "{run.test.title}"; run `autograder verify` first')
        tests[run.test.question].append([(_frame(one.request), _frame(one.reply)) for one in run.exchanges])
    return tests


def _frame(message: Reply) -> str:
    return b64encode(pack(*message)).decode()


def replaying(question: str, tests: Path) -> list[str]:
    """Return the lines of Python with which another grader runs the hidden tests of a question."""
    return [
        "import sys",
        f"sys.path += {[str(Path(file).parent) for file in (replay.__file__, autograder.__path__[0])]!r}",
        "from replay import replay",
        f"replay({str(tests)!r}, {question!r}, globals())",
    ]


def source(exercise: Exercise, hidden: Hidden) -> NotebookJson:
    """Return nbgrader's source notebook with hidden tests in its cells, without the pictures."""
    made = build_notebook(exercise)
    made["cells"] = [cell for cell in made["cells"] if "demo" not in cell["metadata"].get("tags", ())]
    for cell in made["cells"]:
        if question := _question(cell):
            lines = ["", "### BEGIN HIDDEN TESTS", *hidden(question), "### END HIDDEN TESTS"]
            cell["source"] = "".join(cell["source"]) + "\n".join(lines)
    return made


def ok_file(question: str, points: float, lines: Sequence[str]) -> str:
    """Return lines that test a question in OK format, as a doctest."""
    code = "\n".join(f">>> {line}" for line in lines)
    case = {"code": code, "hidden": True, "locked": False}
    suite = {"cases": [case], "scored": True, "setup": "", "teardown": "", "type": "doctest"}
    return f"OK_FORMAT = True\ntest = { ({'name': question, 'points': points, 'suites': [suite]})!r}\n"


def _question(cell: NotebookJson) -> str:
    return checked_question(cell["metadata"].get("nbgrader", {}).get("grade_id", "")) or ""
