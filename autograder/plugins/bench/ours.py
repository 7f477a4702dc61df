"""A made-up class, this grader on it, and how long a command takes and how much memory it needs."""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import psutil

import autograder
from autograder.authoring.answers import fill, other_answers, released, right_answers, solved_cells
from autograder.course.course import Course, copy_course
from autograder.course.exercise import Exercise
from autograder.course.notebook import NotebookJson
from autograder.errors import AutograderError
from autograder.report.report import Report, Status
from autograder.submission.submission import Submission
from autograder.testing.exchange import Local, Reply
from autograder.testing.suite import Suite
from autograder.worker.namespace import Namespace, silence
from autograder.worker.protocol import Header, Parts

Answers = Mapping[str, Mapping[str, str]]  # by student and question
Full = Mapping[str, frozenset[str]]  # the questions with full marks, by student
_EVERY = 0.1  # seconds between two looks at the memory, at least
_LOOKING = 50  # looking takes the kernel milliseconds a process: it may take such a part of the time
_ATTACKS = Path(autograder.__file__).parent / "tests" / "hostile" / "files"
_ATTACKED = 10  # the first of so many submissions
REPEATS = 5
_QUIET = {  # pytest plugins that no student has
    "MPLBACKEND": "agg",
    "PYTEST_ADDOPTS": "-p no:hypothesispytest -p no:xdist -p no:xdist.looponfail",
}


class BenchError(AutograderError):
    """What was to be measured failed."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a command took."""

    seconds: float
    peak_mb: float  # of the whole process tree; a page that processes share counts once


