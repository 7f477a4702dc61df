"""A busy machine changes no report: seconds in which a submission waits for a processor are not its own."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import autograder
from autograder.batch.pool import ProcessPool, Task
from autograder.course.course import Course, copy_course, load_course
from autograder.course.exercise import Exercise
from autograder.diagnosis.known import known_mistakes
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission
from autograder.tests.classroom import copy_small_course, solved

ROOT = Path(autograder.__file__).parent.parent
_FEW = 3
_LIMITS = {"cell_seconds": 1, "call_seconds": 0.5}
_OTHERS = {
    "endless_call": "def double(x):\n    while True: pass",
    "endless_cell": "def double(x):\n    return x + x\nwhile True: pass",
    "sleeping": "import time\ndef double(x):\n    time.sleep(60)",
    "dying": "def double(x):\n    import ctypes; ctypes.memset(0, 1, 1)",
}


def answers(exercise: Exercise) -> dict[str, dict[str, str]]:
    """Return what some students answer: a right one, one with all wrong, and one with one question wrong."""
    wrong: dict[str, str] = {}
    for mistake in known_mistakes(exercise):
        wrong |= {mistake.question: exercise.replaced(mistake.code)[mistake.question]}
    return {"right": {}, "wrong": wrong, "partly": dict(list(wrong.items())[:1])}


def a_course(folder: Path, *, whole: bool) -> Course:
    """Return a copy of the small course, whose endless loops end soon, or of the whole real one."""
    course = load_course(ROOT) if whole else copy_small_course(folder / "small")
    return copy_course(course, list(course.exercises.values()), folder / "copy", {} if whole else _LIMITS)


def handed_in(course: Course) -> Iterator[Task]:
    for exercise in course.exercises.values():
        students = answers(exercise)
        if "double" in exercise.points:
            students |= {name: {"double": code} for name, code in _OTHERS.items()}
        for student, own in students.items():
            notebook = Notebook(json.dumps(solved(exercise, **own)).encode())
            yield Task(Submission(course.root, student, exercise.name), notebook)


def graded(course: Course) -> dict[str, str]:
    with ProcessPool(course, 2) as pool:
        done = pool.map(handed_in(course))
        return {f"{one.exercise} {one.student}": graded.to_json() for one, _, graded in done}


@contextmanager
def loops(count: int) -> Iterator[None]:
    """Let so many processes do nothing, as fast as they can."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def test_a_class_gets_the_same_reports_beside_busy_loops(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    count = pytestconfig.getoption("--busy")
    course = a_course(tmp_path, whole=count is not None)
    quiet = graded(course)
    with loops(count or _FEW):
        busy = graded(course)
    assert len(quiet) >= 3 * len(course.exercises)
    assert [name for name in quiet if busy[name] != quiet[name]] == []
