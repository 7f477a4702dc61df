"""A made-up class, and how long a command takes and how much memory it needs."""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

import psutil

from autograder.authoring.answers import fill, other_answers, right_answers
from autograder.course.exercise import Exercise
from autograder.course.notebook import NotebookJson
from autograder.errors import AutograderError

Answers = Mapping[str, Mapping[str, str]]  # by student and question


class BenchError(AutograderError):
    """What was to be measured failed."""


@dataclass(frozen=True, slots=True)
class Graded:
    """What a grader took for a class, or for the part of it that it was given."""

    grader: str
    seconds: float
    peak_mb: float
    full: Mapping[str, frozenset[str]]  # the questions with full marks, by student
    walls: tuple[str, ...] = ()

    @property
    def each(self) -> float:
        """Seconds for each submission."""
        return self.seconds / len(self.full)


def measure(command: Sequence[str], folder: Path) -> tuple[float, float]:
    """Run `command` in `folder`; return its seconds, and the most megabytes of it and all that it starts.

    A page that processes share counts once. An exit code other than 0 is a BenchError.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"  # nbgrader runs alembic
    start = time.perf_counter()
    with subprocess.Popen(  # noqa: S603 - only commands that this package makes
        command,
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        output, peak = None, 0
        while output is None:
            try:
                output, _ = process.communicate(timeout=0.25)  # to look takes milliseconds a process
            except subprocess.TimeoutExpired:
                peak = max(peak, memory(process.pid))
        seconds = time.perf_counter() - start
    if process.returncode != 0:
        raise BenchError(
            f"{' '.join(command)}: ended with code {process.returncode}\n{output[-2000:].strip()}"
        )
    return seconds, peak / 1e6


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
    kinds = cycle([(), exercise.accepted, exercise.mistakes])
    for number, variants in enumerate(islice(kinds, count), 1):
        written = right | (other_answers(exercise, dice.choice(variants).code) if variants else {})
        student = f"student-{number:05}"
        crowd[student] = {**written, first: f"{written[first]}\n# {student}"}
    return crowd


def hand_in(root: Path, notebook: NotebookJson, exercise: Exercise, crowd: Answers) -> None:
    """Fill submitted/ in the folder `root` with a class's notebooks, made from a released one."""
    for student, written in crowd.items():
        folder = root / "submitted" / student / exercise.name
        folder.mkdir(parents=True)
        text = json.dumps(fill(notebook, written), indent=1)
        (folder / f"{exercise.name}.ipynb").write_text(text, encoding="utf-8")
