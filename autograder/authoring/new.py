"""Starts a course, or an exercise: writes a small one that runs, for its author to change."""

import re
from pathlib import Path

from autograder.course.course import Course, CourseError, load_course
from autograder.course.names import NAME
from autograder.files import write_whole

FIRST = "01_half"  # the exercise of a new course
_HERE = Path(__file__).parent
_COURSE = ("course.yaml", ".gitignore", "nbgrader_config.py", "Makefile", "README.md")
_EXERCISE = ("NAME.py", "test_hidden.py", "accepted/by_multiplying.py", "mistakes/half__rounds_down.py")
_BESIDE = {".git", ".venv"}  # what may lie in a course's folder before anything else


def create_course(folder: Path) -> list[Path]:
    """Write a course with one exercise to an empty or new folder and return its files.

    CourseError says where that cannot be: nothing that is there is ever overwritten.
    """
    fix = "choose an empty folder, or a new one"
    if folder.exists() and not folder.is_dir():
        raise CourseError(f"{folder}: is a file; {fix}")
    if found := sorted({path.name for path in folder.glob("*")} - _BESIDE):
        raise CourseError(f"{folder}: is not empty, it holds {found[0]}; {fix}")
    course = re.sub("[^A-Za-z0-9_-]+", "_", folder.resolve().name).strip("_-")[:100] or "course"
    written = _write("new_course", _COURSE, folder, {"NAME": FIRST, "COURSE": course})
    return [*written, *create(load_course(folder), FIRST)]


def create(course: Course, name: str) -> list[Path]:
    """Write a new exercise to solutions/<name>/ and return its files; CourseError where that cannot be."""
    folder = course.root / "solutions" / name
    if not re.fullmatch(NAME, name):
        fix = "use letters, digits, _ and -, as in 10_rotary"
        raise CourseError(f'"{name}" is no name for an exercise; {fix}')
    if folder.exists():
        raise CourseError(f"{folder}: is there already; choose another name, or delete the folder first")
    return _write("new_exercise", _EXERCISE, folder, {"NAME": name})


def _write(templates: str, files: tuple[str, ...], folder: Path, words: dict[str, str]) -> list[Path]:
    """Write `files` from their templates, with `words` replaced in their names and texts."""
    written = []
    for file in files:
        text = (_HERE / templates / f"{file.removeprefix('.')}.template").read_text(encoding="utf-8")
        for word, value in words.items():
            file, text = file.replace(word, value), text.replace(word, value)
        written.append(write_whole(folder / file, text))
    return written


def entry(name: str) -> str:
    """Return the line by which course.yaml takes in the exercise `name`."""
    return f"  - name: {name}"
