"""Writes nbgrader's release of each exercise, which students get, always with the same bytes."""

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.authoring.build import build_sources
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.notebook import to_json
from autograder.gradebook.release import generate


def release_notebooks(course: Course, exercises: Sequence[Exercise]) -> list[Path]:
    """Build the exercises and write their releases to assignments/, without touching a gradebook."""
    build_sources(course, exercises)
    return [path for exercise in exercises for path in _released(course, exercise)]


def stale(course: Course, exercises: Sequence[Exercise]) -> list[str]:
    """Return the files in assignments/ that a fresh release would change, and folders of no exercise."""
    changed: list[Path] = []
    with TemporaryDirectory() as folder:
        fresh = Course(Path(folder), course.settings)
        release_notebooks(fresh, exercises)
        for exercise in exercises:
            new, old = _contents(fresh, exercise), _contents(course, exercise)
            changed += sorted(path for path in new.keys() | old.keys() if new.get(path) != old.get(path))
    folders = sorted(course.assignments.glob("*/"))
    strays = [path.relative_to(course.root) for path in folders if path.name not in course.exercises]
    return [str(path) for path in changed + strays]


def _released(course: Course, exercise: Exercise) -> list[Path]:
    generate(course, exercise)
    folder = course.assignments / exercise.name
    notebook = folder / f"{exercise.name}.ipynb"
    notebook.write_text(_normalised(notebook.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _normalised(text: str) -> str:
    """Return a notebook's text without the metadata by which versions of nbgrader differ."""
    notebook = json.loads(text)
    for key in set(notebook["metadata"]) - {"kernelspec", "language_info"}:
        del notebook["metadata"][key]
    return to_json(notebook)


def _contents(course: Course, exercise: Exercise) -> dict[Path, bytes]:
    """Return what the exercise's folder in assignments/ holds, by path in the course's folder."""
    files = (path for path in (course.assignments / exercise.name).rglob("*") if path.is_file())
    return {path.relative_to(course.root): path.read_bytes() for path in files}