def measure(command: Sequence[str], folder: Path, env: Mapping[str, str] | None = None) -> Measured:
    """Run `command` in `folder` and return what it took; an exit code other than 0 is a BenchError."""
    start = time.perf_counter()
    with subprocess.Popen(  # noqa: S603 - only commands that this package makes
        command,
        cwd=folder,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        output, peak, pause = None, 0, _EVERY
        while output is None:
            try:
                output, _ = process.communicate(timeout=pause)
            except subprocess.TimeoutExpired:
                since = time.thread_time()
                peak = max(peak, memory(process.pid))
                pause = max(_EVERY, _LOOKING * (time.thread_time() - since))
        seconds = time.perf_counter() - start
    if process.returncode != 0:
        raise BenchError(
            f"{' '.join(command)}: ended with code {process.returncode}\n{output[-2000:].strip()}"
        )
    return Measured(seconds, peak / 1e6)


def memory(root: int) -> int:
    """Return the bytes of process `root` and all its descendants; a page of several counts in parts."""
    total = 0
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(root)
        for member in (process, *process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
                try:
                    total += member.memory_full_info().pss
                except psutil.AccessDenied:
                    total += member.memory_info().rss
    return total


def class_answers(exercise: Exercise, count: int) -> Answers:
    """Return a class's answers: the reference, other right answers, known mistakes in turn, all different."""
    dice = random.Random(1)  # noqa: S311 - nothing here is secret
    right, first, crowd = right_answers(exercise), next(iter(exercise.points)), {}
    for number, variants in zip(
        range(count), cycle([(), exercise.accepted, exercise.mistakes]), strict=False
    ):
        others = other_answers(exercise, dice.choice(variants).code) if variants else {}
        written = {**right, **others}
        student = f"student-{number + 1:05}"
        crowd[student] = {**written, first: f"{written[first]}\n# {student}"}
    return crowd


def attacked(crowd: Answers, exercise: Exercise) -> Answers:
    """Return the class with attacks on the first question; each tries to bring the grader down."""
    attacks, question = cycle(sorted(_ATTACKS.glob("85_*.py"))), next(iter(exercise.points))
    made = dict(crowd)
    for student in list(crowd)[::_ATTACKED]:
        code = next(attacks).read_text(encoding="utf-8").split('"""', 2)[2].strip()
        code = code.replace("def row_sums(x):", f"def {question}(x=None, *others, **named):")
        made[student] = {**crowd[student], question: f"{code}\n# {student}"}
    return made


def hand_in(root: Path, notebook: NotebookJson, exercise: Exercise, crowd: Answers) -> None:
    """Fill submitted/ in the folder `root` with a class's notebooks, made from a released one."""
    for student, written in crowd.items():
        folder = root / "submitted" / student / exercise.name
        folder.mkdir(parents=True)
        text = json.dumps(fill(notebook, written), indent=1)
        (folder / f"{exercise.name}.ipynb").write_text(text, encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Graded:
    """What a grader took for a class, or for the part of it that it was given."""

    grader: str
    count: int
    seconds: float
    peak_mb: float
    full: Full
    again: float = 0.0  # seconds for the same once more, unchanged
    walls: tuple[str, ...] = ()

    @property
    def each(self) -> float:
        """Seconds for each submission."""
        return self.seconds / self.count


@dataclass(frozen=True, slots=True)
class Bench:
    """One exercise of a course, and a folder for what is made of it."""

    course: Course
    exercise: Exercise
    folder: Path

    @classmethod
    @contextmanager
    def open(cls, course: Course, exercise: Exercise) -> "Iterator[Bench]":
        """Make the folder, and remove it afterwards."""
        kept = course.build / "bench"
        kept.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=kept) as folder:
            yield cls(course, exercise, Path(folder))

    def grade(self, crowd: Answers, jobs: int) -> Graded:
        """Grade a class in a fresh course folder, and once more."""
        name = self.exercise.name
        with TemporaryDirectory(dir=self.folder) as folder:
            root = Path(folder)
            release = Path("assignments") / name
            shutil.copytree(
                self.course.root / release, root / release, ignore=shutil.ignore_patterns("__pycache__")
            )
            made = copy_course(self.course, [self.exercise], root)
            hand_in(root, released(made.assignments, self.exercise), self.exercise, crowd)
            # All submissions are our own, so fewer walls than the course demands are enough.
            command = _autograder(root, "grade", name, "--jobs", str(jobs), "--unsafe")
            run, again = measure(command, root), measure(command, root)
            reports = {student: _report(Submission(root, student, name)) for student in crowd}
        full = {
            student: frozenset(one.name for one in report.questions if one.score == one.max_score)
            for student, report in reports.items()
        }
        title = f"this grader, {jobs} job{'s' * (jobs > 1)}"
        walls = next(iter(reports.values())).sandbox
        return Graded(title, len(crowd), run.seconds, run.peak_mb, full, again.seconds, walls)

    def waiting(self) -> dict[str, float]:
        """Return the seconds that a student waits, by command, with a solved notebook."""
        with TemporaryDirectory(dir=self.folder) as folder:
            here = Path(folder) / self.exercise.name
            shutil.copytree(self.course.assignments / self.exercise.name, here)
            notebook = here / f"{self.exercise.name}.ipynb"
            solved = fill(released(self.course.assignments, self.exercise), right_answers(self.exercise))
            notebook.write_text(json.dumps(solved, indent=1), encoding="utf-8")
            program = Path(folder) / "cells.py"
            program.write_text("import torch\n" + "\n".join(_cells(self.exercise, {})), encoding="utf-8")
            commands = {
                "the solved notebook's cells": [sys.executable, str(program)],
                "`pytest` in the student's folder": [sys.executable, "-m", "pytest", "-q"],
                "`autograder run` on the notebook": _autograder(
                    self.course.root, "run", "--unsafe", str(notebook)
                ),
            }
            return {
                name: median(measure(words, here, _QUIET).seconds for _ in range(REPEATS))
                for name, words in commands.items()
            }


class _Clocked(Local):
    """Answers requests of trusted code, and counts the processor time that it takes."""

    seconds = 0.0

    def ask(self, header: Header, tensors: Parts) -> Reply:
        since = time.thread_time()
        try:
            return super().ask(header, tensors)
        finally:
            self.seconds += time.thread_time() - since


def own_work(exercise: Exercise, crowd: Answers) -> float:
    """Return the seconds of computing that a submission itself needs, the mean; no grader can take less.

    That is the time of its cells, and of answering the hidden tests' requests. It runs here, without walls,
    since all of it is the course's own code.
    """
    suite, seconds = Suite(exercise), 0.0
    for answers in crowd.values():
        variables: dict[str, Any] = {"__name__": "__main__"}
        since = time.thread_time()
        with silence():
            for cell in _cells(exercise, answers):
                with suppress(Exception):  # a visible check of a known mistake
                    exec(cell, variables)  # noqa: S102 - the course's own code
        seconds += time.thread_time() - since
        backend = _Clocked(Namespace(variables))
        list(suite.run(backend))
        seconds += backend.seconds
    return seconds / len(crowd)


def _cells(exercise: Exercise, answers: Mapping[str, str]) -> list[str]:
    """Return the code of the solved notebook, without its pictures."""
    cells = solved_cells(exercise, {**right_answers(exercise), **answers})
    return [cell.text for cell in cells if cell.kind == "code" and cell.text not in exercise.demos]


def _autograder(root: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "autograder", "--course", str(root), *words]


def _report(submission: Submission) -> Report:
    notebook = json.loads(submission.autograded.read_text(encoding="utf-8"))
    report = Report.from_dict(notebook["metadata"]["autograder"]["report"])
    if report.status is not Status.GRADED:
        raise BenchError(f"{submission.notebook}: not graded but {report.status}: {report.message}")
    return report
