"""Writes what students get, nbgrader's release of each exercise, always with the same bytes."""

import json
from collections.abc import Iterator, Sequence
from filecmp import cmp
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
    with TemporaryDirectory() as folder:
        fresh = Course(Path(folder), course.settings)
        release_notebooks(fresh, exercises)
        changed = [
            path
            for exercise in exercises
            for path in _differences(fresh.assignments, course.assignments, exercise.name)
        ]
    return [str(path) for path in [*changed, *_strays(course)]]


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


def _differences(fresh: Path, old: Path, name: str) -> Iterator[Path]:
    """Yield the files of the folder `name` that differ between two assignments/ folders."""
    files = {
        path.relative_to(place)
        for place in (fresh, old)
        for path in (place / name).rglob("*")
        if path.is_file()
    }
    for file in sorted(files):
        if not (
            (fresh / file).is_file()
            and (old / file).is_file()
            and cmp(fresh / file, old / file, shallow=False)
        ):
            yield Path("assignments") / file


def _strays(course: Course) -> Iterator[Path]:
    """Yield the folders in assignments/ that belong to no exercise of the course."""
    for path in sorted(course.assignments.glob("*/")):
        if path.name not in course.exercises:
            yield path.relative_to(course.root)
