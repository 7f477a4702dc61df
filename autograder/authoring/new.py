"""Starts a course, or an exercise: writes a small one that runs, for its author to change."""

import re
from collections.abc import Mapping
from pathlib import Path

from autograder.authoring.from_nbgrader import draft
from autograder.course.course import Course, CourseError
from autograder.course.names import NAME
from autograder.files import write_whole

FIRST = "01_half"  # the exercise of a new course
_HERE = Path(__file__).parent
_COURSE = ("course.yaml", ".gitignore", "nbgrader_config.py", "Makefile", "README.md")
_EXERCISE = ("NAME.py", "test_hidden.py", "accepted/by_multiplying.py", "mistakes/half__rounds_down.py")
_BESIDE = {".git", ".venv"}  # what may lie in a course's folder before anything else
_Files = Mapping[str, str | bytes]


def create_course(folder: Path, notebook: Path | None = None) -> list[Path]:
    """Write a course with one exercise, made of `notebook` if there is one, and return its files.

    CourseError says where `folder` is neither empty nor new: nothing that is there is ever overwritten.
    """
    if folder.is_file() or {path.name for path in folder.glob("*")} - _BESIDE:
        raise CourseError(f"{folder}: is not an empty folder; choose an empty one, or a new one")
    name = _as_name(notebook.stem, "exercise") if notebook else FIRST
    course = _as_name(folder.resolve().name, "course")
    exercise = {f"solutions/{name}/{file}": text for file, text in _exercise(name, notebook).items()}
    files = {**_filled("new_course", _COURSE, {"NAME": name, "COURSE": course}), **exercise}
    return [write_whole(folder / file, content) for file, content in files.items()]


def create(course: Course, name: str, notebook: Path | None = None) -> list[Path]:
    """Write a new exercise to solutions/<name>/ and return its files; CourseError where that cannot be."""
    folder = course.root / "solutions" / name
    if not re.fullmatch(NAME, name):
        raise CourseError(f'"{name}" is no name for an exercise; use letters, digits, _ and -')
    if folder.exists():
        raise CourseError(f"{folder}: is there already; choose another name, or delete the folder first")
    return [write_whole(folder / file, content) for file, content in _exercise(name, notebook).items()]


def entry(name: str) -> str:
    """Return the line by which course.yaml takes in the exercise `name`."""
    return f"  - name: {name}"


def _as_name(text: str, otherwise: str) -> str:
    return re.sub("[^A-Za-z0-9_-]+", "_", text).strip("_-")[:100] or otherwise


def _exercise(name: str, notebook: Path | None) -> _Files:
    return draft(notebook, name) if notebook else _filled("new_exercise", _EXERCISE, {"NAME": name})


def _filled(templates: str, files: tuple[str, ...], words: Mapping[str, str]) -> _Files:
    """Return `files` made from their templates, with `words` replaced in their names and texts."""
    filled = {}
    for file in files:
        text = (_HERE / templates / f"{file.removeprefix('.')}.template").read_text(encoding="utf-8")
        for word, value in words.items():
            file, text = file.replace(word, value), text.replace(word, value)
        filled[file] = text
    return filled
