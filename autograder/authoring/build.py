"""Turns an exercise's percent source into nbgrader's source notebook, with the student's kit beside it."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.notebook import kit, notebook, to_json


def build_sources(course: Course, exercises: Sequence[Exercise]) -> list[Path]:
    """Write each exercise's source notebook and kit to build/source/ and return the files."""
    return [
        path
        for exercise in exercises
        for path in write_source(exercise, course.build / "source" / exercise.name)
    ]


def write_source(exercise: Exercise, folder: Path) -> list[Path]:
    """Fill `folder` with just the source notebook and the kit of `exercise`, and return these files."""
    texts = {f"{exercise.name}.ipynb": to_json(notebook(exercise)), "conftest.py": kit(exercise)}
    if folder.exists():
        shutil.rmtree(folder)  # what lies here would be released
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return [folder / name for name in texts]
